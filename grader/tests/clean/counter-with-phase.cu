// A barrier of the whole grid in one word, as libcu++'s: each thread adds one by a release, and the last of a
// phase adds the phase by a relaxed atomic. Whoever acquires that has seen what all had released before.
#include "corpus.h"

constexpr uint32_t THREADS = 32, BLOCKS = 4, COUNT = THREADS * BLOCKS, PHASES = 3, ONE_PHASE = 1 << 16;

__device__ uint32_t counter;

__device__ uint32_t arrive(uint32_t *word) {
  uint32_t before;
  asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(word) : "memory");
  return before;
}

__device__ uint32_t look(const uint32_t *word) {
  uint32_t now;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
  return now;
}

__global__ void kernel(int *out, const int *in, int *kept) {
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  int sum = 0;
  for (uint32_t phase = 0; phase < PHASES; phase++) {
    kept[phase * COUNT + i] = in[i];
    if (arrive(&counter) % ONE_PHASE == (phase + 1) * COUNT - 1)
      asm volatile("red.add.relaxed.gpu.u32 [%0], %1;" ::"l"(&counter), "r"(ONE_PHASE) : "memory");
    while (look(&counter) / ONE_PHASE <= phase) {
    }
    sum += kept[phase * COUNT + (i + 40) % COUNT];
  }
  out[i] = sum;
}

static void launch(int *out, const int *in) {
  int *kept;
  CUDA_CHECK(cudaMalloc(&kept, PHASES * COUNT * sizeof(int)));
  kernel<<<BLOCKS, THREADS>>>(out, in, kept);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(kept));
}

int main() {
  return corpus_check(COUNT, launch, [](const std::vector<int> &in, size_t i) {
    return static_cast<int>(PHASES) * in[(i + 40) % COUNT];
  });
}
