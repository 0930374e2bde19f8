// Between the runner and an exercise's adapter: the adapter knows the student's entry point, the runner all else.
#ifndef RUNNER_RUNNER_H
#define RUNNER_RUNNER_H

#include <cuda_runtime_api.h>
#include <stdint.h>

// Calls the student's launcher once. buffers: input, output (the same one when in place); scalars as the exercise's
// `prepare` set them. Returns what the launcher returned.
cudaError_t adapter_launch(void *const *buffers, const uint64_t *scalars, cudaStream_t stream);

// Maps memory of another process, of which `handle` is a POSIX file descriptor, through the CUDA driver. Returns its
// address, or NULL with the reason in `text`. A GPU's runner only.
void *runner_map(int handle, uint64_t bytes, char *text, unsigned text_size);

#endif
