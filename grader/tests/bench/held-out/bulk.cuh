// Kernels that move one-dimensional pieces by bulk copies. Bytes of tiles, pieces and rows are multiples of
// 16.
#ifndef HELD_OUT_BULK_CUH
#define HELD_OUT_BULK_CUH

#include "job.cuh"
#include "tma-reduce.cuh"

// pieces: bytes of a piece, bytes of a tile, lanes that ask for them, threads, blocks on a processor
__global__ void pieces(job j) {
  __shared__ uint64_t full;
  char *bytes = reinterpret_cast<char *>(memory);
  const uint32_t piece = j.p[0], tile = j.p[1], lanes = j.p[2];
  const size_t first = blockIdx.x * static_cast<size_t>(tile);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, tile);
  }
  __syncthreads();
  if (threadIdx.x < lanes)
    for (uint32_t at = threadIdx.x * piece; at < tile; at += lanes * piece)
      cp_async_bulk_global_to_shared(bytes + at, reinterpret_cast<const char *>(j.in) + first + at, piece,
                                     &full);
  wait(&full, 0);
  add_one(memory, tile / 16);
  if (threadIdx.x >= lanes) return;
  for (uint32_t at = threadIdx.x * piece; at < tile; at += lanes * piece)
    cp_async_bulk_shared_to_global(reinterpret_cast<char *>(j.out) + first + at, bytes + at, piece);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// crew: bytes of a tile, stages, warps that compute, blocks on a processor, 1: tiles from a counter. One more
// warp loads. Each warp stores its own part of a tile and gives it back when that has been read.
__global__ void crew(job j) {
  __shared__ uint64_t full[MOST_STAGES], empty[MOST_STAGES];
  __shared__ uint32_t tile_of[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1], warps = j.p[2];
  const uint32_t count = static_cast<uint32_t>(j.quads / quads);
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], warps);
    }
    async_proxy_fence();
  }
  __syncthreads();
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = quads / warps;
  uint32_t stage = 0, parity = 0;
  if (warp == warps) {
    for (uint32_t next = blockIdx.x; lane == 0; next += gridDim.x) {
      const uint32_t tile = j.p[4] ? atomicAdd(j.counter, 1u) : next;
      wait(&empty[stage], parity ^ 1);
      tile_of[stage] = tile;
      if (tile >= count) {
        arrive(&full[stage]);
        break;
      }
      expect_bytes_and_arrive(&full[stage], quads * 16);
      cp_async_bulk_global_to_shared(memory + stage * quads, j.in + static_cast<size_t>(tile) * quads,
                                     quads * 16, &full[stage]);
      if (++stage == stages) stage = 0, parity ^= 1;
    }
    return;
  }
  for (;;) {
    wait(&full[stage], parity);
    const uint32_t tile = tile_of[stage];
    if (tile >= count) break;
    int4 *mine = memory + stage * quads + warp * part;
    for (uint32_t i = lane; i < part; i += 32)
      mine[i] = one_more(mine[i]);
    async_proxy_fence();
    __syncwarp();
    if (lane == 0) {
      cp_async_bulk_shared_to_global(j.out + static_cast<size_t>(tile) * quads + warp * part, mine,
                                     part * 16);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
      arrive(&empty[stage]);
    }
    if (++stage == stages) stage = 0, parity ^= 1;
  }
}

// batch: bytes of a tile, tiles of a block, threads, blocks on a processor. All loads first, then tile by
// tile.
__global__ void batch(job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, tiles = j.p[1];
  const size_t first = blockIdx.x * static_cast<size_t>(quads) * tiles;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < tiles; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t s = 0; s < tiles; s++) {
      expect_bytes_and_arrive(&full[s], quads * 16);
      cp_async_bulk_global_to_shared(memory + s * quads, j.in + first + s * quads, quads * 16, &full[s]);
    }
  }
  __syncthreads();
  for (uint32_t s = 0; s < tiles; s++) {
    wait(&full[s], 0);
    add_one(memory + s * quads, quads);
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + first + s * quads, memory + s * quads, quads * 16);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

// spill: bytes of a tile, stages, threads, blocks on a processor. Bulk loads in a ring; threads store what
// they have in registers.
__global__ void spill(job j) {
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
  uint32_t stage = 0, parity = 0;
  for (size_t tile = blockIdx.x; tile < count; tile += gridDim.x) {
    wait(&full[stage], parity);
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      j.out[tile * quads + i] = one_more(memory[stage * quads + i]);
    __syncthreads();
    const size_t next = tile + static_cast<size_t>(stages) * gridDim.x;
    if (threadIdx.x == 0 && next < count) load(next, stage);
    if (++stage == stages) stage = 0, parity ^= 1;
  }
}

// pour: bytes of a tile, stores under way, blocks on a processor. Only writes, from one tile again and again.
__global__ void pour(job j) {
  const uint32_t quads = j.p[0] / 16;
  for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
    memory[i] = make_int4(7, 7, 7, 7);
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x) return;
  for (size_t tile = blockIdx.x; tile < j.quads / quads; tile += gridDim.x) {
    cp_async_bulk_shared_to_global(j.out + tile * quads, memory, quads * 16);
    tma_commit_group();
    if (j.p[1] == 1)
      tma_wait_until_read_pending<0>();
    else
      tma_wait_until_read_pending<3>();
  }
  tma_wait_until_read_pending<0>();
}

