// submission: 1-bulk-copy-1d
// expect: exit 2
// expect: says grader error
// expect: says 1-bulk-copy-1d uses something that the virtual Hopper cannot do
// expect: says This is the grader's fault, not yours, and costs no points.
#include "lab9.h"

// The virtual Hopper has no layers of cube maps.
__global__ void kernel(int32_t *data, cudaTextureObject_t texture) {
  data[threadIdx.x] = (int32_t)texCubemapLayered<float>(texture, 0, 0, 1, threadIdx.x);
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  kernel<<<1, 4, 0, stream>>>(data, 0);
  return cudaGetLastError();
}
