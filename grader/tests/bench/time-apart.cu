// In: a Hopper GPU. Out: one line `NAME VALUE UNIT` for each reading of what goes on between blocks, and of
// how many bytes a processor's threads move from and to the L2 cache. Medians.
#include "cuda-check.h"
#include "tma-cluster.cuh"
#include "tma-interface.cuh"
#include <algorithm>
#include <cstdio>
#include <vector>

enum { ROUNDS = 256, MOST_BLOCKS = 8, L2_BYTES = 4 << 20, PASSES = 64 };

static void say(const char *name, double value, const char *unit) {
  printf("%-44s %10.2f %s\n", name, value, unit);
}

// Thread 0 of each block of a cluster of two answers the other's arrival. wide: arrivals of the cluster's
// scope.
__global__ void remote_ping_pong(bool wide, float *cycles) {
  __shared__ uint64_t mine;
  const uint32_t rank = cluster_block_rank();
  if (threadIdx.x == 0) {
    init_barrier(&mine, 1);
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) {
    const uint32_t other = map_to_block(&mine, rank ^ 1);
    const long long begin = clock64();
    for (int i = 0; i < ROUNDS; i++) {
      if (rank) wait(&mine, i & 1);
      if (wide)
        arrive_remote(other);
      else
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" : : "r"(other) : "memory");
      if (!rank) wait(&mine, i & 1);
    }
    if (!rank) *cycles = static_cast<float>(clock64() - begin) / (2 * ROUNDS);
  }
  cluster_arrive();
  cluster_wait();
}

// One word of global memory is raised in turns by two blocks.
__global__ void flag_ping_pong(volatile uint64_t *flag, float *cycles) {
  const long long begin = clock64();
  for (uint64_t i = blockIdx.x; i < 2 * ROUNDS; i += 2) {
    while (*flag < i) {
    }
    *flag = i + 1;
  }
  if (blockIdx.x) *cycles = static_cast<float>(clock64() - begin) / (2 * ROUNDS);
}

__global__ void cluster_meetings(float *cycles) {
  const long long begin = clock64();
  for (int i = 0; i < ROUNDS; i++) {
    cluster_arrive_relaxed();
    cluster_wait();
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = static_cast<float>(clock64() - begin) / ROUNDS;
}

// Each block of a cluster loads its part of `bytes` for all; depth: so many of these under way. From the L2.
__global__ void multicast(const char *in, uint32_t bytes, bool shared_out, float *cycles) {
  extern __shared__ __align__(128) char memory[];
  __shared__ uint64_t full;
  const uint32_t rank = cluster_block_rank(), blocks = cluster_block_count(), part = bytes / blocks;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    fence_mbarrier_init();
  }
  for (int i = 0; i < ROUNDS; i++) {
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x) continue;
    const long long begin = clock64();
    expect_bytes_and_arrive(&full, bytes);
    if (shared_out)
      cp_async_bulk_global_to_shared_multicast(memory + rank * part,
                                               in + blockIdx.x / blocks * bytes + rank * part, part, &full,
                                               static_cast<uint16_t>((1u << blocks) - 1));
    else
      cp_async_bulk_global_to_shared(memory, in + blockIdx.x / blocks * bytes, bytes, &full);
    wait(&full, i & 1);
    if (blockIdx.x == 0) cycles[i] = static_cast<float>(clock64() - begin);
  }
  cluster_arrive();
  cluster_wait();
}

__device__ static inline int load(const int *from) {
  int x;
  asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(x) : "l"(from) : "memory");
  return x;
}
__device__ static inline int load(const int4 *from) {
  int4 v;
  asm volatile("ld.global.cg.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from)
               : "memory");
  return v.x + v.y + v.z + v.w;
}
__device__ static inline void store(int *to, uint32_t x) {
  asm volatile("st.global.b32 [%0], %1;" : : "l"(to), "r"(x) : "memory");
}
__device__ static inline void store(int4 *to, uint32_t x) {
  asm volatile("st.global.v4.b32 [%0], {%1, %1, %1, %1};" : : "l"(to), "r"(x) : "memory");
}

// How soon a wait sees the end of a load whose size differs a little each time. how 0: one lane waits, the
// others at __syncthreads(); 1: the whole warp waits; 2: a second warp waits, too.
__global__ void wakes(const char *in, int how, float *cycles) {
  extern __shared__ __align__(128) char memory[];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
  }
  for (int i = 0; i < ROUNDS; i++) {
    __syncthreads();
    const long long begin = clock64();
    if (threadIdx.x == 0) {
      const uint32_t bytes = 4096 + i * 37 % 256 * 64;
      expect_bytes_and_arrive(&full, bytes);
      cp_async_bulk_global_to_shared(memory, in, bytes, &full);
    }
    if (how) __syncwarp();
    if (threadIdx.x == 0 || (how == 1 && threadIdx.x < 32) || how == 2) wait(&full, i & 1);
    if (threadIdx.x == 0) cycles[i] = static_cast<float>(clock64() - begin);
  }
}

template <typename T> __global__ void l2_reads(const T *in, uint32_t count, float *cycles) {
  int sum = 0;
  const T *mine = in + blockIdx.x * static_cast<size_t>(count);
  __syncthreads();
  const long long begin = clock64();
  for (uint32_t n = 0; n < PASSES; n++)
    for (uint32_t i = threadIdx.x; i < count; i += 4 * blockDim.x) {
      int part[4];
#pragma unroll
      for (uint32_t k = 0; k < 4; k++)
        part[k] = load(mine + i + k * blockDim.x);
      sum += part[0] + part[1] + part[2] + part[3];
    }
  __syncthreads();
  if (sum == 0x7fffffff) cycles[1] = 1;
  if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = static_cast<float>(clock64() - begin) / PASSES;
}

