// A tile of a matrix by tensor copies in both directions, over the right and lower edges.
#include "corpus.h"

constexpr uint32_t WIDTH = 40, HEIGHT = 20, BOX_WIDTH = 16, BOX_HEIGHT = 8;

__global__ void kernel(const __grid_constant__ CUtensorMap to, const __grid_constant__ CUtensorMap from) {
  __shared__ alignas(128) int box[BOX_HEIGHT][BOX_WIDTH];
  __shared__ uint64_t bar;
  const int32_t x = blockIdx.x * BOX_WIDTH, y = blockIdx.y * BOX_HEIGHT;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, &from, x, y, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < BOX_WIDTH * BOX_HEIGHT; i += blockDim.x)
    box[i / BOX_WIDTH][i % BOX_WIDTH] += 1;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, box);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      WIDTH * HEIGHT,
      [](int *out, const int *in) {
        const CUtensorMap to = corpus_map(out, WIDTH, HEIGHT, BOX_WIDTH, BOX_HEIGHT),
                          from = corpus_map(in, WIDTH, HEIGHT, BOX_WIDTH, BOX_HEIGHT);
        kernel<<<dim3(3, 3), 64>>>(to, from);
      },
      corpus_plus_one);
}
