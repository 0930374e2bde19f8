// The fourth set's kernels, whose blocks work in shared memory, in registers and at meetings.
#ifndef HELD_OUT_SHARED_CUH
#define HELD_OUT_SHARED_CUH

#include "job.cuh"
#include "tma-cluster.cuh"

// stride: words between what neighbours read of shared memory, threads. Each thread's word goes there and
// comes back from another place: a stride that is even has bank conflicts.
__global__ void stride(job j) {
  int *words = reinterpret_cast<int *>(memory);
  const size_t i = thread_of_grid();
  const uint32_t place = threadIdx.x * j.p[0] % blockDim.x + threadIdx.x * j.p[0] / blockDim.x % j.p[0];
  words[threadIdx.x] = reinterpret_cast<const int *>(j.in)[i];
  __syncthreads();
  reinterpret_cast<int *>(j.out)[i] = words[place % blockDim.x] + 1;
}

// prefixes: threads. Sums of all words before one's own in a block, by doubling; two meetings a step.
__global__ void prefixes(job j) {
  int *words = reinterpret_cast<int *>(memory);
  const size_t i = thread_of_grid();
  int mine = reinterpret_cast<const int *>(j.in)[i];
  for (uint32_t step = 1; step < blockDim.x; step *= 2) {
    words[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x >= step) mine += words[threadIdx.x - step];
    __syncthreads();
  }
  reinterpret_cast<int *>(j.out)[i] = mine;
}

// tree: quads of a thread, threads. A block's sum by halves; only reads.
template <int EACH> __global__ void tree(job j) {
  int *words = reinterpret_cast<int *>(memory), sum = 0;
  const size_t first = blockIdx.x * static_cast<size_t>(EACH) * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < EACH; k++)
    sum += sum_of(j.in[first + k * blockDim.x]);
  words[threadIdx.x] = sum;
  for (uint32_t half = blockDim.x / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) words[threadIdx.x] += words[threadIdx.x + half];
  }
  if (threadIdx.x == 0) reinterpret_cast<int *>(j.out)[blockIdx.x] = words[0];
}

// counts: bins, quads of a thread, threads. A histogram in shared memory; only reads.
__global__ void counts(job j) {
  uint32_t *bins = reinterpret_cast<uint32_t *>(memory);
  for (uint32_t i = threadIdx.x; i < j.p[0]; i += blockDim.x)
    bins[i] = 0;
  __syncthreads();
  const size_t first = blockIdx.x * static_cast<size_t>(j.p[1]) * blockDim.x + threadIdx.x;
  for (uint32_t k = 0; k < j.p[1]; k++) {
    const int4 v = j.in[first + k * blockDim.x];
    atomicAdd(&bins[(static_cast<uint32_t>(v.x) + threadIdx.x * 7) % j.p[0]], 1);
    atomicAdd(&bins[(static_cast<uint32_t>(v.y) + threadIdx.x * 11) % j.p[0]], 1);
  }
  __syncthreads();
  if (threadIdx.x < 32) j.out[blockIdx.x * static_cast<size_t>(32) + threadIdx.x].x = bins[threadIdx.x];
}

// follow: steps, threads. A thread follows so many places in shared memory, one after another.
__global__ void follow(job j) {
  uint32_t *next = reinterpret_cast<uint32_t *>(memory);
  const size_t i = thread_of_grid();
  next[threadIdx.x] = (threadIdx.x + 33) % blockDim.x;
  const int4 v = j.in[i];
  __syncthreads();
  uint32_t at = threadIdx.x;
  for (uint32_t k = 0; k < j.p[0]; k++)
    at = next[at];
  j.out[i] = make_int4(v.x + static_cast<int>(at), v.y, v.z, v.w);
}

// polynomial: terms, threads. A chain of float multiply-adds for each word of a quad.
__global__ void polynomial(job j) {
  const size_t i = thread_of_grid();
  const int4 v = j.in[i];
  const float one = static_cast<float>(j.width) / 8192;
  float x = __int_as_float(v.x), y = __int_as_float(v.y), z = __int_as_float(v.z), w = __int_as_float(v.w);
  for (uint32_t k = 0; k < j.p[0]; k++) {
    x = x * one + one, y = y * one + one;
    z = z * one + one, w = w * one + one;
  }
  j.out[i] = make_int4(__float_as_int(x), __float_as_int(y), __float_as_int(z), __float_as_int(w));
}