// Lanes store T each, `apart` bytes from one to the next.
template <typename T> __global__ void l2_writes(char *out, uint32_t apart, uint32_t count, float *cycles) {
  char *mine = out + blockIdx.x * static_cast<size_t>(count) * apart;
  __syncthreads();
  const long long begin = clock64();
  for (uint32_t n = 0; n < PASSES; n++)
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
      store(reinterpret_cast<T *>(mine + static_cast<size_t>(i) * apart), n);
  __threadfence();
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = static_cast<float>(clock64() - begin) / PASSES;
}

template <typename KERNEL, typename... ARGUMENTS>
static void start(KERNEL kernel, uint32_t blocks, uint32_t threads, uint32_t size, ARGUMENTS... arguments) {
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = size;
  a.val.clusterDim.y = a.val.clusterDim.z = 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(blocks);
  c.blockDim = dim3(threads);
  c.dynamicSmemBytes = size > 1 ? 120 << 10 : 0;
  c.attrs = &a;
  c.numAttrs = 1;
  if (size > 1)
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
  CUDA_CHECK(cudaLaunchKernelEx(&c, kernel, arguments...));
  CUDA_CHECK(cudaDeviceSynchronize());
}

static float median(float *v, int count) {
  std::sort(v, v + count);
  return v[count / 2];
}

static void read_clusters(const char *in, float *cycles) {
  char name[80];
  start(remote_ping_pong, 2, 32, 2, false, cycles);
  say("remote arrival, one way", *cycles, "cycles");
  start(remote_ping_pong, 2, 32, 2, true, cycles);
  say("remote arrival, cluster scope, one way", *cycles, "cycles");
  for (const uint32_t size : {2u, 4u, 8u}) {
    start(cluster_meetings, size, 128, size, cycles);
    snprintf(name, sizeof name, "cluster barrier of %u", size);
    say(name, *cycles, "cycles");
    for (const uint32_t clusters : {1u, 15u})
      for (const uint32_t bytes : {4096u, 16384u, 65536u})
        for (const bool shared_out : {false, true}) {
          start(multicast, clusters * size, 32, size, in, bytes, shared_out, cycles);
          snprintf(name, sizeof name, "%s %u by %u, %u clusters", shared_out ? "multicast" : "load", bytes,
                   size, clusters);
          say(name, median(cycles, ROUNDS), "cycles");
        }
  }
}

static void read_wakes(const char *in, float *cycles) {
  static const char *const names[] = {"one lane", "a warp", "two warps"};
  CUDA_CHECK(cudaFuncSetAttribute(wakes, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
  for (int how = 0; how < 3; how++) {
    wakes<<<1, 64, 32 << 10>>>(in, how, cycles);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("%s waits for 4 to 20 KiB:", names[how]);
    for (int i = 32; i < 64; i++)
      printf(" %d:%.0f", 4096 + i * 37 % 256 * 64, cycles[i]);
    printf(" cycles\n");
  }
}

template <typename T> static void read_reads(const char *in, float *cycles) {
  char name[80];
  for (const uint32_t blocks : {1u, 132u})
    for (const uint32_t threads : {256u, 1024u}) {
      const uint32_t count = 32768 / sizeof(T) * 2;
      start(l2_reads<T>, blocks, threads, 1, reinterpret_cast<const T *>(in), count, cycles);
      snprintf(name, sizeof name, "l2 reads of %zu, %u x %u", sizeof(T), blocks, threads);
      say(name, count * sizeof(T) / *cycles, "bytes a cycle");
    }
}

template <typename T> static void read_writes(char *out, float *cycles) {
  char name[80];
  for (const uint32_t blocks : {1u, 132u})
    for (const uint32_t apart : {4u, 8u, 16u, 32u, 64u, 128u, 256u}) {
      if (apart < sizeof(T)) continue;
      const uint32_t count = 2048;
      start(l2_writes<T>, blocks, 1024, 1, out, apart, count, cycles);
      snprintf(name, sizeof name, "l2 writes of %zu, %u apart, %u x 1024", sizeof(T), apart, blocks);
      say(name, *cycles / (count / 32.0), "cycles a warp");
    }
}

int main() {
  char *data;
  float *cycles;
  uint64_t *flag;
  CUDA_CHECK(cudaMalloc(&data, 256 << 20));
  CUDA_CHECK(cudaMemset(data, 0, 256 << 20));
  CUDA_CHECK(cudaMallocManaged(&cycles, ROUNDS * sizeof *cycles));
  CUDA_CHECK(cudaMalloc(&flag, sizeof *flag));
  CUDA_CHECK(cudaMemset(flag, 0, sizeof *flag));
  flag_ping_pong<<<2, 1>>>(flag, cycles);
  CUDA_CHECK(cudaDeviceSynchronize());
  say("flag in global memory, one way", *cycles, "cycles");
  read_clusters(data, cycles);
  read_wakes(data, cycles);
  read_reads<int>(data, cycles);
  read_reads<int4>(data, cycles);
  read_writes<int>(data, cycles);
  read_writes<int4>(data, cycles);
  return 0;
}
