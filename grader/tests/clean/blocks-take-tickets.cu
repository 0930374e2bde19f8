// Blocks take turns by tickets: an atomic gives each its number, and it waits until that number is served.
// What they raise in their turn are ordinary words. The last block shows them.
#include "corpus.h"

constexpr uint32_t BLOCKS = 6, TURNS = 3, WORDS = 32;

struct ticket_lock {
  unsigned next, served;
};

__device__ ticket_lock lock;
__device__ int sums[WORDS];

static __device__ unsigned look(const unsigned *counter) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
  return value;
}

__global__ void kernel(const int *in) {
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    if (threadIdx.x == 0) {
      const unsigned ticket = atomicAdd(&lock.next, 1);
      while (look(&lock.served) < ticket)
        __nanosleep(50);
    }
    __syncwarp();
    sums[threadIdx.x] += in[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0)
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&lock.served) : "memory");
  }
}

__global__ void show(int *out) {
  out[threadIdx.x] = sums[threadIdx.x];
}

int main() {
  return corpus_check(
      WORDS,
      [](int *out, const int *in) {
        kernel<<<BLOCKS, WORDS>>>(in);
        show<<<1, WORDS>>>(out);
      },
      [](const std::vector<int> &in, size_t i) { return static_cast<int>(BLOCKS * TURNS) * in[i]; });
}
