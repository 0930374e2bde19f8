// attack: 4-store-commit-groups
// tries: computes correctly, then spoils one element in a thousand
// honest: yes
// expect: exit 1
// expect: says not a number (NaN)
__global__ void spoil(float *out, size_t count) {
  for (size_t i = 999; i < count; i += 1000)
    out[i] = __builtin_nanf("");
}
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  cudaError_t error = honest_launch(out, in, count, a, b, stream);
  spoil<<<1, 1, 0, stream>>>(out, count);
  return error;
}
