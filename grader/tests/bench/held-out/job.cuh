// What every kernel of the held-out suite gets. An array is read, and written plus one where a kernel's
// comment says nothing else. p[] are the numbers in a variant's name, in the order of the kernel's comment.
#ifndef HELD_OUT_JOB_CUH
#define HELD_OUT_JOB_CUH

#include "tma-interface.cuh"
#include <cstddef>
#include <cstdint>

enum { PARAMETERS = 6, MOST_STAGES = 16 };

struct job {
  int4 *out;
  const int4 *in;
  size_t quads; // of the array; a quad is 16 bytes
  uint32_t p[PARAMETERS];
  uint32_t *counter;      // 0 before each launch
  uint64_t *flags;        // as many as there are blocks, all 0 before each launch
  const uint32_t *places; // of rows: each once, in an order without a pattern
  uint32_t width, height; // of a matrix, in words
};

// For tiles; aligned for any swizzle.
extern __shared__ __align__(1024) int4 memory[];

__device__ static inline int4 one_more(int4 v) {
  return make_int4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

__device__ static inline int sum_of(int4 v) {
  return v.x + v.y + v.z + v.w;
}

__device__ static inline void add_one(int4 *tile, uint32_t quads) {
  for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
    tile[i] = one_more(tile[i]);
  async_proxy_fence();
  __syncthreads();
}

__device__ static inline size_t thread_of_grid() {
  return blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
}

#endif
