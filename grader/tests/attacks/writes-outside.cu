// attack: 1-bulk-copy-1d
// tries: writes before and behind the buffer, where another result might lie
// honest: yes
// expect: exit 1
// expect: says breaks the rule out-of-bounds
__global__ void stray(int32_t *data, size_t count) {
  data[count + threadIdx.x] = 7;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaError_t error = honest_launch(data, count, stream);
  stray<<<1, 32, 0, stream>>>(data, count);
  return error;
}
