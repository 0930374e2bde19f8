// The eleventh set's kernels that use the copy engine: variants of lab9's exercises and what people build on
// them, written without a look at the older sets' rings.
#ifndef HELD_OUT_SET_11_RINGS_CUH
#define HELD_OUT_SET_11_RINGS_CUH

#include "job.cuh"
#include "tma-cache.cuh"
#include "tma-cluster.cuh"
#include <cuda/barrier>

__device__ static inline void bulk_load(int4 *to, const int4 *from, uint32_t bytes, uint64_t *full) {
  expect_bytes_and_arrive(full, bytes);
  cp_async_bulk_global_to_shared(to, from, bytes, full);
}
__device__ static inline void make_barriers(uint64_t *barriers, uint32_t count, uint32_t arrivals) {
  for (uint32_t s = 0; s < count; s++)
    init_barrier(&barriers[s], arrivals);
  async_proxy_fence();
}

// once: bytes of a tile, threads, blocks on a processor, 0: threads store, 1: results go to a second buffer
// and leave in one store, 2: a tile comes and goes in two halves, each with a barrier. A block for each tile.
__global__ void once(job j) {
  __shared__ uint64_t full[2];
  const uint32_t quads = j.p[0] / 16, how = j.p[3], parts = how == 2 ? 2 : 1, part = quads / parts;
  const size_t first = blockIdx.x * static_cast<size_t>(quads);
  if (threadIdx.x == 0) {
    make_barriers(full, 2, 1);
    for (uint32_t n = 0; n < parts; n++)
      bulk_load(memory + n * part, j.in + first + n * part, part * 16, &full[n]);
  }
  __syncthreads();
  if (how == 0) {
    wait(&full[0], 0);
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      j.out[first + i] = one_more(memory[i]);
    return;
  }
  int4 *const results = how == 1 ? memory + quads : memory;
  for (uint32_t n = 0; n < parts; n++) {
    wait(&full[n], 0);
    for (uint32_t i = n * part + threadIdx.x; i < (n + 1) * part; i += blockDim.x)
      results[i] = one_more(memory[i]);
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + first + n * part, results + n * part, part * 16);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// keep: bytes of a tile, stages, threads, blocks on a processor, 1: loads are evicted first. Thread 0 loads
// and stores in place; the stage before the last is loaded again when its store has read it.
__global__ void keep(job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1];
  const uint32_t tiles = static_cast<uint32_t>(j.quads / quads);
  const uint64_t policy = create_policy_evict_first();
  auto fetch = [&](uint32_t n) {
    const size_t tile = blockIdx.x + static_cast<size_t>(n) * gridDim.x;
    uint64_t *const bar = &full[n % stages];
    if (tile >= tiles) return;
    if (!j.p[4]) return bulk_load(memory + n % stages * quads, j.in + tile * quads, j.p[0], bar);
    expect_bytes_and_arrive(bar, j.p[0]);
    cp_async_bulk_global_to_shared_hint(memory + n % stages * quads, j.in + tile * quads, j.p[0], bar,
                                        policy);
  };
  if (threadIdx.x == 0) {
    make_barriers(full, stages, 1);
    for (uint32_t n = 0; n + 1 < stages; n++)
      fetch(n);
  }
  __syncthreads();
  for (uint32_t n = 0, tile = blockIdx.x; tile < tiles; n++, tile += gridDim.x) {
    int4 *const stage = memory + n % stages * quads;
    if (threadIdx.x == 0) {
      tma_wait_until_read_pending<0>();
      fetch(n + stages - 1);
    }
    wait(&full[n % stages], n / stages & 1);
    add_one(stage, quads);
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + static_cast<size_t>(tile) * quads, stage, j.p[0]);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// queue: words and rows of a box, swizzle (0 to 3), stages, threads, blocks on a processor. Tiles are drawn
// from a counter, one for each stage, when its box is asked for.
__global__ void queue(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      job j) {
  __shared__ uint64_t full[MOST_STAGES];
  __shared__ uint32_t drawn[MOST_STAGES];
  const uint32_t quads = j.p[0] * j.p[1] / 4, stages = j.p[3], across = j.width / j.p[0];
  const uint32_t tiles = static_cast<uint32_t>(j.quads / quads);
  auto fetch = [&](uint32_t s) {
    const uint32_t tile = atomicAdd(j.counter, 1u);
    drawn[s] = tile;
    if (tile >= tiles) {
      arrive(&full[s]);
      return;
    }
    expect_bytes_and_arrive(&full[s], quads * 16);
    cp_async_bulk_tensor_2d_global_to_shared(memory + s * quads, &from,
                                             static_cast<int>(tile % across * j.p[0]),
                                             static_cast<int>(tile / across * j.p[1]), &full[s]);
  };
  if (threadIdx.x == 0) {
    make_barriers(full, stages, 1);
    for (uint32_t s = 0; s < stages; s++)
      fetch(s);
  }
  __syncthreads();
  for (uint32_t n = 0;; n++) {
    const uint32_t s = n % stages;
    wait(&full[s], n / stages & 1);
    const uint32_t tile = drawn[s];
    if (tile >= tiles) break;
    add_one(memory + s * quads, quads);
    if (threadIdx.x == 0) {
      cp_async_bulk_tensor_2d_shared_to_global(&to, static_cast<int>(tile % across * j.p[0]),
                                               static_cast<int>(tile / across * j.p[1]), memory + s * quads);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
      fetch(s);
    }
  }
}

// nine: words and rows of a tile, stages, threads, blocks on a processor. Sums of nine places; a ring of
// boxes with their edges, threads store.
__global__ void nine(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap, job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t width = j.p[0], height = j.p[1], stages = j.p[2], pitch = width + 8,
                 across = j.width / width;
  const uint32_t words = (pitch * (height + 2) + 31) / 32 * 32;
  const uint32_t tiles = static_cast<uint32_t>(j.quads * 4 / (width * height));
  int *boxes = reinterpret_cast<int *>(memory);
  auto fetch = [&](uint32_t tile, uint32_t s) {
    if (tile >= tiles) return;
    expect_bytes_and_arrive(&full[s], pitch * (height + 2) * 4);
    cp_async_bulk_tensor_2d_global_to_shared(boxes + s * words, &from,
                                             static_cast<int>(tile % across * width) - 4,
                                             static_cast<int>(tile / across * height) - 1, &full[s]);
  };
  if (threadIdx.x == 0) {
    make_barriers(full, stages, 1);
    for (uint32_t s = 0; s < stages; s++)
      fetch(blockIdx.x + s * gridDim.x, s);
  }
  __syncthreads();
  for (uint32_t n = 0, tile = blockIdx.x; tile < tiles; n++, tile += gridDim.x) {
    const uint32_t s = n % stages;
    wait(&full[s], n / stages & 1);
    int *out = reinterpret_cast<int *>(j.out) + tile / across * height * static_cast<size_t>(j.width) +
               tile % across * width;
    for (uint32_t i = threadIdx.x; i < width * height; i += blockDim.x) {
      const int *at = boxes + s * words + i / width * pitch + i % width + 4;
      int sum = 0;
#pragma unroll
      for (int row = 0; row < 3; row++, at += pitch)
        sum += at[-1] + at[0] + at[1];
      out[i / width * static_cast<size_t>(j.width) + i % width] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) fetch(tile + stages * gridDim.x, s);
  }
}

// tile-turn: 1: loads and stores swizzle by 128 bytes, stages, threads, blocks on a processor. A matrix
// transposed by boxes of 32 x 32 words.
__global__ void tile_turn(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                          job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t stages = j.p[1], across = j.width / 32, tiles = across * (j.height / 32);
  int *words = reinterpret_cast<int *>(memory), *turned = words + stages * 1024;
  auto place = [&](uint32_t row, uint32_t x) {
    return row * 32 + (j.p[0] ? (x / 4 ^ row % 8) * 4 + x % 4 : x);
  };
  auto fetch = [&](uint32_t tile, uint32_t s) {
    if (tile >= tiles) return;
    expect_bytes_and_arrive(&full[s], 4096);
    cp_async_bulk_tensor_2d_global_to_shared(words + s * 1024, &from, static_cast<int>(tile % across * 32),
                                             static_cast<int>(tile / across * 32), &full[s]);
  };
  if (threadIdx.x == 0) {
    make_barriers(full, stages, 1);
    for (uint32_t s = 0; s < stages; s++)
      fetch(blockIdx.x + s * gridDim.x, s);
  }
  __syncthreads();
  for (uint32_t n = 0, tile = blockIdx.x; tile < tiles; n++, tile += gridDim.x) {
    const uint32_t s = n % stages;
    wait(&full[s], n / stages & 1);
    if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x)
      turned[place(i / 32, i % 32)] = words[s * 1024 + place(i % 32, i / 32)];
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_tensor_2d_shared_to_global(&to, static_cast<int>(tile / across * 32),
                                               static_cast<int>(tile % across * 32), turned);
      tma_commit_group();
      fetch(tile + stages * gridDim.x, s);
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// solo: bytes of a warp's tile, stages of each warp, warps, blocks on a processor, 0: copies, 1: sums. Each
// warp has a ring of its own; nobody waits for another.
__global__ void solo(job j) {
  __shared__ uint64_t barriers[64];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1], warps = j.p[2], lane = threadIdx.x % 32;
  const uint32_t tiles = static_cast<uint32_t>(j.quads / quads), step = gridDim.x * warps;
  uint64_t *full = barriers + threadIdx.x / 32 * stages;
  int4 *ring = memory + threadIdx.x / 32 * stages * quads;
  const uint32_t first = blockIdx.x * warps + threadIdx.x / 32;
  auto fetch = [&](uint32_t tile, uint32_t s) {
    if (tile < tiles)
      bulk_load(ring + s * quads, j.in + static_cast<size_t>(tile) * quads, quads * 16, &full[s]);
  };
  if (lane == 0) {
    make_barriers(full, stages, 1);
    for (uint32_t s = 0; s < stages; s++)
      fetch(first + s * step, s);
  }
  __syncwarp();
  int sum = 0;
  for (uint32_t n = 0, tile = first; tile < tiles; n++, tile += step) {
    int4 *const stage = ring + n % stages * quads;
    wait(&full[n % stages], n / stages & 1);
    if (j.p[4]) {
      for (uint32_t i = lane; i < quads; i += 32)
        sum += sum_of(stage[i]);
      __syncwarp();
    } else {
      for (uint32_t i = lane; i < quads; i += 32)
        stage[i] = one_more(stage[i]);
      async_proxy_fence();
      __syncwarp();
    }
    if (lane == 0 && !j.p[4]) {
      cp_async_bulk_shared_to_global(j.out + static_cast<size_t>(tile) * quads, stage, quads * 16);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
    }
    if (lane == 0) fetch(tile + stages * step, n % stages);
  }
  if (sum == 0x7fffffff) j.out[0].x = sum;
}

// rms: bytes of a row, stages, threads, blocks on a processor. A row's root mean square; the weights are
// loaded once and stay.
__global__ void rms(job j) {
  __shared__ uint64_t full[MOST_STAGES], weighed;
  __shared__ float parts[32];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1], rows = static_cast<uint32_t>(j.quads / quads);
  float4 *const weights = reinterpret_cast<float4 *>(memory + stages * quads);
  auto fetch = [&](uint32_t row, uint32_t s) {
    if (row < rows) bulk_load(memory + s * quads, j.in + static_cast<size_t>(row) * quads, j.p[0], &full[s]);
  };
  if (threadIdx.x == 0) {
    make_barriers(full, stages, 1);
    make_barriers(&weighed, 1, 1);
    bulk_load(reinterpret_cast<int4 *>(weights), j.in, j.p[0], &weighed);
    for (uint32_t s = 0; s < stages; s++)
      fetch(blockIdx.x + s * gridDim.x, s);
  }
  __syncthreads();
  wait(&weighed, 0);
  for (uint32_t n = 0, row = blockIdx.x; row < rows; n++, row += gridDim.x) {
    const uint32_t s = n % stages;
    float4 *const stage = reinterpret_cast<float4 *>(memory + s * quads);
    wait(&full[s], n / stages & 1);
    float sum = 0;
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      sum += stage[i].x * stage[i].x + stage[i].y * stage[i].y + stage[i].z * stage[i].z +
             stage[i].w * stage[i].w;
    for (int half = 16; half; half /= 2)
      sum += __shfl_xor_sync(~0u, sum, half);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (uint32_t warp = 0; warp < blockDim.x / 32; warp++)
      sum += parts[warp];
    const float scale = rsqrtf(sum / static_cast<float>(4 * quads) + 1e-6f);
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x) {
      const float4 v = stage[i], w = weights[i];
      stage[i] = make_float4(v.x * scale * w.x, v.y * scale * w.y, v.z * scale * w.z, v.w * scale * w.w);
    }
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + static_cast<size_t>(row) * quads, stage, j.p[0]);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
      fetch(row + stages * gridDim.x, s);
    }
  }
}

