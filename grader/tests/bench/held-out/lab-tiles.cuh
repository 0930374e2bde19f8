// Kernels as people make them of the labs' exercises, good and slow: tiles by tensor maps, plain loops,
// transposes by threads.
#ifndef HELD_OUT_LAB_TILES_CUH
#define HELD_OUT_LAB_TILES_CUH

#include "job.cuh"

// scale: words and rows of a box, swizzle (0 to 3: none, 32, 64, 128 bytes), threads, blocks on a processor,
// 1: blocks that stay, 2: the same, and thread 0 alone waits. In place, one buffer.
__global__ void scale(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      job j) {
  __shared__ uint64_t full;
  const uint32_t quads = j.p[0] * j.p[1] / 4, across = j.width / j.p[0];
  const bool alone = j.p[5] == 2;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
  }
  __syncthreads();
  uint32_t parity = 0;
  for (uint32_t tile = blockIdx.x; tile < static_cast<uint32_t>(j.quads / quads); tile += gridDim.x) {
    const int x = static_cast<int>(tile % across * j.p[0]), y = static_cast<int>(tile / across * j.p[1]);
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&full, quads * 16);
      cp_async_bulk_tensor_2d_global_to_shared(memory, &from, x, y, &full);
    }
    if (!alone || threadIdx.x == 0) wait(&full, parity);
    if (alone) __syncthreads();
    add_one(memory, quads);
    if (threadIdx.x == 0) {
      cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, memory);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
    }
    parity ^= 1;
  }
}

// five: words and rows of a tile, margin in words, threads, blocks on a processor, 1: threads store. A word
// of out is the sum of five, its place and those around it.
__global__ void five(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                     job j) {
  __shared__ uint64_t full;
  const uint32_t width = j.p[0], height = j.p[1], margin = j.p[2], pitch = width + 2 * margin;
  int *box = reinterpret_cast<int *>(memory), *result = box + (pitch * (height + 2) + 31) / 32 * 32;
  const int x = static_cast<int>(blockIdx.x * width), y = static_cast<int>(blockIdx.y * height);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, pitch * (height + 2) * 4);
    cp_async_bulk_tensor_2d_global_to_shared(box, &from, x - static_cast<int>(margin), y - 1, &full);
  }
  __syncthreads();
  wait(&full, 0);
  int *out = reinterpret_cast<int *>(j.out);
  for (uint32_t i = threadIdx.x; i < width * height; i += blockDim.x) {
    const int *at = box + (i / width + 1) * pitch + i % width + margin;
    const int sum = at[0] + at[-1] + at[1] + at[-static_cast<int>(pitch)] + at[pitch];
    if (j.p[5])
      out[(y + i / width) * static_cast<size_t>(j.width) + x + i % width] = sum;
    else
      result[i] = sum;
  }
  if (j.p[5]) return;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x) return;
  cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, result);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// halves: 1: the map of loads swizzles by 128 bytes, threads, blocks on a processor, 1: threads store, 1:
// blocks go down the columns of tiles. A matrix transposed in tiles of 64 x 64 words, loaded in two halves.
__global__ void halves(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                       job j) {
  __shared__ uint64_t full;
  int *turned = reinterpret_cast<int *>(memory + 1024);
  const uint32_t across = j.width / 64, down = j.height / 64;
  const uint32_t tile_x = j.p[4] ? blockIdx.x / down : blockIdx.x % across;
  const uint32_t tile_y = j.p[4] ? blockIdx.x % down : blockIdx.x / across;
  const int x = static_cast<int>(tile_x * 64), y = static_cast<int>(tile_y * 64);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, 16384);
    cp_async_bulk_tensor_2d_global_to_shared(memory, &from, x, y, &full);
    cp_async_bulk_tensor_2d_global_to_shared(memory + 512, &from, x + 32, y, &full);
  }
  __syncthreads();
  wait(&full, 0);
  for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) { // a quad: row i % 64, atom i / 64 of its row
    const uint32_t row = i % 64, atom = i / 64 % 8, half = i / 512;
    const int4 v = memory[half * 512 + row * 8 + (j.p[0] ? atom ^ row % 8 : atom)];
    int *column = turned + (half * 32 + atom * 4) * 64 + row;
    column[0] = v.x, column[64] = v.y, column[128] = v.z, column[192] = v.w;
  }
  async_proxy_fence();
  __syncthreads();
  int *out = reinterpret_cast<int *>(j.out);
  for (uint32_t i = threadIdx.x; j.p[3] && i < 4096; i += blockDim.x)
    out[(x + i / 64) * static_cast<size_t>(j.height) + y + i % 64] = turned[i];
  if (threadIdx.x || j.p[3]) return;
  cp_async_bulk_tensor_2d_shared_to_global(&to, y, x, turned);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// seven: words and rows of a tile, stages, threads, blocks on a processor, planes of a block. A word of out
