// In: an array. Out: the same, doubled, elsewhere, through shared memory in one of several ways, which
// differ only in what overlaps: `overlap one`, `overlap ring` and so on, see `shapes`; without an argument
// all of them, on a short array.
#include "sample.h"
#include "tma-interface.cuh"
#include <cstring>

constexpr uint32_t TILE = 2048, THREADS = 256, MOST_STAGES = 4;

// UNREAD: so many of the newest stores may still be reading when the next load starts. WRITTEN: the others
// must have written, too. WORKERS: so many threads compute.
template <uint32_t STAGES, uint32_t UNREAD, bool WRITTEN = false,
          uint32_t WORKERS = THREADS>
__global__ void twice(int *out, const int *in, uint32_t tiles) {
  extern __shared__ __align__(16) int stages[];
  __shared__ uint64_t full[STAGES];
  const auto load = [&](uint32_t n) { // this block's n-th tile
    const uint32_t tile = blockIdx.x + n * gridDim.x, stage = n % STAGES;
    if (tile >= tiles) return;
    expect_bytes_and_arrive(&full[stage], TILE * sizeof(int));
    cp_async_bulk_global_to_shared(stages + stage * TILE, in + tile * TILE,
                                   TILE * sizeof(int), &full[stage]);
  };
  if (threadIdx.x == 0) {
    for (uint32_t stage = 0; stage < STAGES; stage++)
      init_barrier(&full[stage], 1);
    async_proxy_fence();
    for (uint32_t n = 0; n < STAGES; n++)
      load(n);
  }
  __syncthreads();
  for (uint32_t n = 0; blockIdx.x + n * gridDim.x < tiles; n++) {
    int *stage = stages + n % STAGES * TILE;
    wait(&full[n % STAGES], n / STAGES % 2);
    for (uint32_t i = threadIdx.x; i < TILE && threadIdx.x < WORKERS; i += WORKERS)
      stage[i] *= 2;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + (blockIdx.x + n * gridDim.x) * TILE, stage,
                                     TILE * sizeof(int));
      tma_commit_group();
      if (WRITTEN)
        tma_wait_until_pending<UNREAD>();
      else
        tma_wait_until_read_pending<UNREAD>();
      if (n + 1 > UNREAD) load(n - UNREAD + STAGES);
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

struct shape {
  const char *name;
  void (*kernel)(int *, const int *, uint32_t);
  uint32_t blocks, stages; // blocks on an SM
};
static const shape shapes[] = {
    {"one", twice<1, 0>, 1, 1},
    {"ring", twice<MOST_STAGES, 0>, 1, MOST_STAGES},
    {"groups", twice<MOST_STAGES, 1>, 1, MOST_STAGES},
    {"blocks", twice<1, 0>, 6, 1},
    {"written", twice<MOST_STAGES, 0, true>, 1, MOST_STAGES},
    {"one-warp", twice<MOST_STAGES, 1, false, 32>, 1, MOST_STAGES},
    {"three-blocks", twice<1, 0>, 3, 1},
    {"two-stages", twice<2, 0>, 1, 2}};

int main(int count, char **arguments) {
  constexpr uint32_t SMS = 132, SHARED_OF_SM = 200 << 10;
  const uint32_t tiles = count > 1 ? SMS * 30 : SMS * 6;
  int *in = managed_array<int>(tiles * TILE), *out = managed_array<int>(tiles * TILE);
  for (uint32_t i = 0; i < tiles * TILE; i++)
    in[i] = static_cast<int>(i % 1000);
  for (const shape &s : shapes) {
    if (count > 1 && strcmp(arguments[1], s.name) != 0) continue;
    const uint32_t shared = SHARED_OF_SM / s.blocks; // so that no more blocks find room
    CUDA_CHECK(cudaFuncSetAttribute(s.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    SHARED_OF_SM));
    s.kernel<<<SMS * s.blocks, THREADS, shared>>>(out, in, tiles);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (uint32_t i = 0; i < tiles * TILE; i++)
      EXPECT_EQUAL(out[i], 2 * in[i], i);
  }
  puts("ok");
}
