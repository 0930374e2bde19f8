// What the driver tells of streams, and sets of them. In: streams; out: CUresult numbers. One idea:
// attributes of streams are hints (L2 windows, memory domains): setting one has no effect, and reading one
// returns its default.
#include <string.h>

#include "virtual-hopper/shim/driver.h"

static CUresult find(CUstream stream, struct client_stream *copy) {
  return client_stream_find(stream, copy) ? driver_used(0) : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  struct client_stream copy;
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = find(stream, &copy);
  if (!status) *flags = copy.flags;
  return status;
}
PER_THREAD_SAME(cuStreamGetFlags);

EXPORT CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  struct client_stream copy;
  if (!priority) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = find(stream, &copy);
  if (!status) *priority = copy.priority;
  return status;
}
PER_THREAD_SAME(cuStreamGetPriority);

EXPORT CUresult cuStreamGetId(CUstream stream, unsigned long long *identifier) {
  struct client_stream copy;
  if (!identifier) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = find(stream, &copy);
  if (!status) *identifier = copy.identifier;
  return status;
}
PER_THREAD_STREAM(cuStreamGetId, (CUstream stream, unsigned long long *identifier), (stream, identifier))

EXPORT CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
  struct client_stream copy;
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return find(stream, &copy);
}
PER_THREAD_SAME(cuStreamGetDevice);

EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  struct client_stream copy;
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = find(stream, &copy);
  return status ? status : cuCtxGetCurrent(context);
}
PER_THREAD_SAME(cuStreamGetCtx);

// No stream belongs to a green context, since none can be made (driver-unsupported.def).
EXPORT CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *green) {
  struct client_stream copy;
  if (!green) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = find(stream, &copy);
  if (!status) *green = NULL;
  return status;
}

EXPORT CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = cuStreamGetCtx(stream, context);
  if (!status && green) *green = NULL;
  return status;
}
PER_THREAD_SAME(cuStreamGetCtx_v2);

EXPORT CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                                     const CUstreamAttrValue *value) {
  struct client_stream copy;
  (void)attribute;
  return value ? find(stream, &copy) : CUDA_ERROR_INVALID_VALUE;
}
PER_THREAD_SAME(cuStreamSetAttribute);

EXPORT CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value) {
  struct client_stream copy;
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = find(stream, &copy);
  if (status) return status;
  memset(value, 0, sizeof *value);
  if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY) value->priority = copy.priority;
  return CUDA_SUCCESS;
}
PER_THREAD_SAME(cuStreamGetAttribute);

EXPORT CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  struct client_stream copy;
  const CUresult status = find(to, &copy);
  return status ? status : find(from, &copy);
}
PER_THREAD_SAME(cuStreamCopyAttributes);

EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned flags) {
  struct client_stream copy;
  if (!callback || flags) return CUDA_ERROR_INVALID_VALUE;
  int status = client_stream_find(stream, &copy) ? 0 : (int)CUDA_ERROR_INVALID_HANDLE;
  if (!status) status = client_capture_waits(stream);
  if (status) return driver_used(status);
  return driver_used(client_callback((void (*)(void *, int, void *))(void *)callback, stream, data));
}
PER_THREAD_STREAM(cuStreamAddCallback,
                  (CUstream stream, CUstreamCallback callback, void *data, unsigned flags),
                  (stream, callback, data, flags))

EXPORT CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags) {
  struct client_stream copy;
  (void)bytes, (void)flags;
  const CUresult status = find(stream, &copy);
  if (status) return status;
  return client_is_managed((const void *)(uintptr_t)address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
PER_THREAD_SAME(cuStreamAttachMemAsync);
