// The second set's kernels whose threads load and store by themselves.
#ifndef HELD_OUT_MORE_PLAIN_CUH
#define HELD_OUT_MORE_PLAIN_CUH

#include "job.cuh"

// backward: threads. The quads in the opposite order.
__global__ void backward(job j) {
  const size_t i = thread_of_grid();
  j.out[j.quads - 1 - i] = one_more(j.in[i]);
}

// shifted: words that the input is shifted by, bytes of an element (4 or 16), threads
template <typename T> __global__ void shifted(job j) {
  const T *in = reinterpret_cast<const T *>(j.in);
  const size_t i = thread_of_grid(), count = j.quads * 16 / sizeof(T), from = i + j.p[0];
  reinterpret_cast<T *>(j.out)[i] = in[from < count ? from : from - count];
}

// split: threads. Quads become four arrays of words, one behind the other in out.
__global__ void split(job j) {
  const size_t i = thread_of_grid();
  const int4 v = j.in[i];
  int *out = reinterpret_cast<int *>(j.out);
  out[i] = v.x;
  out[j.quads + i] = v.y;
  out[2 * j.quads + i] = v.z;
  out[3 * j.quads + i] = v.w;
}

// joined: threads. The halves of the array, word by word in turns.
__global__ void joined(job j) {
  const int2 *in = reinterpret_cast<const int2 *>(j.in);
  const size_t i = thread_of_grid();
  const int2 a = in[i], b = in[j.quads + i];
  j.out[i] = make_int4(a.x, b.x, a.y, b.y);
}

// warp-rows: bytes of a row, threads. A warp has a row in registers and takes its greatest number from it.
template <int QUADS> __global__ void warp_rows(job j) {
  const size_t first = thread_of_grid() / 32 * (32 * QUADS) + threadIdx.x % 32;
  int4 have[QUADS];
  int most = INT32_MIN;
#pragma unroll
  for (int k = 0; k < QUADS; k++) {
    have[k] = j.in[first + 32 * k];
    most = max(most, max(max(have[k].x, have[k].y), max(have[k].z, have[k].w)));
  }
  for (int step = 16; step; step /= 2)
    most = max(most, __shfl_xor_sync(~0u, most, step));
#pragma unroll
  for (int k = 0; k < QUADS; k++)
    j.out[first + 32 * k] = make_int4(have[k].x - most, have[k].y - most, have[k].z - most, have[k].w - most);
}

// taps: numbers of a sum, threads. Each word of out is a sum of neighbours, from shared memory.
__global__ void taps(job j) {
  int *words = reinterpret_cast<int *>(memory);
  const int *in = reinterpret_cast<const int *>(j.in);
  const size_t i = thread_of_grid(), last = 4 * j.quads - 1;
  words[threadIdx.x] = in[i];
  if (threadIdx.x < j.p[0]) words[blockDim.x + threadIdx.x] = in[min(i + blockDim.x, last)];
  __syncthreads();
  int sum = 0;
  for (uint32_t k = 0; k < j.p[0]; k++)
    sum += words[threadIdx.x + k];
  reinterpret_cast<int *>(j.out)[i] = sum;
}

// some: one number of so many is kept, threads. Those kept are written where a counter says, a warp at a
// time.
__global__ void some(job j) {
  const size_t i = thread_of_grid();
  const int v = reinterpret_cast<const int *>(j.in)[i];
  const bool kept = (static_cast<uint32_t>(i) * 0x9e3779b9u >> 7) % j.p[0] == 0;
  const uint32_t all = __ballot_sync(~0u, kept), lane = threadIdx.x % 32;
  uint32_t first = 0;
  if (lane == 0 && all) first = atomicAdd(j.counter, __popc(all));
  first = __shfl_sync(~0u, first, 0);
  if (kept) reinterpret_cast<int *>(j.out)[first + __popc(all & ((1u << lane) - 1))] = v;
}

// stretch: how many words of out a word of a table of 1 MiB makes, threads. Only writes to the memory.
__global__ void stretch(job j) {
  const size_t i = thread_of_grid();
  j.out[i] = one_more(j.in[i / j.p[0] % 65536]);
}

// triangle: threads. Of a matrix 8192 words wide, what is left of a diagonal through every 512 rows: half of
// the blocks have nothing to do.
__global__ void triangle(job j) {
  const size_t i = thread_of_grid();
  if (i % 2048 <= i / 2048 % 512 * 4) j.out[i] = one_more(j.in[i]);
}

// steps: loads of a thread at once, threads, blocks on a processor. Blocks that stay, each with a part of its
// own.
template <int EACH> __global__ void steps(job j) {
  const size_t part = (j.quads + gridDim.x - 1) / gridDim.x, first = blockIdx.x * part;
  const size_t end = min(first + part, j.quads);
  for (size_t i = first + threadIdx.x; i < end; i += EACH * blockDim.x) {
    int4 have[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (i + k * blockDim.x < end) have[k] = j.in[i + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (i + k * blockDim.x < end) j.out[i + k * blockDim.x] = one_more(have[k]);
  }
}

// busy: multiplications for each word, threads
__global__ void busy(job j) {
  const size_t i = thread_of_grid();
  int4 v = j.in[i];
  const int factor = static_cast<int>(j.width) - 8191;
  for (uint32_t k = 0; k < j.p[0]; k++)
    v = make_int4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
  j.out[i] = one_more(v);
}

#endif
