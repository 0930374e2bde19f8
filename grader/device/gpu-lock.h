// One grader at a time on a GPU, whoever started it: two that measure at once would each get half the
// bandwidth.
#ifndef DEVICE_GPU_LOCK_H
#define DEVICE_GPU_LOCK_H

#include "device/device.h"

enum { GPU_LOCK_NONE = -1, GPU_LOCK_BUSY = -2 };

// Waits up to `seconds` for the first of these GPUs that is free, and locks it until the returned descriptor
// is closed or this process ends. *which is its index in the list. The locks are files in /tmp, the same for
// all users of this machine. If one can't be opened, `spare` is locked instead: a file that all of the
// caller's processes have open, or -1. Then graders of other users aren't waited for. GPU_LOCK_BUSY: none
// became free. GPU_LOCK_NONE: there is nothing to lock, and *which is 0.
int gpu_lock_take(const struct gpu_list *gpus, int spare, double seconds, size_t *which);

#endif
