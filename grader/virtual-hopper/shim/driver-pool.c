// Memory pools of the driver. The device's default pool is the only pool, and the runtime's as well. Its
// attributes have no effect.
// In: pools and their attributes; out: CUDA errors, and memory as from cuMemAlloc.
#include "virtual-hopper/shim/driver.h"

#include <string.h>

// The runtime has the same handle (runtime-pool.c).
static CUmemoryPool the_pool(void) {
  return (CUmemoryPool)client_state();
}

static CUresult check_pool(CUmemoryPool pool) {
  return pool == the_pool() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  if (!pool || device) return pool ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *pool = the_pool();
  return (CUresult)client_connect();
}

EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}

EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return device ? CUDA_ERROR_INVALID_DEVICE : check_pool(pool);
}

static CUresult check_place(const CUmemLocation *location, CUmemAllocationType type) {
  if (!location) return CUDA_ERROR_INVALID_VALUE;
  if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return (CUresult)client_unsupported("a memory pool of the host, or of managed memory");
  return location->id ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

EXPORT CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                       CUmemAllocationType type) {
  const CUresult status = check_place(location, type);
  return status ? status : cuDeviceGetDefaultMemPool(pool, location->id);
}

EXPORT CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  return cuMemGetDefaultMemPool(pool, location, type);
}

EXPORT CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
  const CUresult status = check_place(location, type);
  return status ? status : check_pool(pool);
}

EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  (void)attribute;
  return value ? check_pool(pool) : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  if (!value || check_pool(pool)) return CUDA_ERROR_INVALID_VALUE;
  // A switch is an int; the other attributes have 64 bits.
  const bool is_switch = attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
  memset(value, 0, is_switch ? sizeof(int) : sizeof(cuuint64_t));
  if (is_switch) *(int *)value = 1;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  (void)bytes;
  return check_pool(pool);
}

EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool,
                                        CUstream stream) {
  const CUresult status = check_pool(pool);
  return status ? status : cuMemAllocAsync(address, bytes, stream);
}
PER_THREAD_STREAM(cuMemAllocFromPoolAsync);