// is the sum of seven in a volume. A block goes up through its planes, which stay in a ring.
__global__ void seven(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t width = j.p[0], height = j.p[1], stages = j.p[2], planes = j.p[5], pitch = width + 8;
  const uint32_t words = (pitch * (height + 2) + 31) / 32 * 32;
  int *boxes = reinterpret_cast<int *>(memory);
  const int x = static_cast<int>(blockIdx.x * width), y = static_cast<int>(blockIdx.y * height);
  const int z = static_cast<int>(blockIdx.z * planes);
  auto load = [&](uint32_t n) { // the plane z - 1 + n
    expect_bytes_and_arrive(&full[n % stages], pitch * (height + 2) * 4);
    cp_async_bulk_tensor_3d_global_to_shared(boxes + n % stages * words, &from, x - 4, y - 1,
                                             z - 1 + static_cast<int>(n), &full[n % stages]);
  };
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t n = 0; n < stages; n++)
      load(n);
  }
  __syncthreads();
  wait(&full[0], 0);
  wait(&full[1], 0);
  int *out = reinterpret_cast<int *>(j.out);
  for (uint32_t n = 1; n <= planes; n++) {
    wait(&full[(n + 1) % stages], (n + 1) / stages & 1);
    const int *below = boxes + (n - 1) % stages * words, *here = boxes + n % stages * words;
    const int *above = boxes + (n + 1) % stages * words;
    for (uint32_t i = threadIdx.x; i < width * height; i += blockDim.x) {
      const uint32_t at = (i / width + 1) * pitch + i % width + 4;
      out[(static_cast<size_t>(z + n - 1) * 256 + y + i / width) * 512 + x + i % width] =
          here[at] + here[at - 1] + here[at + 1] + here[at - pitch] + here[at + pitch] + below[at] +
          above[at];
    }
    __syncthreads();
    if (threadIdx.x == 0 && n - 1 + stages < planes + 2) load(n - 1 + stages);
  }
}

// ---- without the copy engine ------------------------------------------------------------------------------

template <typename T> __device__ static inline T more(T v) {
  return v + 1;
}
template <> __device__ inline int2 more(int2 v) {
  return make_int2(v.x + 1, v.y + 1);
}
template <> __device__ inline int4 more(int4 v) {
  return one_more(v);
}
__device__ static inline int total(int v) {
  return v;
}
__device__ static inline int total(int2 v) {
  return v.x + v.y;
}
__device__ static inline int total(int4 v) {
  return sum_of(v);
}

// loop: bytes of a word, words in one turn, threads, blocks on a processor. A loop with the grid's stride.
template <typename T, int N> __global__ void loop(job j) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x), count = j.quads * 16 / sizeof(T);
  const T *in = reinterpret_cast<const T *>(j.in);
  T *out = reinterpret_cast<T *>(j.out);
#pragma unroll 1
  for (size_t i = thread_of_grid(); i < count; i += N * step) {
    T v[N];
#pragma unroll
    for (int k = 0; k < N; k++)
      if (i + k * step < count) v[k] = in[i + k * step];
#pragma unroll
    for (int k = 0; k < N; k++)
      if (i + k * step < count) out[i + k * step] = more(v[k]);
  }
}

// total: as loop, but only adds up. fill: as loop, but only writes.
template <typename T, int N> __global__ void total_of(job j) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x), count = j.quads * 16 / sizeof(T);
  const T *in = reinterpret_cast<const T *>(j.in);
  int sum = 0;
#pragma unroll 1
  for (size_t i = thread_of_grid(); i < count; i += N * step) {
    T v[N] = {};
#pragma unroll
    for (int k = 0; k < N; k++)
      if (i + k * step < count) v[k] = in[i + k * step];
#pragma unroll
    for (int k = 0; k < N; k++)
      sum += total(v[k]);
  }
  if (sum == 0x7fffffff) j.out[0].x = sum;
}
template <typename T, int N> __global__ void fill(job j) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x), count = j.quads * 16 / sizeof(T);
  T *out = reinterpret_cast<T *>(j.out);
  const T one = more(T{});
#pragma unroll 1
  for (size_t i = thread_of_grid(); i < count; i += N * step)
#pragma unroll
    for (int k = 0; k < N; k++)
      if (i + k * step < count) out[i + k * step] = one;
}

// naive: threads across, threads down, 1: a warp writes along rows, 0: it reads along rows. A transpose.
__global__ void naive(job j) {
  const size_t x = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const size_t y = blockIdx.y * static_cast<size_t>(blockDim.y) + threadIdx.y;
  const int *in = reinterpret_cast<const int *>(j.in);
  int *out = reinterpret_cast<int *>(j.out);
  if (j.p[2])
    out[y * j.height + x] = in[x * j.width + y];
  else
    out[x * j.height + y] = in[y * j.width + x];
}

// crossed: rows of threads (32 of them in each), 1: places crossed by exclusive or, 0: not. A transpose in
// tiles of 32 x 32 words by threads.
__global__ void crossed(job j) {
  __shared__ int tile[1024];
  const int *in = reinterpret_cast<const int *>(j.in);
  int *out = reinterpret_cast<int *>(j.out);
  const uint32_t across = threadIdx.x;
  for (uint32_t y = threadIdx.y; y < 32; y += blockDim.y)
    tile[y * 32 + (j.p[1] ? across ^ y : across)] =
        in[(blockIdx.y * 32 + y) * static_cast<size_t>(j.width) + blockIdx.x * 32 + across];
  __syncthreads();
  for (uint32_t y = threadIdx.y; y < 32; y += blockDim.y)
    out[(blockIdx.x * 32 + y) * static_cast<size_t>(j.height) + blockIdx.y * 32 + across] =
        tile[across * 32 + (j.p[1] ? y ^ across : y)];
}

#endif
