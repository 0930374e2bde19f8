// attack: 1-bulk-copy-1d
// tries: replaces dlsym, by which libraries are found
// expect: exit 1
// expect: says in the place of a library's: dlsym
#include "lab9.h"
extern "C" void *dlsym(void *, const char *) noexcept {
  return nullptr;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
