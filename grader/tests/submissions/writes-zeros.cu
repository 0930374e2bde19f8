// submission: 4-store-commit-groups
// expect: exit 1
// expect: says No element is right. All of them are zero.
#include "lab9.h"

extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  return cudaMemsetAsync(out, 0, count * sizeof *out, stream);
}
