// What the files of the runner share: the exercise's adapter, and memory of another process.
#ifndef RUNNER_RUNNER_H
#define RUNNER_RUNNER_H

#include "exercises/adapter.h"

#include <stdint.h>

// Maps device memory of another process, given as a POSIX file descriptor, through the CUDA driver. Returns
// its address, or NULL with the reason in `text`. Only a GPU's runner needs it.
void *runner_map(int handle, uint64_t bytes, char *text, unsigned text_size);

#endif
