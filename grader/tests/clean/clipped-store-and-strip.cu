// Two blocks store the left columns of a matrix by tensor copies, a third writes the columns that are left.
// The tensor ends on a multiple of 16 bytes, so its stores end there, too.
#include "corpus.h"

constexpr uint32_t WIDTH = 12, PITCH = 16, HEIGHT = 8;

__global__ void kernel(const __grid_constant__ CUtensorMap to, int *out, const int *in) {
  __shared__ alignas(128) int box[HEIGHT][8];
  const uint32_t x = threadIdx.x % 8, y = threadIdx.x / 8;
  if (blockIdx.x == 2) {
    for (uint32_t column = WIDTH + x; column < PITCH; column += 8)
      out[y * PITCH + column] = -1;
    return;
  }
  box[y][x] = in[y * PITCH + blockIdx.x * 8 + x];
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor_2d_shared_to_global(&to, blockIdx.x * 8, 0, box);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      PITCH * HEIGHT,
      [](int *out, const int *in) {
        CUtensorMap to;
        CUDA_CHECK(tensor_map_encode_2d(&to, CU_TENSOR_MAP_DATA_TYPE_INT32, out, WIDTH, HEIGHT,
                                        PITCH * sizeof(int), 8, HEIGHT));
        kernel<<<3, 8 * HEIGHT>>>(to, out, in);
      },
      [](const std::vector<int> &in, size_t i) { return i % PITCH < WIDTH ? in[i] : -1; });
}
