// A lock that shares its line of the host's caches with nothing else: where locks stand side by side, whoever
// takes one would slow down the others. It is held for less than a microsecond, so who meets it looks again
// for a while, and sleeps then. Zeroed, it is free; it needs no end.
#ifndef VIRTUAL_HOPPER_BASE_LONE_LOCK_H
#define VIRTUAL_HOPPER_BASE_LONE_LOCK_H

#include <stdalign.h>
#include <stdatomic.h>

enum { HOST_LINE = 64 }; // bytes

enum lone_lock_state { LONE_LOCK_FREE, LONE_LOCK_HELD, LONE_LOCK_AWAITED }; // AWAITED: held, and others sleep
struct lone_lock {
  alignas(HOST_LINE) atomic_uint state;
};

void lone_lock_await(struct lone_lock *lock);
void lone_lock_wake(struct lone_lock *lock);

static inline void lone_lock_take(struct lone_lock *lock) {
  unsigned expected = LONE_LOCK_FREE;
  if (!atomic_compare_exchange_strong_explicit(&lock->state, &expected, LONE_LOCK_HELD, memory_order_acquire,
                                               memory_order_relaxed))
    lone_lock_await(lock);
}
static inline void lone_lock_give(struct lone_lock *lock) {
  const unsigned before = atomic_exchange_explicit(&lock->state, LONE_LOCK_FREE, memory_order_release);
  if (before == LONE_LOCK_AWAITED) lone_lock_wake(lock);
}

#endif
