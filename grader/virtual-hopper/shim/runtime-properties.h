// Fills the fields that CUDA 12's and CUDA 13's cudaDeviceProp have in common. The fields may have different
// offsets. In: a structure with those field names; out: the figures of an H100, from the table of attributes.
#ifndef VIRTUAL_HOPPER_SHIM_RUNTIME_PROPERTIES_H
#define VIRTUAL_HOPPER_SHIM_RUNTIME_PROPERTIES_H

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/shim/runtime.h"

static inline int attribute(enum cudaDeviceAttr which) {
  int value;
  (void)client_attribute(which, &value);
  return value;
}

static inline void fill_pair(int *pair, int first, int second) {
  pair[0] = first;
  pair[1] = second;
}

static inline void fill_triple(int *triple, int first, int second, int third) {
  triple[0] = first;
  triple[1] = second;
  triple[2] = third;
}

#define FILL_TEXTURES(p)                                          \
  do {                                                            \
    (p)->maxTexture1D = 131072;                                   \
    (p)->maxTexture1DMipmap = 32768;                              \
    fill_pair((p)->maxTexture2D, 131072, 65536);                  \
    fill_pair((p)->maxTexture2DMipmap, 32768, 32768);             \
    fill_triple((p)->maxTexture2DLinear, 131072, 65000, 2097120); \
    fill_pair((p)->maxTexture2DGather, 32768, 32768);             \
    fill_triple((p)->maxTexture3D, 16384, 16384, 16384);          \
    fill_triple((p)->maxTexture3DAlt, 8192, 8192, 32768);         \
    (p)->maxTextureCubemap = 32768;                               \
    fill_pair((p)->maxTexture1DLayered, 32768, 2048);             \
    fill_triple((p)->maxTexture2DLayered, 32768, 32768, 2048);    \
    fill_pair((p)->maxTextureCubemapLayered, 32768, 2046);        \
    (p)->maxSurface1D = 32768;                                    \
    fill_pair((p)->maxSurface2D, 131072, 65536);                  \
    fill_triple((p)->maxSurface3D, 16384, 16384, 16384);          \
    fill_pair((p)->maxSurface1DLayered, 32768, 2048);             \
    fill_triple((p)->maxSurface2DLayered, 32768, 32768, 2048);    \
    (p)->maxSurfaceCubemap = 32768;                               \
    fill_pair((p)->maxSurfaceCubemapLayered, 32768, 2046);        \
    (p)->textureAlignment = 512;                                  \
    (p)->texturePitchAlignment = 32;                              \
    (p)->surfaceAlignment = 512;                                  \
  } while (0)

#define FILL_PROPERTIES(p)                                                                            \
  do {                                                                                                \
    memset((p), 0, sizeof *(p));                                                                      \
    snprintf((p)->name, sizeof(p)->name, "%s", CLIENT_DEVICE_NAME);                                   \
    (p)->totalGlobalMem = CLIENT_TOTAL_MEMORY;                                                        \
    (p)->sharedMemPerBlock = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlock);                   \
    (p)->regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock);                                   \
    (p)->warpSize = attribute(cudaDevAttrWarpSize);                                                   \
    (p)->memPitch = (size_t)attribute(cudaDevAttrMaxPitch);                                           \
    (p)->maxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock);                               \
    fill_triple((p)->maxThreadsDim, 1024, 1024, 64);                                                  \
    fill_triple((p)->maxGridSize, 2147483647, 65535, 65535);                                          \
    (p)->totalConstMem = (size_t)attribute(cudaDevAttrTotalConstantMemory);                           \
    (p)->major = attribute(cudaDevAttrComputeCapabilityMajor);                                        \
    (p)->minor = attribute(cudaDevAttrComputeCapabilityMinor);                                        \
    (p)->multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);                             \
    (p)->concurrentKernels = attribute(cudaDevAttrConcurrentKernels);                                 \
    (p)->ECCEnabled = attribute(cudaDevAttrEccEnabled);                                               \
    (p)->pciBusID = attribute(cudaDevAttrPciBusId);                                                   \
    (p)->asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);                                   \
    (p)->unifiedAddressing = attribute(cudaDevAttrUnifiedAddressing);                                 \
    (p)->memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);                                 \
    (p)->l2CacheSize = attribute(cudaDevAttrL2CacheSize);                                             \
    (p)->persistingL2CacheMaxSize = attribute(cudaDevAttrMaxPersistingL2CacheSize);                   \
    (p)->maxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);             \
    (p)->streamPrioritiesSupported = attribute(cudaDevAttrStreamPrioritiesSupported);                 \
    (p)->globalL1CacheSupported = attribute(cudaDevAttrGlobalL1CacheSupported);                       \
    (p)->localL1CacheSupported = attribute(cudaDevAttrLocalL1CacheSupported);                         \
    (p)->sharedMemPerMultiprocessor = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor); \
    (p)->regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);                 \
    (p)->computePreemptionSupported = attribute(cudaDevAttrComputePreemptionSupported);               \
    (p)->cooperativeLaunch = attribute(cudaDevAttrCooperativeLaunch);                                 \
    (p)->sharedMemPerBlockOptin = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);         \
    (p)->maxBlocksPerMultiProcessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);               \
    (p)->accessPolicyMaxWindowSize = attribute(cudaDevAttrMaxAccessPolicyWindowSize);                 \
    (p)->reservedSharedMemPerBlock = (size_t)attribute(cudaDevAttrReservedSharedMemoryPerBlock);      \
    (p)->canMapHostMemory = attribute(cudaDevAttrCanMapHostMemory);                                   \
    (p)->canUseHostPointerForRegisteredMem = attribute(cudaDevAttrCanUseHostPointerForRegisteredMem); \
    (p)->hostRegisterSupported = attribute(cudaDevAttrHostRegisterSupported);                         \
    (p)->managedMemory = attribute(cudaDevAttrManagedMemory);                                         \
    (p)->memoryPoolsSupported = attribute(cudaDevAttrMemoryPoolsSupported);                           \
    (p)->clusterLaunch = attribute(cudaDevAttrClusterLaunch);                                         \
    FILL_TEXTURES(p);                                                                                 \
  } while (0)

#endif
