// A block looks a few times whether another one has found something, by plain loads, and then notes the best
// that is known by then, whatever it is: a report on the work, which may be old.
#include "corpus.h"

constexpr uint32_t THREADS = 64, BLOCKS = 8, GLANCES = 50;

struct board {
  int ready;
  volatile int best;
  int noted[BLOCKS * THREADS];
};

__global__ void kernel(int *out, const int *in, board *all) {
  const uint32_t thread = blockIdx.x * THREADS + threadIdx.x;
  if (thread == 0) {
    all->best = 17;
    all->ready = 1;
  }
  for (uint32_t glance = 0; glance < GLANCES && __ldcg(&all->ready) == 0; glance++) {
  }
  all->noted[thread] = all->best;
  out[thread] = in[thread] + 1;
}

int main() {
  return corpus_check(
      BLOCKS * THREADS,
      [](int *out, const int *in) {
        board *all;
        CUDA_CHECK(cudaMalloc(&all, sizeof *all));
        CUDA_CHECK(cudaMemset(all, 0, sizeof *all));
        kernel<<<BLOCKS, THREADS>>>(out, in, all);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(all));
      },
      corpus_plus_one);
}
