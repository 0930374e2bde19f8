// In: a Hopper GPU. Out: cycles of a processor for a warp's load or store that touches 1 to 32 lines: found
// in the L1 cache, in the L2 cache, and in lines of which eight warps want a word each, as threads that
// transpose without shared memory do; by one processor and by all.
//   time-lines
#include "cuda-check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

enum { PROCESSORS = 132, WORDS = 32, GROUP = 8, TURNS = 16, AT_ONCE = 4 };
enum kind { NEAR, FAR, SHARED, STORED };
static const char *const names[] = {"found in L1", "found in L2", "words of 8 warps", "stored"};
static const size_t EACH = size_t{1} << 18; // bytes of a processor: together they fit into the L2 cache

__device__ static inline uint32_t now() {
  uint32_t t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}

// Words of a processor's part: LANES of a warp's lanes share a line.
template <int KIND, int SHARE> __global__ void touch(uint32_t *m, uint32_t *cycles, uint32_t *out) {
  uint32_t *own = m + blockIdx.x * EACH / 4, sum = 0;
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const uint32_t group = KIND == SHARED ? warp / GROUP : warp, in_line = KIND == SHARED ? warp % GROUP : 0;
  const uint32_t lines = 32 / SHARE, most = EACH / 128;
  auto place = [&](uint32_t turn) {
    const uint32_t first = (turn * (KIND == SHARED ? warps / GROUP : warps) + group) * lines;
    const uint32_t near = KIND == NEAR ? first % (most / 4) : first % most;
    return (near + lane / SHARE) * WORDS + in_line + (SHARE > 1 ? lane % SHARE : 0);
  };
  if (KIND == NEAR)
    for (uint32_t i = threadIdx.x; i < EACH / 16; i += blockDim.x)
      sum += own[i];
  __syncthreads();
  const uint32_t from = now();
#pragma unroll AT_ONCE
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    if (KIND == STORED)
      own[place(turn)] = turn;
    else
      sum += KIND == FAR ? __ldcg(own + place(turn)) : own[place(turn)];
  }
  if (sum == 0x7fffff01) *out = sum;
  if (KIND == STORED) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = now() - from;
}

template <int KIND, int SHARE> static void say(uint32_t *m, uint32_t *cycles, uint32_t *out) {
  printf("%-18s %2d lines:", names[KIND], 32 / SHARE);
  for (const uint32_t blocks : {1u, 132u})
    for (const uint32_t threads : {256u, 1024u}) {
      uint32_t least = UINT32_MAX;
      for (int i = 0; i < 4; i++) {
        touch<KIND, SHARE><<<blocks, threads>>>(m, cycles, out);
        CUDA_CHECK(cudaDeviceSynchronize());
        std::sort(cycles, cycles + blocks);
        least = std::min(least, cycles[blocks / 2]);
      }
      printf("  %u x %u: %.1f", blocks, threads, least / (TURNS * threads / 32.0));
    }
  printf("\n");
}

template <int KIND> static void say_all(uint32_t *m, uint32_t *cycles, uint32_t *out) {
  say<KIND, 32>(m, cycles, out);
  say<KIND, 8>(m, cycles, out);
  say<KIND, 4>(m, cycles, out);
  say<KIND, 2>(m, cycles, out);
  say<KIND, 1>(m, cycles, out);
}

int main() {
  uint32_t *m, *cycles, *out;
  CUDA_CHECK(cudaMalloc(&m, PROCESSORS * EACH));
  CUDA_CHECK(cudaMalloc(&out, 4));
  CUDA_CHECK(cudaMallocManaged(&cycles, PROCESSORS * sizeof *cycles));
  CUDA_CHECK(cudaMemset(m, 0, PROCESSORS * EACH));
  say_all<NEAR>(m, cycles, out);
  say_all<FAR>(m, cycles, out);
  say_all<SHARED>(m, cycles, out);
  say_all<STORED>(m, cycles, out);
  return 0;
}
