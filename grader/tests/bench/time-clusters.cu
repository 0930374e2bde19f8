// In: a Hopper GPU. Out: one line for each shape of a copy by blocks in clusters: what of a plain copy's rate
// it reaches, and the medians of what its blocks spend where, in cycles, while others do the same.
//   time-clusters [MIB [NTH]]
#include "cuda-check.h"
#include "tma-cluster.cuh"
#include "tma-interface.cuh"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { OFTEN = 5, SEGMENTS = 6, SHARED = 228 << 10, RESERVED = 1024 };
enum meeting { NONE, RELAXED, RELEASE, ONE_RELEASES }; // the last: only warp 0, for all of its block
enum way { OWN, READ_REMOTE, COPY_REMOTE, STORE_REMOTE };

struct shape {
  const char *name;
  uint32_t bytes, blocks, threads, on_processor;
  meeting first, middle, last;
  way by;
  bool idle; // moves nothing
};

extern __shared__ __align__(128) int4 memory[];

__device__ static inline void meet(int how) {
  if (how == NONE) return;
  if (how == ONE_RELEASES) {
    __syncthreads();
    if (threadIdx.x < 32) asm volatile("fence.acq_rel.gpu;" : : : "memory");
    how = RELAXED;
  }
  if (how == RELAXED)
    cluster_arrive_relaxed();
  else
    cluster_arrive();
  cluster_wait();
}

__device__ static inline int4 load_from(uint32_t at) {
  int4 v;
  asm volatile("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(at)
               : "memory");
  return v;
}
__device__ static inline void store_at(uint32_t at, int4 v) {
  asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

__global__ void copies(shape s, const int4 *in, int4 *out, uint32_t *spent) {
  __shared__ uint64_t full, handed;
  const uint32_t quads = s.bytes / 16, rank = s.blocks > 1 ? cluster_block_rank() : 0;
  const uint32_t other = (rank + 1) % s.blocks;
  long long at[SEGMENTS + 1];
  at[0] = clock64();
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    init_barrier(&handed, 1);
    async_proxy_fence();
    fence_mbarrier_init();
    if (s.by == COPY_REMOTE) expect_bytes_and_arrive(&handed, s.bytes);
  }
  __syncthreads();
  meet(s.first);
  at[1] = clock64();
  if (threadIdx.x == 0 && !s.idle) {
    expect_bytes_and_arrive(&full, s.bytes);
    cp_async_bulk_global_to_shared(memory, in + blockIdx.x * static_cast<size_t>(quads), s.bytes, &full);
  }
  if (!s.idle) wait(&full, 0);
  at[2] = clock64();
  meet(s.middle);
  at[3] = clock64();
  int4 *to = out + blockIdx.x * static_cast<size_t>(quads), v;
  const uint32_t there = map_to_block(memory, other);
  if (s.by == COPY_REMOTE && !s.idle) {
    if (threadIdx.x == 0)
      cp_async_bulk_shared_to_remote(there + s.bytes, memory, s.bytes, map_to_block(&handed, other));
    wait(&handed, 0);
  }
  at[4] = clock64();
  if (!s.idle)
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x) {
      if (s.by == READ_REMOTE)
        v = load_from(there + i * 16);
      else
        v = memory[s.by == COPY_REMOTE ? quads + i : i];
      if (s.by == STORE_REMOTE)
        store_at(there + s.bytes + i * 16, v);
      else
        to[i] = v;
    }
  at[5] = clock64();
  meet(s.last);
  at[6] = clock64();
  if (threadIdx.x == 0)
    for (int i = 0; i < SEGMENTS; i++)
      spent[blockIdx.x * SEGMENTS + i] = static_cast<uint32_t>(at[i + 1] - at[i]);
}

