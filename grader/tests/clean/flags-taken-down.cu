// Flags in shared memory, taken down by an ordinary write of whoever has seen them raised, or of a thread
// that it has met since. The writer raises others meanwhile, each behind a fence of its own; the last flag
// carries nothing, and needs none.
#include "corpus.h"

__device__ static bool is_up(const int *flag) {
  return *static_cast<const volatile int *>(flag) != 0;
}

__device__ static void raise(int *flag) {
  *static_cast<volatile int *>(flag) = 1;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ int value[9], up[9];
  if (threadIdx.x < 9) up[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 64) {
    for (int i = 0; i < 8; i++) {
      value[i] = in[i] + 1;
      __threadfence_block();
      raise(&up[i]);
    }
    raise(&up[8]);
  }
  if (threadIdx.x >= 64) return;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 4; i++) {
      while (!is_up(&up[i]))
        ;
      __threadfence_block();
      out[i] = value[i];
      up[i] = up[i] - 1; // read and written as anything else
    }
    for (int i = 4; i < 9; i++)
      while (!is_up(&up[i]))
        ;
    __threadfence_block(); // received
    up[8] = 0;
  }
  asm volatile("bar.sync 1, 64;" ::: "memory");
  if (threadIdx.x >= 36 && threadIdx.x < 40) {
    const int i = static_cast<int>(threadIdx.x) - 32;
    out[i] = value[i];
    up[i] = 0;
  }
}

int main() {
  return corpus_check(
      8, [](int *out, const int *in) { kernel<<<1, 96>>>(out, in); }, corpus_plus_one);
}
