// In: the kernel's random numbers. Out: two numbers that stay the same while the process lives. Salted tables
// are never iterated, so results stay deterministic.
#include "virtual-hopper/base/salt.h"

#include <pthread.h>
#include <sys/random.h>
#include <unistd.h>

static struct salt salt;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void draw(void) {
  if (getrandom(&salt, sizeof salt, 0) != (ssize_t)sizeof salt) {
    salt.start = (uint64_t)(uintptr_t)&salt; // the load address is hard to guess, too
    salt.factor = salt.start * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
  }
  salt.factor |= 1;
}

const struct salt *salt_of_process(void) {
  pthread_once(&once, draw);
  return &salt;
}
