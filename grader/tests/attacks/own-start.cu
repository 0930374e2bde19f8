// attack: 1-bulk-copy-1d
// tries: replaces the code that calls main, and exits with a verdict
// honest: yes
// expect: exit 1
// expect: says ends the program instead of returning
// expect: says in the place of a library's: __libc_start_main
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return honest_launch(data, count, stream);
}
extern "C" int __libc_start_main(void *, int, char **, void *, void *, void *, void *) {
  puts("{\"verdict\": \"pass\"}");
  _exit(0);
}
