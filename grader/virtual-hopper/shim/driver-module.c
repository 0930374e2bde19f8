// Modules, functions and launches of the driver. In: images, names, arguments; out: CUresult numbers.
// A function's handle points to the structure that the runtime uses, too. So each library can launch a
// function that the other library found.
#include "virtual-hopper/shim/client-attribute.h"
#include "virtual-hopper/shim/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULE_MAGIC = 0x646f6d76 };

struct driver_function {
  struct driver_function *next;
  struct client_function function;
};
struct driver_module {
  uint32_t magic;
  struct client_module module;
  void *copy;                        // a copy of the image, because the program may free its own
  struct driver_function *functions; // the functions that the program has looked up in this module
};

static struct driver_module *checked(const void *handle) {
  struct driver_module *module = (struct driver_module *)(uintptr_t)handle;
  return module && module->magic == MODULE_MAGIC ? module : NULL;
}

// ---- modules ----------------------------------------------------------------------------------------------

static CUresult load(CUmodule *handle, const void *image) {
  if (!handle || !image) return CUDA_ERROR_INVALID_VALUE;
  // strncmp stops at the end of a text, which may be shorter than the four bytes of the magic number.
  if (strncmp(image, "\xb1\x43\x62\x46", 4) == 0)
    memcpy(&image, (const char *)image + offsetof(struct client_wrapper, data), sizeof image);
  size_t bytes = client_image_bytes(image);
  if (!bytes) {
    client_unsupported("a module of machine code (a cubin; load its PTX instead)");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  struct driver_module *module = calloc(1, sizeof *module);
  void *copy = module ? malloc(bytes + 1) : NULL;
  if (!copy) return free(module), CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(copy, image, bytes);
  *module =
      (struct driver_module){.magic = MODULE_MAGIC, .module = {.image = copy, .bytes = bytes}, .copy = copy};
  int status = client_module_load(&module->module);
  if (status) {
    free(copy);
    free(module);
    return driver_used(status);
  }
  *handle = (CUmodule)module;
  return driver_used(0);
}

EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return load(module, image);
}

EXPORT CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return load(module, image);
}

EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned option_count,
                                   CUjit_option *options, void **values) {
  // The options are for the driver's PTX compiler, which does not exist here.
  (void)option_count, (void)options, (void)values;
  return load(module, image);
}

EXPORT CUresult cuModuleLoad(CUmodule *module, const char *path) {
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file) return path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
  size_t bytes = 0, room = 0;
  char *image = NULL;
  for (size_t got = 1; got;) {
    if (bytes + 4096 > room) {
      char *grown = realloc(image, room = room * 2 + 8192);
      if (!grown) break;
      image = grown;
    }
    got = fread(image + bytes, 1, room - bytes - 1, file);
    bytes += got;
  }
  fclose(file);
  if (!image) return CUDA_ERROR_OUT_OF_MEMORY;
  memset(image + bytes, 0, room - bytes);
  // A container may claim more bytes than the file has. Those bytes must not be read.
  bool whole = bytes >= 16 && client_image_bytes(image) <= bytes;
  CUresult status = whole ? load(module, image) : CUDA_ERROR_INVALID_IMAGE;
  free(image);
  return status;
}

EXPORT CUresult cuModuleUnload(CUmodule handle) {
  struct driver_module *module = checked(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  client_module_unload(&module->module);
  for (struct driver_function *function = module->functions, *next; function; function = next) {
    next = function->next;
    free((char *)(uintptr_t)function->function.name);
    free(function->function.parameters);
    free(function);
  }
  module->magic = 0;
  free(module->copy);
  free(module);
  return driver_used(0);
}

EXPORT CUresult cuModuleGetFunction(CUfunction *handle, CUmodule module_handle, const char *name) {
  struct driver_module *module = checked(module_handle);
  if (!handle || !name || !module) return module ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  for (struct driver_function *known = module->functions; known; known = known->next)
    if (strcmp(known->function.name, name) == 0)
      return *handle = (CUfunction)&known->function, driver_used(0);
  struct driver_function *found = calloc(1, sizeof *found);
  char *copy = found ? strdup(name) : NULL;
  if (!copy) return free(found), CUDA_ERROR_OUT_OF_MEMORY;
  found->function = (struct client_function){
      .magic = CLIENT_FUNCTION_MAGIC, .module = &module->module, .name = copy, .carveout = -1};
  int status = client_function_resolve(&found->function);
  if (status) {
    free(copy);
    free(found);
    return driver_used(status == ERROR_INVALID_DEVICE_FUNCTION ? (int)CUDA_ERROR_NOT_FOUND : status);
  }
  found->next = module->functions;
  module->functions = found;
  *handle = (CUfunction)&found->function;
  return driver_used(0);
}

EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule handle, const char *name) {
  struct driver_module *module = checked(handle);
  struct protocol_location location = {0};
  if (!module || !name) return module ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  if (client_variable(&module->module, name, &location)) return driver_used(CUDA_ERROR_NOT_FOUND);
  if (address) *address = location.base;
  if (bytes) *bytes = location.bytes;
  return driver_used(0);
}

