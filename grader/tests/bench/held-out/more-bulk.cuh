// The second set's kernels that move tiles by bulk copies.
#ifndef HELD_OUT_MORE_BULK_CUH
#define HELD_OUT_MORE_BULK_CUH

#include "job.cuh"
#include "tma-cluster.cuh"

// stay: bytes of a tile, stages, threads, blocks on a processor. A ring; each block has a part of the array
// to itself.
__global__ void stay(job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1];
  const size_t all = j.quads / quads, each = (all + gridDim.x - 1) / gridDim.x;
  const size_t begin = min(all, blockIdx.x * each), end = min(all, begin + each);
  auto load = [&](size_t tile, uint32_t s) {
    expect_bytes_and_arrive(&full[s], quads * 16);
    cp_async_bulk_global_to_shared(memory + s * quads, j.in + tile * quads, quads * 16, &full[s]);
  };
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t s = 0; s < stages; s++)
      if (begin + s < end) load(begin + s, s);
  }
  __syncthreads();
  uint32_t stage = 0, parity = 0;
  for (size_t tile = begin; tile < end; tile++) {
    wait(&full[stage], parity);
    add_one(memory + stage * quads, quads);
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + tile * quads, memory + stage * quads, quads * 16);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
      if (tile + stages < end) load(tile + stages, stage);
    }
    if (++stage == stages) stage = 0, parity ^= 1;
  }
}

// late: bytes of a tile, stages, threads, blocks on a processor. As stay, with tiles a grid apart, and a
// stage is loaded again only when two more have been stored.
__global__ void late(job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1];
  const size_t count = j.quads / quads;
  auto load = [&](size_t tile, uint32_t s) {
    expect_bytes_and_arrive(&full[s], quads * 16);
    cp_async_bulk_global_to_shared(memory + s * quads, j.in + tile * quads, quads * 16, &full[s]);
  };
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t s = 0; s < stages; s++)
      if (blockIdx.x + s * static_cast<size_t>(gridDim.x) < count) load(blockIdx.x + s * gridDim.x, s);
  }
  __syncthreads();
  uint32_t stage = 0, parity = 0, turn = 0;
  for (size_t tile = blockIdx.x; tile < count; tile += gridDim.x, turn++) {
    wait(&full[stage], parity);
    add_one(memory + stage * quads, quads);
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + tile * quads, memory + stage * quads, quads * 16);
      tma_commit_group();
      tma_wait_until_read_pending<2>();
      const size_t next = tile + static_cast<size_t>(stages - 2) * gridDim.x;
      if (turn >= 2 && next < count) load(next, (stage + stages - 2) % stages);
    }
    if (++stage == stages) stage = 0, parity ^= 1;
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// drawn: bytes of a tile, threads, blocks on a processor, tiles drawn at once. One buffer, tiles from a
// counter.
__global__ void drawn(job j) {
  __shared__ uint64_t full;
  __shared__ uint32_t first;
  const uint32_t quads = j.p[0] / 16, count = static_cast<uint32_t>(j.quads / quads);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
  }
  uint32_t parity = 0;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(j.counter, j.p[3]);
    __syncthreads();
    if (first >= count) break;
    for (uint32_t tile = first; tile < min(first + j.p[3], count); tile++) {
      const size_t at = tile * static_cast<size_t>(quads);
      if (threadIdx.x == 0) {
        tma_wait_until_read_pending<0>();
        expect_bytes_and_arrive(&full, quads * 16);
        cp_async_bulk_global_to_shared(memory, j.in + at, quads * 16, &full);
      }
      wait(&full, parity);
      parity ^= 1;
      add_one(memory, quads);
      if (threadIdx.x == 0) {
        cp_async_bulk_shared_to_global(j.out + at, memory, quads * 16);
        tma_commit_group();
      }
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// dots: bytes of a row, threads, blocks on a processor. A matrix times a vector that lies in shared memory: a
// row for a block, by a bulk copy. Reads only, but for a word of each row.
__global__ void dots(job j) {
  __shared__ uint64_t full;
  __shared__ int sums[32];
  const uint32_t row = j.p[0] / 16;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, 2 * row * 16);
    cp_async_bulk_global_to_shared(memory, j.in, row * 16, &full);
    cp_async_bulk_global_to_shared(memory + row, j.in + blockIdx.x * static_cast<size_t>(row), row * 16,
                                   &full);
  }
  __syncthreads();
  wait(&full, 0);
  int sum = 0;
  for (uint32_t i = threadIdx.x; i < row; i += blockDim.x) {
    const int4 a = memory[i], b = memory[row + i];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  for (int step = 16; step; step /= 2)
    sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x) return;
  sum = 0;
  for (uint32_t i = 0; i < blockDim.x / 32; i++)
    sum += sums[i];
  reinterpret_cast<int *>(j.out)[blockIdx.x] = sum;
}

