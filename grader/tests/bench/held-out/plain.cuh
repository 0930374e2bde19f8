// Kernels whose threads load and store by themselves.
#ifndef HELD_OUT_PLAIN_CUH
#define HELD_OUT_PLAIN_CUH

#include "job.cuh"

// each: bytes of an element, elements of a thread, threads
template <typename T, int EACH> __global__ void each(job j) {
  const T *in = reinterpret_cast<const T *>(j.in);
  T *out = reinterpret_cast<T *>(j.out);
  const size_t first = blockIdx.x * static_cast<size_t>(blockDim.x) * EACH + threadIdx.x;
  T have[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++)
    have[k] = in[first + k * blockDim.x];
#pragma unroll
  for (int k = 0; k < EACH; k++)
    out[first + k * blockDim.x] = have[k];
}

// own: bytes of a thread's own piece, threads
__global__ void own(job j) {
  const uint32_t quads = j.p[0] / 16;
  const size_t first = thread_of_grid() * quads;
  for (uint32_t i = 0; i < quads; i++)
    j.out[first + i] = one_more(j.in[first + i]);
}

// async: bytes of a tile, stages, threads, blocks on a processor. cp.async into a ring, stores by threads.
template <int STAGES> __global__ void async_ring(job j) {
  const uint32_t quads = j.p[0] / 16;
  const size_t count = j.quads / quads;
  auto load = [&](size_t tile, uint32_t s) {
    for (uint32_t i = threadIdx.x; tile < count && i < quads; i += blockDim.x)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                   :
                   : "r"(tma_shared_address(memory + s * quads + i)), "l"(j.in + tile * quads + i)
                   : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  for (uint32_t s = 0; s + 1 < STAGES; s++)
    load(blockIdx.x + static_cast<size_t>(s) * gridDim.x, s);
  uint32_t stage = 0;
  for (size_t tile = blockIdx.x; tile < count; tile += gridDim.x) {
    load(tile + static_cast<size_t>(STAGES - 1) * gridDim.x, (stage + STAGES - 1) % STAGES);
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      j.out[tile * quads + i] = one_more(memory[stage * quads + i]);
    __syncthreads();
    stage = (stage + 1) % STAGES;
  }
}

// turn: words on the side of a tile, unused words in a row of it, threads. A matrix transposed.
template <int SIDE, int PAD> __global__ void turn(job j) {
  __shared__ int tile[SIDE][SIDE + PAD];
  const int *in = reinterpret_cast<const int *>(j.in);
  int *out = reinterpret_cast<int *>(j.out);
  const size_t x = blockIdx.x * SIDE, y = blockIdx.y * SIDE;
  const uint32_t column = threadIdx.x % SIDE, rows = blockDim.x / SIDE;
  for (uint32_t k = threadIdx.x / SIDE; k < SIDE; k += rows)
    tile[k][column] = in[(y + k) * j.width + x + column];
  __syncthreads();
  for (uint32_t k = threadIdx.x / SIDE; k < SIDE; k += rows)
    out[(x + k) * j.height + y + column] = tile[column][k];
}

// row-sums: bytes of a row, threads. A warp adds up a row. Reads only, but for a word of each row.
__global__ void row_sums(job j) {
  const uint32_t row = j.p[0] / 16, lane = threadIdx.x % 32;
  const size_t warp = thread_of_grid() / 32;
  int sum = 0;
  for (uint32_t i = lane; i < row; i += 32)
    sum += sum_of(j.in[warp * row + i]);
  for (int step = 16; step; step /= 2)
    sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) reinterpret_cast<int *>(j.out)[warp] = sum;
}

// column-sums: rows of a block, threads. A matrix 32 KiB wide, a quad of each row for a thread. Reads only,
// but for a quad of each thread.
__global__ void column_sums(job j) {
  const size_t width = 2048, column = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const int4 *at = j.in + blockIdx.y * width * j.p[0] + column;
  int4 sum = make_int4(0, 0, 0, 0);
#pragma unroll 4
  for (uint32_t i = 0; i < j.p[0]; i++) {
    const int4 v = at[i * width];
    sum = make_int4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
  }
  j.out[blockIdx.y * width + column] = sum;
}

