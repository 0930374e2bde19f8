// attack: 1-bulk-copy-1d
// tries: nothing: an honest submission that works in two halves
// honest: yes
// expect: exit 0
// expect: silent about made at run time
// expect: says The exercise passes
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  size_t half = count / 8 * 4;
  cudaError_t error = half ? honest_launch(data, half, stream) : cudaSuccess;
  return error ? error : honest_launch(data + half, count - half, stream);
}
