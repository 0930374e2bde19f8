// In: libcuda.so.1, if there is one. Out: its functions in a table. The idea: a missing library or function
// is a reason to report, not an error.
#include "device/gpu-driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct wanted {
  const char *name;
  size_t place;
};

#define CALL(member, symbol) \
  { symbol, offsetof(struct gpu_driver, member) }
static const struct wanted wanted[] = {
    CALL(init, "cuInit"),
    CALL(device_get, "cuDeviceGet"),
    CALL(device_count, "cuDeviceGetCount"),
    CALL(device_name, "cuDeviceGetName"),
    CALL(device_attribute, "cuDeviceGetAttribute"),
    CALL(primary_context, "cuDevicePrimaryCtxRetain"),
    CALL(set_context, "cuCtxSetCurrent"),
    CALL(error_name, "cuGetErrorName"),
    CALL(granularity, "cuMemGetAllocationGranularity"),
    CALL(create, "cuMemCreate"),
    CALL(release, "cuMemRelease"),
    CALL(export_handle, "cuMemExportToShareableHandle"),
    CALL(reserve, "cuMemAddressReserve"),
    CALL(unreserve, "cuMemAddressFree"),
    CALL(map, "cuMemMap"),
    CALL(unmap, "cuMemUnmap"),
    CALL(set_access, "cuMemSetAccess"),
    CALL(to_device, "cuMemcpyHtoD_v2"),
    CALL(to_host, "cuMemcpyDtoH_v2"),
    CALL(rows_to_host, "cuMemcpy2DAsync_v2"),
    CALL(copy, "cuMemcpyDtoDAsync_v2"),
    CALL(synchronise, "cuCtxSynchronize"),
    CALL(module_load, "cuModuleLoadData"),
    CALL(module_unload, "cuModuleUnload"),
    CALL(get_function, "cuModuleGetFunction"),
    CALL(launch, "cuLaunchKernel"),
    CALL(allocate, "cuMemAlloc_v2"),
    CALL(free_memory, "cuMemFree_v2"),
    CALL(device_uuid, "cuDeviceGetUuid_v2"),
    CALL(memory_info, "cuMemGetInfo_v2"),
    CALL(get_limit, "cuCtxGetLimit"),
    CALL(reset_persisting, "cuCtxResetPersistingL2Cache"),
    CALL(allocate_on_host, "cuMemAllocHost_v2"),
    CALL(free_on_host, "cuMemFreeHost"),
    CALL(make_stream, "cuStreamCreate"),
    CALL(destroy_stream, "cuStreamDestroy_v2"),
    CALL(await_stream, "cuStreamSynchronize"),
    CALL(ask_stream, "cuStreamQuery"),
    CALL(set_attribute, "cuFuncSetAttribute"),
    CALL(encode_tiled, "cuTensorMapEncodeTiled"),
};

const char *gpu_driver_open(struct gpu_driver *driver) {
  memset(driver, 0, sizeof *driver);
  driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver->library) return "no CUDA driver here";
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *symbol = dlsym(driver->library, wanted[i].name);
    if (!symbol) return "the CUDA driver here is too old";
    memcpy((char *)driver + wanted[i].place, &symbol, sizeof symbol);
  }
  return driver->init(0) == CUDA_SUCCESS ? NULL : "no usable GPU here";
}

// The library stays loaded, since it has threads of its own; the next dlopen returns the same one.
void gpu_driver_close(struct gpu_driver *driver) {
  driver->library = NULL;
}

void gpu_driver_name(const CUuuid *uuid, char name[GPU_NAME]) {
  const unsigned char *b = (const unsigned char *)uuid->bytes;
  snprintf(name, GPU_NAME, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
           b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

// Writes a line for each visible GPU of this model.
static void list_alike(const struct gpu_driver *driver, const char *model, int count, char *text,
                       size_t size) {
  for (int i = 0; i < count; i++) {
    CUdevice device;
    CUuuid uuid;
    char name[128] = "", line[GPU_NAME];
    if (driver->device_get(&device, i) != CUDA_SUCCESS ||
        driver->device_name(name, sizeof name, device) != CUDA_SUCCESS || strcmp(name, model) != 0 ||
        driver->device_uuid(&uuid, device) != CUDA_SUCCESS)
      continue;
    gpu_driver_name(&uuid, line);
    int written = snprintf(text, size, "%s\n", line);
    if (written < 0 || (size_t)written >= size) return;
    text += written;
    size -= (size_t)written;
  }
}

bool gpu_driver_describe(char *text, size_t size) {
  struct gpu_driver driver;
  const char *reason = gpu_driver_open(&driver);
  int count = 0, major = 0, minor = 0;
  CUdevice device;
  char name[128] = "";
  if (!reason && !(driver.device_count(&count) == CUDA_SUCCESS && count > 0)) reason = "no GPU here";
  if (!reason &&
      (driver.device_get(&device, 0) != CUDA_SUCCESS ||
       driver.device_name(name, sizeof name, device) != CUDA_SUCCESS ||
       driver.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) !=
           CUDA_SUCCESS ||
       driver.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) != CUDA_SUCCESS))
    reason = "the GPU here does not answer";
  if (reason) {
    snprintf(text, size, "%s", reason);
  } else if (!(major >= 9)) {
    snprintf(text, size, "the %s here has compute capability %d.%d, not 9.0", name, major, minor);
  } else {
    const size_t length = (size_t)snprintf(text, size, "%s\n", name);
    list_alike(&driver, name, count, text + length, size - length);
  }
  gpu_driver_close(&driver);
  return !reason && major >= 9;
}
