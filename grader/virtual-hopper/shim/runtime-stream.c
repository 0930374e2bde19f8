// Streams and events. In: handles; out: CUDA errors and milliseconds. Every operation completes before its
// call returns, but for a launch of a program that shares memory with its kernels. So all other streams
// are idle, and events recorded elsewhere are complete; nevertheless the first query is told no if the host
// has not waited, as it may be on a GPU. An event's time is the device's virtual time.
#include "virtual-hopper/shim/runtime.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/server/protocol.h"

// ---- streams ----------------------------------------------------------------------------------------------

EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  if (!stream || (flags & ~(unsigned)cudaStreamNonBlocking)) return runtime_result(cudaErrorInvalidValue);
  int status = client_connect();
  if (status) return runtime_result(status);
  if (priority > 0) priority = 0;
  if (priority < CLIENT_HIGHEST_PRIORITY) priority = CLIENT_HIGHEST_PRIORITY;
  *stream = (cudaStream_t)client_stream_create(flags, priority);
  return runtime_used(*stream ? cudaSuccess : cudaErrorMemoryAllocation);
}

EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return runtime_used(client_stream_destroy(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  int status = runtime_stream_used(stream);
  if (!status) status = client_capture_waits(stream);
  if (!status) client_order(PROTOCOL_ORDER_HOST_STREAM, client_in(stream), 0, 0);
  if (!status) client_settle_stream(client_in(stream));
  return runtime_waited(status);
}
PER_THREAD_STREAM(cudaStreamSynchronize, (cudaStream_t stream), (stream))

// CUDA doesn't keep cudaErrorNotReady as the thread's last error.
EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (client_stream_is_busy(stream)) return cudaErrorNotReady;
  int status = runtime_stream_used(stream);
  if (!status) status = client_capture_waits(stream);
  if (!status && !client_stream_is_done(client_in(stream))) return cudaErrorNotReady;
  return client_is_busy() ? runtime_used(status) : runtime_waited(status);
}
PER_THREAD_STREAM(cudaStreamQuery, (cudaStream_t stream), (stream))

EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  int status = runtime_stream_used(stream);
  if (!status) status = client_event_wait(event, stream, flags & cudaEventWaitExternal);
  return runtime_used(status);
}
PER_THREAD_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                  (stream, event, flags))

static cudaError_t find_stream(cudaStream_t stream, struct client_stream *copy) {
  return runtime_result(client_stream_find(stream, copy) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  struct client_stream copy;
  if (!flags) return runtime_result(cudaErrorInvalidValue);
  cudaError_t status = find_stream(stream, &copy);
  if (!status) *flags = copy.flags;
  return status;
}
PER_THREAD_SAME(cudaStreamGetFlags);

EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  struct client_stream copy;
  if (!priority) return runtime_result(cudaErrorInvalidValue);
  cudaError_t status = find_stream(stream, &copy);
  if (!status) *priority = copy.priority;
  return status;
}
PER_THREAD_SAME(cudaStreamGetPriority);

EXPORT cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *identifier) {
  struct client_stream copy;
  if (!identifier) return runtime_result(cudaErrorInvalidValue);
  cudaError_t status = find_stream(stream, &copy);
  if (!status) *identifier = copy.identifier;
  return status;
}
PER_THREAD_STREAM(cudaStreamGetId, (cudaStream_t stream, unsigned long long *identifier),
                  (stream, identifier))

EXPORT cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  struct client_stream copy;
  if (!device) return runtime_result(cudaErrorInvalidValue);
  cudaError_t status = find_stream(stream, &copy);
  if (!status) *device = 0;
  return status;
}
PER_THREAD_SAME(cudaStreamGetDevice);

// Attributes of streams are hints (L2 windows, priorities, memory domains). Setting one has no effect, and
// reading one returns its default.
EXPORT cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                          const cudaLaunchAttributeValue *value) {
  struct client_stream copy;
  (void)attribute;
  return value ? find_stream(stream, &copy) : runtime_result(cudaErrorInvalidValue);
}
PER_THREAD_SAME(cudaStreamSetAttribute);

