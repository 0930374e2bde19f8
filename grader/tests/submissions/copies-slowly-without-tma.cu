// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says rules 1 unmet
// expect: says correct 7/7
// expect: says bandwidth --
// expect: says bytes loaded by bulk copies: 0 seen
// Its large case takes more than a first budget of instructions, and a requirement is unmet in another case.
// So the large one is run for its values alone, without a look at the rule that it breaks, and nothing is
// predicted.
#include "lab9.h"

__global__ void kernel(int32_t *data, size_t count) {
  __shared__ uint32_t seen;
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  uint32_t one = 1;
  if (count > 500000) {
    for (uint32_t turn = 0; turn < 1500; turn++)
      asm volatile("xor.b32 %0, %0, %1;" : "+r"(one) : "r"(turn << 1));
    one = one & 1;
    if (threadIdx.x == 0) seen = one;
    if (threadIdx.x == 64 && seen == 77) one = 3;
  }
  if (i < count) data[i] = static_cast<int32_t>(static_cast<uint32_t>(data[i]) + one);
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<(count + 255) / 256, 256, 0, stream>>>(data, count);
  return cudaGetLastError();
}
