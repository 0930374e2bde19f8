// Given for exercise 4, 4-multicast.cu: how the work is cut into strips and tiles, what lies in a block's
// shared memory, the ring's turns, the sums, the tensor maps, and the host's side of the launch. You need not
// change anything here. Read `storage`, `ring_place`, `arrive_after_reading` and the constants: you use them.
//
//      matrix, a strip of WIDTH columns         A cluster has CLUSTER blocks. They go through the same
//      +----------+                             strip, tile by tile. Each has a set of weights of its own.
//      | slice 0  |  block 0 loads it for both
//      +----------+                             A stage of the ring holds a tile, HEIGHT rows of the strip,
//      | slice 1  |  block 1 loads it for both  and the HEIGHT weights of the block's own set that belong to
//      +----------+                             these rows. Each block loads one slice of the tile, for all
//      | ..       |  the next tile              blocks of the cluster, and the weights for itself alone.
#ifndef TMA_LAB_MULTICAST_CUH
#define TMA_LAB_MULTICAST_CUH

#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t CLUSTER = 2;
constexpr uint32_t WIDTH = 256, HEIGHT = 48, SLICE = HEIGHT / CLUSTER;
constexpr uint32_t STAGES = 4;
constexpr uint32_t WARPS = WIDTH / 32, THREADS = WIDTH + 32; // warps that add; one more, that loads

struct stage {
  alignas(128) uint32_t tile[HEIGHT][WIDTH]; // what the cluster shares: 48 KiB
  alignas(128) uint32_t weights[HEIGHT];     // what each block has alone
};

constexpr uint32_t STAGE_BYTES = (HEIGHT * WIDTH + HEIGHT) * sizeof(uint32_t); // that arrive in each block

// A block's shared memory. In all blocks of a cluster everything lies at the same offsets.
struct storage {
  stage stages[STAGES];
  uint64_t full[STAGES], empty[STAGES];
};

struct work {
  uint32_t rows, columns, sets;
};

__device__ static uint32_t tile_count(const work &w) {
  return (w.rows + HEIGHT - 1) / HEIGHT;
}

// Where in the ring one is. It starts at stage 0 with parity 0.
struct ring_place {
  uint32_t stage, parity;
  __device__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// mbarrier.arrive.shared::cluster.b64 _, [remote_bar];
// As arrive_remote(), on a barrier of any block of the cluster, for threads that have only read and have
// nothing to show to others. It names no scope. The scope of a cluster would cost nearly as much time as a
// whole stage does (docs/guide/clusters.md says when it is needed).
__device__ static __forceinline__ void arrive_after_reading(uint32_t remote_bar) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" : : "r"(remote_bar) : "memory");
}

// One thread's part of a stage: its column, times the weights. Rows beyond the matrix hold zeros.
__device__ static __forceinline__ uint32_t weighted_sum(const stage &s) {
  uint32_t sum = 0;
#pragma unroll 8
  for (uint32_t row = 0; row < HEIGHT; row++)
    sum += s.weights[row] * s.tile[row][threadIdx.x];
  return sum;
}

// Writes a thread's sum, if the matrix has its column and the weights the block's set.
__device__ static void put_sum(uint32_t *sums, const work &w, uint32_t sum) {
  const uint32_t column = blockIdx.y * WIDTH + threadIdx.x;
  if (column < w.columns && blockIdx.x < w.sets) sums[size_t{blockIdx.x} * w.columns + column] = sum;
}

// ---- the host's side --------------------------------------------------------------------------------------

// Encodes a map of int32, `rows` rows of `columns` numbers without gaps. Says on stderr what is wrong.
static cudaError_t encode_matrix(CUtensorMap *map, const int32_t *matrix, size_t rows, size_t columns,
                                 uint32_t box_width, uint32_t box_height) {
  tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  options.rank = 2;
  options.global_address = matrix;
  options.global_dim[0] = columns;
  options.global_dim[1] = rows;
  options.global_strides[0] = columns * sizeof(int32_t);
  options.box_dim[0] = box_width;
  options.box_dim[1] = box_height;
  options.l2_promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
  return tensor_map_encode(map, &options);
}

using sums_kernel = void (*)(uint32_t *sums, CUtensorMap matrix_map, CUtensorMap weights_map, work w);

// Starts a cluster for each strip and each CLUSTER sets. If their number is no multiple of CLUSTER, the last
// cluster of a strip has a block without a set of its own. Returns the first CUDA error.
static cudaError_t launch_clusters(sums_kernel kernel, int32_t *sums, const CUtensorMap &matrix_map,
                                   const CUtensorMap &weights_map, size_t rows, size_t columns, size_t sets,
                                   cudaStream_t stream) {
  const size_t strips = (columns + WIDTH - 1) / WIDTH, blocks = (sets + CLUSTER - 1) / CLUSTER * CLUSTER;
  // Coordinates are int32, and a grid has 65535 rows of blocks at most.
  if (rows > INT32_MAX - HEIGHT || strips > 65535 || blocks > INT32_MAX) return cudaErrorInvalidValue;
  cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(sizeof(storage)));
  if (error != cudaSuccess) return error;
  const work w = {static_cast<uint32_t>(rows), static_cast<uint32_t>(columns), static_cast<uint32_t>(sets)};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<uint32_t>(blocks), static_cast<uint32_t>(strips));
  config.blockDim = dim3(THREADS);
  config.dynamicSmemBytes = sizeof(storage);
  config.stream = stream;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = CLUSTER;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, reinterpret_cast<uint32_t *>(sums), matrix_map, weights_map, w);
}

#endif
