// The rare cases of lone-lock.h: somebody else has the lock.
#include "virtual-hopper/base/lone-lock.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOKS = 64 };

static void pause_a_little(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

void lone_lock_await(struct lone_lock *lock) {
  for (int i = 0; i < LOOKS; i++) {
    unsigned expected = LONE_LOCK_FREE;
    if (atomic_load_explicit(&lock->state, memory_order_relaxed) == LONE_LOCK_FREE &&
        atomic_compare_exchange_strong_explicit(&lock->state, &expected, LONE_LOCK_HELD, memory_order_acquire,
                                                memory_order_relaxed))
      return;
    pause_a_little();
  }
  // From here on the lock counts as awaited, though it may be held by the last who slept.
  while (atomic_exchange_explicit(&lock->state, LONE_LOCK_AWAITED, memory_order_acquire) != LONE_LOCK_FREE)
    syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, LONE_LOCK_AWAITED, NULL, NULL, 0);
}

void lone_lock_wake(struct lone_lock *lock) {
  syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
