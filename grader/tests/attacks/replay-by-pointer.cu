// attack: 1-bulk-copy-1d
// tries: copies an earlier output to the same address, by cudaMemcpy
// honest: yes
// expect: exit 1
// expect: says starts no kernel
#include <map>
#include <vector>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static std::map<int32_t *, std::vector<int32_t>> outputs;
  std::vector<int32_t> &output = outputs[data];
  if (output.size() >= count)
    return cudaMemcpyAsync(data, output.data(), 4 * count, cudaMemcpyHostToDevice, stream);
  cudaError_t error = honest_launch(data, count, stream);
  output.resize(count);
  cudaStreamSynchronize(stream);
  cudaMemcpy(output.data(), data, 4 * count, cudaMemcpyDeviceToHost);
  return error;
}
