// attack: 1-bulk-copy-1d
// tries: makes small requests to the device without end
// expect: exit 1
// expect: says asks too much of the device
// expect on gpu: exit 1
#include "lab9.h"
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)count;
  for (;;)
    cudaMemsetAsync(data, 0, 4, stream);
}
