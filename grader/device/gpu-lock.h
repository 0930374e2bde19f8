// One grader at a time on a GPU, whoever started it: two that time at once would both measure half a memory.
#ifndef DEVICE_GPU_LOCK_H
#define DEVICE_GPU_LOCK_H

#include <stddef.h>

// Opens this machine's lock of device 0, not yet locked (flock); -1 if there is no such GPU or no place for the file, which
// only means that graders of other users aren't waited for. Initialises the driver: not before a fork.
int gpu_lock_open(void);

#endif
