// In: an array. Out: the same plus one, elsewhere. The idea: the kernel's parts have names, so that a
// picture can show how long each takes. With -DTIMELINE, `ranges FILE` writes what was measured.
#include "sample.h"
#include "timeline.cuh"
#include "tma-interface.cuh"

constexpr uint32_t TILE = 2048, THREADS = 128, BLOCKS = 132 * 2, ROUNDS = 12;

__global__ void plus_one(int *out, const int *in) {
  __shared__ alignas(128) int tile[TILE];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
  }
  __syncthreads();
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const uint32_t begin = (round * BLOCKS + blockIdx.x) * TILE;
    // [ranges]
    timeline_begin("load");
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&full, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in + begin, sizeof tile, &full);
    }
    wait(&full, round % 2);
    timeline_end("load");

    timeline_begin("work");
    for (uint32_t i = threadIdx.x; i < TILE; i += THREADS)
      tile[i] += 1;
    async_proxy_fence();
    __syncthreads();
    timeline_end("work");

    if (threadIdx.x == 0) {
      timeline_begin("store");
      cp_async_bulk_shared_to_global(out + begin, tile, sizeof tile);
      tma_commit_group();
      tma_store_wait_until_read_pending<0>();
      timeline_end("store");
    }
    // [/ranges]
    __syncthreads(); // nobody loads before the store has read
  }
}

int main(int count, char **arguments) {
  constexpr uint32_t ALL = ROUNDS * BLOCKS * TILE;
  int *in = managed_array<int>(ALL), *out = managed_array<int>(ALL);
  for (uint32_t i = 0; i < ALL; i++)
    in[i] = static_cast<int>(i);
  plus_one<<<BLOCKS, THREADS>>>(out, in);
  CUDA_CHECK(cudaDeviceSynchronize());
  // [write]
  if (count > 1) CUDA_CHECK(timeline_write(arguments[1])); // nothing without -DTIMELINE
  // [/write]
  for (uint32_t i = 0; i < ALL; i++)
    EXPECT_EQUAL(out[i], in[i] + 1, i);
  puts("ok");
}
