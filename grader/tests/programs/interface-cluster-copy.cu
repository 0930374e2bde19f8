// In: nothing. Out: `ok` if blocks of a cluster can copy into, reduce into and arrive at each other. The
// idea: each block sends a numbered tile to its neighbour, then adds one to it, then combines in every other
// way; a last arrival says "read".
#include "self-check.h"
#include "tma-interface.cuh"

constexpr uint32_t BLOCKS = 4, COUNT = 32, BYTES = COUNT * 4;
enum { COPY, ADD_S32, ADD_U32, ADD_U64, MIN_S32, MIN_U32, MAX_S32, MAX_U32, INC, DEC, AND, OR, XOR, STEPS };
static const char *const step_names[] = {"copy",    "add.s32", "add.u32", "add.u64", "min.s32",
                                         "min.u32", "max.s32", "max.u32", "inc.u32", "dec.u32",
                                         "and.b32", "or.b32",  "xor.b32"};

__device__ __host__ static uint32_t operand(uint32_t block, uint32_t i) {
  return (block * COUNT + i + 1) * 2654435761u;
}
__device__ __host__ static uint32_t start(uint32_t block, uint32_t i) {
  return (block * COUNT + i + 77) * 2246822519u;
}

__device__ static void send(int step, uint32_t to, const uint32_t *from, uint32_t bar) {
  const int32_t *as_signed = reinterpret_cast<const int32_t *>(from);
  const uint64_t *as_long = reinterpret_cast<const uint64_t *>(from);
  switch (step) {
  case COPY: cp_async_bulk_shared_to_remote(to, from, BYTES, bar); break;
  case ADD_S32: cp_reduce_async_bulk_shared_to_remote_add(to, as_signed, BYTES, bar); break;
  case ADD_U32: cp_reduce_async_bulk_shared_to_remote_add(to, from, BYTES, bar); break;
  case ADD_U64: cp_reduce_async_bulk_shared_to_remote_add(to, as_long, BYTES, bar); break;
  case MIN_S32: cp_reduce_async_bulk_shared_to_remote_min(to, as_signed, BYTES, bar); break;
  case MIN_U32: cp_reduce_async_bulk_shared_to_remote_min(to, from, BYTES, bar); break;
  case MAX_S32: cp_reduce_async_bulk_shared_to_remote_max(to, as_signed, BYTES, bar); break;
  case MAX_U32: cp_reduce_async_bulk_shared_to_remote_max(to, from, BYTES, bar); break;
  case INC: cp_reduce_async_bulk_shared_to_remote_inc(to, from, BYTES, bar); break;
  case DEC: cp_reduce_async_bulk_shared_to_remote_dec(to, from, BYTES, bar); break;
  case AND: cp_reduce_async_bulk_shared_to_remote_and(to, from, BYTES, bar); break;
  case OR: cp_reduce_async_bulk_shared_to_remote_or(to, from, BYTES, bar); break;
  default: cp_reduce_async_bulk_shared_to_remote_xor(to, from, BYTES, bar); break;
  }
}

__global__ void __cluster_dims__(BLOCKS) pass_on(uint32_t *out, uint32_t *ranks, int step) {
  __shared__ alignas(16) uint32_t mine[COUNT], received[COUNT];
  __shared__ uint64_t landed, taken;
  const uint32_t rank = cluster_block_rank();
  const uint32_t next = (rank + 1) % cluster_block_count(), previous = (rank + BLOCKS - 1) % BLOCKS;
  if (threadIdx.x == 0) {
    init_barrier(&landed, 1);
    init_barrier(&taken, blockDim.x);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&landed, BYTES);
    ranks[blockIdx.x] = rank;
  }
  mine[threadIdx.x] = operand(rank, threadIdx.x);
  received[threadIdx.x] = start(rank, threadIdx.x);
  async_proxy_fence_release_cluster(); // ours, for the copies ..
  cluster_arrive();
  cluster_wait();
  async_proxy_fence_acquire_cluster(); // .. of whoever issues them
  if (threadIdx.x == 0) send(step, map_to_block(received, next), mine, map_to_block(&landed, next));
  wait_cluster(&landed, 0);
  out[blockIdx.x * COUNT + threadIdx.x] = received[threadIdx.x];
  arrive_remote(map_to_block(&taken, previous)); // to whom it came from: your tile has been read
  while (!try_wait_cluster(&taken, 0)) {
  }
  cluster_arrive_relaxed();
  cluster_wait(); // this block's shared memory outlives the others' arrivals
}

static uint32_t combine(int step, uint32_t x, uint32_t y) {
  const int32_t sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
  switch (step) {
  case COPY: return y;
  case ADD_S32:
  case ADD_U32: return x + y;
  case MIN_S32: return sx < sy ? x : y;
  case MIN_U32: return x < y ? x : y;
  case MAX_S32: return sx > sy ? x : y;
  case MAX_U32: return x > y ? x : y;
  case INC: return x >= y ? 0 : x + 1;
  case DEC: return x == 0 || x > y ? y : x - 1;
  case AND: return x & y;
  case OR: return x | y;
  default: return x ^ y;
  }
}

static uint32_t expected_at(int step, uint32_t block, uint32_t i) {
  const uint32_t rank = block % BLOCKS, from = (rank + BLOCKS - 1) % BLOCKS;
  if (step != ADD_U64) return combine(step, start(rank, i), operand(from, i));
  const uint32_t low = i / 2 * 2;
  const uint64_t x = uint64_t{start(rank, low + 1)} << 32 | start(rank, low);
  const uint64_t y = uint64_t{operand(from, low + 1)} << 32 | operand(from, low);
  return static_cast<uint32_t>((x + y) >> (i % 2 * 32));
}

int main() {
  constexpr uint32_t GRID = 2 * BLOCKS;
  for (int step = 0; step < STEPS; step++) {
    guarded<uint32_t> out(GRID * COUNT), ranks(GRID);
    pass_on<<<GRID, COUNT>>>(out.data(), ranks.data(), step);
    CUDA_CHECK(cudaDeviceSynchronize());
    const std::vector<uint32_t> got = out.get(), got_ranks = ranks.get();
    for (uint32_t block = 0; block < GRID; block++)
      check_that(got_ranks[block] == block % BLOCKS, "block %u has rank %u", block, got_ranks[block]);
    for (uint32_t i = 0; i < got.size(); i++) {
      const uint32_t expected = expected_at(step, i / COUNT, i % COUNT);
      if (!check_that(got[i] == expected, "%s: block %u's [%u] is %u, not %u", step_names[step], i / COUNT,
                      i % COUNT, got[i], expected))
        break;
    }
  }
  return self_check_result();
}
