// In: an array. Out: the same, doubled, elsewhere. A producer warp fills a ring of stages, consumers drain
// it: a full and an empty barrier for each stage.
#include "sample.h"
#include "tma-interface.cuh"

constexpr uint32_t STAGES = 3, TILE = 256, CONSUMERS = 128;

__global__ void twice(int *out, const int *in, uint32_t tiles) {
  __shared__ alignas(16) int ring[STAGES][TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  // [init]
  if (threadIdx.x == 0) {
    for (uint32_t stage = 0; stage < STAGES; stage++) {
      init_barrier(&full[stage], 1);               // the producer
      init_barrier(&empty[stage], CONSUMERS / 32); // one lane of each consumer warp
    }
    async_proxy_fence();
  }
  __syncthreads();
  // [/init]

  // [producer]
  if (threadIdx.x >= CONSUMERS) {
    if (threadIdx.x > CONSUMERS) return; // one thread produces
    for (uint32_t turn = 0; turn < tiles; turn++) {
      const uint32_t stage = turn % STAGES, round = turn / STAGES;
      // In round 0 parity 1: a fresh barrier answers at once.
      wait(&empty[stage], (round + 1) % 2);
      expect_bytes_and_arrive(&full[stage], sizeof ring[stage]);
      cp_async_bulk_global_to_shared(ring[stage], in + turn * TILE, sizeof ring[stage],
                                     &full[stage]);
    }
    return;
  }
  // [/producer]
  // [consumer]
  for (uint32_t turn = 0; turn < tiles; turn++) {
    const uint32_t stage = turn % STAGES, round = turn / STAGES;
    wait(&full[stage], round % 2);
    for (uint32_t i = threadIdx.x; i < TILE; i += CONSUMERS)
      out[turn * TILE + i] = 2 * ring[stage][i];
    __syncwarp(); // every lane has read
    if (threadIdx.x % 32 == 0) arrive(&empty[stage]);
  }
  // [/consumer]
}

int main() {
  constexpr uint32_t tiles = 11;
  int *in = managed_array<int>(tiles * TILE), *out = managed_array<int>(tiles * TILE);
  for (uint32_t i = 0; i < tiles * TILE; i++)
    in[i] = static_cast<int>(i) - 99;
  twice<<<1, CONSUMERS + 32>>>(out, in, tiles);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < tiles * TILE; i++)
    EXPECT_EQUAL(out[i], 2 * in[i], i);
  puts("ok");
}
