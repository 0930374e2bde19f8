// In: a Hopper GPU. Out: what multicasts take in clusters of 1 to 8 blocks, and what a thread takes to arrive
// at the barriers of so many blocks. All blocks that fit do the same; medians, in cycles.
//   time-deals [PART]
#include "cuda-check.h"
#include "tma-cluster.cuh"
#include "tma-interface.cuh"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { ROUNDS = 200, OFTEN = 3, SHARED = 200 << 10, CACHED = 16 << 20, ALL = 1 << 30, MOST_BLOCKS = 132 };
enum way { RELAXED, PLAIN, RELEASE };

extern __shared__ __align__(128) int4 memory[];

// Each block loads `slice` bytes for all blocks of its cluster, `batch` times, and waits for those of all.
__global__ void deals(uint32_t slice, uint32_t batch, uint32_t blocks, size_t window, const char *in,
                      uint32_t *spent) {
  __shared__ uint64_t full;
  const uint32_t rank = cluster_block_rank(), tile = slice * blocks;
  const uint16_t all = static_cast<uint16_t>((1u << blocks) - 1);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  size_t at = static_cast<size_t>(blockIdx.x / blocks) * batch * tile;
  const size_t step = static_cast<size_t>(gridDim.x / blocks) * batch * tile;
  long long waited = 0;
  for (uint32_t k = 0; k < ROUNDS; k++) {
    if (threadIdx.x == 0) expect_bytes_and_arrive(&full, tile * batch);
    cluster_arrive_relaxed();
    cluster_wait();
    const long long begin = clock64();
    if (threadIdx.x == 0)
      for (uint32_t b = 0; b < batch; b++) {
        const uint32_t to = b * tile + rank * slice;
        cp_async_bulk_global_to_shared_multicast(reinterpret_cast<char *>(memory) + to, in + at + to, slice,
                                                 &full, all);
      }
    wait(&full, k & 1);
    waited += clock64() - begin;
    at += step;
    if (at + batch * tile > window) at = static_cast<size_t>(blockIdx.x / blocks) * batch * tile;
    __syncthreads();
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) spent[blockIdx.x] = static_cast<uint32_t>(waited / ROUNDS);
}

// A thread arrives at a barrier of each block. How long that takes it, and until all have arrived here.
__global__ void arrivals(way how, uint32_t blocks, uint32_t *spent) {
  __shared__ uint64_t empty;
  if (threadIdx.x == 0) {
    init_barrier(&empty, blocks);
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  long long asked = 0, seen = 0;
  for (uint32_t k = 0; k < ROUNDS; k++) {
    cluster_arrive_relaxed();
    cluster_wait();
    if (threadIdx.x) continue;
    const long long begin = clock64();
    for (uint32_t r = 0; r < blocks; r++) {
      const uint32_t to = map_to_block(&empty, r);
      if (how == RELEASE)
        arrive_remote(to);
      else if (how == PLAIN)
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" : : "r"(to) : "memory");
      else
        asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" : : "r"(to) : "memory");
    }
    asked += clock64() - begin;
    wait_cluster(&empty, k & 1);
    seen += clock64() - begin;
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x) return;
  spent[blockIdx.x] = static_cast<uint32_t>(asked / ROUNDS);
  spent[MOST_BLOCKS + blockIdx.x] = static_cast<uint32_t>(seen / ROUNDS);
}

static uint32_t median_of(const uint32_t *of, uint32_t count) {
  std::vector<uint32_t> v(of, of + count);
  std::sort(v.begin(), v.end());
  return v[count / 2];
}

static uint32_t blocks_in(uint32_t blocks) {
  return blocks * (blocks <= 2 ? MOST_BLOCKS / blocks : blocks == 4 ? 30 : 15);
}

template <typename... PARAMETERS, typename... ARGUMENTS>
static void launch(void (*kernel)(PARAMETERS...), uint32_t blocks, ARGUMENTS... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks_in(blocks);
  config.blockDim = 128;
  config.dynamicSmemBytes = SHARED;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
  for (int k = 0; k < OFTEN; k++)
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
  CUDA_CHECK(cudaDeviceSynchronize());
}

static void all_deals(const char *in, uint32_t *spent) {
  for (const uint32_t blocks : {1u, 2u, 4u, 8u})
    for (const uint32_t slice : {1024u, 4096u, 8192u, 16384u})
      for (const uint32_t batch : {1u, 2u, 4u, 8u})
        for (const size_t window : {size_t{CACHED}, size_t{ALL}}) {
          if (slice * blocks * batch > SHARED) continue;
          launch(deals, blocks, slice, batch, blocks, window, in, spent);
          printf("%u x %5u bytes for %u blocks, %s: %u cycles\n", batch, slice, blocks,
                 window == CACHED ? "cached" : "from memory", median_of(spent, blocks_in(blocks)));
        }
}

static void all_arrivals(uint32_t *spent) {
  static const char *const names[] = {"relaxed", "plain", "release"};
  for (const way how : {RELAXED, PLAIN, RELEASE})
    for (const uint32_t blocks : {1u, 2u, 4u, 8u}) {
      launch(arrivals, blocks, how, blocks, spent);
      const uint32_t all = blocks_in(blocks);
      printf("%s arrivals at %u blocks: %u cycles of the thread, %u until all have come\n", names[how],
             blocks, median_of(spent, all), median_of(spent + MOST_BLOCKS, all));
    }
}

int main(int count, char **arguments) {
  const int part = count > 1 ? atoi(arguments[1]) : 0;
  char *in;
  uint32_t *spent;
  CUDA_CHECK(cudaMalloc(&in, ALL));
  CUDA_CHECK(cudaMemset(in, 1, ALL));
  CUDA_CHECK(cudaMallocManaged(&spent, 2 * MOST_BLOCKS * sizeof *spent));
  if (part != 2) all_deals(in, spent);
  if (part != 1) all_arrivals(spent);
  return 0;
}
