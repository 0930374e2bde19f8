// Attributes of kernels, read and set by the program, and occupancy. In: kernels by host address or handle;
// out: CUDA errors, attributes, numbers of blocks.
#include "virtual-hopper/shim/runtime.h"

#include <string.h>

static int resolve(const void *handle, struct client_function **function) {
  *function = runtime_function(handle);
  return *function ? client_function_resolve(*function) : (int)cudaErrorInvalidDeviceFunction;
}

EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *handle) {
  struct client_function *function;
  if (!attributes) return runtime_result(cudaErrorInvalidValue);
  int status = resolve(handle, &function);
  // CUDA 13.0 on an H100 returns this error for an unknown kernel.
  if (!function) status = cudaErrorInvalidResourceHandle;
  if (status) return runtime_used(status);
  const struct protocol_function *info = &function->info;
  memset(attributes, 0, sizeof *attributes);
  attributes->sharedSizeBytes = info->static_shared_bytes;
  attributes->constSizeBytes = info->constant_bytes;
  attributes->localSizeBytes = info->local_bytes;
  attributes->maxThreadsPerBlock = info->max_threads_per_block ? (int)info->max_threads_per_block : 1024;
  attributes->numRegs = (int)info->register_count;
  attributes->ptxVersion = 90;
  attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = (int)info->max_dynamic_shared_bytes;
  attributes->preferredShmemCarveout = function->carveout;
  attributes->clusterDimMustBeSet = info->cluster[0] != 0;
  attributes->requiredClusterWidth = (int)info->cluster[0];
  attributes->requiredClusterHeight = (int)info->cluster[1];
  attributes->requiredClusterDepth = (int)info->cluster[2];
  attributes->nonPortableClusterSizeAllowed = function->nonportable_cluster;
  return runtime_used(cudaSuccess);
}

EXPORT cudaError_t cudaFuncSetAttribute(const void *handle, enum cudaFuncAttribute attribute, int value) {
  struct client_function *function;
  int status = resolve(handle, &function);
  if (status) return runtime_used(status);
  switch (attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize:
    return runtime_used(value < 0 ? (int)cudaErrorInvalidValue : client_set_shared(function, (size_t)value));
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100) return runtime_result(cudaErrorInvalidValue);
    function->carveout = value;
    return runtime_used(cudaSuccess);
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
    function->nonportable_cluster = value != 0;
    return runtime_used(cudaSuccess);
  case cudaFuncAttributeClusterSchedulingPolicyPreference: return runtime_used(cudaSuccess);
  case cudaFuncAttributeClusterDimMustBeSet:
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth:
    return runtime_result(client_unsupported(
        "cudaFuncSetAttribute with attribute %d (set the cluster in the launch)", (int)attribute));
  default: return runtime_result(cudaErrorInvalidValue);
  }
}

EXPORT cudaError_t cudaFuncSetCacheConfig(const void *handle, enum cudaFuncCache config) {
  (void)config; // a hint: shared memory and L1 are one memory, and the device chooses the split
  return runtime_used(runtime_function(handle) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void *handle, enum cudaSharedMemConfig config) {
  (void)config;
  return runtime_used(runtime_function(handle) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

EXPORT cudaError_t cudaFuncGetName(const char **name, const void *handle) {
  struct client_function *function = runtime_function(handle);
  if (!name || !function)
    return runtime_result(name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
  *name = function->name;
  return cudaSuccess;
}

EXPORT cudaError_t cudaFuncGetParamInfo(const void *handle, size_t index, size_t *offset, size_t *bytes) {
  struct client_function *function;
  int status = resolve(handle, &function);
  if (!status && (!offset || index >= function->info.parameter_count)) status = cudaErrorInvalidValue;
  if (status) return runtime_used(status);
  *offset = function->parameters[index].offset;
  if (bytes) *bytes = function->parameters[index].size;
  return runtime_used(cudaSuccess);
}

// A kernel has one handle. The runtime and the driver use it, as cudaFunction_t and as cudaKernel_t.
EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  struct client_function *known;
  int status = function ? resolve(symbol, &known) : (int)cudaErrorInvalidValue;
  if (!status) *function = (cudaFunction_t)known;
  return runtime_used(status);
}

EXPORT cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host_function) {
  struct client_function *known = runtime_function(host_function);
  if (!kernel || !known)
    return runtime_result(kernel ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
  *kernel = (cudaKernel_t)known;
  return cudaSuccess;
}

EXPORT cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                                   int value, int device) {
  if (device) return runtime_result(cudaErrorInvalidDevice);
  return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

// ---- occupancy --------------------------------------------------------------------------------------------

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *handle,
                                                                          int block_size,
                                                                          size_t dynamic_shared,
                                                                          unsigned flags) {
  struct client_function *function;
  if (!blocks || block_size <= 0 || flags > cudaOccupancyDisableCachingOverride)
    return runtime_result(cudaErrorInvalidValue);
  int status = resolve(handle, &function);
  *blocks =
      status ? 0
             : (int)client_blocks_per_multiprocessor(&function->info, (unsigned)block_size, dynamic_shared);
  return runtime_used(status);
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *handle,
                                                                 int block_size, size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, block_size, dynamic_shared,
                                                                0);
}

EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *handle, int blocks,
                                                             int block_size) {
  struct client_function *function;
  if (!bytes || blocks <= 0 || block_size <= 0) return runtime_result(cudaErrorInvalidValue);
  int status = resolve(handle, &function);
  if (!status)
    status = client_available_shared(&function->info, (unsigned)blocks, (unsigned)block_size, bytes);
  return runtime_used(status);
}

static unsigned cluster_of(const cudaLaunchConfig_t *config) {
  unsigned blocks = 1;
  for (unsigned i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
      blocks = config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
               config->attrs[i].val.clusterDim.z;
  return blocks;
}

EXPORT cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *handle,
                                                  const cudaLaunchConfig_t *config) {
  struct client_function *function;
  if (!clusters || !config) return runtime_result(cudaErrorInvalidValue);
  int status = resolve(handle, &function);
  if (status) return runtime_used(status);
  const unsigned threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;
  return runtime_used(
      client_active_clusters(function, cluster_of(config), threads, config->dynamicSmemBytes, clusters));
}

EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *handle,
                                                        const cudaLaunchConfig_t *config) {
  struct client_function *function;
  if (!size || !config) return runtime_result(cudaErrorInvalidValue);
  int status = resolve(handle, &function);
  if (!status) *size = (int)client_largest_cluster(function);
  return runtime_used(status);
}
