// What launches of the held-out suite share: grids, shared memory, tensor maps.
#ifndef HELD_OUT_START_CUH
#define HELD_OUT_START_CUH

#include "cuda-check.h"
#include "job.cuh"
#include "tensor-map.h"
#include <algorithm>

enum check { NOT, SAME, ONE_MORE, TURNED, SUM };
enum { SHARED_OF_PROCESSOR = 228 << 10, SHARED_OF_BLOCK = 1024, FIXED = 1024 };
enum { CUBE_WIDTH = 512, CUBE_HEIGHT = 256 };

static uint32_t processors() {
  int count;
  CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return static_cast<uint32_t>(count);
}

// Unused shared memory keeps more blocks than wanted off a processor.
static uint32_t shared_for(uint32_t blocks, uint32_t used) {
  const uint32_t most = SHARED_OF_PROCESSOR / blocks - SHARED_OF_BLOCK - FIXED;
  const uint32_t more = SHARED_OF_PROCESSOR / (blocks + 1) - SHARED_OF_BLOCK;
  return std::min(most / 128 * 128, std::max(used, more / 128 * 128));
}

template <typename KERNEL, typename... ARGUMENTS>
static void start(KERNEL kernel, dim3 grid, uint32_t threads, uint32_t shared, ARGUMENTS... arguments) {
  if (shared)
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 << 10));
  kernel<<<grid, threads, shared>>>(arguments...);
}

template <typename KERNEL>
static void start_clusters(KERNEL kernel, uint32_t grid, uint32_t threads, uint32_t shared, uint32_t size,
                           job j) {
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 << 10));
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = size;
  a.val.clusterDim.y = a.val.clusterDim.z = 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(grid);
  c.blockDim = dim3(threads);
  c.dynamicSmemBytes = shared;
  c.attrs = &a;
  c.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&c, kernel, j));
}

// A matrix of j.width by j.height words, or the transposed one, by boxes of `words` by `rows`.
static CUtensorMap flat_map(const void *address, const job &j, bool turned, uint32_t words, uint32_t rows,
                            uint32_t swizzle) {
  tensor_map_options o = {};
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  o.rank = 2;
  o.global_address = address;
  o.global_dim[0] = turned ? j.height : j.width;
  o.global_dim[1] = turned ? j.width : j.height;
  o.global_strides[0] = o.global_dim[0] * 4;
  o.box_dim[0] = words;
  o.box_dim[1] = rows;
  o.swizzle = static_cast<CUtensorMapSwizzle>(swizzle);
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}

// The same; a box of b[0] x b[1].
static CUtensorMap map_of(const void *address, const job &j, const uint32_t *b, bool swizzled, bool turned) {
  return flat_map(address, j, turned, b[0], b[1],
                  swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE);
}

static CUtensorMap map_of_cube(const void *address, uint32_t rows, uint32_t planes, const uint32_t *box) {
  tensor_map_options o = {};
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  o.rank = 3;
  o.global_address = address;
  o.global_dim[0] = CUBE_WIDTH;
  o.global_dim[1] = rows;
  o.global_dim[2] = planes;
  o.global_strides[0] = CUBE_WIDTH * 4;
  o.global_strides[1] = rows * o.global_strides[0];
  for (uint32_t i = 0; i < 3; i++)
    o.box_dim[i] = box[i];
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}

static uint32_t blocks_for(const job &j, size_t bytes) {
  return static_cast<uint32_t>(j.quads * 16 / bytes);
}

#endif