// roots: threads. A square root of each word.
__global__ void roots(job j) {
  const size_t i = thread_of_grid();
  const int4 v = j.in[i];
  j.out[i] = make_int4(__float_as_int(__fsqrt_rn(static_cast<float>(v.x))),
                       __float_as_int(__fsqrt_rn(static_cast<float>(v.y))),
                       __float_as_int(__fsqrt_rn(static_cast<float>(v.z))),
                       __float_as_int(__fsqrt_rn(static_cast<float>(v.w))));
}

// rounds: meetings, quads of a thread, threads. So many meetings of a block between its loads and its stores.
template <int EACH> __global__ void rounds(job j) {
  const size_t first = blockIdx.x * static_cast<size_t>(EACH) * blockDim.x + threadIdx.x;
  int4 have[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++)
    have[k] = j.in[first + k * blockDim.x];
  for (uint32_t k = 0; k < j.p[0]; k++)
    __syncthreads();
#pragma unroll
  for (int k = 0; k < EACH; k++)
    j.out[first + k * blockDim.x] = one_more(have[k]);
}

// few: blocks, threads, quads of a thread. A grid that is smaller than the chip or just as large.
template <int EACH> __global__ void few(job j) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t i = thread_of_grid(); i < j.quads; i += EACH * step) {
    int4 have[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (i + k * step < j.quads) have[k] = j.in[i + k * step];
#pragma unroll
    for (int k = 0; k < EACH; k++)
      if (i + k * step < j.quads) j.out[i + k * step] = one_more(have[k]);
  }
}

// ticket: quads of a thread, threads. A block asks a counter which part is its own.
template <int EACH> __global__ void ticket(job j) {
  __shared__ uint32_t mine;
  if (threadIdx.x == 0) mine = atomicAdd(j.counter, 1);
  __syncthreads();
  const size_t first = mine * static_cast<size_t>(EACH) * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < EACH; k++)
    j.out[first + k * blockDim.x] = one_more(j.in[first + k * blockDim.x]);
}

// tally: words, threads. Each warp adds its sum to one of so many words, and asks for no answer; only reads.
__global__ void tally(job j) {
  const size_t i = thread_of_grid();
  const int sum = __reduce_add_sync(~0u, sum_of(j.in[i]));
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<int *>(j.out) + i / 32 % j.p[0] * 32, sum);
}

// lend: bytes of a tile, blocks of a cluster, threads, blocks on a processor. A block puts what it has read
// into its neighbour's shared memory, which stores it.
__global__ void lend(job j) {
  const uint32_t quads = j.p[0] / 16, blocks = j.p[1], rank = cluster_block_rank();
  const uint32_t there = map_to_block(memory, (rank + 1) % blocks);
  cluster_arrive();
  cluster_wait();
  for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x) {
    const int4 v = j.in[blockIdx.x * static_cast<size_t>(quads) + i];
    asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(there + i * 16), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
  }
  cluster_arrive();
  cluster_wait();
  const size_t from = blockIdx.x - rank + (rank + blocks - 1) % blocks;
  for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
    j.out[from * quads + i] = one_more(memory[i]);
}

// meet: quads of a thread, blocks of a cluster, threads, 1: meetings without a release. Two meetings of the
// cluster, and nothing that is handed on.
template <int EACH> __global__ void meet(job j) {
  const size_t first = blockIdx.x * static_cast<size_t>(EACH) * blockDim.x + threadIdx.x;
  int4 have[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++)
    have[k] = j.in[first + k * blockDim.x];
  for (int turn = 0; turn < 2; turn++) {
    if (j.p[3])
      cluster_arrive_relaxed();
    else
      cluster_arrive();
    cluster_wait();
  }
#pragma unroll
  for (int k = 0; k < EACH; k++)
    j.out[first + k * blockDim.x] = one_more(have[k]);
}

#endif
