// submission: 4-store-commit-groups
// expect: exit 1
// expect: says 4-store-commit-groups starts no kernel
// expect: says got    NaN (the poison that lay there before)
// expect: says No element is right. All of them still hold the poison
// expect: says make hint-4
#include "lab9.h"

extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  return cudaSuccess;
}
