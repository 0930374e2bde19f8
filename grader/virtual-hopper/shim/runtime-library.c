// Libraries of the runtime. In: images, names; out: CUDA errors. One idea: the driver loads them; their
// kernels' handles enter the registry, so that everything that takes a kernel takes these, too.
#include "virtual-hopper/shim/runtime.h"

typedef int load_data(void **, const void *, void *, void **, unsigned, void *, void **, unsigned);
typedef int load_file(void **, const char *, void *, void **, unsigned, void *, void **, unsigned);
typedef int unload(void *);
typedef int get_kernel(void **, void *, const char *);
typedef int get_global(unsigned long long *, size_t *, void *, const char *);

static uintptr_t driver(const char *name) {
  client_connect();
  return (uintptr_t)runtime_driver_symbol(name);
}

EXPORT cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image, enum cudaJitOption *options,
                                       void **values, unsigned option_count,
                                       enum cudaLibraryOption *library_options, void **library_values,
                                       unsigned library_option_count) {
  load_data *load = (load_data *)driver("cuLibraryLoadData");
  if (!library || !image) return runtime_result(cudaErrorInvalidValue);
  return runtime_used(load ? load((void **)library, image, options, values, option_count, library_options,
                                  library_values, library_option_count)
                           : cudaErrorNotSupported);
}

EXPORT cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                                           enum cudaJitOption *options, void **values, unsigned option_count,
                                           enum cudaLibraryOption *library_options, void **library_values,
                                           unsigned library_option_count) {
  load_file *load = (load_file *)driver("cuLibraryLoadFromFile");
  if (!library || !path) return runtime_result(cudaErrorInvalidValue);
  return runtime_used(load ? load((void **)library, path, options, values, option_count, library_options,
                                  library_values, library_option_count)
                           : cudaErrorNotSupported);
}

EXPORT cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  unload *gone = (unload *)driver("cuLibraryUnload");
  runtime_drop_library(library);
  return runtime_used(gone ? gone(library) : cudaErrorNotSupported);
}

EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
  get_kernel *find = (get_kernel *)driver("cuLibraryGetKernel");
  void *found = NULL;
  if (!kernel || !name) return runtime_result(cudaErrorInvalidValue);
  const int status = find ? find(&found, library, name) : cudaErrorNotSupported;
  if (!status) {
    runtime_add_kernel(client_function_checked(found), library);
    *kernel = (cudaKernel_t)found;
  }
  return runtime_used(status);
}

EXPORT cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
                                        const char *name) {
  get_global *find = (get_global *)driver("cuLibraryGetGlobal");
  unsigned long long found = 0;
  if (!address || !name) return runtime_result(cudaErrorInvalidValue);
  const int status = find ? find(&found, bytes, library, name) : cudaErrorNotSupported;
  *address = (void *)(uintptr_t)found;
  return runtime_used(status);
}
