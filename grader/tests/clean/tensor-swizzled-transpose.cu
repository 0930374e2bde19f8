// A tile with the 128-byte swizzle is read by columns without bank conflicts. The reader computes the pattern
// itself.
#include "corpus.h"

constexpr uint32_t SIDE = 32;

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap from) {
  __shared__ alignas(1024) int box[SIDE][SIDE];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, &from, 0, blockIdx.x * SIDE, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x) {
    const uint32_t row = i % SIDE, column = i / SIDE;
    out[blockIdx.x * SIDE * SIDE + i] = box[row][(column / 4 ^ row % 8) * 4 + column % 4];
  }
}

int main() {
  return corpus_check(
      2 * SIDE * SIDE,
      [](int *out, const int *in) {
        kernel<<<2, 128>>>(out, corpus_map(in, SIDE, 2 * SIDE, SIDE, SIDE, CU_TENSOR_MAP_SWIZZLE_128B));
      },
      [](const std::vector<int> &in, size_t i) {
        const size_t b = i / (SIDE * SIDE), r = i % (SIDE * SIDE);
        return in[b * SIDE * SIDE + r % SIDE * SIDE + r / SIDE];
      });
}
