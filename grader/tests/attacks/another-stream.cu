// attack: 1-bulk-copy-1d
// tries: works on a stream of its own, which nothing orders with the one that it is given
// honest: yes
// expect: exit 1
// expect: says memory that belongs to the launcher
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static cudaStream_t own;
  if (!own) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  (void)stream;
  return honest_launch(data, count, own);
}
