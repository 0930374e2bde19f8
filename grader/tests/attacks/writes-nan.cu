// attack: 4-store-commit-groups
// tries: writes NaN, for which `error > tolerance` is false
// expect: exit 1
// expect: says not a number (NaN)
#include "lab9.h"
__global__ void fill(float *out, size_t count) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < count) out[i] = __builtin_nanf("");
}
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  (void)in, (void)a, (void)b;
  fill<<<(count + 255) / 256, 256, 0, stream>>>(out, count);
  return cudaSuccess;
}
