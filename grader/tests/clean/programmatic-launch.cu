// Three kernels in a chain, each started before its predecessor has ended: barriers and maps are prepared
// first, then the grid waits for the kernel that it depends on.
#include "corpus.h"

__global__ void step(int *to, const int *from) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  cudaGridDependencySynchronize();
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, from + first, sizeof tile, &bar);
  }
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] = tile[i] * 3 + 1;
  async_proxy_fence();
  __syncthreads();
  cudaTriggerProgrammaticLaunchCompletion();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(to + first, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

static void launch_after(cudaStream_t stream, int *to, const int *from) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 4;
  config.blockDim = 64;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&config, step, to, from));
}

int main() {
  return corpus_check(
      4 * CORPUS_TILE,
      [](int *out, const int *in) {
        cudaStream_t stream, other;
        cudaEvent_t done;
        CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        CUDA_CHECK(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, 0));
        CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
        int *between;
        CUDA_CHECK(cudaMallocAsync(&between, 4 * CORPUS_TILE * sizeof(int), stream));
        step<<<4, 64, 0, stream>>>(between, in);
        launch_after(stream, between, between);
        CUDA_CHECK(cudaEventRecord(done, stream));
        CUDA_CHECK(cudaStreamWaitEvent(other, done, 0));
        launch_after(other, out, between);
        CUDA_CHECK(cudaFreeAsync(between, other));
        CUDA_CHECK(cudaStreamSynchronize(other));
      },
      [](const std::vector<int> &in, size_t i) { return ((in[i] * 3 + 1) * 3 + 1) * 3 + 1; });
}
