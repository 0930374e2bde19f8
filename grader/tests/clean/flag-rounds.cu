// Two threads hand a value over in shared memory, round by round, by relaxed flags with a fence on both
// sides. Each round needs its own fences.
#include "corpus.h"

__device__ static int look(const int *flag) {
  return *static_cast<const volatile int *>(flag);
}

__device__ static void set(int *flag, int value) {
  *static_cast<volatile int *>(flag) = value;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ int value, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    for (int round = 0; round < 16; round++) {
      while (look(&flag) != 2 * round)
        ;
      __threadfence_block(); // taken back
      value = in[round] + 1;
      __threadfence_block(); // handed over
      set(&flag, 2 * round + 1);
    }
  }
  if (threadIdx.x == 0) {
    for (int round = 0; round < 16; round++) {
      while (look(&flag) != 2 * round + 1)
        ;
      __threadfence_block(); // received
      out[round] = value;
      __threadfence_block(); // given back
      set(&flag, 2 * round + 2);
    }
    flag = 0; // an ordinary write: nobody looks at it any more
  }
}

int main() {
  return corpus_check(
      16, [](int *out, const int *in) { kernel<<<1, 64>>>(out, in); }, corpus_plus_one);
}
