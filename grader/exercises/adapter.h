// What each exercise's adapter (LAB/EXERCISE-adapter.c) gives to the runner that it is linked into: the call
// of the student's launcher. The adapter alone knows the launcher's parameters.
#ifndef EXERCISES_ADAPTER_H
#define EXERCISES_ADAPTER_H

#include <cuda_runtime_api.h>
#include <stdint.h>

// Calls the student's launcher once. buffers: input, output (the same one when in place). scalars: as the
// exercise's `prepare` has set them. Returns what the launcher returned.
cudaError_t adapter_launch(void *const *buffers, const uint64_t *scalars, cudaStream_t stream);

#endif
