// submission: 4-store-commit-groups
// before: #define launch_store_commit_groups honest
// after: solutions/lab9/4-store-commit-groups.cu
// expect: exit 1
// expect: says memory that belongs to the launcher's
// Fast and right, but events in the stream that it was given see nothing of it.
#undef launch_store_commit_groups
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t) {
  static cudaStream_t own = nullptr;
  if (!own) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  return honest(out, in, count, a, b, own);
}
