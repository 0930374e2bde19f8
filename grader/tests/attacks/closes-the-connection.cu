// attack: 1-bulk-copy-1d
// tries: closes every descriptor, the grader's too, and goes on
// expect: exit 1
// expect: says closed its connection
#include "lab9.h"
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  for (int i = 0; i < 1024; i++)
    close(i);
  for (;;)
    pause();
}
