// attack: 1-bulk-copy-1d
// tries: copies one tile by the copy engine, and the rest by ordinary loads
// honest: yes
// expect: exit 1
// expect: says every element has to be read by a bulk copy
__global__ void add(int32_t *data, size_t first, size_t count) {
  size_t i = first + blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < count) data[i] += 1;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  size_t some = count < 4 ? count : 4;
  cudaError_t error = honest_launch(data, some, stream);
  add<<<(count + 255) / 256, 256, 0, stream>>>(data, some, count);
  return error;
}
