// Every thread copies an element with cp.async, and its copies arrive for it: the barrier counts nothing
// else.
#include "corpus.h"

constexpr uint32_t THREADS = 128;

__global__ void kernel(int *out, const int *in) {
  __shared__ int tile[THREADS];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * THREADS;
  if (threadIdx.x == 0) init_barrier(&bar, THREADS);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(tma_shared_address(tile + threadIdx.x)),
               "l"(in + first + threadIdx.x)
               : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(tma_shared_address(&bar)) : "memory");
  wait(&bar, 0);
  out[first + threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

int main() {
  return corpus_check(
      2 * THREADS, [](int *out, const int *in) { kernel<<<2, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return in[i / THREADS * THREADS + THREADS - 1 - i % THREADS];
      });
}
