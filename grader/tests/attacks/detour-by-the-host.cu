// attack: 4-store-commit-groups
// tries: has the ring copy all data into memory of its own and back, and computes on the host meanwhile
// honest: yes
// expect: exit 1
// expect: says the numbers may not go another way round, by memory of the program's own
#include <vector>
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  std::vector<float> host(count);
  float *aside;
  cudaError_t error = cudaMalloc(&aside, 4 * count);
  if (error == cudaSuccess) error = honest_launch(aside, in, count, 1, 0, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(host.data(), aside, 4 * count, cudaMemcpyDeviceToHost);
  for (float &value : host)
    value = a * value + b;
  cudaMemcpy(aside, host.data(), 4 * count, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) error = honest_launch(out, aside, count, 1, 0, stream);
  cudaStreamSynchronize(stream);
  cudaFree(aside);
  return error;
}
