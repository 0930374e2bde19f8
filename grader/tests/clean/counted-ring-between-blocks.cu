// In each of three pairs of blocks, a warp hands tiles to the other block's warp through two slots of global
// memory, by ordinary accesses. Both count: what is filled behind a fence, what is used by a releasing red.
#include "corpus.h"

constexpr uint32_t PAIRS = 3, SLOTS = 2, TILES = 20, WORDS = 32;

struct channel {
  unsigned filled, used;
  int slots[SLOTS][WORDS];
};

__device__ channel channels[PAIRS];

static __device__ unsigned look(const unsigned *counter) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
  return value;
}

static __device__ void fill(channel &between, const int *in) {
  for (uint32_t t = 0; t < TILES; t++) {
    while (t >= SLOTS && look(&between.used) < t - SLOTS + 1)
      __nanosleep(100);
    for (uint32_t i = threadIdx.x; i < WORDS; i += 32)
      between.slots[t % SLOTS][i] = in[t * WORDS + i] + 1;
    __syncwarp();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(&between.filled, 1);
    }
  }
}

static __device__ void use(int *out, channel &between) {
  for (uint32_t t = 0; t < TILES; t++) {
    while (look(&between.filled) <= t)
      __nanosleep(100);
    for (uint32_t i = threadIdx.x; i < WORDS; i += 32)
      out[t * WORDS + i] = between.slots[t % SLOTS][i];
    __syncwarp();
    if (threadIdx.x == 0)
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&between.used) : "memory");
  }
}

__global__ void kernel(int *out, const int *in) {
  const uint32_t pair = blockIdx.x / 2, first = pair * TILES * WORDS;
  if (blockIdx.x % 2 == 0)
    fill(channels[pair], in + first);
  else
    use(out + first, channels[pair]);
}

int main() {
  return corpus_check(
      PAIRS * TILES * WORDS, [](int *out, const int *in) { kernel<<<2 * PAIRS, 32>>>(out, in); },
      corpus_plus_one);
}
