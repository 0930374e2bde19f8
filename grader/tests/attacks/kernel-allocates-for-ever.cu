// attack: 1-bulk-copy-1d
// tries: has a kernel allocate memory for ever, which is slow
// expect: exit 1
// expect: says a kernel runs on and on
#include "lab9.h"
__global__ void take() {
  for (;;) {
    char *memory = static_cast<char *>(malloc(1 << 16));
    if (memory) memory[0] = 1;
  }
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count;
  take<<<64, 1024, 0, stream>>>();
  return cudaGetLastError();
}
