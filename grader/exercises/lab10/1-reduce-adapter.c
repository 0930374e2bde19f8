// Calls the student's launcher of 1-reduce. Scalars: rows, columns.
#include "exercises/adapter.h"

#include "lab10.h"

cudaError_t adapter_launch(void *const *buffers, const uint64_t *scalars, cudaStream_t stream) {
  return launch_reduce(buffers[1], buffers[0], scalars[0], scalars[1], stream);
}
