// attack: 4-store-commit-groups
// tries: has the ring copy all data into managed memory and back, and computes on the host meanwhile
// honest: yes
// expect: exit 1
// The host has these pages at the same addresses, so no copy tells of the way round; but all is stored twice.
// expect: says each tile has to be stored once
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  float *aside;
  cudaError_t error = cudaMallocManaged(&aside, 4 * count);
  if (error == cudaSuccess) error = honest_launch(aside, in, count, 1, 0, stream);
  cudaStreamSynchronize(stream);
  for (size_t i = 0; i < count; i++)
    aside[i] = a * aside[i] + b;
  if (error == cudaSuccess) error = honest_launch(out, aside, count, 1, 0, stream);
  cudaStreamSynchronize(stream);
  cudaFree(aside);
  return error;
}
