// Results of the runtime's functions: each thread's last error, the device's sticky error, names and texts of
// all errors. In: CUDA error numbers; out: the same numbers, stored by CUDA's rules.
#include "virtual-hopper/shim/runtime.h"

#include <string.h>

#include "virtual-hopper/shim/runtime-unsupported.h"

struct error_entry {
  int number;
  const char *name, *text;
};
static const struct error_entry errors[] = {
#define CUDA_ERROR(id, number, runtime_name, driver_name, text) {number, runtime_name, text},
#include "virtual-hopper/base/cuda-errors.def"
};

struct runtime_thread *runtime_thread(void) {
  static _Thread_local struct runtime_thread thread; // CUDA defines one "last error" for each thread
  return &thread;
}

// Errors that say that the arguments of the call are wrong. The others may be met by a program that is right.
static bool is_misuse(int status) {
  switch (status) {
  case cudaErrorInvalidValue:
  case cudaErrorInvalidConfiguration:
  case cudaErrorInvalidPitchValue:
  case cudaErrorInvalidSymbol:
  case cudaErrorInvalidDevicePointer:
  case cudaErrorInvalidMemcpyDirection:
  case cudaErrorInvalidDeviceFunction:
  case cudaErrorInvalidDevice:
  case cudaErrorInvalidResourceHandle:
  case cudaErrorLaunchOutOfResources:
  case cudaErrorHostMemoryAlreadyRegistered:
  case cudaErrorHostMemoryNotRegistered:
  case cudaErrorCooperativeLaunchTooLarge:
  case cudaErrorInvalidClusterSize: return true;
  default: return false;
  }
}

cudaError_t runtime_result_of(int status, const char *function) {
  const bool launch = strcmp(function, RUNTIME_LAUNCH) == 0;
  if (status) runtime_thread()->last_error = (cudaError_t)status;
  if (is_misuse(status) && !client_device_error())
    client_call_failed(status, launch ? "A launch" : function, launch);
  return (cudaError_t)status;
}

int runtime_unsupported(const char *name) {
  return runtime_result(client_unsupported("%s", name));
}

cudaError_t runtime_used_by(int status, const char *function) {
  int device_error = client_device_error();
  if (device_error) atomic_store(&client_state()->error_was_told, true);
  return runtime_result_of(device_error ? device_error : status, function);
}

cudaError_t runtime_waited_by(int status, const char *function) {
  client_flush_output();
  return runtime_used_by(status, function);
}

cudaError_t runtime_stream_used(cudaStream_t stream) {
  struct client_stream copy;
  return client_stream_find(stream, &copy) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

// Once a call has returned a sticky error, cudaGetLastError can't clear it.
EXPORT cudaError_t cudaPeekAtLastError(void) {
  client_error_seen();
  const struct runtime_thread *thread = runtime_thread();
  if (thread->last_error) return thread->last_error;
  return atomic_load(&client_state()->error_was_told) ? (cudaError_t)client_device_error() : cudaSuccess;
}

EXPORT cudaError_t cudaGetLastError(void) {
  cudaError_t error = cudaPeekAtLastError();
  runtime_thread()->last_error = cudaSuccess;
  return error;
}

static const struct error_entry *find_error(int number) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].number == number && errors[i].name[0]) return &errors[i];
  return NULL;
}

EXPORT const char *cudaGetErrorName(cudaError_t error) {
  const struct error_entry *entry = find_error(error);
  return entry ? entry->name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t error) {
  const struct error_entry *entry = find_error(error);
  return entry ? entry->text : "unrecognized error code";
}
