// Calls the student's launcher of 3-bytes.
#include "exercises/adapter.h"

#include "lab8.h"

cudaError_t adapter_launch(void *const *buffers, const uint64_t *scalars, cudaStream_t stream) {
  return launch_bytes(buffers[1], buffers[0], scalars[0], stream);
}
