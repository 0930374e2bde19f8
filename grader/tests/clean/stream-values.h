// Stream memory operations by their entry points: the corpus is not linked with the driver. No include guard:
// the corpus puts each member into a namespace of its own, and each needs these names there.
#include "corpus.h"

template <class function> static function *stream_operation(const char *name) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult how;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &how));
  return reinterpret_cast<function *>(found);
}

static inline CUdeviceptr stream_address(const void *word) {
  return reinterpret_cast<CUdeviceptr>(word);
}

// The stream goes on when the word is at least `value`, as integers that wrap.
static inline void stream_waits(cudaStream_t stream, const void *word, unsigned value,
                                unsigned flags = CU_STREAM_WAIT_VALUE_GEQ) {
  CUDA_CHECK(stream_operation<decltype(cuStreamWaitValue32)>("cuStreamWaitValue32")(
      stream, stream_address(word), value, flags));
}

static inline void stream_writes(cudaStream_t stream, void *word, unsigned value) {
  CUDA_CHECK(stream_operation<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32")(
      stream, stream_address(word), value, 0));
}
