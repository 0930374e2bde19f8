// In: GPUs. Out: one of them, for as long as a descriptor is open. The idea: a locked file for each GPU,
// named after it. A GPU is chosen only when it is needed: with GPUs assigned beforehand, one would idle while
// another has a queue.
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

// The index of the first lock that becomes free within `seconds`.
static int take_first_free(const int *locks, size_t count, double seconds) {
  for (double left = seconds;; left -= BETWEEN_LOOKS) {
    bool hope = false;
    for (size_t i = 0; i < count; i++) {
      if (flock(locks[i], LOCK_EX | LOCK_NB) == 0) return (int)i;
      hope |= errno == EWOULDBLOCK || errno == EINTR;
    }
    if (!hope) return GPU_LOCK_NONE;
    if (left <= 0) return GPU_LOCK_BUSY;
    nanosleep(&(struct timespec){.tv_nsec = (long)(BETWEEN_LOOKS * 1e9)}, NULL);
  }
}

int gpu_lock_take(const struct gpu_list *gpus, int spare, double seconds, size_t *which) {
  int locks[MOST_GPUS];
  const size_t count = gpus->count ? gpus->count : 1;
  for (size_t i = 0; i < count; i++) {
    locks[i] = i < gpus->count ? open_lock(gpus->names[i]) : -1;
    if (locks[i] < 0) locks[i] = open_spare(spare);
  }
  const int taken = take_first_free(locks, count, seconds);
  for (size_t i = 0; i < count; i++)
    if ((int)i != taken && locks[i] >= 0) close(locks[i]);
  *which = taken < 0 ? 0 : (size_t)taken;
  return taken < 0 ? taken : locks[taken];
}
