// Batches of copies as CUDA 12.8 has them: the number of the copy that can't be done is told. In: what
// client_batch wants; out: CUDA errors.
#include "virtual-hopper/shim/runtime.h"

// The header of CUDA 13 declares the names with other arguments.
EXPORT cudaError_t batch_12(void **to, void **from, size_t *bytes, size_t count,
                            struct cudaMemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                            size_t *failed, cudaStream_t stream) __asm__("cudaMemcpyBatchAsync");

EXPORT cudaError_t batch_12(void **to, void **from, size_t *bytes, size_t count,
                            struct cudaMemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                            size_t *failed, cudaStream_t stream) {
  const struct client_batch batch = {.to = to,
                                     .from = (const void *const *)from,
                                     .bytes = bytes,
                                     .count = count,
                                     .attributes = (const struct client_batch_attribute *)attributes,
                                     .first = first,
                                     .attribute_count = attribute_count};
  if (failed) *failed = SIZE_MAX;
  if (!stream || stream == cudaStreamLegacy) return runtime_result(cudaErrorInvalidValue);
  const cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status) : runtime_used(client_batch(&batch, client_in(stream)));
}

EXPORT cudaError_t batch_3d_12(size_t count, struct cudaMemcpy3DBatchOp *operations, size_t *failed,
                               unsigned long long flags,
                               cudaStream_t stream) __asm__("cudaMemcpy3DBatchAsync");

EXPORT cudaError_t batch_3d_12(size_t count, struct cudaMemcpy3DBatchOp *operations, size_t *failed,
                               unsigned long long flags, cudaStream_t stream) {
  if (failed) *failed = SIZE_MAX;
  return runtime_batch_3d(count, operations, flags, stream);
}
