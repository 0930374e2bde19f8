// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says build ok
// expect: says 1-bulk-copy-1d crashes on the host: Segmentation fault
// expect: says device memory on the host
#include "lab9.h"

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  for (size_t i = 0; i < count; i++)
    data[i] += 1;
  return cudaSuccess;
}
