// attack: 1-bulk-copy-1d
// tries: has the assembler include a file
// expect: exit 1
// expect: says does not compile
// expect: silent about root:
#include "lab9.h"
asm(".section .rodata\n.incbin \"/etc/passwd\"\n.text");
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  return cudaSuccess;
}
