// Three warps of four meet at a barrier that counts them. The fourth one has nothing to do and leaves.
#include "corpus.h"

constexpr uint32_t WORKERS = 96;

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffer[WORKERS];
  if (threadIdx.x >= WORKERS) return;
  const size_t first = size_t{blockIdx.x} * WORKERS;
  buffer[threadIdx.x] = in[first + threadIdx.x] + 1;
  asm volatile("bar.sync 1, 96;" ::: "memory");
  out[first + WORKERS - 1 - threadIdx.x] = buffer[WORKERS - 1 - threadIdx.x];
}

int main() {
  return corpus_check(
      2 * WORKERS, [](int *out, const int *in) { kernel<<<2, 128>>>(out, in); }, corpus_plus_one);
}
