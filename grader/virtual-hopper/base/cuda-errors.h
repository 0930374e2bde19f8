// CUDA's error numbers, made from cuda-errors.def. Both libraries use the same numbers, cudaError_t and
// CUresult, as int. The names are ours, not CUDA's, so that a file may also include cuda.h or
// cuda_runtime_api.h.
#ifndef VIRTUAL_HOPPER_BASE_CUDA_ERRORS_H
#define VIRTUAL_HOPPER_BASE_CUDA_ERRORS_H

enum cuda_error {
#define CUDA_ERROR(id, number, runtime_name, driver_name, text) id = (number),
#include "virtual-hopper/base/cuda-errors.def"
};

#endif
