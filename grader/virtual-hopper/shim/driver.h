// Shared by the files of the CUDA driver's replacement. Errors are CUresult numbers, which are the runtime's.
#ifndef VIRTUAL_HOPPER_SHIM_DRIVER_H
#define VIRTUAL_HOPPER_SHIM_DRIVER_H

#include <cuda.h>

#include "virtual-hopper/shim/client.h"

CUresult driver_used(int status);   // of a call that uses the device: the device's own error goes before all
CUresult driver_waited(int status); // of one that waits for it: also prints what kernels printed

#endif
