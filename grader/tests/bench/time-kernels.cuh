// Kernels for the time model's accuracy: many shapes of one job, to read an array and to write it plus one
// (or only to read it). Sizes are arguments, so one kernel makes many variants: tile, stages, threads and, by
// unused shared memory, blocks on a processor. All bytes are multiples of 16 and tiles divide the array.
#ifndef TIME_KERNELS_CUH
#define TIME_KERNELS_CUH

#include "tma-interface.cuh"
#include <cstddef>
#include <cstdint>

enum { MOST_STAGES = 16, SIDE = 32, ROWS_AT_ONCE = 8 };

struct job {
  int4 *out;
  const int4 *in;
  size_t quads;      // of the array; a quad is 16 bytes
  uint32_t tile;     // quads of a tile
  uint32_t stages;   // of a ring
  uint32_t unread;   // newest stores that may still read while the ring goes on: 0 or 1
  uint32_t work;     // multiplications for each element, beside adding one
  int factor;        // of these: 1, which the compiler doesn't know
  uint32_t *counter; // 0 before each launch
  uint32_t width;    // of a matrix, in floats; of the box below likewise
  uint32_t box_width, box_height;
};

__device__ static inline int4 one_more(int4 v) {
  return make_int4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

// `work` steps that the compiler can't leave out and that change nothing in the end: the factor is 1.
__device__ static inline int4 worked(int4 v, uint32_t work, int factor) {
  for (uint32_t i = 0; i < work; i++)
    v = make_int4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
  return v;
}

// ---- without the copy engine ------------------------------------------------------------------------------

__global__ void plain(job j) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < j.quads) j.out[i] = one_more(j.in[i]);
}

__global__ void plain_words(job j) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < 4 * j.quads) reinterpret_cast<int *>(j.out)[i] = reinterpret_cast<const int *>(j.in)[i] + 1;
}

__global__ void plain_stride(job j) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
#pragma unroll 1
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < j.quads; i += step)
    j.out[i] = one_more(worked(j.in[i], j.work, j.factor));
}

// Neighbouring threads take words `stages` rows apart: each 32-byte sector is used in parts.
__global__ void plain_scattered(job j) {
  const size_t words = 4 * j.quads, i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const size_t at = i % j.stages * (words / j.stages) + i / j.stages;
  if (i < words) reinterpret_cast<int *>(j.out)[at] = reinterpret_cast<const int *>(j.in)[at] + 1;
}

// A tile through shared memory by the threads' own loads: load all, synchronise, store all.
__global__ void staged_by_threads(job j) {
  extern __shared__ int4 memory[];
  for (size_t tile = blockIdx.x; tile < j.quads / j.tile; tile += gridDim.x) {
    const size_t first = tile * j.tile;
    for (uint32_t i = threadIdx.x; i < j.tile; i += blockDim.x)
      memory[i] = j.in[first + i];
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < j.tile; i += blockDim.x)
      j.out[first + i] = one_more(memory[i]);
    __syncthreads();
  }
}

__global__ void plain_read(job j) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  int sum = 0;
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < j.quads; i += step) {
    const int4 v = j.in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 0x7fffffff) j.out[0].x = sum;
}

// A matrix transposed, `width` floats on a side. PAD 1: no bank conflicts; 0: 32-way ones.
template <int PAD> __global__ void transpose(job j) {
  __shared__ int tile[SIDE][SIDE + PAD];
  const int *in = reinterpret_cast<const int *>(j.in);
  int *out = reinterpret_cast<int *>(j.out);
  const size_t x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  for (int k = 0; k < SIDE; k += ROWS_AT_ONCE)
    tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * j.width + x];
  __syncthreads();
  const size_t u = blockIdx.y * SIDE + threadIdx.x, v = blockIdx.x * SIDE + threadIdx.y;
  for (int k = 0; k < SIDE; k += ROWS_AT_ONCE)
    out[(v + k) * j.width + u] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void transpose_naive(job j) {
  const size_t x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  const int *in = reinterpret_cast<const int *>(j.in);
  for (int k = 0; k < SIDE; k += ROWS_AT_ONCE)
    reinterpret_cast<int *>(j.out)[x * j.width + y + k] = in[(y + k) * j.width + x];
}

// ---- one tile for each block ------------------------------------------------------------------------------

__device__ static inline void change_tile(int4 *tile, const job &j) {
  for (uint32_t i = threadIdx.x; i < j.tile; i += blockDim.x)
    tile[i] = one_more(worked(tile[i], j.work, j.factor));
  async_proxy_fence();
  __syncthreads();
}

__global__ void one_tile(job j) {
  extern __shared__ __align__(128) int4 memory[];
  __shared__ uint64_t full;
  const uint32_t bytes = j.tile * 16;
  const size_t first = blockIdx.x * static_cast<size_t>(j.tile);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, bytes);
    cp_async_bulk_global_to_shared(memory, j.in + first, bytes, &full);
  }
  __syncthreads();
  wait(&full, 0);
  change_tile(memory, j);
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(j.out + first, memory, bytes);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

__global__ void one_box(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                        job j) {
  extern __shared__ __align__(128) int4 memory[];
  __shared__ uint64_t full;
  const int x = static_cast<int>(blockIdx.x * j.box_width), y = static_cast<int>(blockIdx.y * j.box_height);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, j.tile * 16);
    cp_async_bulk_tensor_2d_global_to_shared(memory, &from, x, y, &full);
  }
  __syncthreads();
  wait(&full, 0);
  change_tile(memory, j);
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, memory);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

// ---- rings ------------------------------------------------------------------------------------------------

