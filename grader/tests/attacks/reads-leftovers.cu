// attack: 1-bulk-copy-1d
// tries: hopes for an earlier result in fresh memory
// honest: yes
// expect: exit 1
// expect: says No element is right
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  int32_t *old = nullptr;
  cudaMalloc(&old, 4 * count);
  cudaMemcpyAsync(data, old, 4 * count, cudaMemcpyDeviceToDevice, stream);
  cudaFree(old);
  return cudaSuccess;
}
