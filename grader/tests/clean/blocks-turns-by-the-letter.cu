// options: --strict
// Two blocks of a pair pass a mailbox to and fro, by the letter of the PTX ISA: one stores a tile in bulk,
// waits for its end and releases; the other acquires, reads and releases; then the first one stores anew. The
// second pair signals by fences and volatile flags.
#include "corpus.h"

constexpr uint32_t PAIRS = 2, PART = 64, ROUNDS = 3;
__device__ alignas(128) int mail[PAIRS * PART];
__device__ unsigned mail_full[PAIRS], mail_empty[PAIRS];

__device__ static void await(const unsigned *flag, unsigned value) {
  unsigned found;
  do
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(found) : "l"(flag) : "memory");
  while (found < value);
}

__device__ static void await_and_fence(const unsigned *flag, unsigned value) {
  while (*reinterpret_cast<const volatile unsigned *>(flag) < value) {
  }
  __threadfence();
}

__device__ static void tell(unsigned *flag, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__device__ static void fence_and_tell(unsigned *flag, unsigned value) {
  __threadfence();
  *reinterpret_cast<volatile unsigned *>(flag) = value;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[PART];
  const uint32_t pair = blockIdx.x / 2, at = pair * PART + threadIdx.x;
  int sum = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    if (blockIdx.x % 2 == 0) {
      tile[threadIdx.x] = in[at] + static_cast<int>(round);
      async_proxy_fence();
      __syncthreads();
      if (threadIdx.x == 0) {
        if (pair == 0)
          await(&mail_empty[pair], round);
        else
          await_and_fence(&mail_empty[pair], round);
        cp_async_bulk_shared_to_global(mail + pair * PART, tile, sizeof tile);
        tma_commit_group();
        tma_wait_until_pending<0>();
        if (pair == 0)
          tell(&mail_full[pair], round + 1);
        else
          fence_and_tell(&mail_full[pair], round + 1);
      }
      __syncthreads();
    } else {
      if (threadIdx.x == 0) await(&mail_full[pair], round + 1);
      __syncthreads();
      sum += mail[at];
      __syncthreads();
      if (threadIdx.x == 0) tell(&mail_empty[pair], round + 1);
    }
  }
  if (blockIdx.x % 2) out[at] = sum;
}

int main() {
  return corpus_check(
      PAIRS * PART, [](int *out, const int *in) { kernel<<<2 * PAIRS, PART>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return 3 * in[i] + 3; });
}
