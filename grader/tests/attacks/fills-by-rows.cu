// attack: 1-bulk-copy-1d
// tries: works, then keeps the device busy with the rows of a single fill, and ignores the error
// honest: yes
// ends within: 600
// expect: exit 1
// expect: says asks too much of the device
// expect: says 1073741824 rows of 1 byte
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static void *memory;
  const cudaError_t error = honest_launch(data, count, stream);
  if (!memory) cudaMalloc(&memory, (size_t)1 << 30);
  cudaMemset2DAsync(memory, 1, 1, 1, 1 << 30, stream);
  cudaGetLastError();
  return error;
}
