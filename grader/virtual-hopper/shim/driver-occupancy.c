// Occupancy, as the driver tells it. In: kernels and sizes of blocks; out: numbers of blocks and clusters
// (client-occupancy.c), and CUresult numbers.
#include "virtual-hopper/shim/driver.h"

static int resolve(CUfunction handle, struct client_function **function) {
  *function = client_function_checked(handle);
  return *function ? client_function_resolve(*function) : (int)CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle, int block_size,
                                                            size_t dynamic_shared) {
  struct client_function *function = client_function_checked(handle);
  if (!blocks || !function || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  int status = client_function_resolve(function);
  *blocks =
      status ? 0
             : (int)client_blocks_per_multiprocessor(&function->info, (unsigned)block_size, dynamic_shared);
  return driver_used(status);
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle,
                                                                     int block_size, size_t dynamic_shared,
                                                                     unsigned flags) {
  (void)flags;
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, block_size, dynamic_shared);
}

// The block with which most threads fit on a multiprocessor; the largest of these.
EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction handle,
                                                 CUoccupancyB2DSize shared_of, size_t dynamic_shared,
                                                 int limit) {
  enum { WARP = 32, LARGEST_BLOCK = 1024 };
  struct client_function *function;
  if (!grid || !block || limit < 0) return CUDA_ERROR_INVALID_VALUE;
  const int status = resolve(handle, &function);
  if (status) return driver_used(status);
  unsigned most = 0, largest = function->info.max_threads_per_block;
  if (!largest || largest > LARGEST_BLOCK) largest = LARGEST_BLOCK;
  if (limit && (unsigned)limit < largest) largest = (unsigned)limit;
  for (unsigned rounded = (largest + WARP - 1) / WARP * WARP; rounded; rounded -= WARP) {
    const unsigned threads = rounded < largest ? rounded : largest;
    const size_t shared = shared_of ? shared_of((int)threads) : dynamic_shared;
    const unsigned blocks = client_blocks_per_multiprocessor(&function->info, threads, shared);
    if (blocks * threads <= most) continue;
    most = blocks * threads;
    *block = (int)threads;
    *grid = (int)(blocks * (unsigned)client_state()->processors);
  }
  return driver_used(most ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction handle,
                                                          CUoccupancyB2DSize shared_of, size_t dynamic_shared,
                                                          int limit, unsigned flags) {
  (void)flags;
  return cuOccupancyMaxPotentialBlockSize(grid, block, handle, shared_of, dynamic_shared, limit);
}

EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction handle, int blocks,
                                                        int block_size) {
  struct client_function *function;
  if (!bytes || blocks <= 0 || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  int status = resolve(handle, &function);
  if (!status)
    status = client_available_shared(&function->info, (unsigned)blocks, (unsigned)block_size, bytes);
  return driver_used(status);
}

static unsigned cluster_of(const CUlaunchConfig *config) {
  unsigned blocks = 1;
  for (unsigned i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      blocks = config->attrs[i].value.clusterDim.x * config->attrs[i].value.clusterDim.y *
               config->attrs[i].value.clusterDim.z;
  return blocks;
}

EXPORT CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle, const CUlaunchConfig *config) {
  struct client_function *function;
  if (!clusters || !config) return CUDA_ERROR_INVALID_VALUE;
  int status = resolve(handle, &function);
  if (status) return driver_used(status);
  const unsigned threads = config->blockDimX * config->blockDimY * config->blockDimZ;
  return driver_used(
      client_active_clusters(function, cluster_of(config), threads, config->sharedMemBytes, clusters));
}

EXPORT CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle,
                                                   const CUlaunchConfig *config) {
  struct client_function *function;
  if (!size || !config) return CUDA_ERROR_INVALID_VALUE;
  int status = resolve(handle, &function);
  if (!status) *size = (int)client_largest_cluster(function);
  return driver_used(status);
}
