// Memory pools (client-pool.c). Their attributes have no effect.
// In: pools and their attributes; out: CUDA errors, and memory as from cudaMalloc.
#include "virtual-hopper/shim/runtime.h"

#include <string.h>

static cudaError_t check_pool(cudaMemPool_t pool) {
  return client_pool_check(pool) ? cudaSuccess : cudaErrorInvalidValue;
}

EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (!pool || device) return runtime_result(pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *pool = (cudaMemPool_t)client_pool_default();
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  if (!pool || device) return runtime_result(pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *pool = (cudaMemPool_t)client_pool_current();
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
  if (!pool || !properties) return runtime_result(cudaErrorInvalidValue);
  if (properties->allocType != cudaMemAllocationTypePinned ||
      properties->location.type != cudaMemLocationTypeDevice ||
      properties->handleTypes != cudaMemHandleTypeNone)
    return runtime_result(client_unsupported("a memory pool of the host, or one that processes share"));
  if (properties->location.id) return runtime_result(cudaErrorInvalidDevice);
  *pool = (cudaMemPool_t)client_pool_create();
  return runtime_used(*pool ? cudaSuccess : cudaErrorMemoryAllocation);
}

EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return runtime_used(client_pool_destroy(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

// There is one device, and it has access to its own memory.
EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access,
                                        size_t count) {
  if (check_pool(pool) || (count && !access)) return runtime_result(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; i++)
    if (access[i].location.type != cudaMemLocationTypeDevice || access[i].location.id)
      return runtime_result(cudaErrorInvalidDevice);
  return runtime_result(cudaSuccess);
}

EXPORT cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                        struct cudaMemLocation *location) {
  if (!flags || !location || check_pool(pool)) return runtime_result(cudaErrorInvalidValue);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return runtime_result(cudaSuccess);
}

EXPORT cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device) return runtime_result(cudaErrorInvalidDevice);
  return runtime_result(client_pool_use(pool) ? cudaSuccess : cudaErrorInvalidValue);
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
PER_THREAD_STREAM(cudaMallocFromPoolAsync,
                  (void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                  (pointer, bytes, pool, stream))
