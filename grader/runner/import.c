// In: a descriptor of device memory that the referee has made. Out: the memory's address in this process. The
// idea: the driver is opened by name at run time, so that the same runner also starts on a machine without
// one.
#include "runner/runner.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>

struct import_calls {
  CUresult (*import_handle)(CUmemGenericAllocationHandle *, void *, CUmemAllocationHandleType);
  CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
  CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
  CUresult (*set_access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
};

// Stores the symbol through an object pointer, since C has no cast from dlsym's result to a function pointer.
static int find(void *library, const char *name, void *call) {
  void *symbol = dlsym(library, name);
  *(void **)call = symbol;
  return symbol != NULL;
}

static const char *open_calls(struct import_calls *calls) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return "libcuda.so.1 cannot be opened";
  int found = find(library, "cuMemImportFromShareableHandle", &calls->import_handle) &&
              find(library, "cuMemAddressReserve", &calls->reserve) &&
              find(library, "cuMemMap", &calls->map) && find(library, "cuMemSetAccess", &calls->set_access);
  return found ? NULL : "libcuda.so.1 lacks the calls for shared memory handles";
}

void *runner_map(int handle, uint64_t bytes, char *text, unsigned text_size) {
  struct import_calls calls;
  const char *reason = open_calls(&calls);
  // The first call of the runtime makes the context current.
  if (!reason && cudaFree(NULL) != cudaSuccess) reason = "the device has no context";
  CUmemGenericAllocationHandle memory;
  CUdeviceptr address = 0;
  CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                            .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUresult result = CUDA_SUCCESS;
  if (!reason) {
    result =
        calls.import_handle(&memory, (void *)(uintptr_t)handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (result == CUDA_SUCCESS) result = calls.reserve(&address, bytes, 0, 0, 0);
    if (result == CUDA_SUCCESS) result = calls.map(address, bytes, 0, memory, 0);
    if (result == CUDA_SUCCESS) result = calls.set_access(address, bytes, &access, 1);
  }
  if (!reason && result == CUDA_SUCCESS) return (void *)(uintptr_t)address;
  snprintf(text, text_size, "the referee's memory cannot be mapped: %s (CUresult %d)",
           reason ? reason : "driver", (int)result);
  return NULL;
}
