// In: numbers. Out: each tile of 128 of them, turned round.
// The idea: a barrier counts arrivals. Whoever waits for it goes on when all of them have come.
#include "lab8.h"
#include "tma-interface.cuh"

constexpr uint32_t TILE = 128; // numbers, and threads of a block

__global__ void __launch_bounds__(TILE) turn_round(uint32_t *out, const uint32_t *in) {
  __shared__ uint32_t tile[TILE];
  __shared__ uint64_t filled; // a barrier is 64 bits of shared memory

  const uint32_t first = blockIdx.x * TILE, me = threadIdx.x;
  if (me == 0) {
    // TODO(1): make `filled` a barrier that is complete when all TILE threads have arrived. (1 line)
    // BEGIN SOLUTION
    init_barrier(&filled, TILE);
    // END SOLUTION
  }
  __syncthreads(); // from here on every thread may use the barrier

  tile[me] = in[first + me];
  arrive(&filled);  // my number is there
  wait(&filled, 0); // now all are there

  out[first + me] = tile[TILE - 1 - me];
}

extern "C" cudaError_t launch_barrier(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream) {
  turn_round<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(out, in);
  return cudaGetLastError();
}
