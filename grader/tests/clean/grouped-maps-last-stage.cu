// target: sm_90a
// A grouped product's loads, as CUTLASS 3 changes their maps: one warp fills a ring of stages; before it
// replaces the map in global memory for the next group, it waits for the full barrier of the last stage that
// it has filled, as a consumer does. Consumers add up the tiles of a group.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr uint32_t GROUPS = 5, TILES = 5, ROWS = 8, WIDTH = 16, STAGES = 2, CONSUMERS = 64;
constexpr uint32_t TILE = ROWS * WIDTH;

__device__ alignas(128) CUtensorMap awaited_maps[2];

struct storage {
  alignas(128) int tiles[STAGES][ROWS][WIDTH];
  alignas(128) CUtensorMap draft;
  uint64_t full[STAGES], empty[STAGES];
};

__device__ static void change_map(storage &s, CUtensorMap *map, const int *matrix) {
  if (elect_one()) ptx::tensormap_replace_global_address(ptx::space_shared, &s.draft, matrix);
  __syncwarp();
  ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, &s.draft, ptx::n32_t<128>());
}

__device__ static void produce(storage &s, const int *in) {
  CUtensorMap *map = &awaited_maps[blockIdx.x];
  uint32_t stage = 0, parity = 1;
  for (uint32_t group = blockIdx.x; group < GROUPS; group += gridDim.x) {
    const uint32_t last = (stage + STAGES - 1) % STAGES;
    if (group != blockIdx.x) wait(&s.full[last], (stage ? parity : parity ^ 1) ^ 1);
    change_map(s, map, in + group * TILES * TILE);
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>());
    for (uint32_t tile = 0; tile < TILES; tile++) {
      wait(&s.empty[stage], parity);
      if (elect_one()) {
        expect_bytes_and_arrive(&s.full[stage], sizeof s.tiles[0]);
        cp_async_bulk_tensor_2d_global_to_shared(s.tiles[stage], map, 0, static_cast<int>(tile * ROWS),
                                                 &s.full[stage]);
      }
      __syncwarp();
      if (++stage == STAGES) {
        stage = 0;
        parity ^= 1;
      }
    }
  }
}

__device__ static void consume(storage &s, int *out) {
  const uint32_t self = threadIdx.x - 32;
  uint32_t stage = 0, parity = 0;
  for (uint32_t group = blockIdx.x; group < GROUPS; group += gridDim.x) {
    int sums[TILE / CONSUMERS] = {};
    for (uint32_t tile = 0; tile < TILES; tile++) {
      wait(&s.full[stage], parity);
      for (uint32_t i = 0; i < TILE / CONSUMERS; i++)
        sums[i] += (&s.tiles[stage][0][0])[i * CONSUMERS + self];
      arrive(&s.empty[stage]);
      if (++stage == STAGES) {
        stage = 0;
        parity ^= 1;
      }
    }
    for (uint32_t i = 0; i < TILE / CONSUMERS; i++)
      out[group * TILE + i * CONSUMERS + self] = sums[i];
  }
}

__global__ void kernel(int *out, const int *in, const __grid_constant__ CUtensorMap pattern) {
  __shared__ storage s;
  if (threadIdx.x == 0) {
    s.draft = pattern;
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], CONSUMERS);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x < 32)
    produce(s, in);
  else
    consume(s, out);
}

int main() {
  return corpus_check(
      GROUPS * TILES * TILE,
      [](int *out, const int *in) {
        kernel<<<2, 32 + CONSUMERS>>>(out, in, corpus_map(in, WIDTH, TILES * ROWS, WIDTH, ROWS));
      },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (uint32_t tile = 0; i < GROUPS * TILE && tile < TILES; tile++)
          sum += in[(i / TILE * TILES + tile) * TILE + i % TILE];
        return sum;
      });
}
