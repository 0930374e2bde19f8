// Basic functions of the driver: initialisation, versions, the one device and its attributes, errors by name,
// entry points by name. In: device numbers and names; out: CUresult numbers and the figures of an H100.
#include "virtual-hopper/shim/driver.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

CUresult driver_used(int status) {
  int device_error = client_device_error();
  if (device_error) atomic_store(&client_state()->error_was_told, true);
  return (CUresult)(device_error ? device_error : status);
}

CUresult driver_waited(int status) {
  client_flush_output();
  return driver_used(status);
}

EXPORT CUresult cuInit(unsigned flags) {
  return (CUresult)(flags ? (int)CUDA_ERROR_INVALID_VALUE : client_connect());
}

EXPORT CUresult cuDriverGetVersion(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = CLIENT_DRIVER_VERSION;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  int status = client_connect();
  *count = status ? 0 : 1;
  return (CUresult)status;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return (CUresult)client_connect();
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(name, (size_t)length, "%s", CLIENT_DEVICE_NAME);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  if (!bytes || device) return bytes ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *bytes = CLIENT_TOTAL_MEMORY;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  return client_attribute(attribute, value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  *major = 9;
  *minor = 0;
  return CUDA_SUCCESS;
}

// The bytes "VHOP", then bytes of value 1. Every virtual Hopper has the same UUID.
EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  if (!uuid || device) return uuid ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  memset(uuid->bytes, 1, sizeof uuid->bytes);
  memcpy(uuid->bytes, "VHOP", 4);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  if (!can || device || peer) return CUDA_ERROR_INVALID_DEVICE;
  *can = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device) {
  if (!text || size <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  snprintf(text, (size_t)size, "%s", CLIENT_BUS_ID);
  return (CUresult)client_connect();
}

EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
  if (!device || !text || !strstr(CLIENT_BUS_ID, text)) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return (CUresult)client_connect();
}

// There is no second device.
EXPORT CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice device,
                                        CUdevice peer) {
  (void)attribute, (void)device, (void)peer;
  return value ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice device) {
  if (!p || device) return p ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  const struct {
    CUdevice_attribute attribute;
    int *value;
  } all[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &p->maxThreadsPerBlock},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &p->maxThreadsDim[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &p->maxThreadsDim[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &p->maxThreadsDim[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &p->maxGridSize[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &p->maxGridSize[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &p->maxGridSize[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &p->sharedMemPerBlock},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, &p->totalConstantMemory},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &p->SIMDWidth},
      {CU_DEVICE_ATTRIBUTE_MAX_PITCH, &p->memPitch},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &p->regsPerBlock},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &p->clockRate},
      {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, &p->textureAlign},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    client_attribute(all[i].attribute, all[i].value);
  return (CUresult)client_connect();
}

// ---- errors -----------------------------------------------------------------------------------------------

static const struct {
  int number;
  const char *name, *text;
} errors[] = {
#define CUDA_ERROR(id, number, runtime_name, driver_name, text) {number, driver_name, text},
#include "virtual-hopper/base/cuda-errors.def"
};

static CUresult describe(CUresult error, const char **name, const char **text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].number != (int)error || !errors[i].name[0]) continue;
    if (name) *name = errors[i].name;
    if (text) *text = errors[i].text;
    return CUDA_SUCCESS;
  }
  if (name) *name = NULL;
  if (text) *text = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **name) {
  return name ? describe(error, name, NULL) : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult error, const char **text) {
  return text ? describe(error, NULL, text) : CUDA_ERROR_INVALID_VALUE;
}

// ---- entry points -----------------------------------------------------------------------------------------

// The newest form that a program of this version means. CUDA 13's headers give these names to forms with data
// of edges, CUDA 12.5's give cuStreamGetCtx a third argument; older programs mean the other ones.
static const char *newest_ending(const char *name, int version) {
  static const char *const plain[] = {"cuGraphAddDependencies", "cuGraphRemoveDependencies",
                                      "cuGraphGetEdges",        "cuGraphNodeGetDependencies",
                                      "cuGraphAddNode",         "cuGraphNodeGetDependentNodes"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (version < 13000 && strcmp(name, plain[i]) == 0) return "";
  if (version < 12050 && strcmp(name, "cuStreamGetCtx") == 0) return "";
  if (version < 13000 && strcmp(name, "cuMemcpyBatchAsync") == 0) return "";
  return version < 13000 && strcmp(name, "cuStreamGetCaptureInfo") == 0 ? "_v2" : "_v4";
}

// own: the default stream is to be the calling thread's.
static void *find_form(void *library, const char *symbol, bool own) {
  static const char *const endings[] = {"_ptsz", "_ptds"};
  char wanted[280];
  void *found = NULL;
  for (size_t i = 0; own && !found && i < sizeof endings / sizeof *endings; i++) {
    snprintf(wanted, sizeof wanted, "%s%s", symbol, endings[i]);
    found = dlsym(library, wanted);
  }
  return found ? found : dlsym(library, symbol);
}

// A name finds the newest form that this library has: cuMemAlloc finds cuMemAlloc_v2.
EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult *found) {
  static const char *const endings[] = {"_v4", "_v3", "_v2", ""};
  if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = NULL;
  if (strcmp(name, "cuGraphInstantiate") == 0) name = "cuGraphInstantiateWithFlags"; // since CUDA 12
  Dl_info here;
  void *library = dladdr(client_state(), &here) ? dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
  for (size_t i = 0; library && !*function && i < sizeof endings / sizeof *endings; i++) {
    char symbol[256];
    // The _v4 forms take other arguments than programs built before CUDA 12.5 pass.
    if (i == 0 && version < 12050) continue;
    if (strcmp(endings[i], newest_ending(name, version)) > 0) continue;
    snprintf(symbol, sizeof symbol, "%s%s", name, endings[i]);
    *function = find_form(library, symbol, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  }
  if (library) dlclose(library);
  if (found) *found = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function || found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#undef cuGetProcAddress
EXPORT CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

// NVIDIA's compilers and linkers that are libraries contain the static runtime, and use it for nothing that
// needs a device.
static bool is_compiler(const void *caller) {
  static const char *const compilers[] = {"libnvrtc", "libnvJitLink", "libnvvm", "libnvfatbin"};
  Dl_info here;
  if (!dladdr(caller, &here) || !here.dli_fname) return false;
  const char *slash = strrchr(here.dli_fname, '/'), *name = slash ? slash + 1 : here.dli_fname;
  for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
    if (strncmp(name, compilers[i], strlen(compilers[i])) == 0) return true;
  return false;
}

// The library that contains the caller; NULL: the program itself does.
static const char *library_of(const void *caller) {
  Dl_info here;
  struct link_map *map = NULL;
  if (!dladdr1(caller, &here, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name || !*map->l_name)
    return NULL;
  const char *slash = strrchr(map->l_name, '/');
  return slash ? slash + 1 : map->l_name;
}

// Only NVIDIA's own static runtime asks for these tables. So the program, or the library that calls, is
// linked with that runtime.
EXPORT CUresult cuGetExportTable(const void **table, const CUuuid *identifier) {
  const void *caller = __builtin_return_address(0);
  (void)identifier;
  if (table) *table = NULL;
  if (is_compiler(caller)) return CUDA_ERROR_NOT_FOUND;
  const char *library = library_of(caller);
  if (library) return (CUresult)client_unsupported("%s, a library with a CUDA runtime of its own", library);
  return (CUresult)client_unsupported(
      "a program linked with the static CUDA runtime (build it with nvcc -cudart shared)");
}
