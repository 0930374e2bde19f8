// Functions that programs built with CUDA 12 call and that CUDA 13 no longer has.
// In and out: the same as for the functions that replace them.
#include "virtual-hopper/shim/runtime-unsupported.h"
#include "virtual-hopper/shim/runtime.h"

EXPORT cudaError_t cudaThreadSynchronize(void);
EXPORT cudaError_t cudaThreadSynchronize(void) {
  return cudaDeviceSynchronize();
}

EXPORT cudaError_t cudaThreadExit(void);
EXPORT cudaError_t cudaThreadExit(void) {
  return cudaDeviceReset();
}

EXPORT cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
EXPORT cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}

EXPORT cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                           unsigned flags, cudaStream_t stream);
EXPORT cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                           unsigned flags, cudaStream_t stream) {
  return cudaMemPrefetchAsync(pointer, bytes, location, flags, stream);
}
PER_THREAD_STREAM(cudaMemPrefetchAsync_v2,
                  (const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned flags,
                   cudaStream_t stream),
                  (pointer, bytes, location, flags, stream))

EXPORT cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                    struct cudaMemLocation location);
EXPORT cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                    struct cudaMemLocation location) {
  return cudaMemAdvise(pointer, bytes, advice, location);
}

EXPORT cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *made,
                                              const struct cudaResourceDesc *resource,
                                              const struct cudaTextureDesc *texture,
                                              const struct cudaResourceViewDesc *view);
EXPORT cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *made,
                                              const struct cudaResourceDesc *resource,
                                              const struct cudaTextureDesc *texture,
                                              const struct cudaResourceViewDesc *view) {
  return cudaCreateTextureObject(made, resource, texture, view);
}

EXPORT cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc *texture,
                                                      cudaTextureObject_t object);
EXPORT cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc *texture,
                                                      cudaTextureObject_t object) {
  return cudaGetTextureObjectTextureDesc(texture, object);
}

#define UNSUPPORTED(name)              \
  EXPORT int name(void);               \
  EXPORT int name(void) {              \
    return runtime_unsupported(#name); \
  }
UNSUPPORTED(cudaLaunchCooperativeKernelMultiDevice)
UNSUPPORTED(cudaSignalExternalSemaphoresAsync_v2)
UNSUPPORTED(cudaWaitExternalSemaphoresAsync_v2)
