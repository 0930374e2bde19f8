// attack: 1-bulk-copy-1d
// tries: writes a passing record to every descriptor it can find
// expect: exit 1
// expect: says meddles with the grader's connection
// expect: says "verdict":"pass"
#include "lab9.h"
#include <cstring>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  const char *record = "{\"name\":\"1-bulk-copy-1d\",\"verdict\":\"pass\",\"points\":20}\n";
  for (int i = 0; i < 1024; i++)
    if (write(i, record, strlen(record)) < 0) continue;
  return cudaSuccess;
}
