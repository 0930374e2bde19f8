// Block 0 hands a number to block 1, and that one to block 2, by flags that are relaxed: each has its fences.
#include "corpus.h"

__device__ unsigned flags[2];

__device__ static void raise(unsigned *flag) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
}
__device__ static void await(const unsigned *flag) {
  unsigned raised = 0;
  while (!raised)
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(raised) : "l"(flag) : "memory");
}

__global__ void kernel(int *out, const int *in) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[0] = in[0] + 1;
    __threadfence();
    raise(&flags[0]);
  } else if (blockIdx.x == 1) {
    await(&flags[0]);
    __threadfence();
    out[1] = out[0] - in[0] + in[1];
    __threadfence();
    raise(&flags[1]);
  } else {
    await(&flags[1]);
    __threadfence();
    out[2] = out[0] - in[0] + in[2];
  }
}

int main() {
  return corpus_check(
      3, [](int *out, const int *in) { kernel<<<3, 32>>>(out, in); }, corpus_plus_one);
}
