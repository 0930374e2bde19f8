// submission: lab10/4-multicast
// expect: exit 1
// expect: says stages have to be given back by arrivals on the barriers of all blocks
// Two stages, and a barrier of the whole cluster at every tile. No thread arrives on another block's barrier.
#include "lab10.h"
#include "multicast.cuh"

__device__ static void load(storage &s, const CUtensorMap *matrix_map, const CUtensorMap *weights_map,
                            uint32_t n) {
  const uint32_t slice = cluster_block_rank() * SLICE, i = n % 2;
  const int32_t column = static_cast<int32_t>(blockIdx.y * WIDTH), row = static_cast<int32_t>(n * HEIGHT);
  expect_bytes_and_arrive(&s.full[i], STAGE_BYTES);
  cp_async_bulk_tensor_2d_global_to_shared(s.stages[i].weights, weights_map, row, blockIdx.x, &s.full[i]);
  cp_async_bulk_tensor_2d_global_to_shared_multicast(s.stages[i].tile[slice], matrix_map, column, row + slice,
                                                     &s.full[i], (1 << CLUSTER) - 1);
}

__global__ void __launch_bounds__(WIDTH, 1)
    weighted_sums(uint32_t *sums, const __grid_constant__ CUtensorMap matrix_map,
                  const __grid_constant__ CUtensorMap weights_map, work w) {
  extern __shared__ __align__(128) unsigned char memory[];
  storage &s = *reinterpret_cast<storage *>(memory);
  if (threadIdx.x == 0) {
    init_barrier(&s.full[0], 1);
    init_barrier(&s.full[1], 1);
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0)
    for (uint32_t n = 0; n < min(2, tile_count(w)); n++)
      load(s, &matrix_map, &weights_map, n);
  uint32_t sum = 0;
  for (uint32_t n = 0; n < tile_count(w); n++) {
    wait_cluster(&s.full[n % 2], n / 2 % 2);
    sum += weighted_sum(s.stages[n % 2]);
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x == 0 && n + 2 < tile_count(w)) load(s, &matrix_map, &weights_map, n + 2);
  }
  put_sum(sums, w, sum);
}

extern "C" cudaError_t launch_multicast(int32_t *sums, const int32_t *matrix, const int32_t *weights,
                                        size_t rows, size_t columns, size_t sets, cudaStream_t stream) {
  CUtensorMap matrix_map = {}, weights_map = {};
  cudaError_t error = encode_matrix(&matrix_map, matrix, rows, columns, WIDTH, SLICE);
  if (error == cudaSuccess) error = encode_matrix(&weights_map, weights, sets, rows, HEIGHT, 1);
  if (error != cudaSuccess) return error;
  const dim3 grid(static_cast<uint32_t>((sets + 1) / 2 * 2),
                  static_cast<uint32_t>((columns + WIDTH - 1) / WIDTH));
  cudaFuncSetAttribute(weighted_sums, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(storage));
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(WIDTH);
  config.dynamicSmemBytes = sizeof(storage);
  config.stream = stream;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = CLUSTER;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, weighted_sums, reinterpret_cast<uint32_t *>(sums), matrix_map,
                            weights_map, work{uint32_t(rows), uint32_t(columns), uint32_t(sets)});
}
