// Two buffers, and two cuda::barriers for each, as NVIDIA's programming guide has them: one tells that the
// buffer is ready to be filled, the other that it is filled. One warp fills, the others add.
#include "corpus.h"
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr uint32_t TILES = 6, WIDTH = 128;

__device__ static void produce(barrier ready[2], barrier filled[2], int (*buffers)[WIDTH], const int *in) {
  for (uint32_t t = 0; t < TILES; t++) {
    ready[t % 2].arrive_and_wait();
    for (uint32_t i = threadIdx.x; i < WIDTH; i += 32)
      buffers[t % 2][i] = in[t * WIDTH + i];
    (void)filled[t % 2].arrive();
  }
}

__device__ static void consume(barrier ready[2], barrier filled[2], int (*buffers)[WIDTH], int *out) {
  (void)ready[0].arrive();
  (void)ready[1].arrive();
  int sum = 0;
  for (uint32_t t = 0; t < TILES; t++) {
    filled[t % 2].arrive_and_wait();
    sum += buffers[t % 2][threadIdx.x - 32];
    if (t + 2 < TILES) (void)ready[t % 2].arrive();
  }
  out[threadIdx.x - 32] = sum;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffers[2][WIDTH];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier ready[2], filled[2];
  if (threadIdx.x < 2) {
    init(&ready[threadIdx.x], blockDim.x);
    init(&filled[threadIdx.x], blockDim.x);
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * WIDTH;
  if (threadIdx.x < 32)
    produce(ready, filled, buffers, in + first);
  else
    consume(ready, filled, buffers, out + first);
}

int main() {
  return corpus_check(
      2 * TILES * WIDTH, [](int *out, const int *in) { kernel<<<2, WIDTH + 32>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        if (i % (TILES * WIDTH) >= WIDTH) return 0;
        for (uint32_t t = 0; t < TILES; t++)
          sum += in[i + t * WIDTH];
        return sum;
      });
}