EXPORT CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

// ---- functions --------------------------------------------------------------------------------------------

EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle) {
  struct client_function *function = client_function_checked(handle);
  if (!value || !function) return value ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  int status = client_function_resolve(function);
  if (status) return driver_used(status);
  const struct protocol_function *info = &function->info;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = info->max_threads_per_block ? (int)info->max_threads_per_block : 1024;
    break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)info->static_shared_bytes; break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)info->constant_bytes; break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)info->local_bytes; break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)info->register_count; break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = 90; break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = (int)info->max_dynamic_shared_bytes; break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = function->carveout; break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = info->cluster[0] != 0; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = (int)info->cluster[0]; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = (int)info->cluster[1]; break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = (int)info->cluster[2]; break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = function->nonportable_cluster; break;
  default: *value = 0; break;
  }
  return driver_used(0);
}

EXPORT CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  struct client_function *function = client_function_checked(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return driver_used(value < 0 ? (int)CUDA_ERROR_INVALID_VALUE
                                 : client_set_shared(function, (size_t)value));
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: function->carveout = value; return driver_used(0);
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    function->nonportable_cluster = value != 0;
    return driver_used(0);
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return driver_used(0);
  default: return (CUresult)client_unsupported("cuFuncSetAttribute with attribute %d", (int)attribute);
  }
}

EXPORT CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  (void)config;
  return client_function_checked(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

EXPORT CUresult cuFuncGetName(const char **name, CUfunction handle) {
  struct client_function *function = client_function_checked(handle);
  if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
  *name = function->name;
  return CUDA_SUCCESS;
}

// ---- launches ---------------------------------------------------------------------------------------------

static int launch_extra(struct client_function *function, struct protocol_launch *launch, void **extra,
                        CUstream stream) {
  const void *block;
  size_t bytes;
  const int status = client_pack_extra(extra, &block, &bytes);
  return status ? status : client_launch_packed(function, launch, block, bytes, stream);
}

static CUresult launch(CUfunction handle, struct protocol_launch *launch, CUstream stream, void **parameters,
                       void **extra) {
  struct client_function *function = client_function_checked(handle);
  struct client_stream copy;
  if (!function || !client_stream_find(stream, &copy)) return CUDA_ERROR_INVALID_HANDLE;
  if (parameters && extra) return CUDA_ERROR_INVALID_VALUE;
  int before = client_device_error();
  if (before) return driver_used(before);
  int status = extra ? launch_extra(function, launch, extra, stream)
                     : client_launch(function, launch, parameters, stream);
  return (CUresult)status;
}

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                               CUstream stream, void **parameters, void **extra) {
  struct protocol_launch request = {
      .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .dynamic_shared_bytes = shared};
  return launch(function, &request, stream, parameters, extra);
}
PER_THREAD_STREAM(cuLaunchKernel,
                  (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters,
                   void **extra),
                  (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters,
                   extra))

EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                          unsigned grid_z, unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned shared, CUstream stream,
                                          void **parameters) {
  struct protocol_launch request = {
      .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .dynamic_shared_bytes = shared};
  request.cooperative = 1;
  return launch(function, &request, stream, parameters, NULL);
}
PER_THREAD_STREAM(cuLaunchCooperativeKernel,
                  (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters),
                  (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters))

_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute) &&
                   offsetof(CUlaunchAttribute, value) == offsetof(cudaLaunchAttribute, val),
               "the driver's attributes are the runtime's");

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                                 void **extra) {
  if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
  struct protocol_launch request = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                    .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                    .dynamic_shared_bytes = config->sharedMemBytes};
  const cudaLaunchAttribute *attributes = (const void *)config->attrs;
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const int status = client_launch_attribute(&request, &attributes[i], config->hStream);
    if (status) return driver_used(status);
  }
  const CUresult status = launch(function, &request, config->hStream, parameters, extra);
  for (unsigned i = 0; i < config->numAttrs && !status; i++)
    client_launch_event(&attributes[i], config->hStream);
  return status;
}
PER_THREAD_STREAM(cuLaunchKernelEx,
                  (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra),
                  (config, function, parameters, extra))
