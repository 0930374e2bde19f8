// The third set's kernels: what the memory and the caches make of the order in which they are asked.
#ifndef HELD_OUT_MEMORY_CUH
#define HELD_OUT_MEMORY_CUH

#include "job.cuh"

// A place without a pattern for each i below count, a power of two; no place comes twice.
__device__ static inline uint32_t scattered(uint32_t i, uint32_t count) {
  const uint32_t mask = count - 1;
  i = i * 0x9e3779b1u & mask;
  i ^= i >> 9;
  i = i * 0x85ebca6bu & mask;
  i ^= i >> 7;
  return i * 0xc2b2ae35u & mask;
}

// gather: bytes of a row, quads of a thread at once (1 or 4), threads. Rows from all over, one after the
// other in out. scatter: the other way round. twos: the power of two in the number of rows.
template <bool OUT, int EACH> __global__ void gather(job j, uint32_t twos) {
  const uint32_t row = j.p[0] / 16, odd = static_cast<uint32_t>(j.quads / row / twos);
  const size_t first = blockIdx.x * static_cast<size_t>(blockDim.x) * EACH + threadIdx.x;
  auto far = [&](size_t i) {
    const uint32_t from = static_cast<uint32_t>(i / row);
    return (static_cast<size_t>(scattered(from % twos, twos)) * odd + from / twos) * row + i % row;
  };
  int4 have[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++)
    have[k] = j.in[OUT ? first + k * blockDim.x : far(first + k * blockDim.x)];
#pragma unroll
  for (int k = 0; k < EACH; k++)
    j.out[OUT ? far(first + k * blockDim.x) : first + k * blockDim.x] = one_more(have[k]);
}

// own-sums: bytes of a thread's own piece, threads, blocks on a processor. Only reads.
__global__ void own_sums(job j) {
  const uint32_t quads = j.p[0] / 16;
  const size_t first = thread_of_grid() * quads;
  int sum = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < quads; i++)
    sum += sum_of(j.in[first + i]);
  if (sum == 0x7fffffff) j.out[0].x = 1;
}

// own-fill: the same, only writes
__global__ void own_fill(job j) {
  const uint32_t quads = j.p[0] / 16;
  const size_t first = thread_of_grid() * quads;
#pragma unroll 1
  for (uint32_t i = 0; i < quads; i++)
    j.out[first + i] = make_int4(7, 7, 7, 7);
}

// own-few: as own, with so many blocks on a processor
__global__ void own_few(job j) {
  const uint32_t quads = j.p[0] / 16;
  const size_t first = thread_of_grid() * quads;
  for (uint32_t i = 0; i < quads; i++)
    j.out[first + i] = one_more(j.in[first + i]);
}

// askew: words that out is shifted by, bytes of an element (4 or 16), threads. The last elements go to the
// beginning.
template <typename T> __global__ void askew(job j) {
  const size_t i = thread_of_grid(), count = j.quads * 16 / sizeof(T), to = i + j.p[0];
  reinterpret_cast<T *>(j.out)[to < count ? to : to - count] = reinterpret_cast<const T *>(j.in)[i];
}

// sparse: bytes that are read of each period, the period's bytes, threads. Only reads; counted are the bytes
// that are asked for.
__global__ void sparse(job j) {
  const uint32_t wanted = j.p[0] / 16, period = j.p[1] / 16;
  const size_t i = thread_of_grid();
  const int4 v = j.in[i / wanted * period + i % wanted];
  if (sum_of(v) == 0x7fffffff) j.out[0].x = 1;
}

// patches: bytes and rows of a part of a matrix 32 KiB wide that a block copies, threads. The width is a
// power of two.
__global__ void patches(job j) {
  const uint32_t width = j.p[0] / 16, pitch = 2048, across = pitch / width, shift = 31 - __clz(width);
  const size_t first =
      blockIdx.x / across * static_cast<size_t>(pitch) * j.p[1] + blockIdx.x % across * width;
  for (uint32_t i = threadIdx.x; i < width * j.p[1]; i += blockDim.x) {
    const size_t at = first + (i >> shift) * static_cast<size_t>(pitch) + (i & (width - 1));
    j.out[at] = one_more(j.in[at]);
  }
}

// parts: quads by which a block's part goes beyond a multiple of 128 bytes (8: none), threads, blocks on a
// processor. Blocks that stay, each with a part of its own.
__global__ void parts(job j) {
  const size_t part = j.quads / gridDim.x / 8 * 8 - 8 + j.p[0], end = (blockIdx.x + 1) * part;
  for (size_t i = blockIdx.x * part + threadIdx.x; i < end; i += blockDim.x)
    j.out[i] = one_more(j.in[i]);
}

// leaning: words and rows of a tile, threads. A matrix transposed in tiles that are no squares.
template <int WIDTH, int HEIGHT> __global__ void leaning(job j) {
  __shared__ int tile[HEIGHT][WIDTH + 1];
  const int *in = reinterpret_cast<const int *>(j.in);
  int *out = reinterpret_cast<int *>(j.out);
  const size_t x = blockIdx.x * size_t{WIDTH}, y = blockIdx.y * size_t{HEIGHT};
  for (uint32_t i = threadIdx.x; i < WIDTH * HEIGHT; i += blockDim.x)
    tile[i / WIDTH][i % WIDTH] = in[(y + i / WIDTH) * j.width + x + i % WIDTH];
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < WIDTH * HEIGHT; i += blockDim.x)
    out[(x + i / HEIGHT) * j.height + y + i % HEIGHT] = tile[i % HEIGHT][i / HEIGHT];
}

// triples: threads. Words of three interleaved arrays become three arrays; a thread has three words, one
// after the other.
__global__ void triples(job j) {
  const int *in = reinterpret_cast<const int *>(j.in);
  int *out = reinterpret_cast<int *>(j.out);
  const size_t i = thread_of_grid(), third = 4 * j.quads / 3;
  if (i >= third) return;
  const int a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  out[i] = a;
  out[third + i] = b;
  out[2 * third + i] = c;
}

// spots: words and rows of a box, threads, blocks on a processor. Boxes of a matrix from all over, stored one
// after the other.
__global__ void spots(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      job j) {
  __shared__ uint64_t full;
  const uint32_t quads = j.p[0] * j.p[1] / 4, across = j.width / j.p[0];
  const uint32_t box = static_cast<uint32_t>(blockIdx.x * 2654435761ull % gridDim.x);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, quads * 16);
    cp_async_bulk_tensor_2d_global_to_shared(memory, &from, static_cast<int>(box % across * j.p[0]),
                                             static_cast<int>(box / across * j.p[1]), &full);
  }
  __syncthreads();
  wait(&full, 0);
  add_one(memory, quads);
  if (threadIdx.x) return;
  cp_async_bulk_shared_to_global(j.out + blockIdx.x * static_cast<size_t>(quads), memory, quads * 16);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// glance: words and rows of a box, threads, blocks on a processor. A block adds up a box; only reads.
__global__ void glance(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                       job j) {
  __shared__ uint64_t full;
  const uint32_t quads = j.p[0] * j.p[1] / 4;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, quads * 16);
    cp_async_bulk_tensor_2d_global_to_shared(memory, &from, static_cast<int>(blockIdx.x * j.p[0]),
                                             static_cast<int>(blockIdx.y * j.p[1]), &full);
  }
  __syncthreads();
  wait(&full, 0);
  int sum = 0;
  for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
    sum += sum_of(memory[i]);
  if (sum == 0x7fffffff) j.out[0].x = 1;
}

#endif
