// One grader at a time on a GPU, whoever started it: two that time at once would both measure half a memory.
#ifndef DEVICE_GPU_LOCK_H
#define DEVICE_GPU_LOCK_H

#include "device/device.h"

enum { GPU_LOCK_NONE = -1, GPU_LOCK_BUSY = -2 };

// Waits up to `seconds` for one of these GPUs, the first that is free, and locks it until the returned descriptor is closed or this process ends. *which
// is its place in the list. The locks are files of /tmp, the same for all users of this machine; `spare`, a file of the caller's own that all
// its processes have open (or -1), stands in for one that can't be opened, which only means that other users' graders aren't waited for.
// GPU_LOCK_BUSY: none became free. GPU_LOCK_NONE: there is nothing to lock, and *which is 0.
int gpu_lock_take(const struct gpu_list *gpus, int spare, double seconds, size_t *which);

#endif
