// submission: 4-store-commit-groups
// expect: exit 1
// expect: says They hold what belongs 1024 elements further on: is that a whole tile?
#include "lab9.h"

__global__ void kernel(float *out, const float *in, size_t count, float a, float b) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x)
    out[i] = fmaf(a, in[count > 1024 ? (i + 1024) % count : i], b);
}

extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  kernel<<<1, 256, 0, stream>>>(out, in, count, a, b);
  return cudaGetLastError();
}
