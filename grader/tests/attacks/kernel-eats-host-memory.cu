// attack: 1-bulk-copy-1d
// tries: recurses without end in every thread, with many live registers, so that host memory runs out
// deadline: 1
// Memory or the deadline ends first, depending on the machine. The referee survives and goes on judging.
// expect: says 1-bulk-copy-1d
// expect: silent about grader error
#include "lab9.h"
__device__ __noinline__ int deep(int n, volatile int *from) {
  int kept[150];
#pragma unroll
  for (int i = 0; i < 150; i++)
    kept[i] = from[i];
  int sum = deep(n + 1, from);
#pragma unroll
  for (int i = 0; i < 150; i++)
    sum += kept[i] * i;
  return sum;
}
__global__ void eat(int *data) {
  data[0] = deep(0, data);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)count;
  eat<<<64, 1024, 0, stream>>>(data);
  return cudaGetLastError();
}
