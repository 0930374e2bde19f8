// Batches of copies by the driver. In: what client_batch wants; out: CUresult numbers.
#include "virtual-hopper/shim/driver.h"

_Static_assert(sizeof(struct client_batch_attribute) == sizeof(CUmemcpyAttributes), "same layout");

static CUresult in_stream(CUdeviceptr *to, CUdeviceptr *from, const size_t *bytes, size_t count,
                          const CUmemcpyAttributes *attributes, const size_t *first, size_t attribute_count,
                          CUstream stream) {
  const struct client_batch batch = {.to = (void *const *)to,
                                     .from = (const void *const *)from,
                                     .bytes = bytes,
                                     .count = count,
                                     .attributes = (const struct client_batch_attribute *)attributes,
                                     .first = first,
                                     .attribute_count = attribute_count};
  if (!stream || stream == CU_STREAM_LEGACY) return CUDA_ERROR_INVALID_VALUE;
  return driver_used(client_batch(&batch, client_in(stream)));
}

EXPORT CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                      CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                                      CUstream stream) {
  return in_stream(to, from, bytes, count, attributes, first, attribute_count, stream);
}

EXPORT CUresult cuMemcpyBatchAsync_v2_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                           CUmemcpyAttributes *attributes, size_t *first,
                                           size_t attribute_count, CUstream stream);
EXPORT CUresult cuMemcpyBatchAsync_v2_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                           CUmemcpyAttributes *attributes, size_t *first,
                                           size_t attribute_count, CUstream stream) {
  return in_stream(to, from, bytes, count, attributes, first, attribute_count,
                   stream ? stream : CU_STREAM_PER_THREAD);
}

// Before CUDA 13: the number of the copy that can't be done is told.
#undef cuMemcpyBatchAsync
EXPORT CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                   CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                                   size_t *failed, CUstream stream);
EXPORT CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                   CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                                   size_t *failed, CUstream stream) {
  if (failed) *failed = SIZE_MAX;
  return in_stream(to, from, bytes, count, attributes, first, attribute_count, stream);
}
