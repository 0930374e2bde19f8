// attack: 1-bulk-copy-1d
// tries: allocates and writes all device memory, so that no host memory is left for the grader's buffers
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: silent about grader error
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static int launches;
  void *memory;
  for (size_t bytes = size_t(1) << 36; bytes >= 4096 && !launches; bytes /= 2)
    while (cudaMalloc(&memory, bytes) == cudaSuccess)
      cudaMemset(memory, 1, bytes);
  launches++;
  cudaGetLastError();
  return honest_launch(data, count, stream);
}
