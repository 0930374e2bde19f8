// attack: 4-store-commit-groups
// tries: has the ring copy all data into memory of its own and back, and works there by ordinary accesses
// honest: yes
// expect: exit 1
// expect: says the numbers may not go another way round, by memory of the program's own
// expect: says bytes that went through memory of the program's own:
__global__ void scale_there(float *data, size_t count, float a, float b) {
  const size_t i = blockIdx.x * size_t(256) + threadIdx.x;
  if (i < count) data[i] = a * data[i] + b;
}
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  float *aside;
  cudaError_t error = cudaMallocAsync(&aside, 4 * count, stream);
  if (error == cudaSuccess) error = honest_launch(aside, in, count, 1, 0, stream);
  scale_there<<<uint32_t((count + 255) / 256), 256, 0, stream>>>(aside, count, a, b);
  if (error == cudaSuccess) error = honest_launch(out, aside, count, 1, 0, stream);
  cudaFreeAsync(aside, stream);
  return error;
}
