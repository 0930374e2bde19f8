// target: sm_90a
// The first warpgroup gives registers back, the two others take them: in every second block fewer. Each block
// begins with what the kernel was compiled for, whatever the block before it had.
#include "corpus.h"

constexpr uint32_t GROUP = 128, THREADS = 3 * GROUP;

__global__ void __launch_bounds__(THREADS, 1) kernel(int *out, const int *in) {
  const uint32_t group = __shfl_sync(0xffffffff, threadIdx.x / GROUP, 0);
  if (group == 0)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  else if (blockIdx.x % 2)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
  else
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  out[i] = in[i] + static_cast<int>(group);
}

int main() {
  return corpus_check(
      8 * THREADS, [](int *out, const int *in) { kernel<<<8, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] + static_cast<int>(i / GROUP % 3); });
}
