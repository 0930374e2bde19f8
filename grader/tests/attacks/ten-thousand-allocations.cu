// attack: 1-bulk-copy-1d
// tries: makes ten thousand allocations on the device, then works
// honest: yes
// expect: exit 0
// expect: says The exercise passes
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static int launches;
  void *memory;
  for (int i = 0; i < 10000 && !launches; i++)
    cudaMalloc(&memory, 256);
  launches++;
  cudaGetLastError();
  return honest_launch(data, count, stream);
}
