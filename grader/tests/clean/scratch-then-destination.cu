// Scratch memory of a block's sum becomes the destination of a tensor load; the issuing thread fences after
// the block has met.
#include "corpus.h"

constexpr uint32_t BOX = 16, WIDTH = 32, HEIGHT = 16;

__global__ void kernel(int *out, const int *in, const __grid_constant__ CUtensorMap from) {
  __shared__ alignas(128) union {
    int scratch[64];
    int box[BOX * BOX];
  } memory;
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  memory.scratch[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (uint32_t step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) memory.scratch[threadIdx.x] += memory.scratch[threadIdx.x + step];
    __syncthreads();
  }
  const int sum = memory.scratch[0];
  __syncthreads();
  if (threadIdx.x == 0) {
    async_proxy_fence(); // for all that the block wrote
    expect_bytes_and_arrive(&bar, sizeof memory.box);
    cp_async_bulk_tensor_2d_global_to_shared(memory.box, &from, blockIdx.x * BOX, 0, &bar);
  }
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < BOX * BOX; i += blockDim.x)
    out[i / BOX * WIDTH + blockIdx.x * BOX + i % BOX] = memory.box[i] + sum;
}

int main() {
  return corpus_check(
      WIDTH * HEIGHT,
      [](int *out, const int *in) {
        kernel<<<WIDTH / BOX, 64>>>(out, in, corpus_map(in, WIDTH, HEIGHT, BOX, BOX));
      },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (size_t k = 0; k < 64; k++)
          sum += in[k];
        return in[i] + sum;
      });
}
