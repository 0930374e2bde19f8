// Arrivals and waits are .relaxed; a fence before the one and behind the other makes them a release and an
// acquire (PTX ISA 8.8). The buffer is given back in the same way.
#include "corpus.h"

constexpr uint32_t ROUNDS = 3, THREADS = 128;

__device__ static void arrive_relaxed(uint64_t *bar) {
  asm volatile("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(
                   static_cast<uint32_t>(__cvta_generic_to_shared(bar)))
               : "memory");
}

__device__ static void wait_relaxed(uint64_t *bar, uint32_t parity) {
  uint32_t done;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2;\n"
                 "  selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(bar))), "r"(parity)
                 : "memory");
  } while (!done);
}

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffer[THREADS];
  __shared__ uint64_t full, empty;
  if (threadIdx.x == 0) {
    init_barrier(&full, THREADS);
    init_barrier(&empty, THREADS);
  }
  __syncthreads();
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const size_t first = (size_t{blockIdx.x} * ROUNDS + round) * THREADS;
    if (round > 0) wait(&empty, (round - 1) & 1);
    buffer[threadIdx.x] = in[first + threadIdx.x] + 1;
    __threadfence_block(); // the arrival hands over the write
    arrive_relaxed(&full);
    wait_relaxed(&full, round & 1);
    __threadfence_block(); // the wait takes over what the others have written
    out[first + threadIdx.x] = buffer[threadIdx.x ^ 64];
    arrive(&empty);
  }
}

int main() {
  return corpus_check(
      2 * ROUNDS * THREADS, [](int *out, const int *in) { kernel<<<2, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ 64] + 1; });
}
