// Lanes of a warp tell another block without a meeting of the warp: each for what it has written itself, one
// lane for what it alone has written, and lane 0 for all after a shuffle, a vote and a sum over the warp.
#include "corpus.h"

constexpr uint32_t PAIRS = 3, PART = 32;
__device__ int own_mail[PAIRS * PART], summed_mail[PAIRS * PART], notes[PAIRS];
__device__ unsigned own_full[PAIRS * PART], summed_full[PAIRS], note_full[PAIRS];

__device__ static void await(const unsigned *flag) {
  unsigned value;
  do
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  while (!value);
}

__device__ static void send(const int *in, uint32_t pair) {
  const uint32_t lane = threadIdx.x, at = pair * PART + lane;
  own_mail[at] = in[at];
  __threadfence();
  atomicExch(&own_full[at], 1u);
  if (lane == 7) {
    notes[pair] = in[pair];
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&note_full[pair]) : "memory");
  }
  summed_mail[at] = 2 * in[at];
  int sum = 0;
  if (pair == 0)
    sum = __shfl_sync(0xffffffff, in[at], 3);
  else if (pair == 1)
    sum = __any_sync(0xffffffff, in[at] > 0);
  else
    sum = __reduce_add_sync(0xffffffff, in[at]);
  if (lane == 0 && sum)
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(&summed_full[pair]) : "memory");
}

__global__ void kernel(int *out, const int *in) {
  const uint32_t pair = blockIdx.x / 2, at = pair * PART + threadIdx.x;
  if (blockIdx.x % 2 == 0) {
    send(in, pair);
    return;
  }
  await(&own_full[at]);
  int sum = own_mail[at];
  if (threadIdx.x == 31) await(&note_full[pair]);
  __syncwarp();
  sum += notes[pair];
  if (threadIdx.x == 0) await(&summed_full[pair]);
  __syncwarp();
  out[at] = sum + summed_mail[at];
}

int main() {
  return corpus_check(
      PAIRS * PART, [](int *out, const int *in) { kernel<<<2 * PAIRS, PART>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return 3 * in[i] + in[i / PART]; });
}
