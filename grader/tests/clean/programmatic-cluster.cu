// A chain of kernels in clusters, each started before its predecessor has ended: input is prefetched, one
// block of each cluster waits for the preceding kernel, and the cluster's barrier orders the other blocks
// after it. A last kernel reads sums to which the one before adds by reductions.
#include "corpus.h"
#include "tma-cache.cuh"

__global__ void __cluster_dims__(2) step(int *to, const int *from) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
    cp_async_bulk_prefetch(from + first, sizeof tile);
  }
  cudaTriggerProgrammaticLaunchCompletion();
  if (cluster_block_rank() == 1) cudaGridDependencySynchronize();
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, from + first, sizeof tile, &bar);
  }
  wait(&bar, 0);
  to[first + threadIdx.x] = tile[threadIdx.x] + from[first + (threadIdx.x ^ 1)];
}

__global__ void add_up(int *sums,
                       const int *from) { // sums[i] += from[i] + from[i ^ 1], by two launches in any order
  __shared__ alignas(16) int tile[CORPUS_TILE];
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  cudaTriggerProgrammaticLaunchCompletion();
  tile[threadIdx.x] = from[first + threadIdx.x];
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(sums + first),
        "r"(tma_shared_address(tile)), "r"(static_cast<uint32_t>(sizeof tile))
        : "memory");
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

static void launch_early(void (*kernel)(int *, const int *), int *to, const int *from) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = CORPUS_BLOCKS;
  config.blockDim = CORPUS_TILE;
  config.attrs = &early;
  config.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, to, from));
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE,
      [](int *out, const int *in) {
        int *a, *b;
        CUDA_CHECK(cudaMalloc(&a, CORPUS_BLOCKS * CORPUS_TILE * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&b, CORPUS_BLOCKS * CORPUS_TILE * sizeof(int)));
        step<<<CORPUS_BLOCKS, CORPUS_TILE>>>(a, in);
        launch_early(step, b, a);
        CUDA_CHECK(cudaDeviceSynchronize());
        add_up<<<CORPUS_BLOCKS, CORPUS_TILE>>>(out, b);
        launch_early(add_up, out, b);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(a));
        CUDA_CHECK(cudaFree(b));
      },
      [](const std::vector<int> &in, size_t i) { return 4 * (in[i] + in[i ^ 1]); });
}
