// The preceding kernel has triggered an early start, and only one thread waits for it. What this thread loads
// orders the others, through the barrier. Data that the preceding kernel doesn't write needs no wait.
#include "corpus.h"

__global__ void first(int *between, const int *in) {
  cudaTriggerProgrammaticLaunchCompletion();
  const size_t i = size_t{blockIdx.x} * CORPUS_TILE + threadIdx.x;
  between[i] = in[i] * 3;
}

__global__ void second(int *out, const int *between, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t start = size_t{blockIdx.x} * CORPUS_TILE, i = start + threadIdx.x;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
  }
  const int own = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    cudaGridDependencySynchronize();
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, between + start, sizeof tile, &bar);
  }
  wait(&bar, 0);
  out[i] = own + tile[threadIdx.x] + between[i];
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE,
      [](int *out, const int *in) {
        int *between;
        CUDA_CHECK(cudaMalloc(&between, CORPUS_BLOCKS * CORPUS_TILE * sizeof(int)));
        cudaLaunchAttribute early = {};
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = CORPUS_BLOCKS;
        config.blockDim = CORPUS_TILE;
        config.attrs = &early;
        config.numAttrs = 1;
        first<<<CORPUS_BLOCKS, CORPUS_TILE>>>(between, in);
        CUDA_CHECK(cudaLaunchKernelEx(&config, second, out, static_cast<const int *>(between), in));
        CUDA_CHECK(cudaFree(between));
      },
      [](const std::vector<int> &in, size_t i) { return in[i] * 7; });
}
