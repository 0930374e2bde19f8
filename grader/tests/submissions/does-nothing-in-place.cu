// submission: 1-bulk-copy-1d
// expect: exit 1
// expect: says correct 0/7
// expect: says 1-bulk-copy-1d starts no kernel
// expect: says case "smallest": count 4
// expect: says first wrong element    data[0]
// expect: says wrong elements         4 of 4
// expect: silent about It also does not do
// expect: edits launch_bulk_copy_1d(
// expect: says No element is right. All of them hold the input, unchanged.
#include "lab9.h"

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return cudaSuccess;
}
