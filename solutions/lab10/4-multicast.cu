// In: a matrix of int32, and sets of weights, one weight for each row. Out: for each set the weighted sum of
// each column. The idea: all sets need all of the matrix. The blocks of a cluster go through it together:
// each loads a slice of every tile, and multicasts it to all. So the L2 cache is asked for each number once
// for a cluster, and not once for a block.
#include "lab10.h"
#include "multicast.cuh"

// One thread of each block: fills stage after stage.
__device__ static void load(storage &s, const CUtensorMap *matrix_map, const CUtensorMap *weights_map,
                            const work &w) {
  const uint32_t rank = cluster_block_rank();
  const int32_t column = static_cast<int32_t>(blockIdx.y * WIDTH), set = static_cast<int32_t>(blockIdx.x);
  ring_place at = {0, 0};
  for (uint32_t n = 0; n < tile_count(w); n++) {
    stage &to = s.stages[at.stage];
    const int32_t row = static_cast<int32_t>(n * HEIGHT);
    // TODO(2): wait until the stage is empty. Announce all bytes that arrive in this block, whoever loads
    // them. Load the weights, for this block alone. Load slice number `rank` of the tile, for all blocks of
    // the cluster. (8 lines)
    // BEGIN SOLUTION
    wait(&s.empty[at.stage], at.parity ^ 1);
    expect_bytes_and_arrive(&s.full[at.stage], STAGE_BYTES);
    cp_async_bulk_tensor_2d_global_to_shared(to.weights, weights_map, row, set, &s.full[at.stage]);
    const uint32_t slice = rank * SLICE;
    cp_async_bulk_tensor_2d_global_to_shared_multicast(to.tile[slice], matrix_map, column,
                                                       row + static_cast<int32_t>(slice), &s.full[at.stage],
                                                       (1 << CLUSTER) - 1);
    // END SOLUTION
    at.advance();
  }
}

// The other threads: one column each.
__device__ static uint32_t add(storage &s, const work &w) {
  uint32_t sum = 0;
  ring_place at = {0, 0};
  for (uint32_t n = 0; n < tile_count(w); n++) {
    // TODO(3): wait for the stage. (1 line)
    // BEGIN SOLUTION
    wait(&s.full[at.stage], at.parity);
    // END SOLUTION
    sum += weighted_sum(s.stages[at.stage]);
    // TODO(4): this warp has read its part of the stage. Whose loading threads must know? Lane 0 tells them,
    // after all lanes of the warp. (4 lines)
    // BEGIN SOLUTION
    __syncwarp();
    if (threadIdx.x % 32 == 0)
      for (uint32_t rank = 0; rank < CLUSTER; rank++)
        arrive_after_reading(map_to_block(&s.empty[at.stage], rank));
    // END SOLUTION
    at.advance();
  }
  return sum;
}

__global__ void __launch_bounds__(THREADS, 1)
    weighted_sums(uint32_t *sums, const __grid_constant__ CUtensorMap matrix_map,
                  const __grid_constant__ CUtensorMap weights_map, work w) {
  extern __shared__ __align__(128) unsigned char memory[];
  storage &s = *reinterpret_cast<storage *>(memory);
  // TODO(1): thread 0 initialises the barriers: how many arrivals does `empty` await? No other block may
  // touch them before: that takes a fence, and all threads of the cluster. (8 lines)
  // BEGIN SOLUTION
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], WARPS * CLUSTER);
    }
    fence_mbarrier_init();
  }
  cluster_arrive_relaxed();
  cluster_wait();
  // END SOLUTION
  if (threadIdx.x == WIDTH) load(s, &matrix_map, &weights_map, w);
  if (threadIdx.x < WIDTH) put_sum(sums, w, add(s, w));
  __syncwarp();
  // TODO(5): may this block leave? Others may still arrive at its barriers. (2 lines)
  // BEGIN SOLUTION
  cluster_arrive();
  cluster_wait();
  // END SOLUTION
}

extern "C" cudaError_t launch_multicast(int32_t *sums, const int32_t *matrix, const int32_t *weights,
                                        size_t rows, size_t columns, size_t sets, cudaStream_t stream) {
  CUtensorMap matrix_map = {}, weights_map = {};
  cudaError_t error = encode_matrix(&matrix_map, matrix, rows, columns, WIDTH, SLICE);
  if (error == cudaSuccess) error = encode_matrix(&weights_map, weights, sets, rows, HEIGHT, 1);
  if (error != cudaSuccess) return error;
  return launch_clusters(weighted_sums, sums, matrix_map, weights_map, rows, columns, sets, stream);
}
