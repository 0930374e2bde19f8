// The CUDA driver, opened by name at run time, so that the grader is built and runs on machines without one.
#ifndef DEVICE_GPU_DRIVER_H
#define DEVICE_GPU_DRIVER_H

#include "device/device.h"

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

struct gpu_driver {
  void *library;
  CUresult (*init)(unsigned);
  CUresult (*device_get)(CUdevice *, int);
  CUresult (*device_count)(int *);
  CUresult (*device_name)(char *, int, CUdevice);
  CUresult (*device_attribute)(int *, CUdevice_attribute, CUdevice);
  CUresult (*primary_context)(CUcontext *, CUdevice);
  CUresult (*set_context)(CUcontext);
  CUresult (*error_name)(CUresult, const char **);
  CUresult (*granularity)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
  CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
  CUresult (*release)(CUmemGenericAllocationHandle);
  CUresult (*export_handle)(void *, CUmemGenericAllocationHandle, CUmemAllocationHandleType,
                            unsigned long long);
  CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
  CUresult (*unreserve)(CUdeviceptr, size_t);
  CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
  CUresult (*unmap)(CUdeviceptr, size_t);
  CUresult (*set_access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
  CUresult (*to_device)(CUdeviceptr, const void *, size_t);
  CUresult (*to_host)(void *, CUdeviceptr, size_t);
  CUresult (*rows_to_host)(const CUDA_MEMCPY2D *, CUstream);
  CUresult (*copy)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
  CUresult (*synchronise)(void);
  CUresult (*module_load)(CUmodule *, const void *);
  CUresult (*module_unload)(CUmodule);
  CUresult (*get_function)(CUfunction *, CUmodule, const char *);
  CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     CUstream, void **, void **);
  CUresult (*allocate)(CUdeviceptr *, size_t);
  CUresult (*free_memory)(CUdeviceptr);
  CUresult (*device_uuid)(CUuuid *, CUdevice);
  CUresult (*memory_info)(size_t *, size_t *);
  CUresult (*get_limit)(size_t *, CUlimit);
  CUresult (*reset_persisting)(void);
  CUresult (*allocate_on_host)(void **, size_t);
  CUresult (*free_on_host)(void *);
  CUresult (*make_stream)(CUstream *, unsigned);
  CUresult (*destroy_stream)(CUstream);
  CUresult (*await_stream)(CUstream);
  CUresult (*ask_stream)(CUstream);
  CUresult (*set_attribute)(CUfunction, CUfunction_attribute, int);
  CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                           const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                           CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
};

// Opens and initialises the driver. NULL, or the reason why it can't be used.
const char *gpu_driver_open(struct gpu_driver *driver);
void gpu_driver_close(struct gpu_driver *driver);
// The name of a GPU for CUDA_VISIBLE_DEVICES and NVML: "GPU-01234567-89ab-..".
void gpu_driver_name(const CUuuid *uuid, char name[GPU_NAME]);
enum { GPU_ANSWER = 256 + MOST_GPUS * GPU_NAME };
// If device 0 is a Hopper GPU or later, `text` gets its name, then a line for each GPU of that model: its
// name for CUDA_VISIBLE_DEVICES. Else it gets the reason. Initialises the driver, so it must not be called
// before a fork.
bool gpu_driver_describe(char *text, size_t size);

#endif