// looks: words and rows of a box, stages, threads, blocks on a processor. Adds up boxes of a matrix in a
// ring; only reads.
__global__ void looks(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t quads = j.p[0] * j.p[1] / 4, stages = j.p[2], across = j.width / j.p[0];
  const uint32_t count = static_cast<uint32_t>(j.quads / quads);
  auto load = [&](uint32_t tile, uint32_t s) {
    expect_bytes_and_arrive(&full[s], quads * 16);
    cp_async_bulk_tensor_2d_global_to_shared(memory + s * quads, &from,
                                             static_cast<int>(tile % across * j.p[0]),
                                             static_cast<int>(tile / across * j.p[1]), &full[s]);
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
  int sum = 0;
  for (uint32_t tile = blockIdx.x; tile < count; tile += gridDim.x) {
    wait(&full[stage], parity);
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      sum += sum_of(memory[stage * quads + i]);
    __syncthreads();
    if (threadIdx.x == 0 && tile + stages * gridDim.x < count) load(tile + stages * gridDim.x, stage);
    if (++stage == stages) stage = 0, parity ^= 1;
  }
  if (sum == 0x7fffffff) j.out[0].x = 1;
}

// swap: words and rows of a box, threads, blocks on a processor. The rows and planes of a tensor change
// places.
__global__ void swap(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                     job j) {
  __shared__ uint64_t full;
  const int x = static_cast<int>(blockIdx.x * j.p[0]), y = static_cast<int>(blockIdx.y * j.p[1]),
            z = static_cast<int>(blockIdx.z);
  const uint32_t quads = j.p[0] * j.p[1] / 4;
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
  cp_async_bulk_tensor_3d_shared_to_global(&to, x, z, y, memory);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// hand: bytes of a tile, blocks of a cluster, threads, blocks on a processor. A block loads a tile and
// copies it to its neighbour's shared memory, which stores it.
__global__ void hand(job j) {
  __shared__ uint64_t full, handed;
  const uint32_t quads = j.p[0] / 16, blocks = j.p[1], rank = cluster_block_rank(),
                 other = (rank + 1) % blocks;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    init_barrier(&handed, 1);
    async_proxy_fence();
    fence_mbarrier_init();
    expect_bytes_and_arrive(&handed, quads * 16);
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&full, quads * 16);
    cp_async_bulk_global_to_shared(memory, j.in + blockIdx.x * static_cast<size_t>(quads), quads * 16, &full);
    wait(&full, 0);
    cp_async_bulk_shared_to_remote(map_to_block(memory + quads, other), memory, quads * 16,
                                   map_to_block(&handed, other));
  }
  wait(&handed, 0);
  add_one(memory + quads, quads);
  const size_t from = blockIdx.x - rank + (rank + blocks - 1) % blocks;
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(j.out + from * quads, memory + quads, quads * 16);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
  cluster_arrive();
  cluster_wait();
}

#endif
