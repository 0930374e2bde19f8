// The tenth set's kernels that use the copy engine, written without a look at the other sets' rings.
#ifndef HELD_OUT_OUTSIDER_RINGS_CUH
#define HELD_OUT_OUTSIDER_RINGS_CUH

#include "job.cuh"
#include "tma-reduce.cuh"
#include <cuda/barrier>
#include <cuda/ptx>

// pipe: bytes of a tile, stages, warps that compute, blocks on a processor, how a tile is stored (0: by
// threads, 1: each warp a part by a bulk store, 2: one bulk store, when all warps have met). The first warp
// loads.
__global__ void pipe_of_warps(job j) {
  __shared__ uint64_t full[MOST_STAGES], empty[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1], workers = j.p[2], how = j.p[4];
  const uint32_t tiles = static_cast<uint32_t>(j.quads / quads), warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], how == 2 ? 1 : workers);
    }
    async_proxy_fence();
  }
  __syncthreads();
  if (warp == 0) {
    if (threadIdx.x) return;
    for (uint32_t n = 0, tile = blockIdx.x; tile < tiles; n++, tile += gridDim.x) {
      const uint32_t s = n % stages;
      if (n >= stages) wait(&empty[s], (n / stages - 1) & 1);
      expect_bytes_and_arrive(&full[s], j.p[0]);
      cp_async_bulk_global_to_shared(memory + s * quads, j.in + static_cast<size_t>(tile) * quads, j.p[0],
                                     &full[s]);
    }
    return;
  }
  const uint32_t worker = threadIdx.x - 32, lane = threadIdx.x % 32, part = quads / workers;
  for (uint32_t n = 0, tile = blockIdx.x; tile < tiles; n++, tile += gridDim.x) {
    const uint32_t s = n % stages;
    int4 *const stage = memory + s * quads, *const out = j.out + static_cast<size_t>(tile) * quads;
    wait(&full[s], n / stages & 1);
    if (how == 0) {
      for (uint32_t i = worker; i < quads; i += workers * 32)
        out[i] = one_more(stage[i]);
      __syncwarp();
      if (lane == 0) arrive(&empty[s]);
    } else if (how == 1) {
      const uint32_t from = (warp - 1) * part;
      for (uint32_t i = lane; i < part; i += 32)
        stage[from + i] = one_more(stage[from + i]);
      async_proxy_fence();
      __syncwarp();
      if (lane == 0) {
        cp_async_bulk_shared_to_global(out + from, stage + from, part * 16);
        tma_commit_group();
        tma_wait_until_read_pending<0>();
        arrive(&empty[s]);
      }
    } else {
      for (uint32_t i = worker; i < quads; i += workers * 32)
        stage[i] = one_more(stage[i]);
      async_proxy_fence();
      asm volatile("bar.sync 1, %0;" ::"r"(workers * 32) : "memory");
      if (worker == 0) {
        cp_async_bulk_shared_to_global(out, stage, j.p[0]);
        tma_commit_group();
        tma_wait_until_read_pending<0>();
        arrive(&empty[s]);
      }
    }
  }
}