// weights: bytes of a tile, blocks of a cluster, threads, blocks on a processor. The first block of a cluster
// sends a row of weights to all; each block has a tile of its own.
__global__ void weights(job j) {
  __shared__ uint64_t full[2];
  const uint32_t quads = j.p[0] / 16, blocks = j.p[1];
  const size_t first = blockIdx.x * static_cast<size_t>(quads);
  if (threadIdx.x == 0) {
    make_barriers(full, 2, 1);
    fence_mbarrier_init();
    bulk_load(memory, j.in + first, j.p[0], &full[0]);
    expect_bytes_and_arrive(&full[1], j.p[0]);
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0 && cluster_block_rank() == 0)
    cp_async_bulk_global_to_shared_multicast(memory + quads, j.in, j.p[0], &full[1],
                                             static_cast<uint16_t>((1u << blocks) - 1));
  wait(&full[0], 0);
  wait(&full[1], 0);
  for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x) {
    const int4 v = memory[i], w = memory[quads + i];
    memory[i] = make_int4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w);
  }
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(j.out + first, memory, j.p[0]);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
  cluster_arrive();
  cluster_wait();
}

// roles: bytes of a tile, stages, threads that compute, blocks on a processor. The library's barriers; one
// warp loads, the others store from registers.
template <int STAGES> __global__ void roles(job j) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full[STAGES], empty[STAGES];
  const uint32_t quads = j.p[0] / 16, workers = blockDim.x - 32;
  const uint32_t tiles = static_cast<uint32_t>(j.quads / quads);
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init(&full[s], workers + 1);
      init(&empty[s], workers + 1);
    }
    async_proxy_fence();
  }
  __syncthreads();
  if (threadIdx.x >= workers) {
    if (threadIdx.x > workers) return;
    for (uint32_t n = 0, tile = blockIdx.x; tile < tiles; n++, tile += gridDim.x) {
      const uint32_t s = n % STAGES;
      empty[s].arrive_and_wait();
      cuda::device::memcpy_async_tx(memory + s * quads, j.in + static_cast<size_t>(tile) * quads,
                                    cuda::aligned_size_t<16>(j.p[0]), full[s]);
      (void)cuda::device::barrier_arrive_tx(full[s], 1, j.p[0]);
    }
    return;
  }
  for (int s = 0; s < STAGES; s++)
    (void)empty[s].arrive();
  for (uint32_t n = 0, tile = blockIdx.x; tile < tiles; n++, tile += gridDim.x) {
    const uint32_t s = n % STAGES;
    full[s].arrive_and_wait();
    for (uint32_t i = threadIdx.x; i < quads; i += workers)
      j.out[static_cast<size_t>(tile) * quads + i] = one_more(memory[s * quads + i]);
    (void)empty[s].arrive();
  }
}

