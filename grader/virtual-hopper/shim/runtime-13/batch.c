// Batches of copies as CUDA 13 has them. In: what client_batch wants; out: CUDA errors.
#include "virtual-hopper/shim/runtime.h"

_Static_assert(sizeof(struct client_batch_attribute) == sizeof(struct cudaMemcpyAttributes), "same layout");

static cudaError_t in_stream(const struct client_batch *batch, cudaStream_t stream) {
  if (!stream || stream == cudaStreamLegacy) return runtime_result(cudaErrorInvalidValue);
  const cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status) : runtime_used(client_batch(batch, client_in(stream)));
}

EXPORT cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes,
                                        size_t count, struct cudaMemcpyAttributes *attributes, size_t *first,
                                        size_t attribute_count, cudaStream_t stream) {
  const struct client_batch batch = {
      to, from, bytes, first, count, attribute_count, (const struct client_batch_attribute *)attributes};
  return in_stream(&batch, stream);
}

EXPORT cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *bytes,
                                             size_t count, struct cudaMemcpyAttributes *attributes,
                                             size_t *first, size_t attribute_count, cudaStream_t stream);
EXPORT cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *to, const void *const *from, const size_t *bytes,
                                             size_t count, struct cudaMemcpyAttributes *attributes,
                                             size_t *first, size_t attribute_count, cudaStream_t stream) {
  const struct client_batch batch = {
      to, from, bytes, first, count, attribute_count, (const struct client_batch_attribute *)attributes};
  return in_stream(&batch, stream ? stream : cudaStreamPerThread);
}

EXPORT cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *operations,
                                          unsigned long long flags, cudaStream_t stream) {
  return runtime_batch_3d(count, operations, flags, stream);
}

EXPORT cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t count, struct cudaMemcpy3DBatchOp *operations,
                                               unsigned long long flags, cudaStream_t stream);
EXPORT cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t count, struct cudaMemcpy3DBatchOp *operations,
                                               unsigned long long flags, cudaStream_t stream) {
  return runtime_batch_3d(count, operations, flags, stream ? stream : cudaStreamPerThread);
}
