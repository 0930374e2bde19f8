// Calls the student's launcher of 3-phase-reuse. Scalars: rows, columns.
#include "exercises/adapter.h"

#include "lab9.h"

cudaError_t adapter_launch(void *const *buffers, const uint64_t *scalars, cudaStream_t stream) {
  return launch_phase_reuse(buffers[1], buffers[0], scalars[0], scalars[1], stream);
}
