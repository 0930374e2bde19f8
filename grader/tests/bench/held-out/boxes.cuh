// Kernels that move boxes of two and three dimensions, and clusters whose blocks share what they load.
#ifndef HELD_OUT_BOXES_CUH
#define HELD_OUT_BOXES_CUH

#include "job.cuh"
#include "tma-cluster.cuh"

// cubes: words, rows and planes of a box, threads, blocks on a processor
__global__ void cubes(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      job j) {
  __shared__ uint64_t full;
  const int x = static_cast<int>(blockIdx.x * j.p[0]), y = static_cast<int>(blockIdx.y * j.p[1]),
            z = static_cast<int>(blockIdx.z * j.p[2]);
  const uint32_t quads = j.p[0] * j.p[1] * j.p[2] / 4;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, quads * 16);
    cp_async_bulk_tensor_3d_global_to_shared(memory, &from, x, y, z, &full);
  }
  __syncthreads();
  wait(&full, 0);
  add_one(memory, quads);
  if (threadIdx.x) return;
  cp_async_bulk_tensor_3d_shared_to_global(&to, x, y, z, memory);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// sheets: words and rows of a box, stages, threads, blocks on a processor. A ring of boxes of a matrix.
__global__ void sheets(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                       job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t quads = j.p[0] * j.p[1] / 4, stages = j.p[2], across = j.width / j.p[0];
  const uint32_t count = static_cast<uint32_t>(j.quads / quads);
  auto x = [&](uint32_t tile) { return static_cast<int>(tile % across * j.p[0]); };
  auto y = [&](uint32_t tile) { return static_cast<int>(tile / across * j.p[1]); };
  auto load = [&](uint32_t tile, uint32_t s) {
    expect_bytes_and_arrive(&full[s], quads * 16);
    cp_async_bulk_tensor_2d_global_to_shared(memory + s * quads, &from, x(tile), y(tile), &full[s]);
  };
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t s = 0; s < stages; s++)
      if (blockIdx.x + s * gridDim.x < count) load(blockIdx.x + s * gridDim.x, s);
  }
  __syncthreads();
  uint32_t stage = 0, parity = 0;
  for (uint32_t tile = blockIdx.x; tile < count; tile += gridDim.x) {
    wait(&full[stage], parity);
    add_one(memory + stage * quads, quads);
    if (threadIdx.x == 0) {
      cp_async_bulk_tensor_2d_shared_to_global(&to, x(tile), y(tile), memory + stage * quads);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
      if (tile + stages * gridDim.x < count) load(tile + stages * gridDim.x, stage);
    }
    if (++stage == stages) stage = 0, parity ^= 1;
  }
}

// cross: words and rows of a tile, threads, blocks on a processor. A word of out is the sum of five: its
// place and those around it. Boxes have an edge of 4 words and a row more on either side.
__global__ void cross(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      job j) {
  int *words = reinterpret_cast<int *>(memory);
  __shared__ uint64_t full;
  const uint32_t width = j.p[0], height = j.p[1], pitch = width + 8;
  const int x = static_cast<int>(blockIdx.x * width), y = static_cast<int>(blockIdx.y * height);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, pitch * (height + 2) * 4);
    cp_async_bulk_tensor_2d_global_to_shared(words, &from, x - 4, y - 1, &full);
  }
  __syncthreads();
  wait(&full, 0);
  int *out = reinterpret_cast<int *>(j.out);
  for (uint32_t i = threadIdx.x; i < width * height; i += blockDim.x) {
    const int *at = words + (i / width + 1) * pitch + i % width + 4;
    out[(y + i / width) * static_cast<size_t>(j.width) + x + i % width] =
        at[0] + at[-1] + at[1] + at[-static_cast<int>(pitch)] + at[pitch];
  }
}

