// Kernels as people make them of the labs' exercises, good and slow: bulk copies in place, rings, stores in
// groups, sums and reductions. Bytes of tiles are multiples of 16, and tiles divide the array.
#ifndef HELD_OUT_LAB_RINGS_CUH
#define HELD_OUT_LAB_RINGS_CUH

#include "job.cuh"
#include "tma-cluster.cuh"
#include "tma-reduce.cuh"

__device__ static inline void load_of(int4 *to, const int4 *from, uint32_t quads, uint64_t *full) {
  expect_bytes_and_arrive(full, quads * 16);
  cp_async_bulk_global_to_shared(to, from, quads * 16, full);
}

// Until at most n of this thread's stores still read.
__device__ static inline void wait_for_readers(uint32_t n) {
  if (n == 0) tma_wait_until_read_pending<0>();
  if (n == 1) tma_wait_until_read_pending<1>();
  if (n == 2) tma_wait_until_read_pending<2>();
  if (n == 3) tma_wait_until_read_pending<3>();
}

// move: bytes of a tile, threads, blocks on a processor, 0: a block for each tile, 1: blocks that stay, 0:
// all threads wait for the load, 1: thread 0 does, 2: all do, and the store has to be written before the next
// load. In place, one buffer.
__global__ void move(job j) {
  __shared__ uint64_t full;
  const uint32_t quads = j.p[0] / 16, how = j.p[4];
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
  }
  __syncthreads();
  uint32_t parity = 0;
  for (size_t tile = blockIdx.x; tile < j.quads / quads; tile += gridDim.x) {
    if (threadIdx.x == 0) load_of(memory, j.in + tile * quads, quads, &full);
    if (how != 1 || threadIdx.x == 0) wait(&full, parity);
    if (how == 1) __syncthreads();
    add_one(memory, quads);
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + tile * quads, memory, quads * 16);
      tma_commit_group();
      if (how == 2)
        tma_wait_until_pending<0>();
      else
        tma_wait_until_read_pending<0>();
    }
    parity ^= 1;
  }
}

// groups: bytes of a tile, stages, groups that may be pending, threads, blocks on a processor, 1: the next
// load waits until its stage's store has read. Results go to buffers of their own, one more than groups.
__global__ void groups(job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1], pending = j.p[2];
  const size_t count = j.quads / quads, step = gridDim.x;
  int4 *results = memory + stages * quads;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t s = 0; s < stages; s++)
      if (blockIdx.x + s * step < count)
        load_of(memory + s * quads, j.in + (blockIdx.x + s * step) * quads, quads, &full[s]);
  }
  __syncthreads();
  uint32_t stage = 0, parity = 0, slot = 0;
  for (size_t tile = blockIdx.x; tile < count; tile += step) {
    if (threadIdx.x == 0) wait_for_readers(pending);
    __syncthreads();
    wait(&full[stage], parity);
    const int4 *in = memory + stage * quads;
    int4 *out = results + slot * quads;
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      out[i] = one_more(in[i]);
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + tile * quads, out, quads * 16);
      tma_commit_group();
      if (j.p[5]) tma_wait_until_read_pending<0>();
      const size_t next = tile + stages * step;
      if (next < count) load_of(memory + stage * quads, j.in + next * quads, quads, &full[stage]);
    }
    if (++stage == stages) stage = 0, parity ^= 1;
    if (++slot == pending + 1) slot = 0;
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// A ring's place: which stage, and the parity of its phase.
struct at_stage {
  uint32_t stage, parity;
  __device__ void advance(uint32_t stages) {
    if (++stage == stages) stage = 0, parity ^= 1;
  }
};

// panels: bytes of a stage, stages, warps that add, blocks on a processor, words of a panel, 0: a lane of
// each warp gives a stage back, 1: each thread does. Sums of the columns of a matrix; a block stays in its
// panel, and one more warp loads row by row.
__global__ void panels(job j) {
  __shared__ uint64_t full[MOST_STAGES], empty[MOST_STAGES];
  const uint32_t stages = j.p[1], readers = j.p[2] * 32, quads = j.p[4] / 4, rows = j.p[0] / 16 / quads;
  const uint32_t across = j.width / j.p[4], panel = blockIdx.x % across, step = gridDim.x / across;
  const uint32_t tiles = j.height / rows;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], j.p[5] ? readers : j.p[2]);
    }
    async_proxy_fence();
  }
  __syncthreads();
  at_stage at = {0, 0};
  if (threadIdx.x >= readers) {
    for (uint32_t tile = blockIdx.x / across; threadIdx.x == readers && tile < tiles; tile += step) {
      wait(&empty[at.stage], at.parity ^ 1);
      expect_bytes_and_arrive(&full[at.stage], rows * quads * 16);
      const int4 *from = j.in + static_cast<size_t>(tile) * rows * (j.width / 4) + panel * quads;
      for (uint32_t row = 0; row < rows; row++)
        cp_async_bulk_global_to_shared(memory + (at.stage * rows + row) * quads, from + row * (j.width / 4),
                                       quads * 16, &full[at.stage]);
      at.advance(stages);
    }
    return;
  }
  int4 sum = make_int4(0, 0, 0, 0);
  for (uint32_t tile = blockIdx.x / across; tile < tiles; tile += step) {
    wait(&full[at.stage], at.parity);
    for (uint32_t i = threadIdx.x; i < rows * quads; i += readers) {
      const int4 v = memory[at.stage * rows * quads + i];
      sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    __syncwarp();
    if (j.p[5] || threadIdx.x % 32 == 0) arrive(&empty[at.stage]);
    at.advance(stages);
  }
  int *to = reinterpret_cast<int *>(j.out) + panel * j.p[4] + threadIdx.x % quads * 4;
  atomicAdd(to, sum.x);
  atomicAdd(to + 1, sum.y);
  atomicAdd(to + 2, sum.z);
  atomicAdd(to + 3, sum.w);
}