// Tiles of a persistent block: every n-th one, or as the counter gives them.
template <bool COUNTED> struct tiles {
  uint32_t next;
  __device__ uint32_t take(const job &j) {
    if (COUNTED) return atomicAdd(j.counter, 1u);
    const uint32_t tile = next;
    next += gridDim.x;
    return tile;
  }
};

template <bool COUNTED>
__device__ static inline void refill(const job &j, tiles<COUNTED> &from, int4 *stage, uint64_t *full,
                                     uint32_t *tile_of) {
  const uint32_t tile = from.take(j);
  *tile_of = tile;
  if (tile < j.quads / j.tile) {
    expect_bytes_and_arrive(full, j.tile * 16);
    cp_async_bulk_global_to_shared(stage, j.in + static_cast<size_t>(tile) * j.tile, j.tile * 16, full);
  } else {
    arrive(full);
  }
}

// FULL: waits until the stores have written, not only read.
template <bool COUNTED, bool FULL> __global__ void ring(job j) {
  extern __shared__ __align__(128) int4 memory[];
  __shared__ uint64_t full[MOST_STAGES];
  __shared__ uint32_t tile_of[MOST_STAGES];
  const uint32_t count = static_cast<uint32_t>(j.quads / j.tile);
  tiles<COUNTED> from{blockIdx.x};
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < j.stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t s = 0; s < j.stages; s++)
      refill(j, from, memory + s * j.tile, &full[s], &tile_of[s]);
  }
  __syncthreads();
  uint32_t stage = 0, parity = 0;
  for (uint32_t n = 0;; n++) {
    int4 *here = memory + stage * j.tile;
    wait(&full[stage], parity);
    const uint32_t tile = tile_of[stage];
    if (tile >= count) break;
    change_tile(here, j);
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + static_cast<size_t>(tile) * j.tile, here, j.tile * 16);
      tma_commit_group();
      if (FULL)
        tma_wait_until_pending<0>();
      else if (j.unread)
        tma_wait_until_read_pending<1>();
      else
        tma_wait_until_read_pending<0>();
      if (n >= j.unread) {
        const uint32_t s = (stage + j.stages - j.unread) % j.stages;
        refill(j, from, memory + s * j.tile, &full[s], &tile_of[s]);
      }
    }
    if (++stage == j.stages) stage = 0, parity ^= 1;
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// Only reads: the threads give a stage back by a barrier, and thread 0 loads the next tile into it.
__global__ void ring_read(job j) {
  extern __shared__ __align__(128) int4 memory[];
  __shared__ uint64_t full[MOST_STAGES];
  __shared__ uint32_t tile_of[MOST_STAGES];
  const uint32_t count = static_cast<uint32_t>(j.quads / j.tile);
  tiles<false> from{blockIdx.x};
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < j.stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t s = 0; s < j.stages; s++)
      refill(j, from, memory + s * j.tile, &full[s], &tile_of[s]);
  }
  __syncthreads();
  uint32_t stage = 0, parity = 0;
  int sum = 0;
  for (;;) {
    wait(&full[stage], parity);
    if (tile_of[stage] >= count) break;
    for (uint32_t i = threadIdx.x; i < j.tile; i += blockDim.x) {
      const int4 v = memory[stage * j.tile + i];
      sum += v.x + v.y + v.z + v.w;
    }
    __syncthreads();
    if (threadIdx.x == 0) refill(j, from, memory + stage * j.tile, &full[stage], &tile_of[stage]);
    if (++stage == j.stages) stage = 0, parity ^= 1;
  }
  if (sum == 0x7fffffff) j.out[0].x = sum;
}

// As ring_read, but with a warp that does nothing but load, through empty barriers, boxes of 64 words by
// ROWS; the other warps read them by words, or by QUADS of 16 bytes.
template <int STAGES, int ROWS, bool QUADS>
__global__ void roles_read(const __grid_constant__ CUtensorMap from, job j) {
  constexpr uint32_t words = 64 * ROWS;
  extern __shared__ __align__(128) int4 memory[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t across = j.width / 64, count = static_cast<uint32_t>(j.quads / (words / 4));
  const uint32_t readers = blockDim.x - 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], readers / 32);
    }
    async_proxy_fence();
  }
  __syncthreads();
  int sum = 0;
  if (threadIdx.x == readers) {
    uint32_t k = 0;
    for (uint32_t tile = blockIdx.x; tile < count; tile += gridDim.x, k++) {
      const uint32_t s = k % STAGES;
      wait(&empty[s], (k / STAGES & 1) ^ 1);
      expect_bytes_and_arrive(&full[s], words * 4);
      cp_async_bulk_tensor_2d_global_to_shared(memory + s * (words / 4), &from,
                                               static_cast<int>(tile % across * 64),
                                               static_cast<int>(tile / across * ROWS), &full[s]);
    }
  } else if (warp < readers / 32) {
    uint32_t k = 0;
    for (uint32_t tile = blockIdx.x; tile < count; tile += gridDim.x, k++) {
      const uint32_t s = k % STAGES;
      const int4 *stage = memory + s * (words / 4);
      wait(&full[s], k / STAGES & 1);
      if (QUADS) {
        for (uint32_t i = threadIdx.x; i < words / 4; i += readers)
          sum += stage[i].x + stage[i].y + stage[i].z + stage[i].w;
      } else {
        for (uint32_t i = threadIdx.x; i < words; i += readers)
          sum += reinterpret_cast<const int *>(stage)[i];
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(&empty[s]);
    }
  }
  if (sum == 0x7fffffff) j.out[0].x = sum;
}

#endif
