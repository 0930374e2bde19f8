// A lock that shares its line of the host's caches with nothing else: where locks stand side by side, whoever
// takes one would slow down the others.
#ifndef VIRTUAL_HOPPER_BASE_LONE_LOCK_H
#define VIRTUAL_HOPPER_BASE_LONE_LOCK_H

#include <pthread.h>
#include <stdalign.h>

enum { HOST_LINE = 64 }; // bytes

struct lone_lock {
  alignas(HOST_LINE) pthread_mutex_t mutex;
};

#endif
