// Contexts, streams and events of the driver. In: handles; out: CUresult numbers.
// There is one device. Its primary context is the only context, and it always exists.
#include "virtual-hopper/shim/driver.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // programs still call what CUDA 13 deprecates

// The handle of the one context. Any address except NULL would do.
static CUcontext the_context(void) {
  return (CUcontext)client_state();
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  if (!context || device) return context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *context = the_context();
  return (CUresult)client_connect();
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  (void)flags;
  return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  if (flags) *flags = 0;
  if (active) *active = 1;
  return (CUresult)client_connect();
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  (void)flags;
  return cuDevicePrimaryCtxRetain(context, device);
}

EXPORT CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned flags,
                               CUdevice device) {
  (void)parameters, (void)flags;
  return cuDevicePrimaryCtxRetain(context, device);
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  return context == the_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = the_context();
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  return !context || context == the_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return cuCtxSetCurrent(context);
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  if (context) *context = the_context();
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
  (void)context;
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = CLIENT_DRIVER_VERSION;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  return (CUresult)client_limit(limit, value);
}

EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return (CUresult)client_set_limit(limit, value);
}

EXPORT CUresult cuCtxSynchronize(void) {
  const int captured = client_capture_unsafe();
  if (captured) return (CUresult)captured;
  client_order(PROTOCOL_ORDER_HOST_ALL, CLIENT_DEFAULT, 0, 0);
  client_settle_stream(0);
  return driver_waited(client_connect());
}

EXPORT CUresult cuCtxSynchronize_v2(CUcontext context) {
  return context == the_context() ? cuCtxSynchronize() : CUDA_ERROR_INVALID_CONTEXT;
}

// ---- what the context is like -----------------------------------------------------------------------------

EXPORT CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context) {
  return !context || context == the_context() ? cuCtxGetDevice(device) : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuCtxGetFlags(unsigned *flags) {
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  *flags = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetFlags(unsigned flags) {
  (void)flags;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long *identifier) {
  if (!identifier) return CUDA_ERROR_INVALID_VALUE;
  *identifier = 1;
  return !context || context == the_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuCtxGetStreamPriorityRange(int *lowest, int *highest) {
  if (lowest) *lowest = 0;
  if (highest) *highest = CLIENT_HIGHEST_PRIORITY;
  return (CUresult)client_connect();
}

// Preferences between L1 and shared memory, and L2's persisting lines: they change no result.
EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  (void)config;
  return (CUresult)client_connect();
}

EXPORT CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return (CUresult)client_connect();
}

EXPORT CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  (void)config;
  return (CUresult)client_connect();
}

EXPORT CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return (CUresult)client_connect();
}

EXPORT CUresult cuCtxResetPersistingL2Cache(void) {
  return (CUresult)client_connect();
}

// There is no other device to be a peer.
EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  (void)peer;
  return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return peer == the_context() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

EXPORT CUresult cuCtxAttach(CUcontext *context, unsigned flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : cuCtxGetCurrent(context);
}

EXPORT CUresult cuCtxDetach(CUcontext context) {
  return cuCtxDestroy_v2(context);
}

// ---- streams ----------------------------------------------------------------------------------------------

static int check_stream(CUstream stream) {
  struct client_stream copy;
  return client_stream_find(stream, &copy) ? 0 : (int)CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  if (!stream || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *stream = (CUstream)client_stream_create(flags, priority);
  return driver_used(*stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  return driver_used(client_stream_destroy(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  int status = check_stream(stream);
  if (!status) status = client_capture_waits(stream);
  if (!status) client_order(PROTOCOL_ORDER_HOST_STREAM, client_in(stream), 0, 0);
  if (!status) client_settle_stream(client_in(stream));
  return driver_waited(status);
}
PER_THREAD_STREAM(cuStreamSynchronize, (CUstream stream), (stream))

EXPORT CUresult cuStreamQuery(CUstream stream) {
  if (client_stream_is_busy(stream)) return CUDA_ERROR_NOT_READY;
  int status = check_stream(stream);
  if (!status) status = client_capture_waits(stream);
  if (!status && !client_stream_is_done(client_in(stream))) return CUDA_ERROR_NOT_READY;
  return client_is_busy() ? driver_used(status) : driver_waited(status);
}
PER_THREAD_STREAM(cuStreamQuery, (CUstream stream), (stream))

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  int status = check_stream(stream);
  if (!status) status = client_event_wait(event, stream, flags & CU_EVENT_WAIT_EXTERNAL);
  return driver_used(status);
}
PER_THREAD_STREAM(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), (stream, event, flags))

// ---- events -----------------------------------------------------------------------------------------------

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags) {
  if (!event) return CUDA_ERROR_INVALID_VALUE;
  *event = (CUevent)client_event_create(flags);
  return driver_used(*event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  return driver_used(client_event_destroy(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  int status = check_stream(stream);
  return (CUresult)(status ? status : client_event_record(event, stream, false));
}
PER_THREAD_STREAM(cuEventRecord, (CUevent event, CUstream stream), (event, stream))

EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  int status = flags > CU_EVENT_RECORD_EXTERNAL ? (int)CUDA_ERROR_INVALID_VALUE : check_stream(stream);
  return (CUresult)(status ? status : client_event_record(event, stream, flags != 0));
}
PER_THREAD_STREAM(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
                  (event, stream, flags))

EXPORT CUresult cuEventSynchronize(CUevent event) {
  struct client_event copy;
  if (!client_event_find(event, &copy)) return driver_waited(CUDA_ERROR_INVALID_HANDLE);
  const int captured = client_capture_asks(event);
  if (captured) return (CUresult)captured;
  client_order(PROTOCOL_ORDER_HOST_EVENT, CLIENT_DEFAULT, (uint64_t)(uintptr_t)event, 0);
  return driver_waited(CUDA_SUCCESS);
}

EXPORT CUresult cuEventQuery(CUevent event) {
  struct client_event copy;
  if (!client_event_find(event, &copy)) return driver_waited(CUDA_ERROR_INVALID_HANDLE);
  const int captured = client_capture_asks(event);
  if (captured) return (CUresult)captured;
  if (copy.waits || !client_event_is_done(event)) return CUDA_ERROR_NOT_READY;
  return driver_waited(CUDA_SUCCESS);
}

EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  struct client_event first, last;
  if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
  if (!client_event_find(start, &first) || !client_event_find(end, &last)) return CUDA_ERROR_INVALID_HANDLE;
  int captured = client_capture_asks(start);
  if (!captured) captured = client_capture_asks(end);
  if (captured) return (CUresult)captured;
  if (!first.recorded || !last.recorded || (first.flags | last.flags) & CU_EVENT_DISABLE_TIMING)
    return CUDA_ERROR_INVALID_HANDLE;
  if (first.waits || last.waits) return CUDA_ERROR_NOT_READY;
  client_order(PROTOCOL_ORDER_HOST_EVENT, CLIENT_DEFAULT, (uint64_t)(uintptr_t)end, 0);
  *milliseconds = (float)((double)(int64_t)(last.time - first.time) / 1e6);
  return driver_used(CUDA_SUCCESS);
}

#undef cuEventElapsedTime
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
