// attack: 1-bulk-copy-1d
// tries: works on the sizes of the public cases alone
// honest: yes
// expect: exit 1
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  // Sizes that anybody can find out.
  for (size_t size : {size_t(4), size_t(4096), size_t(1024), size_t(1028), size_t(65536)})
    if (count == size) return honest_launch(data, count, stream);
  return cudaSuccess;
}
