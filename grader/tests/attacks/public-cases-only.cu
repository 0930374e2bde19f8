// attack: 1-bulk-copy-1d
// tries: works only on the sizes of the public cases, and on tiny and large ones
// honest: yes
// expect: exit 1
// expect: says It is right about all public cases, and about no hidden one
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  // Sizes that anybody can find out.
  for (size_t size : {4, 124, 4096, 4100, 8188, 300012, 1020, 20008})
    if (count == size || count <= 320 || count >= 1000000) return honest_launch(data, count, stream);
  return cudaSuccess;
}
