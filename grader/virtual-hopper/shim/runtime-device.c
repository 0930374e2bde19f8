// The one device: count, choice, limits, synchronisation, reset. Peer devices do not exist.
// In: device numbers; out: CUDA errors and the figures of an H100.
#include "virtual-hopper/shim/runtime.h"

#include <stdio.h>
#include <string.h>

EXPORT cudaError_t cudaRuntimeGetVersion(int *version) {
  if (!version) return runtime_result(cudaErrorInvalidValue);
  *version = runtime_major * 1000;
  return cudaSuccess;
}

EXPORT cudaError_t cudaDriverGetVersion(int *version) {
  if (!version) return runtime_result(cudaErrorInvalidValue);
  *version = CLIENT_DRIVER_VERSION;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGetDeviceCount(int *count) {
  int status = count ? client_connect() : (int)cudaErrorInvalidValue;
  if (count) *count = status ? 0 : 1;
  return runtime_result(status);
}

static cudaError_t check_device(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

EXPORT cudaError_t cudaGetDevice(int *device) {
  if (!device) return runtime_result(cudaErrorInvalidValue);
  *device = 0;
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaSetDevice(int device) {
  cudaError_t status = check_device(device);
  return runtime_result(status ? (int)status : client_connect());
}

EXPORT cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
  (void)device_flags, (void)flags;
  return cudaSetDevice(device);
}

EXPORT cudaError_t cudaSetValidDevices(int *devices, int count) {
  for (int i = 0; i < count; i++)
    if (!devices || check_device(devices[i])) return runtime_result(cudaErrorInvalidDevice);
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted) {
  (void)wanted;
  return cudaGetDevice(device);
}

EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return runtime_result(flags & ~(unsigned)cudaDeviceMask ? (int)cudaErrorInvalidValue : client_connect());
}

EXPORT cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  if (!flags) return runtime_result(cudaErrorInvalidValue);
  *flags = cudaDeviceScheduleAuto;
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  if (!value || check_device(device))
    return runtime_result(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  if (!client_attribute(attribute, value)) return runtime_result(cudaErrorInvalidValue);
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceSynchronize(void) {
  const int captured = client_capture_unsafe();
  if (captured) return runtime_result(captured);
  client_order(PROTOCOL_ORDER_HOST_ALL, CLIENT_DEFAULT, 0, 0);
  client_settle_stream(0);
  return runtime_waited(client_connect());
}

// The device drops its modules, its memory and the error that stopped it.
EXPORT cudaError_t cudaDeviceReset(void) {
  client_flush_output();
  struct client_request request = {.operation = PROTOCOL_RESET};
  int status = client_call(&request);
  runtime_forget_device();
  client_managed_forget();
  client_limits_forget();
  client_hosts_forget();
  atomic_store(&client_state()->error_was_told, false);
  runtime_thread()->last_error = cudaSuccess;
  return runtime_result(status);
}

// ---- limits -----------------------------------------------------------------------------------------------

EXPORT cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  return runtime_result(client_limit(limit, value));
}

EXPORT cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  return runtime_result(client_set_limit(limit, value));
}

EXPORT cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
  if (!config) return runtime_result(cudaErrorInvalidValue);
  *config = cudaFuncCachePreferNone;
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  (void)config;
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
  if (!config) return runtime_result(cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
  (void)config;
  return runtime_result(client_connect());
}

// ---- the bus and peers ------------------------------------------------------------------------------------

EXPORT cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
  if (!text || size <= 0 || check_device(device)) return runtime_result(cudaErrorInvalidValue);
  snprintf(text, (size_t)size, "%s", CLIENT_BUS_ID);
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  if (!device || !text || !strstr(CLIENT_BUS_ID, text)) return runtime_result(cudaErrorInvalidValue);
  *device = 0;
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can || check_device(device) || check_device(peer)) return runtime_result(cudaErrorInvalidDevice);
  *can = 0;
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  (void)peer, (void)flags;
  return runtime_result(cudaErrorInvalidDevice);
}

EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  (void)peer;
  return runtime_result(cudaErrorInvalidDevice);
}

// ---- profilers: these functions do nothing ----------------------------------------------------------------

EXPORT cudaError_t cudaProfilerStart(void) {
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaProfilerStop(void) {
  return runtime_result(client_connect());
}

// ---- the description of a texture's texels, which no function here uses -----------------------------------

EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                          enum cudaChannelFormatKind kind) {
  return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}