// adds: bytes of a tile, threads, blocks on a processor. out += in, by a reducing store.
__global__ void adds(job j) {
  __shared__ uint64_t full;
  const uint32_t bytes = j.p[0];
  const size_t first = blockIdx.x * static_cast<size_t>(bytes / 16);
  if (threadIdx.x) return;
  init_barrier(&full, 1);
  async_proxy_fence();
  expect_bytes_and_arrive(&full, bytes);
  cp_async_bulk_global_to_shared(memory, j.in + first, bytes, &full);
  wait(&full, 0);
  cp_reduce_async_bulk_shared_to_global_add(reinterpret_cast<int *>(j.out + first),
                                            reinterpret_cast<const int *>(memory), bytes);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// rows-in: bytes of a row, rows of a block, threads, blocks on a processor. Rows from all over, one after the
// other in out. rows-out: the other way round.
template <bool OUT> __global__ void rows(job j) {
  __shared__ uint64_t full;
  const uint32_t row = j.p[0] / 16, count = j.p[1];
  const size_t first = blockIdx.x * static_cast<size_t>(count);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, count * row * 16);
    if (OUT) cp_async_bulk_global_to_shared(memory, j.in + first * row, count * row * 16, &full);
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; !OUT && i < count; i += blockDim.x)
    cp_async_bulk_global_to_shared(memory + i * row, j.in + static_cast<size_t>(j.places[first + i]) * row,
                                   row * 16, &full);
  wait(&full, 0);
  add_one(memory, count * row);
  for (uint32_t i = threadIdx.x; OUT && i < count; i += blockDim.x)
    cp_async_bulk_shared_to_global(j.out + static_cast<size_t>(j.places[first + i]) * row, memory + i * row,
                                   row * 16);
  if (!OUT && threadIdx.x == 0) cp_async_bulk_shared_to_global(j.out + first * row, memory, count * row * 16);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// level: bytes of a row, threads, blocks on a processor. Each block has a row and adds the row's sum to it.
__global__ void level(job j) {
  __shared__ uint64_t full;
  __shared__ int sums[32];
  const uint32_t row = j.p[0] / 16;
  const size_t first = blockIdx.x * static_cast<size_t>(row);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, row * 16);
    cp_async_bulk_global_to_shared(memory, j.in + first, row * 16, &full);
  }
  __syncthreads();
  wait(&full, 0);
  int sum = 0;
  for (uint32_t i = threadIdx.x; i < row; i += blockDim.x)
    sum += sum_of(memory[i]);
  for (int step = 16; step; step /= 2)
    sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (uint32_t i = 0; i < blockDim.x / 32; i++)
    sum += sums[i];
  for (uint32_t i = threadIdx.x; i < row; i += blockDim.x) {
    const int4 v = memory[i];
    memory[i] = make_int4(v.x + sum, v.y + sum, v.z + sum, v.w + sum);
  }
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x) return;
  cp_async_bulk_shared_to_global(j.out + first, memory, row * 16);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

// twins: bytes of a tile, stages, threads, blocks on a processor. The halves of the array are added up, into
// the first half of out; two loads for each stage.
__global__ void twins(job j) {
  __shared__ uint64_t full[MOST_STAGES];
  const uint32_t quads = j.p[0] / 16, stages = j.p[1];
  const size_t half = j.quads / 2, count = half / quads;
  auto load = [&](size_t tile, uint32_t s) {
    int4 *to = memory + 2 * s * quads;
    expect_bytes_and_arrive(&full[s], 2 * quads * 16);
    cp_async_bulk_global_to_shared(to, j.in + tile * quads, quads * 16, &full[s]);
    cp_async_bulk_global_to_shared(to + quads, j.in + half + tile * quads, quads * 16, &full[s]);
  };
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < stages; s++)
      init_barrier(&full[s], 1);
    async_proxy_fence();
    for (uint32_t s = 0; s < stages; s++)
      if (blockIdx.x + s * static_cast<size_t>(gridDim.x) < count) load(blockIdx.x + s * gridDim.x, s);
  }
  __syncthreads();
  uint32_t stage = 0, parity = 0;
  for (size_t tile = blockIdx.x; tile < count; tile += gridDim.x) {
    wait(&full[stage], parity);
    int4 *a = memory + 2 * stage * quads;
    const int4 *b = a + quads;
    for (uint32_t i = threadIdx.x; i < quads; i += blockDim.x)
      a[i] = make_int4(a[i].x + b[i].x, a[i].y + b[i].y, a[i].z + b[i].z, a[i].w + b[i].w);
    async_proxy_fence();
    __syncthreads();
    const size_t next = tile + static_cast<size_t>(stages) * gridDim.x;
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(j.out + tile * quads, a, quads * 16);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
      if (next < count) load(next, stage);
    }
    if (++stage == stages) stage = 0, parity ^= 1;
  }
}

#endif