// around: words, rows and planes of a tile, threads, blocks on a processor. Sums of 27 places; a box of three
// dimensions with all its edges for each block.
__global__ void around(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap, job j) {
  __shared__ uint64_t full;
  const uint32_t width = j.p[0], height = j.p[1], depth = j.p[2], pitch = width + 8,
                 plane = pitch * (height + 2);
  const int *box = reinterpret_cast<const int *>(memory);
  const uint32_t x = blockIdx.x * width, y = blockIdx.y * height, z = blockIdx.z * depth;
  if (threadIdx.x == 0) {
    make_barriers(&full, 1, 1);
    expect_bytes_and_arrive(&full, plane * (depth + 2) * 4);
    cp_async_bulk_tensor_3d_global_to_shared(memory, &from, static_cast<int>(x) - 4, static_cast<int>(y) - 1,
                                             static_cast<int>(z) - 1, &full);
  }
  __syncthreads();
  wait(&full, 0);
  for (uint32_t i = threadIdx.x; i < width * height * depth; i += blockDim.x) {
    const uint32_t a = i % width, b = i / width % height, c = i / width / height;
    int sum = 0;
#pragma unroll
    for (uint32_t k = 0; k < 3; k++)
#pragma unroll
      for (uint32_t l = 0; l < 3; l++) {
        const int *at = box + (c + k) * plane + (b + l) * pitch + a + 4;
        sum += at[-1] + at[0] + at[1];
      }
    reinterpret_cast<int *>(j.out)[(static_cast<size_t>(z + c) * 256 + y + b) * 512 + x + a] = sum;
  }
}

// beforehand: bytes of a tile, threads, blocks on a processor. Thread 0 asks the L2 cache for the next tile;
// threads load and store.
__global__ void beforehand(job j) {
  const uint32_t quads = j.p[0] / 16;
  const size_t tiles = j.quads / quads;
  for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (threadIdx.x == 0 && tile + gridDim.x < tiles)
      cp_async_bulk_prefetch(j.in + (tile + gridDim.x) * quads, j.p[0]);
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      j.out[tile * quads + i] = one_more(j.in[tile * quads + i]);
  }
}

#endif
