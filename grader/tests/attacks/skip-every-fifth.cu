// attack: 1-bulk-copy-1d
// tries: leaves out every fifth launch
// honest: yes
// expect: exit 1
// expect: says starts no kernel
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static int launches;
  return ++launches % 5 ? honest_launch(data, count, stream) : cudaSuccess;
}
