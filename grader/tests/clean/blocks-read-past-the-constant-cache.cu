// Blocks hand over rows in a circle, twice. What nobody writes they read by ld.global.nc (__ldg); what their
// neighbour has written, by ordinary loads.
#include "corpus.h"

constexpr uint32_t BLOCKS = 4, WORDS = 64;

__device__ int rows[BLOCKS][WORDS];
__device__ unsigned arrived;

static __device__ void meet(unsigned all) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned now = 0;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&arrived) : "memory");
    while (now < all)
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(&arrived) : "memory");
  }
  __syncthreads();
}

__global__ void kernel(int *out, const int *in) {
  const uint32_t me = blockIdx.x, next = (me + 1) % BLOCKS;
  rows[me][threadIdx.x] = __ldg(&in[me * WORDS + threadIdx.x]) + 1;
  meet(BLOCKS);
  const int first = rows[next][threadIdx.x];
  meet(2 * BLOCKS);
  rows[me][threadIdx.x] = first;
  meet(3 * BLOCKS);
  out[me * WORDS + threadIdx.x] = rows[(me + BLOCKS - 1) % BLOCKS][threadIdx.x];
}

int main() {
  return corpus_check(
      BLOCKS * WORDS, [](int *out, const int *in) { kernel<<<BLOCKS, WORDS>>>(out, in); }, corpus_plus_one);
}
