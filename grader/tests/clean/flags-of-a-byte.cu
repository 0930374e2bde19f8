// Flags of one byte, volatile, that share words: each block raises its own one and waits for its neighbour's;
// the first block waits for all.
#include "corpus.h"

constexpr uint32_t BLOCKS = 6, PART = 32;
__device__ int mail[BLOCKS * PART];
__device__ volatile unsigned char written[BLOCKS], passed_on[BLOCKS];

__device__ static void raise(volatile unsigned char *flag) {
  __syncthreads();
  if (threadIdx.x > 0) return;
  __threadfence();
  *flag = 1;
}

__device__ static void await(const volatile unsigned char *flag) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void kernel(int *out, const int *in) {
  const uint32_t own = blockIdx.x, next = (own + 1) % BLOCKS, at = own * PART + threadIdx.x;
  mail[at] = in[at];
  raise(&written[own]);
  await(&written[next]);
  out[next * PART + threadIdx.x] = mail[next * PART + threadIdx.x];
  raise(&passed_on[own]);
  if (own > 0) return;
  if (threadIdx.x < BLOCKS) {
    while (passed_on[threadIdx.x] == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < BLOCKS * PART; i += blockDim.x)
    out[i] += 1;
}

int main() {
  return corpus_check(
      BLOCKS * PART, [](int *out, const int *in) { kernel<<<BLOCKS, PART>>>(out, in); }, corpus_plus_one);
}
