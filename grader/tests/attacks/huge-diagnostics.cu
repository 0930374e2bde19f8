// attack: 1-bulk-copy-1d
// tries: makes the compiler print a huge number of messages
// expect: exit 1
// expect: says makes the compiler print more than 256 KiB
#define W(n) _Pragma("message \"a message that nobody asked for, and that is long enough to fill a line\"")
#define A(n) W(n) W(n) W(n) W(n) W(n) W(n) W(n) W(n) W(n) W(n)
#define B(n) A(n) A(n) A(n) A(n) A(n) A(n) A(n) A(n) A(n) A(n)
#define C(n) B(n) B(n) B(n) B(n) B(n) B(n) B(n) B(n) B(n) B(n)
C(0)
C(0)
C(0)
#include "lab9.h"
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
