// One warp hands its writes over at a named barrier, and leaves; the other one waits there.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffer[32];
  const uint32_t lane = threadIdx.x % 32;
  const size_t at = size_t{blockIdx.x} * 32 + lane;
  if (threadIdx.x < 32) {
    buffer[lane] = in[at] + 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    return;
  }
  asm volatile("bar.sync 1, 64;" ::: "memory");
  out[at] = buffer[lane ^ 1];
}

int main() {
  return corpus_check(
      2 * 32, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ 1] + 1; });
}
