// submission: 3-phase-reuse
// expect: exit 1
// expect: says 3-phase-reuse computes a wrong result
// expect: says it has to be cleared first
#include "lab9.h"

__global__ void kernel(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns) {
  for (size_t i = threadIdx.x; i < rows * columns; i += blockDim.x)
    atomicAdd(&sums[i % columns], matrix[i]);
}

extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  kernel<<<1, 256, 0, stream>>>(sums, matrix, rows, columns);
  return cudaGetLastError();
}
