// attack: 1-bulk-copy-1d
// tries: copies the data to the host, computes there, and copies it back
// expect: exit 1
// expect: says every element has to be read by a bulk copy
#include "lab9.h"
#include <vector>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  std::vector<int32_t> host(count);
  cudaMemcpyAsync(host.data(), data, 4 * count, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (int32_t &value : host)
    value = int32_t(uint32_t(value) + 1);
  return cudaMemcpyAsync(data, host.data(), 4 * count, cudaMemcpyHostToDevice, stream);
}
