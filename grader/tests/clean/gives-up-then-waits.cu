// Waits that give up and are followed by what makes up for it: after a few questions the thread waits in
// earnest; or it ends the kernel, after far more questions than a load can take.
#include "corpus.h"

constexpr int ROUNDS = 5;

__device__ static bool ask_often(uint64_t *bar, uint32_t parity, int times) {
  for (int i = 0; i < times; i++)
    if (try_wait(bar, parity)) return true;
  return false;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  __syncthreads();
  for (int r = 0; r < ROUNDS; r++) {
    const size_t first = (size_t{blockIdx.x} * ROUNDS + r) * CORPUS_TILE;
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
    }
    if (r % 2 == 0) {
      if (!ask_often(&bar, r & 1, 5)) wait(&bar, r & 1);
    } else {
      if (!ask_often(&bar, r & 1, 1 << 24)) __trap();
    }
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[first + i] = tile[i] + 1;
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      2 * ROUNDS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
