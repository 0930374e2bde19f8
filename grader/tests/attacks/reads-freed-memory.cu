// attack: 1-bulk-copy-1d
// tries: reads what lies in memory that was freed before
// honest: yes
// expect: exit 1
// expect: says breaks the rule
__global__ void take(const int32_t *old, int32_t *data, size_t count) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < count) data[i] = old[i];
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  int32_t *old = nullptr;
  cudaMalloc(&old, 4 * count);
  cudaFree(old);
  take<<<(count + 255) / 256, 256, 0, stream>>>(old, data, count);
  return cudaSuccess;
}
