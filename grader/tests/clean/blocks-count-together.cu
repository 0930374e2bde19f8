// A counter that one block sets before the others add to it: a barrier of cooperative groups stands between.
#include "corpus.h"
#include <cooperative_groups.h>

constexpr uint32_t BLOCKS = 4, PART = 32;
__device__ int counter = 77;

__global__ void kernel(int *out, const int *in) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  if (grid.thread_rank() == 0) counter = 0;
  grid.sync();
  atomicAdd(&counter, 1);
  grid.sync();
  out[grid.thread_rank()] = in[grid.thread_rank()] + counter;
}

int main() {
  return corpus_check(
      BLOCKS * PART,
      [](int *out, const int *in) {
        void *arguments[] = {&out, &in};
        CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, dim3(BLOCKS), dim3(PART), arguments, 0, nullptr));
      },
      [](const std::vector<int> &in, size_t i) { return in[i] + static_cast<int>(BLOCKS * PART); });
}
