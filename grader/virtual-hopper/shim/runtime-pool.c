// Memory pools. The device's default pool is the only pool. Its attributes have no effect.
// In: pools and their attributes; out: CUDA errors, and memory as from cudaMalloc.
#include "virtual-hopper/shim/runtime.h"

#include <string.h>

// The handle of the one pool. Any address except NULL would do.
static cudaMemPool_t the_pool(void) {
  return (cudaMemPool_t)client_state();
}

static cudaError_t check_pool(cudaMemPool_t pool) {
  return pool == the_pool() ? cudaSuccess : cudaErrorInvalidValue;
}

EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (!pool || device) return runtime_result(pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *pool = the_pool();
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}

EXPORT cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return runtime_result(device ? cudaErrorInvalidDevice : check_pool(pool));
}

EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  (void)attribute;
  return runtime_result(value ? check_pool(pool) : cudaErrorInvalidValue);
}

EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
  if (!value || check_pool(pool)) return runtime_result(cudaErrorInvalidValue);
  // A switch is an int; the other attributes have 64 bits.
  bool is_switch = attribute <= cudaMemPoolReuseAllowInternalDependencies;
  memset(value, 0, is_switch ? sizeof(int) : sizeof(uint64_t));
  if (is_switch) *(int *)value = 1;
  return runtime_result(cudaSuccess);
}

EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  (void)bytes;
  return runtime_result(check_pool(pool));
}

EXPORT cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
  cudaError_t status = check_pool(pool);
  return status ? runtime_result(status) : cudaMallocAsync(pointer, bytes, stream);
}
PER_THREAD_STREAM(cudaMallocFromPoolAsync);
