// Memory pools of the driver (client-pool.c), which are the runtime's as well. Their attributes have no
// effect.
// In: pools and their attributes; out: CUDA errors, and memory as from cuMemAlloc.
#include "virtual-hopper/shim/driver.h"

#include <string.h>

static CUresult check_pool(CUmemoryPool pool) {
  return client_pool_check(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  if (!pool || device) return pool ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *pool = (CUmemoryPool)client_pool_default();
  return (CUresult)client_connect();
}

EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  if (!pool || device) return pool ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *pool = (CUmemoryPool)client_pool_current();
  return (CUresult)client_connect();
}

EXPORT CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
  if (!pool || !properties) return CUDA_ERROR_INVALID_VALUE;
  if (properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return (CUresult)client_unsupported("a memory pool of the host, or one that processes share");
  if (properties->location.id) return CUDA_ERROR_INVALID_DEVICE;
  *pool = (CUmemoryPool)client_pool_create();
  return driver_used(*pool ? 0 : (int)CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return driver_used(client_pool_destroy(pool) ? 0 : (int)CUDA_ERROR_INVALID_VALUE);
}

// There is one device, and it has access to its own memory.
EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count) {
  if (check_pool(pool) || (count && !access)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id)
      return CUDA_ERROR_INVALID_DEVICE;
  return driver_used(0);
}

EXPORT CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
  if (!flags || !location || check_pool(pool)) return CUDA_ERROR_INVALID_VALUE;
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return driver_used(0);
}

EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  return client_pool_use(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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
PER_THREAD_STREAM(cuMemAllocFromPoolAsync,
                  (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),
                  (address, bytes, pool, stream))
