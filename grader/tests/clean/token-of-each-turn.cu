// A warp that stores and one that loads meet at two barriers, turn after turn. Each wait asks for the phase
// that the thread's own arrival belonged to: the arrival's token says which.
#include "corpus.h"

constexpr uint32_t TURNS = 4;

__device__ static uint64_t arrive_token(uint64_t *bar) {
  uint64_t token;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
               : "=l"(token)
               : "r"(tma_shared_address(bar))
               : "memory");
  return token;
}

__device__ static void wait_token(uint64_t *bar, uint64_t token) {
  uint32_t done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(tma_shared_address(bar)), "l"(token)
                 : "memory");
}

__global__ void kernel(int *out, const int *in) {
  __shared__ int values[32];
  __shared__ uint64_t written, read;
  const uint32_t lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    init_barrier(&written, 64);
    init_barrier(&read, 64);
  }
  __syncthreads();
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    const size_t at = (size_t{blockIdx.x} * TURNS + turn) * 32 + lane;
    if (threadIdx.x < 32) values[lane] = in[at] + 1;
    const uint64_t token = arrive_token(&written);
    wait_token(&written, token);
    if (threadIdx.x >= 32) out[at] = values[lane ^ 1];
    const uint64_t done = arrive_token(&read);
    wait_token(&read, done);
  }
}

int main() {
  return corpus_check(
      2 * TURNS * 32, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ 1] + 1; });
}
