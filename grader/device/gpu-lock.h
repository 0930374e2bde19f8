// One grader at a time on a GPU, whoever started it: two that measure at once would each get half the
// bandwidth. Those that wait come in the order in which they have joined the queue.
#ifndef DEVICE_GPU_LOCK_H
#define DEVICE_GPU_LOCK_H

#include "device/device.h"

#include <sys/types.h>

enum { GPU_LOCK_NONE = -1, GPU_LOCK_BUSY = -2 };

// A grader's places in the queues of all GPUs in its list.
struct gpu_queue {
  size_t count;
  int locks[MOST_GPUS];    // open lock files; -1: there is none
  off_t places[MOST_GPUS]; // who is lower comes first
  // how often in a row the GPU was free, and those who are before this one did not take it
  unsigned missed[MOST_GPUS];
};

// Joins the queue of each of these GPUs. The locks are files in /tmp, the same for all users of this machine.
// If one can't be opened, `spare` is locked instead: a file that all of the caller's processes have open, or
// -1. Then graders of other users aren't waited for.
void gpu_queue_join(struct gpu_queue *queue, const struct gpu_list *gpus, int spare);

// Waits up to `seconds` for the first of the GPUs that is free and that no earlier grader waits for. Locks it
// until the returned descriptor is closed or this process ends, and leaves all queues. *which is the GPU's
// index in the list. GPU_LOCK_BUSY: none became free; the places stay for the next call. GPU_LOCK_NONE: there
// is nothing to lock, the queues are left, and *which is 0.
int gpu_queue_wait(struct gpu_queue *queue, double seconds, size_t *which);

// For whoever doesn't want to wait any longer.
void gpu_queue_leave(struct gpu_queue *queue);

#endif
