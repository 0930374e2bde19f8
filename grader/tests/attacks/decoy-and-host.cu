// attack: 4-store-commit-groups
// tries: runs the solution on memory of its own, to be counted, and computes the answer on the host
// honest: yes
// expect: exit 1
// expect: says the input has to reach the threads by bulk copies alone
#include <vector>
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  std::vector<float> host(count);
  float *aside[2] = {};
  cudaMemcpyAsync(host.data(), in, 4 * count, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (float &value : host)
    value = a * value + b;
  for (float *&one : aside)
    cudaMalloc(&one, 4 * count);
  cudaMemsetAsync(aside[1], 0, 4 * count, stream);
  cudaError_t error = honest_launch(aside[0], aside[1], count, a, b, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(out, host.data(), 4 * count, cudaMemcpyHostToDevice);
  for (float *one : aside)
    cudaFree(one);
  return error;
}
