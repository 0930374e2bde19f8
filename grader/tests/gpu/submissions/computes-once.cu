// submission: 3-phase-reuse
// before: #define launch_phase_reuse honest
// after: solutions/lab9/3-phase-reuse.cu
// expect: exit 1
// expect: says computes a wrong result on large arrays
// Remembers the sums of the first large matrix and hands them out again.
#undef launch_phase_reuse
extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  static int32_t *kept = nullptr;
  if (rows * columns < 1u << 26) return honest(sums, matrix, rows, columns, stream);
  if (kept) return cudaMemcpyAsync(sums, kept, columns * 4, cudaMemcpyDeviceToDevice, stream);
  cudaMalloc(&kept, columns * 4);
  const cudaError_t error = honest(kept, matrix, rows, columns, stream);
  return error != cudaSuccess ? error
                              : cudaMemcpyAsync(sums, kept, columns * 4, cudaMemcpyDeviceToDevice, stream);
}
