// One thread takes tiles from a counter and hands their numbers to the block through a ring of two slots,
// with full and empty barriers, as persistent kernels with a scheduler do.
#include "corpus.h"

constexpr uint32_t THREADS = 128, SLOTS = 2, TILES = 24;

__global__ void kernel(int *out, const int *in, int *counter) {
  __shared__ int slot[SLOTS];
  __shared__ uint64_t full[SLOTS], empty[SLOTS];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < SLOTS; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], THREADS);
    }
  }
  __syncthreads();
  for (uint32_t turn = 0;; turn++) {
    const uint32_t s = turn % SLOTS, round = turn / SLOTS;
    if (threadIdx.x == 0) {
      wait(&empty[s], (round & 1) ^ 1);
      slot[s] = atomicAdd(counter, 1);
      arrive(&full[s]);
    }
    wait(&full[s], round & 1);
    const uint32_t tile = static_cast<uint32_t>(slot[s]);
    arrive(&empty[s]);
    if (tile >= TILES) break;
    out[tile * THREADS + threadIdx.x] = in[tile * THREADS + threadIdx.x] + 1;
  }
}

int main() {
  return corpus_check(
      TILES * THREADS,
      [](int *out, const int *in) {
        int *counter;
        CUDA_CHECK(cudaMalloc(&counter, sizeof *counter));
        CUDA_CHECK(cudaMemset(counter, 0, sizeof *counter));
        kernel<<<4, THREADS>>>(out, in, counter);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(counter));
      },
      corpus_plus_one);
}
