// The structure of an opened GPU, for this room's files alone.
#ifndef DEVICE_GPU_DEVICE_H
#define DEVICE_GPU_DEVICE_H

#include "device/device.h"
#include "device/gpu-driver.h"

enum { GPU_GUARD_BYTES = 64 << 10, GPU_MAX_BANDS = DEVICE_MAX_BUFFERS + 2 };

struct gpu_band {
  uint64_t place;
  size_t bytes;
  const char *after;  // the buffer that ends where the band starts; NULL: the first band
  const char *before; // the buffer that starts where the band ends; NULL: the last band
};

struct gpu_device {
  struct device base;
  struct gpu_driver driver;
  CUdevice device;
  CUcontext context;
  CUmemGenericAllocationHandle memory;
  CUdeviceptr address;
  size_t bytes;
  int descriptor;
  struct gpu_band bands[GPU_MAX_BANDS];
  size_t band_count;
  uint64_t seed;     // of the pattern in the bands
  CUmodule module;   // the trusted kernels, once loaded
  CUdeviceptr notes; // memory that isn't shared with the runner
  CUstream sampling; // of the copies that read samples; they wait for nothing
  uint32_t *samples; // where they arrive: GPU_MOST_SAMPLES words, page-locked
};

static inline struct gpu_device *gpu_own(struct device *device) {
  return (struct gpu_device *)device;
}

// Sets the device's error and returns -1.
int gpu_fail(struct device *base, const char *what, CUresult result);

#endif
