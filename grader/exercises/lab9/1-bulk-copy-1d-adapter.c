// Calls the student's launcher of 1-bulk-copy-1d. In place: both buffers are the same.
#include "exercises/adapter.h"

#include "lab9.h"

cudaError_t adapter_launch(void *const *buffers, const uint64_t *scalars, cudaStream_t stream) {
  return launch_bulk_copy_1d(buffers[1], scalars[0], stream);
}
