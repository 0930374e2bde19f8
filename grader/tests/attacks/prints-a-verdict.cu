// attack: 1-bulk-copy-1d
// tries: prints what the grader prints for a pass
// expect: exit 1
// expect: says falls short
#include "lab9.h"
#include <cstdio>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  printf("{\"verdict\": \"pass\", \"score\": 20}\nAll exercises pass. 80 of 80 points\n");
  return cudaSuccess;
}