// boxed: words and rows of a box, stages, threads, blocks on a processor, 1: stores by the copy engine. A
// ring of boxes; the sums go to another buffer, so that a stage is loaded again at once.
__global__ void boxed(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t words = j.p[0] * j.p[1], quads = words / 4, stages = j.p[2], across = j.width / j.p[0];
  const uint32_t tiles = static_cast<uint32_t>(j.quads / quads);
  int4 *const result = memory + stages * quads;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
  }
  __syncthreads();
  auto fetch = [&](uint32_t n) {
    const uint32_t tile = blockIdx.x + n * gridDim.x, s = n % stages;
    if (tile >= tiles) return;
    expect_bytes_and_arrive(&full[s], words * 4);
    cp_async_bulk_tensor_2d_global_to_shared(memory + s * quads, &from,
                                             static_cast<int>(tile % across * j.p[0]),
                                             static_cast<int>(tile / across * j.p[1]), &full[s]);
  };
  if (threadIdx.x == 0)
    for (uint32_t n = 0; n < stages; n++)
      fetch(n);
  for (uint32_t n = 0, tile = blockIdx.x; tile < tiles; n++, tile += gridDim.x) {
    const uint32_t s = n % stages, x = tile % across * j.p[0], y = tile / across * j.p[1];
    wait(&full[s], n / stages & 1);
    if (j.p[5]) {
      if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
      __syncthreads();
      for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
        result[i] = one_more(memory[s * quads + i]);
      async_proxy_fence();
      __syncthreads();
      if (threadIdx.x == 0) {
        cp_async_bulk_tensor_2d_shared_to_global(&to, static_cast<int>(x), static_cast<int>(y), result);
        tma_commit_group();
      }
    } else {
      const uint32_t row = j.p[0] / 4;
      for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
        j.out[(y + i / row) * static_cast<size_t>(j.width / 4) + x / 4 + i % row] =
            one_more(memory[s * quads + i]);
      __syncthreads();
    }
    if (threadIdx.x == 0) fetch(n + stages);
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// standard: bytes of a tile, stages (2 or 3), threads, blocks on a processor. The library's barriers and its
// names for the instructions; every thread arrives.
template <int STAGES> __global__ void standard(job j) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full[STAGES];
  const uint32_t bytes = j.p[0], words = bytes / 4;
  const uint32_t tiles = static_cast<uint32_t>(j.quads * 16 / bytes);
  const int *in = reinterpret_cast<const int *>(j.in);
  int *out = reinterpret_cast<int *>(j.out), *stage = reinterpret_cast<int *>(memory);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++)
      init(&full[s], blockDim.x);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  barrier::arrival_token tokens[STAGES];
  auto fetch = [&](uint32_t tile, int s) {
    if (tile >= tiles) return;
    if (threadIdx.x == 0)
      cuda::memcpy_async(stage + s * words, in + static_cast<size_t>(tile) * words,
                         cuda::aligned_size_t<16>(bytes), full[s]);
    tokens[s] = full[s].arrive();
  };
#pragma unroll
  for (int s = 0; s < STAGES; s++)
    fetch(blockIdx.x + s * gridDim.x, s);
  for (uint32_t first = blockIdx.x; first < tiles; first += STAGES * gridDim.x) {
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
      const uint32_t tile = first + s * gridDim.x;
      if (tile >= tiles) break;
      full[s].wait(cuda::std::move(tokens[s]));
      for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
        stage[s * words + i] += 1;
      cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
      __syncthreads();
      if (threadIdx.x == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared,
                                 out + static_cast<size_t>(tile) * words, stage + s * words, bytes);
        cuda::ptx::cp_async_bulk_commit_group();
        cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
      }
      fetch(tile + STAGES * gridDim.x, s);
    }
  }
}

// accrue: bytes of a tile, threads, blocks on a processor. Two tiles in turn; a tile is doubled and the copy
// engine adds it to out.
__global__ void accrue(job j) {
  __shared__ uint64_t full[2];
  const uint32_t quads = j.p[0] / 16, tiles = static_cast<uint32_t>(j.quads / quads);
  auto fetch = [&](uint32_t tile, uint32_t s) {
    if (tile >= tiles) return;
    expect_bytes_and_arrive(&full[s], j.p[0]);
    cp_async_bulk_global_to_shared(memory + s * quads, j.in + static_cast<size_t>(tile) * quads, j.p[0],
                                   &full[s]);
  };
  if (threadIdx.x == 0) {
    init_barrier(&full[0], 1);
    init_barrier(&full[1], 1);
    async_proxy_fence();
    fetch(blockIdx.x, 0);
  }
  __syncthreads();
  for (uint32_t n = 0, tile = blockIdx.x; tile < tiles; n++, tile += gridDim.x) {
    const uint32_t s = n & 1;
    if (threadIdx.x == 0) {
      tma_wait_until_read_pending<0>();
      fetch(tile + gridDim.x, s ^ 1);
    }
    wait(&full[s], n >> 1 & 1);
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x) {
      int4 &v = memory[s * quads + i];
      v = make_int4(v.x * 2, v.y * 2, v.z * 2, v.w * 2);
    }
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_reduce_async_bulk_shared_to_global_add(
          reinterpret_cast<int *>(j.out + static_cast<size_t>(tile) * quads),
          reinterpret_cast<const int *>(memory + s * quads), j.p[0]);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

#endif
