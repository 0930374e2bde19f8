// submission: 1-bulk-copy-1d
// before: #define launch_bulk_copy_1d honest
// after: solutions/lab9/1-bulk-copy-1d.cu
// expect: exit 1
// expect: says computes a wrong result on large arrays
// expect: says it has not done its work
// Works only on the first large array, in the hope that only this one is checked.
#undef launch_bulk_copy_1d

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static unsigned large;
  return count < 1u << 26 || large++ == 0 ? honest(data, count, stream) : cudaSuccess;
}