// lines: bytes of a row, stages, threads, blocks on a processor, 1: a row is loaded only when the one before
// has been added up. The sum of each row, by all threads of a block.
__global__ void lines(job j) {
  __shared__ uint64_t full[MOST_STAGES];
  __shared__ int sums[32];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1];
  const size_t count = j.quads / quads, step = gridDim.x;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t s = 0; s < stages && !j.p[4]; s++)
      if (blockIdx.x + s * step < count)
        load_of(memory + s * quads, j.in + (blockIdx.x + s * step) * quads, quads, &full[s]);
  }
  __syncthreads();
  at_stage at = {0, 0};
  for (size_t row = blockIdx.x; row < count; row += step) {
    int4 *stage = memory + at.stage * quads;
    if (j.p[4] && threadIdx.x == 0) load_of(stage, j.in + row * quads, quads, &full[at.stage]);
    wait(&full[at.stage], at.parity);
    int sum = 0;
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      sum += sum_of(stage[i]);
    for (int half = 16; half; half /= 2)
      sum += __shfl_xor_sync(~0u, sum, half);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      const size_t next = row + stages * step;
      if (!j.p[4] && next < count) load_of(stage, j.in + next * quads, quads, &full[at.stage]);
      sum = 0;
      for (uint32_t i = 0; i < blockDim.x / 32; i++)
        sum += sums[i];
      reinterpret_cast<int *>(j.out)[row] = sum;
    }
    __syncthreads();
    at.advance(stages);
  }
}

// shares: bytes of a tile, tiles of a block, threads, blocks on a processor, words of a row. Sums of columns:
// a block adds up its tiles, one after the other, and the copy engine adds its sums to those in memory.
__global__ void shares(job j) {
  __shared__ uint64_t full;
  const uint32_t quads = j.p[0] / 16, tiles = j.p[1], words = j.p[4];
  const int *tile = reinterpret_cast<const int *>(memory);
  int *part = reinterpret_cast<int *>(memory + quads);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
  }
  for (uint32_t x = threadIdx.x; x < words; x += blockDim.x)
    part[x] = 0;
  __syncthreads();
  for (uint32_t n = 0; n < tiles; n++) {
    if (threadIdx.x == 0)
      load_of(memory, j.in + (blockIdx.x * static_cast<size_t>(tiles) + n) * quads, quads, &full);
    wait(&full, n % 2);
    for (uint32_t x = threadIdx.x; x < words; x += blockDim.x) {
      int sum = 0;
      for (uint32_t i = x; i < quads * 4; i += words)
        sum += tile[i];
      part[x] += sum;
    }
    __syncthreads();
  }
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x) return;
  cp_reduce_async_bulk_shared_to_global_add(reinterpret_cast<int *>(j.out), part, words * 4);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// cast: bytes of a tile, stages, blocks of a cluster, warps that read, 1: arrivals and waits of the cluster's
// scope. Each block loads a part of the tile for all blocks of its cluster, and each adds up the whole tile.
__global__ void cast(job j) {
  __shared__ uint64_t full[MOST_STAGES], empty[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1], blocks = j.p[2], part = quads / blocks;
  const uint32_t rank = cluster_block_rank(), step = gridDim.x / blocks, readers = j.p[3] * 32;
  const uint32_t count = static_cast<uint32_t>(j.quads / quads);
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], blocks * j.p[3]);
    }
    async_proxy_fence();
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  at_stage at = {0, 0};
  int sum = 0;
  for (uint32_t tile = blockIdx.x / blocks; threadIdx.x == readers && tile < count; tile += step) {
    if (j.p[4])
      wait_cluster(&empty[at.stage], at.parity ^ 1);
    else
      wait(&empty[at.stage], at.parity ^ 1);
    expect_bytes_and_arrive(&full[at.stage], quads * 16);
    cp_async_bulk_global_to_shared_multicast(
        memory + at.stage * quads + rank * part, j.in + static_cast<size_t>(tile) * quads + rank * part,
        part * 16, &full[at.stage], static_cast<uint16_t>((1u << blocks) - 1));
    at.advance(stages);
  }
  for (uint32_t tile = blockIdx.x / blocks; threadIdx.x < readers && tile < count; tile += step) {
    wait(&full[at.stage], at.parity);
    for (uint32_t i = threadIdx.x; i < quads; i += readers)
      sum += sum_of(memory[at.stage * quads + i]);
    __syncwarp();
    for (uint32_t r = 0; threadIdx.x % 32 == 0 && r < blocks; r++) {
      const uint32_t to = map_to_block(&empty[at.stage], r);
      if (j.p[4])
        arrive_remote(to);
      else
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" : : "r"(to) : "memory");
    }
    at.advance(stages);
  }
  if (sum == 0x7fffffff) j.out[0].x = sum;
  __syncwarp();
  cluster_arrive();
  cluster_wait();
}

#endif
