// Declarations for the files of the CUDA driver's replacement. Errors are CUresult numbers. The runtime uses
// the same numbers.
#ifndef VIRTUAL_HOPPER_SHIM_DRIVER_H
#define VIRTUAL_HOPPER_SHIM_DRIVER_H

#include <cuda.h>

#include "virtual-hopper/shim/client.h"

// The result of a call that uses the device: the device's sticky error, or else `status`.
CUresult driver_used(int status);
// The result of a call that waits for the device. Like driver_used; also prints the kernels' text.
CUresult driver_waited(int status);

#endif
