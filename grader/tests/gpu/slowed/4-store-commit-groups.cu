// The solution with a brake: 0.97 of the target.
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  const cudaError_t error = unbraked(out, in, count, a, b, stream);
  return error != cudaSuccess ? error : brake(in, count * 4, 0.212, stream);
}
