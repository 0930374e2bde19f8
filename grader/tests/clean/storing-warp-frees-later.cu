// Two warps fill stages, and a lane of a third stores them. It leaves one store under way, so what it gives
// back is the stage of the store before.
#include "corpus.h"

constexpr uint32_t STAGES = 3, TILE = 64;

__global__ void kernel(int *out, const int *in, uint32_t turns) {
  __shared__ alignas(128) int stage[STAGES][TILE];
  __shared__ uint64_t filled[STAGES], given_back[STAGES];
  if (threadIdx.x == 0)
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&filled[s], TILE);
      init_barrier(&given_back[s], 1);
    }
  __syncthreads();
  for (uint32_t turn = 0; turn < turns && threadIdx.x <= TILE; turn++) {
    const uint32_t s = turn % STAGES, parity = turn / STAGES & 1;
    if (threadIdx.x < TILE) {
      wait(&given_back[s], parity ^ 1);
      stage[s][threadIdx.x] = in[turn * TILE + threadIdx.x] + 1;
      async_proxy_fence();
      arrive(&filled[s]);
      continue;
    }
    wait(&filled[s], parity);
    cp_async_bulk_shared_to_global(out + turn * TILE, stage[s], sizeof stage[s]);
    tma_commit_group();
    tma_wait_until_read_pending<1>();
    if (turn > 0) arrive(&given_back[(turn - 1) % STAGES]);
  }
  if (threadIdx.x == TILE) tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      10 * TILE, [](int *out, const int *in) { kernel<<<1, TILE + 32>>>(out, in, 10); }, corpus_plus_one);
}
