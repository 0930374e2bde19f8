// Access from the runtime to the driver: entry points by name. In: names of driver functions; out: their
// addresses in the replacement of libcuda.so.1. client-connection.c has already loaded that library.
#include "virtual-hopper/shim/runtime.h"

#include <dlfcn.h>
#include <string.h>

#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations" // CUDA 13 deprecates a function that programs still call

typedef int get_proc_address(const char *name, void **function, int version, uint64_t flags, int *found);

static cudaError_t find_entry_point(const char *name, void **function, unsigned version,
                                    unsigned long long flags, enum cudaDriverEntryPointQueryResult *found) {
  enum { SUCCESS, SYMBOL_NOT_FOUND, VERSION_NOT_SUFFICIENT };
  if (!name || !function) return runtime_result(cudaErrorInvalidValue);
  int result = SYMBOL_NOT_FOUND;
  *function = NULL;
  if (client_has_own_default() && flags == cudaEnableDefault) flags = cudaEnablePerThreadDefaultStream;
  get_proc_address *search = (get_proc_address *)(uintptr_t)runtime_driver_symbol("cuGetProcAddress_v2");
  int status = search ? search(name, function, (int)version, flags, &result) : 0;
  if (found) *found = (enum cudaDriverEntryPointQueryResult)result;
  if (!*function && !found) return runtime_result(status ? status : (int)cudaErrorSymbolNotFound);
  return runtime_result(0);
}

// client_state() has already loaded the library. dlopen only finds the loaded library again.
void *runtime_driver_symbol(const char *name) {
  Dl_info driver;
  if (!dladdr(client_state(), &driver)) return NULL;
  void *library = dlopen(driver.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (!library) return NULL;
  void *symbol = dlsym(library, name);
  dlclose(library);
  return symbol;
}

EXPORT cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                           enum cudaDriverEntryPointQueryResult *found) {
  return find_entry_point(name, function, CLIENT_DRIVER_VERSION, flags, found);
}
PER_THREAD_STREAM(cudaGetDriverEntryPoint,
                  (const char *name, void **function, unsigned long long flags,
                   enum cudaDriverEntryPointQueryResult *found),
                  (name, function, flags, found))

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                                    unsigned long long flags,
                                                    enum cudaDriverEntryPointQueryResult *found) {
  return find_entry_point(name, function, version, flags, found);
}
PER_THREAD_STREAM(cudaGetDriverEntryPointByVersion,
                  (const char *name, void **function, unsigned version, unsigned long long flags,
                   enum cudaDriverEntryPointQueryResult *found),
                  (name, function, version, flags, found))
