// In: GPUs. Out: one of them, for as long as a descriptor is open. The idea: a locked file for each GPU,
// named after it. A GPU is chosen only when it is needed: with GPUs assigned beforehand, one would idle while
// another has a queue. The files' bytes are never read: their locks are the queue.
#include "device/gpu-lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double BETWEEN_LOOKS = 0.02; // seconds
enum { LOOKS_BETWEEN_PROBES = 25, MISSES = 6 };

// The lock file of GPU-01234567-89ab-.. is named after the digits.
static int open_lock(const char *gpu) {
  char path[32 + GPU_NAME];
  size_t length = (size_t)snprintf(path, sizeof path, "/tmp/tma-lab-gpu-");
  for (const char *digit = gpu; *digit && length < sizeof path - 8; digit++)
    if (isxdigit((unsigned char)*digit)) path[length++] = *digit;
  snprintf(path + length, sizeof path - length, ".lock");
  // In a sticky directory the kernel refuses O_CREAT for another user's file (fs.protected_regular). Reading
  // suffices to lock.
  int lock = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (lock >= 0) return lock;
  lock = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
  if (lock >= 0) fchmod(lock, 0444); // whatever the umask: other users' graders must be able to open it
  return lock >= 0 ? lock : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

// A descriptor that was inherited through fork shares its lock with the parent, so the file is opened anew.
static int open_spare(int spare) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", spare);
  return spare < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
}

// ---- places in the queue ----------------------------------------------------------------------------------

// A place is a byte of the lock file, and whoever has it holds a shared record lock on that byte: reading
// suffices for that, and the kernel drops it when its owner ends, however it ends. Two that join at the same
// moment may get the same place; then either of them is the first.

// The place of one of those that wait at `from` or behind; 0: nobody does.
static off_t somebody_in(int lock, off_t from, off_t length) {
  struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = length};
  if (fcntl(lock, F_OFD_GETLK, &asked) != 0 || asked.l_type == F_UNLCK) return 0;
  return asked.l_start;
}

static int set_place(int lock, off_t place, short type) {
  struct flock wanted = {.l_type = type, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
  return fcntl(lock, F_OFD_SETLK, &wanted);
}

// Places begin with 1. The result is 0 where the file system has no such locks: then nobody queues.
static off_t take_place(int lock) {
  off_t place = 1;
  for (off_t taken; (taken = somebody_in(lock, place, 0));)
    place = taken + 1;
  return set_place(lock, place, F_RDLCK) == 0 ? place : 0;
}

static bool is_first(int lock, off_t place) {
  return place <= 1 || somebody_in(lock, 1, place - 1) == 0;
}

void gpu_queue_join(struct gpu_queue *queue, const struct gpu_list *gpus, int spare) {
  *queue = (struct gpu_queue){.count = gpus->count ? gpus->count : 1};
  for (size_t i = 0; i < queue->count; i++) {
    queue->locks[i] = i < gpus->count ? open_lock(gpus->names[i]) : -1;
    if (queue->locks[i] < 0) queue->locks[i] = open_spare(spare);
    if (queue->locks[i] >= 0) queue->places[i] = take_place(queue->locks[i]);
  }
}

void gpu_queue_leave(struct gpu_queue *queue) {
  for (size_t i = 0; i < queue->count; i++)
    if (queue->locks[i] >= 0) close(queue->locks[i]);
  queue->count = 0;
}

// ---- waiting ----------------------------------------------------------------------------------------------

// Whether GPU i is this grader's now. Somebody who is stopped while they wait (Ctrl-Z) holds up nobody for
// long: when a GPU has been free MISSES times and none of those before took it, the next one does.
static bool take(struct gpu_queue *queue, size_t i, unsigned look, bool *hope) {
  const bool first = is_first(queue->locks[i], queue->places[i]);
  *hope = true;
  if (!first && look % LOOKS_BETWEEN_PROBES != 0) return false;
  if (flock(queue->locks[i], LOCK_EX | LOCK_NB) != 0) {
    *hope = errno == EWOULDBLOCK || errno == EINTR;
    queue->missed[i] = 0;
    return false;
  }
  if (first || ++queue->missed[i] > MISSES) return true;
  flock(queue->locks[i], LOCK_UN);
  return false;
}

// The index of the first lock that can be had within `seconds`.
static int take_first_free(struct gpu_queue *queue, double seconds) {
  unsigned look = 1;
  for (double left = seconds;; left -= BETWEEN_LOOKS, look++) {
    bool any_hope = false;
    for (size_t i = 0; i < queue->count; i++) {
      bool hope;
      if (take(queue, i, look, &hope)) return (int)i;
      any_hope |= hope;
    }
    if (!any_hope) return GPU_LOCK_NONE;
    if (left <= 0) return GPU_LOCK_BUSY;
    nanosleep(&(struct timespec){.tv_nsec = (long)(BETWEEN_LOOKS * 1e9)}, NULL);
  }
}

int gpu_queue_wait(struct gpu_queue *queue, double seconds, size_t *which) {
  const int taken = take_first_free(queue, seconds);
  int lock = taken;
  *which = taken < 0 ? 0 : (size_t)taken;
  if (taken == GPU_LOCK_BUSY) return taken;
  if (taken >= 0) {
    lock = queue->locks[taken];
    if (queue->places[taken]) set_place(lock, queue->places[taken], F_UNLCK);
    queue->locks[taken] = -1;
  }
  gpu_queue_leave(queue);
  return lock;
}
