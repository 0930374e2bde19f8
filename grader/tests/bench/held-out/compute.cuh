// The eighth set's kernels, which compute more than they move: integers, votes and shuffles, branches that
// part a warp, long chains of dependent instructions.
#ifndef HELD_OUT_COMPUTE_CUH
#define HELD_OUT_COMPUTE_CUH

#include "job.cuh"

__device__ static inline uint32_t stirred(uint32_t v, uint32_t rounds) {
  for (uint32_t k = 0; k < rounds; k++) {
    v = (v ^ v >> 15) * 0x85ebca6bu;
    v = (v ^ v >> 13) * 0xc2b2ae35u + k;
  }
  return v;
}

// hash: rounds, threads, blocks on a processor (0: as many as fit). Each word of a quad is stirred.
__global__ void hash(job j) {
  const size_t i = thread_of_grid();
  const int4 v = j.in[i];
  j.out[i] =
      make_int4(stirred(v.x, j.p[0]), stirred(v.y, j.p[0]), stirred(v.z, j.p[0]), stirred(v.w, j.p[0]));
}

// hash-one: the same of one word for each thread: one chain.
__global__ void hash_one(job j) {
  const size_t i = thread_of_grid();
  const uint32_t *in = reinterpret_cast<const uint32_t *>(j.in);
  reinterpret_cast<uint32_t *>(j.out)[i] = stirred(in[i], j.p[0]);
}

// diverge: paths, rounds, threads. Lanes part by their word, and each path is a chain of its own length.
__global__ void diverge(job j) {
  const size_t i = thread_of_grid();
  uint32_t v = reinterpret_cast<const uint32_t *>(j.in)[i];
  const uint32_t path = v % j.p[0];
  float x = static_cast<float>(v & 1023);
  switch (path) {
  case 0:
    for (uint32_t k = 0; k < j.p[1]; k++)
      x = x * 0.5f + 1;
    break;
  case 1:
    for (uint32_t k = 0; k < j.p[1]; k++)
      v = v * 1664525 + 1013904223;
    break;
  case 2:
    for (uint32_t k = 0; k < 2 * j.p[1]; k++)
      v = (v ^ v >> 7) + k;
    break;
  default:
    for (uint32_t k = 0; k < j.p[1]; k++)
      x = sqrtf(x + static_cast<float>(k));
  }
  reinterpret_cast<uint32_t *>(j.out)[i] = v + static_cast<uint32_t>(x);
}

// digits: threads. A loop that ends for each lane at its own turn.
__global__ void digits(job j) {
  const size_t i = thread_of_grid();
  uint32_t v = reinterpret_cast<const uint32_t *>(j.in)[i], sum = 0;
  v >>= v % 29;
  while (v) {
    sum += v % 10;
    v /= 10;
  }
  reinterpret_cast<uint32_t *>(j.out)[i] = sum;
}

// shuffles: rounds, threads. Sums of a warp by butterflies, one after another.
__global__ void shuffles(job j) {
  const size_t i = thread_of_grid();
  uint32_t v = reinterpret_cast<const uint32_t *>(j.in)[i];
  for (uint32_t k = 0; k < j.p[0]; k++)
    for (int lane = 16; lane; lane /= 2)
      v += __shfl_xor_sync(~0u, v, lane);
  reinterpret_cast<uint32_t *>(j.out)[i] = v;
}

// match: bins, threads. Lanes with the same bin count together: the first of them adds to shared memory. Each
// block counts 16 words for each thread; only reads.
__global__ void match(job j) {
  uint32_t *bins = reinterpret_cast<uint32_t *>(memory);
  const uint32_t lane = threadIdx.x % 32;
  const size_t first = blockIdx.x * size_t{16} * blockDim.x + threadIdx.x;
  for (uint32_t i = threadIdx.x; i < j.p[0]; i += blockDim.x)
    bins[i] = 0;
  __syncthreads();
  for (uint32_t k = 0; k < 16; k++) {
    const uint32_t bin = reinterpret_cast<const uint32_t *>(j.in)[first + k * blockDim.x] & (j.p[0] - 1);
    const uint32_t same = __match_any_sync(~0u, bin);
    if (lane == __ffs(same) - 1) atomicAdd(&bins[bin], __popc(same));
  }
  __syncthreads();
  if (threadIdx.x < 32) j.out[blockIdx.x * size_t{32} + threadIdx.x].x = bins[threadIdx.x & (j.p[0] - 1)];
}

// packed: threads. Words that are odd move to the front of their block's part, by votes.
__global__ void packed(job j) {
  uint32_t *counts = reinterpret_cast<uint32_t *>(memory), *words = counts + 32;
  const size_t i = thread_of_grid();
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t v = reinterpret_cast<const uint32_t *>(j.in)[i];
  const uint32_t odd = __ballot_sync(~0u, v & 1), before = __popc(odd & ((1u << lane) - 1));
  if (lane == 0) counts[warp] = __popc(odd);
  __syncthreads();
  uint32_t mine = 0, all = 0;
  for (uint32_t k = 0; k < blockDim.x / 32; k++) {
    mine += k < warp ? counts[k] : 0;
    all += counts[k];
  }
  const uint32_t front = mine + before;
  words[v & 1 ? front : all + threadIdx.x - front] = v;
  __syncthreads();
  reinterpret_cast<uint32_t *>(j.out)[i] = words[threadIdx.x];
}

// sorted: threads. A block sorts two words for each thread, by a network in shared memory.
__global__ void sorted(job j) {
  uint32_t *words = reinterpret_cast<uint32_t *>(memory);
  const uint32_t count = 2 * blockDim.x;
  const size_t first = blockIdx.x * static_cast<size_t>(count);
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
    words[i] = reinterpret_cast<const uint32_t *>(j.in)[first + i];
  for (uint32_t size = 2; size <= count; size *= 2)
    for (uint32_t step = size / 2; step; step /= 2) {
      __syncthreads();
      const uint32_t low = 2 * threadIdx.x - (threadIdx.x & (step - 1)), high = low + step;
      const uint32_t a = words[low], b = words[high];
      if ((a > b) == ((low & size) == 0)) {
        words[low] = b;
        words[high] = a;
      }
    }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
    reinterpret_cast<uint32_t *>(j.out)[first + i] = words[i];
}

#endif
