// submission: 4-store-commit-groups
// expect: exit 1
// expect: says 4-store-commit-groups changes its input
// expect: says `in`, element 0
#include "lab9.h"

extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  return cudaMemcpyAsync(const_cast<float *>(in), out, count * sizeof *out, cudaMemcpyDeviceToDevice, stream);
}
