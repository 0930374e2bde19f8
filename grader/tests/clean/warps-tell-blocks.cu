// Each warp of a block fills a mailbox for a warp of another block, and tells that warp by one lane, in four
// ways: releasing store, releasing reduction, fence and atomic, fence and volatile store.
#include "corpus.h"

constexpr uint32_t PAIRS = 2, WARPS = 4, PART = WARPS * 32;
__device__ int mail[PAIRS * PART];
__device__ unsigned mail_full[PAIRS * WARPS];

__device__ static void await(const unsigned *flag) {
  unsigned value;
  do
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  while (!value);
}

__device__ static void tell(uint32_t warp, unsigned *flag) {
  if (warp == 0) {
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
  } else if (warp == 1) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(flag) : "memory");
  } else if (warp == 2) {
    __threadfence();
    atomicAdd(flag, 1u);
  } else {
    __threadfence();
    *reinterpret_cast<volatile unsigned *>(flag) = 1;
  }
}

__global__ void kernel(int *out, const int *in) {
  const uint32_t pair = blockIdx.x / 2, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t at = pair * PART + threadIdx.x;
  if (blockIdx.x % 2 == 0) {
    mail[at] = in[at] + 1;
    __syncwarp();
    if (lane == 0) tell(warp, &mail_full[pair * WARPS + warp]);
  } else {
    if (lane == 0) await(&mail_full[pair * WARPS + warp]);
    __syncwarp();
    out[at] = mail[at];
  }
}

int main() {
  return corpus_check(
      PAIRS * PART, [](int *out, const int *in) { kernel<<<2 * PAIRS, PART>>>(out, in); }, corpus_plus_one);
}
