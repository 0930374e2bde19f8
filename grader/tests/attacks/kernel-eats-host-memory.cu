// attack: 1-bulk-copy-1d
// tries: recurses without end in every thread, with many live registers, so that host memory runs out
// Each thread's calls have a bound of their own: it is refused in every run alike, long before memory ends.
// expect: exit 1
// expect: says deep and need more than the 64 KiB of registers that a thread has for them
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
