// The part that differs in libcudart.so.12: the layout of cudaDeviceProp. In: a device's number; out: the
// filled structure. CUDA 12's header renames the function to cudaGetDeviceProperties_v2. The old name still
// fills CUDA 11's shorter structure, which ends after reservedSharedMemPerBlock.
#include "virtual-hopper/shim/runtime-properties.h"

#include <stddef.h>

const int runtime_major = 12;

struct properties_12 { // CUDA 12.0 to 12.9, driver_types.h
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
      maxTexture2DLinear[3];
  int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];
  int maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
  int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
      unifiedAddressing;
  int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
      computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
      accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  // CUDA 11's structure ends here
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
      timelineSemaphoreInteropSupported;
  int memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63];
};

_Static_assert(sizeof(struct properties_12) == 1032, "as CUDA 12 has it");

static void fill(struct properties_12 *properties) {
  FILL_PROPERTIES(properties);
  properties->clockRate = attribute(cudaDevAttrClockRate);
  properties->memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
  properties->deviceOverlap = attribute(cudaDevAttrGpuOverlap);
  properties->computeMode = attribute(cudaDevAttrComputeMode);
  properties->maxTexture1DLinear = 268435456;
  properties->singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
}

EXPORT cudaError_t cudaGetDeviceProperties_v2(struct properties_12 *properties, int device) {
  if (!properties || device)
    return runtime_result(properties ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  fill(properties);
  return runtime_result(client_connect());
}

EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  struct properties_12 whole;
  if (!properties || device)
    return runtime_result(properties ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  fill(&whole);
  memcpy(properties, &whole, offsetof(struct properties_12, hostRegisterSupported));
  return runtime_result(client_connect());
}
