// The driver's memory functions: allocation, copies, fills. In: device addresses and host pointers; out:
// CUresult numbers. Every operation completes before its call returns. The asynchronous forms differ in one
// point: they do not print the kernels' text.
#include "virtual-hopper/shim/client-graph.h"
#include "virtual-hopper/shim/driver.h"

// `in`: the stream that the memory is made in; 0: everything waits.
static CUresult allocate(CUdeviceptr *address, size_t bytes, uint32_t in) {
  uint64_t found = 0;
  if (!address || !bytes) return CUDA_ERROR_INVALID_VALUE;
  int status = client_allocate(&found, bytes, in);
  *address = found;
  return driver_used(status);
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return allocate(address, bytes, 0);
}

EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                                   unsigned element_bytes) {
  size_t bytes;
  if (!address || !pitch || !width || !height || width > SIZE_MAX - 511) return CUDA_ERROR_INVALID_VALUE;
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + 511) / 512 * 512;
  if (__builtin_mul_overflow(*pitch, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  return cuMemAlloc_v2(address, bytes);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  int status = 0;
  bool managed = client_managed_free((void *)(uintptr_t)address, &status);
  if (!managed && !client_graph_memory_freed(address)) status = client_free(address, 0);
  return driver_waited(status);
}

EXPORT CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  void *pointer = NULL;
  if (!address || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
    return CUDA_ERROR_INVALID_VALUE;
  int status = client_managed_allocate(&pointer, bytes);
  *address = (CUdeviceptr)(uintptr_t)pointer;
  return driver_used(status);
}

EXPORT CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  const int status = client_capture_refuses(stream, "cuMemAllocAsync");
  return status ? (CUresult)status : allocate(address, bytes, client_in(stream));
}
PER_THREAD_STREAM(cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream stream),
                  (address, bytes, stream))

EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  const int status = client_capture_refuses(stream, "cuMemFreeAsync");
  if (status || client_graph_memory_freed(address)) return driver_used(status);
  return driver_used(client_free(address, client_in(stream)));
}
PER_THREAD_STREAM(cuMemFreeAsync, (CUdeviceptr address, CUstream stream), (address, stream))

EXPORT CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  struct protocol_memory memory = {0};
  if (!available || !total) return CUDA_ERROR_INVALID_VALUE;
  int status = client_memory(&memory);
  *available = memory.available;
  *total = memory.total;
  return driver_used(status);
}

// Where managed memory lies is a hint.
EXPORT CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                               CUmemLocation location) {
  (void)bytes, (void)advice, (void)location;
  return driver_used(client_is_managed((const void *)(uintptr_t)address) ? CUDA_SUCCESS
                                                                         : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                                      unsigned flags, CUstream stream) {
  (void)flags, (void)stream;
  return cuMemAdvise_v2(address, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, location);
}
PER_THREAD_STREAM(cuMemPrefetchAsync_v2,
                  (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                   CUstream stream),
                  (address, bytes, location, flags, stream))

// ---- copies -----------------------------------------------------------------------------------------------

enum { TO_DEVICE = 1, TO_HOST, ON_DEVICE, BY_ADDRESS }; // enum cudaMemcpyKind

static int copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, int kind, uint32_t in) {
  const struct client_box box = {.to = (char *)(uintptr_t)to,
                                 .from = (const char *)(uintptr_t)from,
                                 .to_pitch = bytes,
                                 .from_pitch = bytes,
                                 .width = bytes,
                                 .rows = 1,
                                 .slices = 1,
                                 .kind = kind};
  if (bytes && (!to || !from)) return CUDA_ERROR_INVALID_VALUE;
  return client_transfer(&box, in);
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr destination, const void *source, size_t bytes) {
  return driver_waited(
      copy(destination, (CUdeviceptr)(uintptr_t)source, bytes, TO_DEVICE, client_default_waits()));
}
PER_THREAD_DEFAULT(cuMemcpyHtoD_v2, (CUdeviceptr destination, const void *source, size_t bytes),
                   (destination, source, bytes))

EXPORT CUresult cuMemcpyDtoH_v2(void *destination, CUdeviceptr source, size_t bytes) {
  return driver_waited(
      copy((CUdeviceptr)(uintptr_t)destination, source, bytes, TO_HOST, client_default_waits()));
}
PER_THREAD_DEFAULT(cuMemcpyDtoH_v2, (void *destination, CUdeviceptr source, size_t bytes),
                   (destination, source, bytes))

EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  return driver_waited(copy(destination, source, bytes, ON_DEVICE, CLIENT_DEFAULT));
}
PER_THREAD_DEFAULT(cuMemcpyDtoD_v2, (CUdeviceptr destination, CUdeviceptr source, size_t bytes),
                   (destination, source, bytes))

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr destination, const void *source, size_t bytes,
                                     CUstream stream) {
  return driver_used(copy(destination, (CUdeviceptr)(uintptr_t)source, bytes, TO_DEVICE, client_in(stream)));
}
PER_THREAD_STREAM(cuMemcpyHtoDAsync_v2,
                  (CUdeviceptr destination, const void *source, size_t bytes, CUstream stream),
                  (destination, source, bytes, stream))

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *destination, CUdeviceptr source, size_t bytes, CUstream stream) {
  return driver_used(copy((CUdeviceptr)(uintptr_t)destination, source, bytes, TO_HOST, client_in(stream)));
}
PER_THREAD_STREAM(cuMemcpyDtoHAsync_v2,
                  (void *destination, CUdeviceptr source, size_t bytes, CUstream stream),
                  (destination, source, bytes, stream))

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr destination, CUdeviceptr source, size_t bytes,
                                     CUstream stream) {
  return driver_used(copy(destination, source, bytes, ON_DEVICE, client_in(stream)));
}
PER_THREAD_STREAM(cuMemcpyDtoDAsync_v2,
                  (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream),
                  (destination, source, bytes, stream))

// Unified addressing: the function finds out for each address whether it is a device address.
static CUresult copy_any(CUdeviceptr destination, CUdeviceptr source, size_t bytes, uint32_t in) {
  if (!client_is_device((void *)(uintptr_t)destination) && !client_is_device((void *)(uintptr_t)source))
    return CUDA_ERROR_INVALID_VALUE;
  return driver_waited(copy(destination, source, bytes, BY_ADDRESS, in));
}

EXPORT CUresult cuMemcpy(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  return copy_any(destination, source, bytes, client_default_waits());
}
PER_THREAD_DEFAULT(cuMemcpy, (CUdeviceptr destination, CUdeviceptr source, size_t bytes),
                   (destination, source, bytes))

EXPORT CUresult cuMemcpyAsync(CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream) {
  return copy_any(destination, source, bytes, client_in(stream));
}
PER_THREAD_STREAM(cuMemcpyAsync, (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream),
                  (destination, source, bytes, stream))

// ---- fills ------------------------------------------------------------------------------------------------

static CUresult fill(CUdeviceptr address, uint32_t pattern, uint32_t pattern_bytes, size_t count,
                     uint32_t in) {
  size_t bytes;
  if (__builtin_mul_overflow(count, (size_t)pattern_bytes, &bytes) || address % pattern_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  const struct client_box box = {.to = (char *)(uintptr_t)address,
                                 .to_pitch = bytes,
                                 .width = bytes,
                                 .rows = 1,
                                 .slices = 1,
                                 .pattern = pattern,
                                 .pattern_bytes = pattern_bytes};
  return driver_used(client_transfer(&box, in));
}

EXPORT CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t count) {
  return fill(address, value, 1, count, client_default_waits());
}
PER_THREAD_DEFAULT(cuMemsetD8_v2, (CUdeviceptr address, unsigned char value, size_t count),
                   (address, value, count))

EXPORT CUresult cuMemsetD16_v2(CUdeviceptr address, unsigned short value, size_t count) {
  return fill(address, value, 2, count, client_default_waits());
}
PER_THREAD_DEFAULT(cuMemsetD16_v2, (CUdeviceptr address, unsigned short value, size_t count),
                   (address, value, count))

EXPORT CUresult cuMemsetD32_v2(CUdeviceptr address, unsigned value, size_t count) {
  return fill(address, value, 4, count, client_default_waits());
}
PER_THREAD_DEFAULT(cuMemsetD32_v2, (CUdeviceptr address, unsigned value, size_t count),
                   (address, value, count))

EXPORT CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream) {
  return fill(address, value, 1, count, client_in(stream));
}
PER_THREAD_STREAM(cuMemsetD8Async, (CUdeviceptr address, unsigned char value, size_t count, CUstream stream),
                  (address, value, count, stream))

EXPORT CUresult cuMemsetD16Async(CUdeviceptr address, unsigned short value, size_t count, CUstream stream) {
  return fill(address, value, 2, count, client_in(stream));
}
PER_THREAD_STREAM(cuMemsetD16Async,
                  (CUdeviceptr address, unsigned short value, size_t count, CUstream stream),
                  (address, value, count, stream))

EXPORT CUresult cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count, CUstream stream) {
  return fill(address, value, 4, count, client_in(stream));
}
PER_THREAD_STREAM(cuMemsetD32Async, (CUdeviceptr address, unsigned value, size_t count, CUstream stream),
                  (address, value, count, stream))