// flip: 3: the tensor maps swizzle by 128 bytes, 0: they don't; threads, blocks on a processor. A matrix
// transposed in tiles of 32 x 32 words.
__global__ void flip(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                     job j) {
  int *words = reinterpret_cast<int *>(memory);
  __shared__ uint64_t full;
  const bool swizzled = j.p[0];
  const int x = static_cast<int>(blockIdx.x * 32), y = static_cast<int>(blockIdx.y * 32);
  auto place = [&](uint32_t row, uint32_t column) {
    return row * 32 + (swizzled ? (column / 4 ^ row % 8) * 4 + column % 4 : column);
  };
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, 4096);
    cp_async_bulk_tensor_2d_global_to_shared(words, &from, x, y, &full);
  }
  __syncthreads();
  wait(&full, 0);
  for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x)
    words[1024 + place(i / 32, i % 32)] = words[place(i % 32, i / 32)];
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x) return;
  cp_async_bulk_tensor_2d_shared_to_global(&to, y, x, words + 1024);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// deal: bytes of a tile, stages, blocks of a cluster, threads, 1: arrivals of the cluster's scope. Each block
// loads a part of the tile for all of them, and stores a part of it.
__global__ void deal(job j) {
  __shared__ uint64_t full[MOST_STAGES], empty[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1], blocks = j.p[2], part = quads / blocks;
  const uint32_t rank = cluster_block_rank(), clusters = gridDim.x / blocks;
  const uint32_t count = static_cast<uint32_t>(j.quads / quads);
  auto load = [&](uint32_t tile, uint32_t s) {
    expect_bytes_and_arrive(&full[s], quads * 16);
    cp_async_bulk_global_to_shared_multicast(memory + s * quads + rank * part,
                                             j.in + static_cast<size_t>(tile) * quads + rank * part,
                                             part * 16, &full[s], static_cast<uint16_t>((1u << blocks) - 1));
  };
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], blocks);
    }
    async_proxy_fence();
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0)
    for (uint32_t s = 0; s < stages; s++)
      if (blockIdx.x / blocks + s * clusters < count) load(blockIdx.x / blocks + s * clusters, s);
  uint32_t stage = 0, parity = 0;
  for (uint32_t tile = blockIdx.x / blocks; tile < count; tile += clusters) {
    wait(&full[stage], parity);
    for (uint32_t i = threadIdx.x; i < part; i += blockDim.x)
      j.out[static_cast<size_t>(tile) * quads + rank * part + i] =
          one_more(memory[stage * quads + rank * part + i]);
    __syncthreads();
    if (threadIdx.x == 0) {
      for (uint32_t r = 0; r < blocks; r++) {
        const uint32_t to = map_to_block(&empty[stage], r);
        if (j.p[4])
          arrive_remote(to);
        else
          asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" : : "r"(to) : "memory");
      }
      wait_cluster(&empty[stage], parity);
      if (tile + stages * clusters < count) load(tile + stages * clusters, stage);
    }
    if (++stage == stages) stage = 0, parity ^= 1;
  }
  cluster_arrive();
  cluster_wait();
}

// peers: bytes of a tile, blocks of a cluster, threads, blocks on a processor. A block stores the tile that
// its neighbour has loaded.
__global__ void peers(job j) {
  __shared__ uint64_t full;
  const uint32_t quads = j.p[0] / 16, blocks = j.p[1], rank = cluster_block_rank(),
                 other = (rank + 1) % blocks;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, quads * 16);
    cp_async_bulk_global_to_shared(memory, j.in + blockIdx.x * static_cast<size_t>(quads), quads * 16, &full);
  }
  __syncthreads();
  wait(&full, 0);
  cluster_arrive();
  cluster_wait();
  const uint32_t there = map_to_block(memory, other);
  int4 *to = j.out + (blockIdx.x - rank + other) * static_cast<size_t>(quads);
  for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x) {
    int4 v;
    asm volatile("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(there + i * 16)
                 : "memory");
    to[i] = one_more(v);
  }
  cluster_arrive();
  cluster_wait();
}

#endif
