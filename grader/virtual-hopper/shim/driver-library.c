// Libraries of the driver: modules that belong to no context, and their kernels. In: images, names; out:
// CUresult numbers. One idea: here a library is a module, and a kernel is a function, under other names.
#include "virtual-hopper/shim/driver.h"

EXPORT CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **values,
                                  unsigned option_count, CUlibraryOption *library_options,
                                  void **library_values, unsigned library_option_count) {
  (void)library_options, (void)library_values, (void)library_option_count; // they are about memory alone
  return cuModuleLoadDataEx((CUmodule *)library, image, option_count, options, values);
}

EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
                                      void **values, unsigned option_count, CUlibraryOption *library_options,
                                      void **library_values, unsigned library_option_count) {
  (void)options, (void)values, (void)option_count;
  (void)library_options, (void)library_values, (void)library_option_count;
  return cuModuleLoad((CUmodule *)library, path);
}

EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  return cuModuleUnload((CUmodule)library);
}

EXPORT CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return cuModuleGetFunction((CUfunction *)kernel, (CUmodule)library, name);
}

EXPORT CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  if (!module || !library) return CUDA_ERROR_INVALID_VALUE;
  *module = (CUmodule)library;
  return driver_used(0);
}

EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name) {
  return cuModuleGetGlobal_v2(address, bytes, (CUmodule)library, name);
}

EXPORT CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  if (!client_function_checked(kernel)) return CUDA_ERROR_INVALID_HANDLE;
  *function = (CUfunction)kernel;
  return driver_used(0);
}

EXPORT CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  return cuFuncGetName(name, (CUfunction)kernel);
}

EXPORT CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                                     CUdevice device) {
  return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, (CUfunction)kernel);
}

EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                     CUdevice device) {
  return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute((CUfunction)kernel, attribute, value);
}

EXPORT CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  return device ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig((CUfunction)kernel, config);
}

EXPORT CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *bytes) {
  struct client_function *function = client_function_checked(handle);
  if (!function || !offset) return CUDA_ERROR_INVALID_VALUE;
  const int status = client_function_resolve(function);
  if (status) return driver_used(status);
  if (index >= function->info.parameter_count) return CUDA_ERROR_INVALID_VALUE;
  *offset = function->parameters[index].offset;
  if (bytes) *bytes = function->parameters[index].size;
  return driver_used(0);
}

EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes) {
  return cuFuncGetParamInfo((CUfunction)kernel, index, offset, bytes);
}

// Functions are found on the device when the program looks them up: nothing is left to load.
EXPORT CUresult cuFuncLoad(CUfunction function) {
  return client_function_checked(function) ? driver_used(0) : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function) {
  if (!state || !client_function_checked(function)) return CUDA_ERROR_INVALID_VALUE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return driver_used(0);
}
