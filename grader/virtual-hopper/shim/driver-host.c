// Page-locked host memory, and what an address belongs to. In: the program's addresses; out: CUresult
// numbers.
#include "virtual-hopper/shim/driver.h"

#include <string.h>

enum {
  ALLOCATION_FLAGS = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED,
  REGISTRATION_FLAGS = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                       CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY,
};

static void *pointer_to(CUdeviceptr address) {
  return (void *)(uintptr_t)address;
}

// ---- page-locked memory -----------------------------------------------------------------------------------

EXPORT CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  if (!pointer || !bytes || flags & ~(unsigned)ALLOCATION_FLAGS) return CUDA_ERROR_INVALID_VALUE;
  return driver_used(client_host_allocate(pointer, bytes, flags));
}

EXPORT CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}

EXPORT CUresult cuMemFreeHost(void *pointer) {
  return driver_used(client_host_free(pointer));
}

EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  if (!pointer || !bytes || flags & ~(unsigned)REGISTRATION_FLAGS) return CUDA_ERROR_INVALID_VALUE;
  if (flags & CU_MEMHOSTREGISTER_IOMEMORY)
    return (CUresult)client_unsupported("cuMemHostRegister of a device's memory");
  return driver_used(client_host_register(pointer, bytes, flags));
}

EXPORT CUresult cuMemHostUnregister(void *pointer) {
  return driver_used(client_host_unregister(pointer));
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *pointer, unsigned flags) {
  struct client_host host;
  if (!device || flags || !client_host_find(pointer, &host)) return CUDA_ERROR_INVALID_VALUE;
  *device = (CUdeviceptr)(uintptr_t)pointer;
  return driver_used(client_connect());
}

EXPORT CUresult cuMemHostGetFlags(unsigned *flags, void *pointer) {
  struct client_host host;
  if (!flags || !client_host_find(pointer, &host)) return CUDA_ERROR_INVALID_VALUE;
  *flags = host.flags;
  return driver_used(client_connect());
}

// ---- what an address belongs to ---------------------------------------------------------------------------

struct owner {
  bool locked, managed, device; // at most one of them; none: the driver knows nothing about the address
  uint64_t start;
  size_t bytes;
};

static struct owner owner_of(CUdeviceptr address) {
  struct client_host host;
  struct protocol_location location = {0};
  if (client_host_find(pointer_to(address), &host))
    return (struct owner){.locked = true, .start = (uint64_t)(uintptr_t)host.start, .bytes = host.bytes};
  if (client_locate(address, 1, &location)) return (struct owner){0};
  const bool managed = client_is_managed(pointer_to(address));
  return (struct owner){
      .managed = managed, .device = !managed, .start = location.base, .bytes = location.bytes};
}

static bool is_known(const struct owner *owner) {
  return owner->locked || owner->managed || owner->device;
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  const struct owner owner = owner_of(address);
  if (!is_known(&owner)) return driver_used(CUDA_ERROR_NOT_FOUND);
  if (base) *base = owner.start;
  if (bytes) *bytes = owner.bytes;
  return driver_used(CUDA_SUCCESS);
}

// Writes the attribute, with the size that cuda.h gives it.
static CUresult get_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr address,
                              const struct owner *owner) {
  const unsigned type = owner->locked ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  const CUdeviceptr nowhere = 0;
  const int first = 0;
  const bool no = false, yes = true;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: {
    CUcontext context;
    CUresult status = cuCtxGetCurrent(&context);
    return memcpy(data, &context, sizeof context), status;
  }
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return memcpy(data, &type, sizeof type), CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return memcpy(data, &address, sizeof address), CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    return memcpy(data, owner->device ? &nowhere : &address, sizeof address),
           owner->device ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    return memcpy(data, &owner->start, sizeof owner->start), CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return memcpy(data, &owner->bytes, sizeof owner->bytes), CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return memcpy(data, &first, sizeof first), CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return memcpy(data, owner->managed ? &yes : &no, sizeof yes), CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MAPPED: return memcpy(data, &yes, sizeof yes), CUDA_SUCCESS;
  default: return (CUresult)client_unsupported("pointer attribute %d", (int)attribute);
  }
}

EXPORT CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  if (!data) return CUDA_ERROR_INVALID_VALUE;
  const struct owner owner = owner_of(address);
  return is_known(&owner) ? driver_used(get_attribute(data, attribute, address, &owner))
                          : CUDA_ERROR_INVALID_VALUE;
}

static size_t attribute_bytes(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return sizeof(unsigned);
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return sizeof(int);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_MAPPED: return sizeof(bool);
  default: return sizeof(uint64_t);
  }
}

// Of an address that the driver doesn't know, every attribute is null, and that is no error.
EXPORT CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                                       CUdeviceptr address) {
  if (!count || !attributes || !data) return CUDA_ERROR_INVALID_VALUE;
  const struct owner owner = owner_of(address);
  for (unsigned i = 0; i < count; i++) {
    if (!is_known(&owner)) {
      memset(data[i], 0, attribute_bytes(attributes[i]));
      continue;
    }
    CUresult status = get_attribute(data[i], attributes[i], address, &owner);
    if (status && attributes[i] != CU_POINTER_ATTRIBUTE_HOST_POINTER) return driver_used(status);
  }
  return driver_used(CUDA_SUCCESS);
}
