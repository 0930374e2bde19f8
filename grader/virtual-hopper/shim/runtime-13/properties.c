// The part that differs in libcudart.so.13: the layout of cudaDeviceProp. The layout comes from the installed
// CUDA header. In: a device's number; out: the filled structure.
#include "virtual-hopper/shim/runtime-properties.h"

const int runtime_major = 13;

EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  if (!properties || device)
    return runtime_result(properties ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  FILL_PROPERTIES(properties);
  properties->deviceNumaId = -1;
  return runtime_result(client_connect());
}
