// target: sm_90a
// Shared storage as in libraries: a struct in dynamic memory, where the stages of the main loop become the
// buffer of the epilogue (a union). Roles by warp groups, setmaxnreg, a test of the token before each wait, a
// named barrier among the consumers, a producer's tail, and a persistent loop over tiles.
#include "corpus.h"

constexpr uint32_t STAGES = 3, SLICES = 5, GROUP = 128, TILE = 256;

struct storage {
  union {
    alignas(128) int stages[STAGES][TILE];
    alignas(128) int epilogue[TILE];
  };
  uint64_t full[STAGES], empty[STAGES], stored;
};

struct state {
  uint32_t index = 0, phase = 0, count = 0;
  __device__ void next() {
    count++;
    if (++index == STAGES) {
      index = 0;
      phase ^= 1;
    }
  }
};

__device__ static bool peek(uint64_t *bar, uint32_t phase) {
  return test_wait(bar, phase);
}

__global__ void __launch_bounds__(2 * GROUP, 1) kernel(int *out, const int *in, uint32_t tiles) {
  extern __shared__ __align__(128) unsigned char raw[];
  storage &shared = *reinterpret_cast<storage *>(raw);
  const uint32_t group = __shfl_sync(0xffffffff, threadIdx.x / GROUP, 0);
  if (threadIdx.x < 32 && elect_one()) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&shared.full[s], 1);
      init_barrier(&shared.empty[s], GROUP);
    }
    init_barrier(&shared.stored, 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  state at;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x < 32 && elect_one()) {
      at.phase = 1;
      uint32_t turn = 0;
      for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, turn++) {
        if (turn > 0) wait(&shared.stored, (turn - 1) & 1); // the epilogue's buffer is the stages'
        for (uint32_t s = 0; s < SLICES; s++, at.next()) {
          if (!peek(&shared.empty[at.index], at.phase)) wait(&shared.empty[at.index], at.phase);
          expect_bytes_and_arrive(&shared.full[at.index], TILE * sizeof(int));
          cp_async_bulk_global_to_shared(shared.stages[at.index], in + (size_t{tile} * SLICES + s) * TILE,
                                         TILE * sizeof(int), &shared.full[at.index]);
        }
      }
      for (uint32_t s = 0; s < STAGES; s++, at.next())
        wait(&shared.empty[at.index], at.phase);
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const uint32_t lane = threadIdx.x - GROUP;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      int sum[TILE / GROUP] = {};
      bool token = peek(&shared.full[at.index], at.phase);
      for (uint32_t s = 0; s < SLICES; s++) {
        if (!token) wait(&shared.full[at.index], at.phase);
        for (uint32_t i = 0; i < TILE / GROUP; i++)
          sum[i] += shared.stages[at.index][i * GROUP + lane];
        arrive(&shared.empty[at.index]);
        at.next();
        token = s + 1 < SLICES && peek(&shared.full[at.index], at.phase);
      }
      asm volatile("bar.sync 1, 128;" ::: "memory"); // all of the group have read the last slices
      for (uint32_t i = 0; i < TILE / GROUP; i++)
        shared.epilogue[TILE - 1 - (i * GROUP + lane)] = sum[i];
      async_proxy_fence();
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (lane == 0) {
        cp_async_bulk_shared_to_global(out + size_t{tile} * TILE, shared.epilogue, TILE * sizeof(int));
        tma_commit_group();
        tma_wait_until_read_pending<0>();
        arrive(&shared.stored);
      }
    }
  }
}

int main() {
  constexpr uint32_t TILES = 7;
  return corpus_check(
      TILES * SLICES * TILE,
      [](int *out, const int *in) { kernel<<<2, 2 * GROUP, sizeof(storage)>>>(out, in, TILES); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        if (i >= TILES * TILE) return 0;
        for (size_t s = 0; s < SLICES; s++)
          sum += in[(i / TILE * SLICES + s) * TILE + TILE - 1 - i % TILE];
        return sum;
      });
}
