// attack: 1-bulk-copy-1d
// tries: keeps a flag on the device, and works only while it is unset
// honest: yes
// expect: exit 1
// expect: says starts no kernel
__device__ int done;
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  int before = 0, after = 1;
  cudaMemcpyFromSymbol(&before, done, sizeof before);
  cudaMemcpyToSymbol(done, &after, sizeof after);
  return before ? cudaSuccess : honest_launch(data, count, stream);
}