EXPORT cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                          cudaLaunchAttributeValue *value) {
  struct client_stream copy;
  if (!value) return runtime_result(cudaErrorInvalidValue);
  cudaError_t status = find_stream(stream, &copy);
  if (status) return status;
  memset(value, 0, sizeof *value);
  if (attribute == cudaLaunchAttributePriority) value->priority = copy.priority;
  return cudaSuccess;
}
PER_THREAD_SAME(cudaStreamGetAttribute);

EXPORT cudaError_t cudaStreamCopyAttributes(cudaStream_t destination, cudaStream_t source) {
  struct client_stream copy;
  cudaError_t status = find_stream(destination, &copy);
  return status ? status : find_stream(source, &copy);
}
PER_THREAD_SAME(cudaStreamCopyAttributes);

EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *lowest, int *highest) {
  if (lowest) *lowest = 0;
  if (highest) *highest = CLIENT_HIGHEST_PRIORITY;
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return runtime_used(client_connect());
}

// ---- events -----------------------------------------------------------------------------------------------

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  if (!event) return runtime_result(cudaErrorInvalidValue);
  if (flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess))
    return runtime_result(cudaErrorInvalidValue);
  if (flags & cudaEventInterprocess)
    return runtime_result(client_unsupported("an event shared between processes"));
  int status = client_connect();
  if (status) return runtime_result(status);
  *event = (cudaEvent_t)client_event_create(flags);
  return runtime_used(*event ? cudaSuccess : cudaErrorMemoryAllocation);
}

EXPORT cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return runtime_used(client_event_destroy(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream, bool external) {
  const int status = runtime_stream_used(stream);
  return runtime_result_of(status ? status : client_event_record(event, stream, external), "cudaEventRecord");
}

EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record(event, stream, false);
}
PER_THREAD_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))

EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return flags > cudaEventRecordExternal ? runtime_result(cudaErrorInvalidValue)
                                         : record(event, stream, flags == cudaEventRecordExternal);
}
PER_THREAD_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
                  (event, stream, flags))

EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  struct client_event copy;
  if (!client_event_find(event, &copy)) return runtime_waited(cudaErrorInvalidResourceHandle);
  const int captured = client_capture_asks(event);
  if (captured) return runtime_result(captured);
  client_order(PROTOCOL_ORDER_HOST_EVENT, CLIENT_DEFAULT, (uint64_t)(uintptr_t)event, 0);
  return runtime_waited(cudaSuccess);
}

EXPORT cudaError_t cudaEventQuery(cudaEvent_t event) {
  struct client_event copy;
  if (!client_event_find(event, &copy)) return runtime_result(cudaErrorInvalidResourceHandle);
  const int captured = client_capture_asks(event);
  if (captured) return runtime_result(captured);
  if (copy.waits || !client_event_is_done(event)) return cudaErrorNotReady;
  return client_is_busy() ? runtime_used(cudaSuccess) : runtime_waited(cudaSuccess);
}

// The kernels' times are made up, unless the device keeps time (vhopper run --time). Says so, once.
static void warn_of_times(void) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  if (!getenv(PROTOCOL_UNTIMED_VARIABLE) || atomic_flag_test_and_set(&said)) return;
  fputs("vhopper: times are not measured here, so what cudaEventElapsedTime returns means nothing; "
        "vhopper run --time h100 predicts them\n",
        stderr);
}

EXPORT cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  struct client_event first, last;
  if (!milliseconds) return runtime_result(cudaErrorInvalidValue);
  if (!client_event_find(start, &first) || !client_event_find(end, &last))
    return runtime_result(cudaErrorInvalidResourceHandle);
  int captured = client_capture_asks(start);
  if (!captured) captured = client_capture_asks(end);
  if (captured) return runtime_result(captured);
  if (!first.recorded || !last.recorded || (first.flags | last.flags) & cudaEventDisableTiming)
    return runtime_result(cudaErrorInvalidResourceHandle);
  if (first.waits || last.waits) return cudaErrorNotReady;
  client_order(PROTOCOL_ORDER_HOST_EVENT, CLIENT_DEFAULT, (uint64_t)(uintptr_t)end, 0);
  warn_of_times();
  *milliseconds = (float)((double)(int64_t)(last.time - first.time) / 1e6);
  return runtime_used(cudaSuccess);
}
