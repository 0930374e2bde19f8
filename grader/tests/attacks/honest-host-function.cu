// attack: 1-bulk-copy-1d
// tries: nothing: an honest submission, which has the host called when the kernel has ended
// The library that plays CUDA's tries such functions in a copy of the process first, where it may make one.
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect: silent about sandbox
#include <atomic>

static std::atomic_bool told{false}, ended{false};

static void tell(void *) {
  while (!told) {
  }
  ended = true;
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaStream_t other;
  told = ended = false;
  cudaError_t error = cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  if (error) return error;
  error = cudaLaunchHostFunc(other, tell, nullptr);
  if (!error) error = honest_launch(data, count, stream);
  if (!error) error = cudaStreamSynchronize(stream);
  told = true;
  if (!error) error = cudaStreamSynchronize(other);
  if (!error && !ended) error = cudaErrorUnknown;
  cudaStreamDestroy(other);
  return error;
}
