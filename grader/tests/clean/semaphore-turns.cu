// Blocks add their parts to one tile in turn, ordered by a semaphore in global memory: a thread polls it with
// acquiring loads, the block synchronises, all threads add with ordinary accesses, the block synchronises
// again, and one thread releases the next turn. The block with the last turn stores the tile in bulk.
#include "corpus.h"

constexpr uint32_t PARTS = 4;

__device__ static int load_acquire(const int *flag) {
  int value;
  asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__global__ void kernel(int *out, const int *in, int *sums, int *turns) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const uint32_t which = blockIdx.x / PARTS, part = blockIdx.x % PARTS;
  const size_t at = which * CORPUS_TILE + threadIdx.x;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + which * CORPUS_TILE, sizeof tile, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  if (threadIdx.x == 0)
    while (load_acquire(&turns[which]) != static_cast<int>(part))
      __nanosleep(20);
  __syncthreads();
  const int sum = (part ? sums[at] : 0) + tile[threadIdx.x];
  if (part + 1 < PARTS) {
    sums[at] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
      asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(&turns[which]) : "memory");
    return;
  }
  tile[threadIdx.x] = sum;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + which * CORPUS_TILE, tile, sizeof tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE,
      [](int *out, const int *in) {
        int *sums, *turns;
        CUDA_CHECK(cudaMalloc(&sums, 2 * CORPUS_TILE * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&turns, 2 * sizeof(int)));
        CUDA_CHECK(cudaMemset(turns, 0, 2 * sizeof(int)));
        kernel<<<2 * PARTS, CORPUS_TILE>>>(out, in, sums, turns);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(sums));
        CUDA_CHECK(cudaFree(turns));
      },
      [](const std::vector<int> &in, size_t i) { return static_cast<int>(PARTS) * in[i]; });
}
