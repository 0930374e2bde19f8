// Page-locked host memory, and what a pointer points to. In: the program's pointers; out: CUDA errors.
#include "virtual-hopper/shim/runtime.h"

#include <string.h>

enum {
  ALLOCATION_FLAGS = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined,
  REGISTRATION_FLAGS =
      cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly,
};

EXPORT cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  if (!pointer || flags & ~(unsigned)ALLOCATION_FLAGS) return runtime_result(cudaErrorInvalidValue);
  *pointer = NULL;
  return runtime_used(bytes ? client_host_allocate(pointer, bytes, flags) : client_connect());
}

EXPORT cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

EXPORT cudaError_t cudaFreeHost(void *pointer) {
  return runtime_waited(pointer ? client_host_free(pointer) : client_connect());
}

EXPORT cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
  if (!pointer || !bytes || flags & ~(unsigned)REGISTRATION_FLAGS)
    return runtime_result(cudaErrorInvalidValue);
  if (flags & cudaHostRegisterIoMemory)
    return runtime_result(client_unsupported("cudaHostRegister of a device's memory"));
  return runtime_used(client_host_register(pointer, bytes, flags));
}

EXPORT cudaError_t cudaHostUnregister(void *pointer) {
  return runtime_used(client_host_unregister(pointer));
}

EXPORT cudaError_t cudaHostGetDevicePointer(void **device, void *pointer, unsigned flags) {
  struct client_host host;
  if (!device || flags || !client_host_find(pointer, &host)) return runtime_result(cudaErrorInvalidValue);
  *device = pointer;
  return runtime_used(client_connect());
}

EXPORT cudaError_t cudaHostGetFlags(unsigned *flags, void *pointer) {
  struct client_host host;
  if (!flags || !client_host_find(pointer, &host)) return runtime_result(cudaErrorInvalidValue);
  *flags = host.flags;
  return runtime_used(client_connect());
}

EXPORT cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
  if (!attributes) return runtime_result(cudaErrorInvalidValue);
  int status = client_connect();
  struct client_host host;
  const bool locked = client_host_find(pointer, &host);
  const bool device = !status && pointer && !locked && client_is_device(pointer);
  const bool managed = device && client_is_managed(pointer);
  attributes->type = managed  ? cudaMemoryTypeManaged
                     : device ? cudaMemoryTypeDevice
                     : locked ? cudaMemoryTypeHost
                              : cudaMemoryTypeUnregistered;
  attributes->device = device || locked ? 0 : -2; // -2: the driver's answer for memory it doesn't know
  attributes->devicePointer = device || locked ? (void *)(uintptr_t)pointer : NULL;
  attributes->hostPointer = device && !managed ? NULL : (void *)(uintptr_t)pointer;
  // CUDA 12's structure ends before this field.
  if (runtime_major >= 13) memset(attributes->reserved, 0, sizeof attributes->reserved);
  return runtime_used(status);
}
