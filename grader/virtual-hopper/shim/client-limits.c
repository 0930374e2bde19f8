// The limits of a context (cudaDeviceSetLimit, cuCtxSetLimit, which number them alike). In: a limit's number
// and value; out: CUDA errors. The idea: the device keeps the two that change what kernels do; the others are
// hints, and are only remembered.
#include "virtual-hopper/shim/client.h"

#include <cuda_runtime_api.h>

enum { SMALLEST_HEAP = 4 << 20, STACK_UNIT = 16 };

// Read off an H100 with driver 580.
static const size_t defaults[CLIENT_LIMITS] = {
    [cudaLimitStackSize] = 1024,           [cudaLimitPrintfFifoSize] = 8650752,
    [cudaLimitMallocHeapSize] = 8388608,   [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64, [cudaLimitPersistingL2CacheSize] = 9830400,
};

static bool is_known(unsigned limit) {
  return limit < CLIENT_LIMITS && limit != cudaLimitDevRuntimeSyncDepth;
}

// What the chip makes of a value.
static size_t granted(unsigned limit, size_t value) {
  if (limit == cudaLimitStackSize && value < SIZE_MAX - STACK_UNIT)
    return (value + STACK_UNIT - 1) / STACK_UNIT * STACK_UNIT;
  if (limit == cudaLimitMallocHeapSize && value < SMALLEST_HEAP) return SMALLEST_HEAP;
  return value;
}

int client_limit(unsigned limit, size_t *value) {
  if (!value) return ERROR_INVALID_VALUE;
  if (!is_known(limit)) return ERROR_UNSUPPORTED_LIMIT;
  const uint64_t set = atomic_load(&client_state()->limits[limit]);
  *value = set ? set - 1 : defaults[limit];
  return client_connect();
}

static int tell_device(enum protocol_limit limit, size_t value) {
  struct protocol_set_limit body = {.limit = limit, .bytes = value};
  struct client_request request = {.operation = PROTOCOL_SET_LIMIT, .body = &body, .body_bytes = sizeof body};
  return client_call(&request);
}

int client_set_limit(unsigned limit, size_t value) {
  if (!is_known(limit)) return ERROR_UNSUPPORTED_LIMIT;
  value = granted(limit, value);
  int status = limit == cudaLimitStackSize        ? tell_device(PROTOCOL_LIMIT_STACK, value)
               : limit == cudaLimitMallocHeapSize ? tell_device(PROTOCOL_LIMIT_HEAP, value)
                                                  : client_connect();
  if (!status && value < UINT64_MAX) atomic_store(&client_state()->limits[limit], value + 1);
  return status;
}

void client_limits_forget(void) {
  for (unsigned i = 0; i < CLIENT_LIMITS; i++)
    atomic_store(&client_state()->limits[i], 0);
}
