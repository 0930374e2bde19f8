// The shape of attention: a producer warp, and two groups of consumers that take turns by named barriers.
// Each group has a tile of its own that is loaded once. Two rings are released separately. The results
// overwrite the first tile, and a fourth role, which synchronises with each group at a barrier, stores them.
#include "corpus.h"

constexpr uint32_t GROUPS = 2, GROUP_THREADS = 64, STAGES = 2, STEPS = 6, TILE = 128;
constexpr uint32_t PRODUCER = GROUPS * GROUP_THREADS, STORER = PRODUCER + 32;
enum : uint32_t { TURN = 1, RESULT = 1 + GROUPS }; // named barriers: a turn and a result for each group

__device__ static void barrier_meet(uint32_t id, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ static void barrier_pass_on(uint32_t id, uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

struct shared {
  alignas(128) int q[GROUPS][TILE], k[STAGES][TILE], v[STAGES][TILE];
  uint64_t q_full, k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES];
};

__device__ static void produce(shared &s, const int *in, size_t first) {
  expect_bytes_and_arrive(&s.q_full, sizeof s.q);
  for (uint32_t g = 0; g < GROUPS; g++)
    cp_async_bulk_global_to_shared(s.q[g], in + first + g * TILE, sizeof s.q[g], &s.q_full);
  for (uint32_t step = 0; step < STEPS; step++) {
    const uint32_t stage = step % STAGES, parity = (step / STAGES & 1) ^ 1;
    wait(&s.k_empty[stage], parity);
    expect_bytes_and_arrive(&s.k_full[stage], sizeof s.k[0]);
    cp_async_bulk_global_to_shared(s.k[stage], in + step * TILE, sizeof s.k[0], &s.k_full[stage]);
    wait(&s.v_empty[stage], parity);
    expect_bytes_and_arrive(&s.v_full[stage], sizeof s.v[0]);
    cp_async_bulk_global_to_shared(s.v[stage], in + step * TILE, sizeof s.v[0], &s.v_full[stage]);
  }
}

__device__ static void consume(shared &s, uint32_t group, uint32_t thread) {
  int sum[2] = {};
  wait(&s.q_full, 0);
  for (uint32_t step = 0; step < STEPS; step++) {
    const uint32_t stage = step % STAGES, parity = step / STAGES & 1;
    wait(&s.k_full[stage], parity);
    barrier_meet(TURN + group, 2 * GROUP_THREADS);
    for (uint32_t i = 0; i < 2; i++)
      sum[i] += s.q[group][thread + i * GROUP_THREADS] * s.k[stage][thread + i * GROUP_THREADS];
    barrier_pass_on(TURN + (group ^ 1), 2 * GROUP_THREADS); // the other group's turn
    __syncwarp();
    if (thread % 32 == 0) arrive(&s.k_empty[stage]);
    wait(&s.v_full[stage], parity);
    for (uint32_t i = 0; i < 2; i++)
      sum[i] += s.v[stage][thread + i * GROUP_THREADS];
    __syncwarp();
    if (thread % 32 == 0) arrive(&s.v_empty[stage]);
  }
  if (group == 0) barrier_meet(TURN, 2 * GROUP_THREADS); // takes what is left over of its turns
  for (uint32_t i = 0; i < 2; i++)
    s.q[group][thread + i * GROUP_THREADS] = sum[i];
  async_proxy_fence();
  barrier_pass_on(RESULT + group, GROUP_THREADS + 32);
}

__global__ void kernel(int *out, const int *in) {
  __shared__ shared s;
  const size_t first = size_t{blockIdx.x} * GROUPS * TILE;
  if (threadIdx.x == 0) {
    init_barrier(&s.q_full, 1);
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&s.k_full[i], 1);
      init_barrier(&s.v_full[i], 1);
      init_barrier(&s.k_empty[i], GROUPS * GROUP_THREADS / 32);
      init_barrier(&s.v_empty[i], GROUPS * GROUP_THREADS / 32);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x >= STORER) {
    for (uint32_t g = 0; g < GROUPS; g++) {
      barrier_meet(RESULT + g, GROUP_THREADS + 32);
      if (threadIdx.x == STORER) {
        cp_async_bulk_shared_to_global(out + first + g * TILE, s.q[g], sizeof s.q[g]);
        tma_commit_group();
      }
    }
    if (threadIdx.x == STORER) tma_wait_until_read_pending<0>();
  } else if (threadIdx.x >= PRODUCER) {
    if (threadIdx.x == PRODUCER) produce(s, in, first);
  } else {
    const uint32_t group = threadIdx.x / GROUP_THREADS;
    if (group == 1) barrier_pass_on(TURN, 2 * GROUP_THREADS); // the first turn is group 0's
    consume(s, group, threadIdx.x % GROUP_THREADS);
  }
}

int main() {
  return corpus_check(
      3 * GROUPS * TILE, [](int *out, const int *in) { kernel<<<3, STORER + 32>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (uint32_t step = 0; step < STEPS; step++)
          sum += in[i] * in[step * TILE + i % TILE] + in[step * TILE + i % TILE];
        return sum;
      });
}
