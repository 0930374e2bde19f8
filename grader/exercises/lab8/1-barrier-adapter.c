// Calls the student's launcher of 1-barrier.
#include "exercises/adapter.h"

#include "lab8.h"

cudaError_t adapter_launch(void *const *buffers, const uint64_t *scalars, cudaStream_t stream) {
  return launch_barrier(buffers[1], buffers[0], scalars[0], stream);
}
