// attack: 1-bulk-copy-1d
// tries: uses ordinary loads where the exercise asks for the copy engine
// expect: exit 1
// expect: says every element has to be read by a bulk copy
#include "lab9.h"
__global__ void add(int32_t *data, size_t count) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < count) data[i] += 1;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  add<<<(count + 255) / 256, 256, 0, stream>>>(data, count);
  return cudaGetLastError();
}
