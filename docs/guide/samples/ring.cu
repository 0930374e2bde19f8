// In: an array. Out: the same, doubled, elsewhere. A producer warp fills a ring of stages, consumers drain
// it: a full and an empty barrier for each stage.
#include "sample.h"
#include "tma-interface.cuh"

constexpr uint32_t STAGES = 3, TILE = 256, CONSUMERS = 128;

// [place]
struct place { // where a thread is in the ring: each time round, the parity changes
  uint32_t stage, parity;
  __device__ void advance() {
    if (++stage == STAGES) stage = 0, parity ^= 1;
  }
};
// [/place]

__global__ void twice(int *out, const int *in, uint32_t tiles) {
  __shared__ alignas(16) int ring[STAGES][TILE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  // [init]
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&full[i], 1);          // the producer
      init_barrier(&empty[i], CONSUMERS); // each consumer
    }
    async_proxy_fence();
  }
  __syncthreads();
  // [/init]

  // [producer]
  if (threadIdx.x >= CONSUMERS) {
    if (threadIdx.x > CONSUMERS) return; // one thread produces
    place at = {0, 1}; // a fresh barrier answers parity 1 at once: all stages are empty
    for (uint32_t tile = 0; tile < tiles; tile++, at.advance()) {
      wait(&empty[at.stage], at.parity);
      expect_bytes_and_arrive(&full[at.stage], sizeof ring[0]);
      cp_async_bulk_global_to_shared(ring[at.stage], in + tile * TILE, sizeof ring[0],
                                     &full[at.stage]);
    }
    return;
  }
  // [/producer]
  // [consumer]
  place at = {0, 0}; // no stage is full yet
  for (uint32_t tile = 0; tile < tiles; tile++, at.advance()) {
    wait(&full[at.stage], at.parity);
    for (uint32_t i = threadIdx.x; i < TILE; i += CONSUMERS)
      out[tile * TILE + i] = 2 * ring[at.stage][i];
    arrive(&empty[at.stage]); // this thread has read its part
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