// four: threads. The quarters of the array added up, into the first quarter of out.
__global__ void four(job j) {
  const size_t quarter = j.quads / 4, i = thread_of_grid();
  const int4 a = j.in[i], b = j.in[quarter + i], c = j.in[2 * quarter + i], d = j.in[3 * quarter + i];
  j.out[i] =
      make_int4(a.x + b.x + c.x + d.x, a.y + b.y + c.y + d.y, a.z + b.z + c.z + d.z, a.w + b.w + c.w + d.w);
}

// widen: threads. Numbers of 2 bytes become numbers of 4: half of the array is read, all of out written.
__global__ void widen(job j) {
  const size_t i = thread_of_grid();
  const ushort4 v = reinterpret_cast<const ushort4 *>(j.in)[i];
  j.out[i] = make_int4(v.x, v.y, v.z, v.w);
}

// pick: bytes of a row, threads. As rows-in, with plain loads of quads.
__global__ void pick(job j) {
  const uint32_t row = j.p[0] / 16;
  const size_t i = thread_of_grid();
  j.out[i] = one_more(j.in[static_cast<size_t>(j.places[i / row]) * row + i % row]);
}

// every: how many sectors of 32 bytes lie from one that is read to the next, threads. Reads only, each thread
// a quad; counted are the sectors that it reads.
__global__ void every(job j) {
  const size_t i = thread_of_grid();
  const int4 v = j.in[i / 2 * 2 * j.p[0] + i % 2];
  if (sum_of(v) == 0x7fffffff) j.out[0].x = 1;
}

// two-reads: loads of a thread at once, threads, blocks on a processor. Products of the halves, added up.
template <int EACH> __global__ void two_reads(job j) {
  const size_t half = j.quads / 2, step = gridDim.x * static_cast<size_t>(blockDim.x);
  int sum = 0;
#pragma unroll EACH
  for (size_t i = thread_of_grid(); i < half; i += step) {
    const int4 a = j.in[i], b = j.in[half + i];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  if (sum == 0x7fffffff) j.out[0].x = sum;
}

// three: threads. Each word of out is the sum of three neighbours; through the L1 cache.
__global__ void three(job j) {
  const int *in = reinterpret_cast<const int *>(j.in);
  const size_t i = thread_of_grid(), last = 4 * j.quads - 1;
  reinterpret_cast<int *>(j.out)[i] = in[i ? i - 1 : 0] + in[i] + in[i < last ? i + 1 : last];
}

// chain: words of a thread, threads. Prefix sums of all words: each block waits for the sum before its own.
template <int EACH> __global__ void chain(job j) {
  __shared__ int sums[32];
  __shared__ int before;
  __shared__ uint32_t number;
  if (threadIdx.x == 0) number = atomicAdd(j.counter, 1u);
  __syncthreads();
  const uint32_t tile = number, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t first = (tile * static_cast<size_t>(blockDim.x) + threadIdx.x) * (EACH / 4);
  int4 have[EACH / 4];
  int sum = 0;
#pragma unroll
  for (int k = 0; k < EACH / 4; k++) {
    have[k] = j.in[first + k];
    sum += sum_of(have[k]);
  }
  int upto = sum;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += other;
  }
  if (lane == 31) sums[warp] = upto;
  __syncthreads();
  int mine = upto - sum, all = 0;
  for (uint32_t i = 0; i < blockDim.x / 32; i++) {
    if (i < warp) mine += sums[i];
    all += sums[i];
  }
  if (threadIdx.x == 0) {
    uint64_t got = tile ? 0 : 1ull << 32;
    while (tile && !(got >> 32))
      got = *const_cast<volatile uint64_t *>(&j.flags[tile - 1]);
    before = static_cast<int>(got);
    *const_cast<volatile uint64_t *>(&j.flags[tile]) =
        1ull << 32 | static_cast<uint32_t>(static_cast<int>(got) + all);
  }
  __syncthreads();
  mine += before;
#pragma unroll
  for (int k = 0; k < EACH / 4; k++) {
    int4 v = have[k];
    v.x += mine;
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    mine = v.w;
    j.out[first + k] = v;
  }
}

// put: bytes of an element, threads. Only writes.
template <typename T> __global__ void put(job j) {
  T *out = reinterpret_cast<T *>(j.out);
  out[thread_of_grid()] = T{};
}

#endif