static const shape shapes[] = {
    {"alone", 4096, 1, 128, 6, NONE, NONE, NONE, OWN, false},
    {"alone", 16384, 1, 256, 2, NONE, NONE, NONE, OWN, false},
    {"idle", 4096, 1, 128, 6, NONE, NONE, NONE, OWN, true},
    {"idle", 4096, 2, 128, 6, NONE, NONE, NONE, OWN, true},
    {"idle", 4096, 4, 128, 6, NONE, NONE, NONE, OWN, true},
    {"idle", 4096, 8, 128, 6, NONE, NONE, NONE, OWN, true},
    {"idle, one meeting", 4096, 8, 128, 6, RELAXED, NONE, NONE, OWN, true},
    {"idle, one release", 4096, 8, 128, 6, RELEASE, NONE, NONE, OWN, true},
    {"own", 4096, 2, 128, 6, NONE, NONE, NONE, OWN, false},
    {"own", 4096, 8, 128, 6, NONE, NONE, NONE, OWN, false},
    {"own", 16384, 4, 256, 2, NONE, NONE, NONE, OWN, false},
    {"own, last meeting", 4096, 8, 128, 6, NONE, NONE, RELAXED, OWN, false},
    {"own, last release", 4096, 8, 128, 6, NONE, NONE, RELEASE, OWN, false},
    {"own, two meetings", 4096, 8, 128, 6, NONE, RELAXED, RELAXED, OWN, false},
    {"own, two releases", 4096, 8, 128, 6, NONE, RELEASE, RELEASE, OWN, false},
    {"own, two releases", 4096, 2, 128, 6, NONE, RELEASE, RELEASE, OWN, false},
    {"own, two releases", 16384, 4, 256, 2, NONE, RELEASE, RELEASE, OWN, false},
    {"read, two meetings", 4096, 8, 128, 6, NONE, RELAXED, RELAXED, READ_REMOTE, false},
    {"read, two releases", 4096, 8, 128, 6, NONE, RELEASE, RELEASE, READ_REMOTE, false},
    {"read, two releases", 16384, 4, 256, 2, NONE, RELEASE, RELEASE, READ_REMOTE, false},
    {"read, two meetings", 16384, 4, 256, 2, NONE, RELAXED, RELAXED, READ_REMOTE, false},
    {"copy, two meetings", 4096, 2, 128, 6, RELAXED, NONE, RELAXED, COPY_REMOTE, false},
    {"copy, two releases", 4096, 2, 128, 6, RELEASE, NONE, RELEASE, COPY_REMOTE, false},
    {"copy, two meetings", 16384, 4, 256, 2, RELAXED, NONE, RELAXED, COPY_REMOTE, false},
    {"copy, two releases", 16384, 4, 256, 2, RELEASE, NONE, RELEASE, COPY_REMOTE, false},
    // Without a release a block may be gone before what is stored there has come: a launch failure.
    {"own, last release", 4096, 1, 128, 6, NONE, NONE, RELEASE, OWN, false},
    {"own, last release", 4096, 2, 128, 6, NONE, NONE, RELEASE, OWN, false},
    {"own, last release", 4096, 4, 128, 6, NONE, NONE, RELEASE, OWN, false},
    {"own, one releases", 4096, 1, 128, 6, NONE, NONE, ONE_RELEASES, OWN, false},
    {"own, one releases", 4096, 8, 128, 6, NONE, NONE, ONE_RELEASES, OWN, false},
    {"own, last release", 4096, 8, 128, 1, NONE, NONE, RELEASE, OWN, false},
    {"own, last meeting", 4096, 8, 128, 1, NONE, NONE, RELAXED, OWN, false},
    {"store, one release", 8192, 4, 256, 3, NONE, RELAXED, RELEASE, STORE_REMOTE, false},
};

static float launch(const shape &s, size_t bytes, const int4 *in, int4 *out, uint32_t *spent) {
  CUDA_CHECK(cudaFuncSetAttribute(copies, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 << 10));
  CUDA_CHECK(cudaFuncSetAttribute(copies, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = s.blocks;
  a.val.clusterDim.y = a.val.clusterDim.z = 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(static_cast<uint32_t>(bytes / s.bytes));
  c.blockDim = dim3(s.threads);
  const uint32_t more = SHARED / (s.on_processor + 1) - RESERVED;
  c.dynamicSmemBytes = std::max(2 * s.bytes, more / 128 * 128);
  c.attrs = &a;
  c.numAttrs = 1;
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  std::vector<float> took(OFTEN);
  for (float &ms : took) {
    CUDA_CHECK(cudaEventRecord(begin));
    CUDA_CHECK(cudaLaunchKernelEx(&c, copies, s, in, out, spent));
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
  }
  std::sort(took.begin(), took.end());
  return took[OFTEN / 2];
}

int main(int count, char **arguments) {
  const size_t bytes = (count > 1 ? strtoul(arguments[1], nullptr, 0) : 512) << 20;
  int4 *in, *out;
  uint32_t *spent;
  const size_t most = bytes / 4096 * SEGMENTS;
  CUDA_CHECK(cudaMalloc(&in, bytes));
  CUDA_CHECK(cudaMalloc(&out, bytes));
  CUDA_CHECK(cudaMalloc(&spent, most * sizeof *spent));
  CUDA_CHECK(cudaMemset(in, 1, bytes));
  std::vector<uint32_t> all(most), part;
  const int only = count > 2 ? atoi(arguments[2]) : -1;
  for (const shape &s : shapes) {
    if (only >= 0 && &s != &shapes[only]) continue;
    const size_t blocks = bytes / s.bytes;
    const float ms = launch(s, bytes, in, out, spent);
    CUDA_CHECK(cudaMemcpy(all.data(), spent, blocks * SEGMENTS * sizeof *spent, cudaMemcpyDeviceToHost));
    printf("%-20s %5u x %u, %u threads, %u on a processor: %8.1f us %6.0f GB/s, %6.0f ns for each block;",
           s.name, s.bytes, s.blocks, s.threads, s.on_processor, ms * 1e3, 2 * bytes / ms / 1e6,
           ms * 1e6 / blocks * 132 * s.on_processor);
    for (int i = 0; i < SEGMENTS; i++) {
      part.clear();
      for (size_t k = 0; k < blocks; k++)
        part.push_back(all[k * SEGMENTS + i]);
      std::nth_element(part.begin(), part.begin() + part.size() / 2, part.end());
      printf(" %5u", part[part.size() / 2]);
    }
    printf("\n");
  }
  return 0;
}
