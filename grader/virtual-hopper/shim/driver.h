// Declarations for the files of the CUDA driver's replacement. Errors are CUresult numbers. The runtime uses
// the same numbers.
#ifndef VIRTUAL_HOPPER_SHIM_DRIVER_H
#define VIRTUAL_HOPPER_SHIM_DRIVER_H

#include <cuda.h>

#include "virtual-hopper/shim/client.h"

#define PER_THREAD_STREAM(name, parameters, arguments) \
  PER_THREAD_ENTRY(CUresult, name, name##_ptsz, parameters, arguments)
#define PER_THREAD_DEFAULT(name, parameters, arguments) \
  PER_THREAD_ENTRY(CUresult, name, name##_ptds, parameters, arguments)

// The result of a call that uses the device: the device's sticky error, or else `status`.
CUresult driver_used(int status);
// The result of a call that waits for the device. Like driver_used; also prints the kernels' text.
CUresult driver_waited(int status);

// driver-array.c. Returns a CUDA error.
struct cudaChannelFormatDesc;
int driver_texel(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *texel);
void driver_format(const struct cudaChannelFormatDesc *texel, CUarray_format *format, unsigned *channels);
// driver-copy.c. As for client_transfer; `box` is only filled.
int driver_box_3d(const CUDA_MEMCPY3D *parameters, struct client_box *box);

#endif
