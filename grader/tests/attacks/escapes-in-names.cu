// attack: 1-bulk-copy-1d
// tries: puts terminal escapes into names that appear in the compiler's messages
// expect: exit 1
// expect: says does not compile
#include "lab9.h"
#line 7 "\033[32mpasses\033[0m.cu"
#error [2Jpasses
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
