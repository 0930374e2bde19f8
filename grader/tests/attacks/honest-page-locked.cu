// attack: 1-bulk-copy-1d
// tries: nothing: it hands over its parameters in page-locked memory, behind the walls of the sandbox
// honest: yes
// expect: exit 0
// expect: says The exercise passes
__global__ void check(const unsigned long long *wanted, unsigned long long count) {
  if (*wanted != count) __trap();
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static unsigned long long *wanted; // taken once: cudaFreeHost waits for the device, which costs bandwidth
  if (!wanted) {
    cudaError_t error = cudaMallocHost(reinterpret_cast<void **>(&wanted), sizeof *wanted);
    if (error) return error;
  }
  if (*wanted != count) {
    cudaError_t error = cudaStreamSynchronize(stream); // an earlier launch may still read it
    if (error) return error;
    *wanted = count;
  }
  check<<<1, 1, 0, stream>>>(wanted, count);
  return honest_launch(data, count, stream);
}
