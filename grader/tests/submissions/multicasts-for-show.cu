// submission: lab10/4-multicast
// expect: exit 1
// expect: says each tile has to be loaded once for a cluster
// Each block loads all of its tiles, and multicasts slices that nobody reads.
#include "lab10.h"
#include "multicast.cuh"

constexpr uint32_t FULL = STAGE_BYTES + HEIGHT * WIDTH * sizeof(uint32_t);

__device__ static void load(storage &s, const CUtensorMap *matrix_map, const CUtensorMap *weights_map,
                            const work &w) {
  const int32_t column = static_cast<int32_t>(blockIdx.y * WIDTH), set = static_cast<int32_t>(blockIdx.x);
  for (uint32_t n = 0; n < tile_count(w); n++) {
    const uint32_t i = n % 2, rank = cluster_block_rank();
    const int32_t row = static_cast<int32_t>(n * HEIGHT);
    wait(&s.empty[i], n / 2 % 2 ^ 1);
    expect_bytes_and_arrive(&s.full[i], FULL);
    cp_async_bulk_tensor_2d_global_to_shared(s.stages[i].weights, weights_map, row, set, &s.full[i]);
    for (uint32_t slice = 0; slice < HEIGHT; slice += SLICE)
      cp_async_bulk_tensor_2d_global_to_shared(s.stages[i].tile[slice], matrix_map, column,
                                               row + static_cast<int32_t>(slice), &s.full[i]);
    cp_async_bulk_tensor_2d_global_to_shared_multicast(s.stages[2 + i].tile[rank * SLICE], matrix_map, column,
                                                       row, &s.full[i], (1 << CLUSTER) - 1);
  }
}

__global__ void __launch_bounds__(THREADS, 1)
    weighted_sums(uint32_t *sums, const __grid_constant__ CUtensorMap matrix_map,
                  const __grid_constant__ CUtensorMap weights_map, work w) {
  extern __shared__ __align__(128) unsigned char memory[];
  storage &s = *reinterpret_cast<storage *>(memory);
  if (threadIdx.x == 0)
    for (uint32_t i = 0; i < 2; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], WARPS * CLUSTER);
    }
  cluster_arrive();
  cluster_wait();
  uint32_t sum = 0;
  if (threadIdx.x == WIDTH) load(s, &matrix_map, &weights_map, w);
  for (uint32_t n = 0; n < tile_count(w) && threadIdx.x < WIDTH; n++) {
    wait(&s.full[n % 2], n / 2 % 2);
    sum += weighted_sum(s.stages[n % 2]);
    __syncwarp();
    if (threadIdx.x % 32 < CLUSTER) arrive_remote(map_to_block(&s.empty[n % 2], threadIdx.x % 32));
  }
  if (threadIdx.x < WIDTH) put_sum(sums, w, sum);
  __syncwarp();
  cluster_arrive();
  cluster_wait();
}

extern "C" cudaError_t launch_multicast(int32_t *sums, const int32_t *matrix, const int32_t *weights,
                                        size_t rows, size_t columns, size_t sets, cudaStream_t stream) {
  CUtensorMap matrix_map = {}, weights_map = {};
  cudaError_t error = encode_matrix(&matrix_map, matrix, rows, columns, WIDTH, SLICE);
  if (error == cudaSuccess) error = encode_matrix(&weights_map, weights, sets, rows, HEIGHT, 1);
  if (error != cudaSuccess) return error;
  return launch_clusters(weighted_sums, sums, matrix_map, weights_map, rows, columns, sets, stream);
}
