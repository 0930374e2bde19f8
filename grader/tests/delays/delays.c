// A machine that is busy, by seed. In: DELAYS, a number, and HELD, a file. Out: threads that our
// replacements of CUDA's libraries hold up, here and there, where they take or give back a lock: for 1 to
// 300 ms, now and then for 1.5 s. Each thread has a pace of its own; under one seed of four the first one is
// swift and all others slow, under one the other way round. How long, in ms, is added to the file. Preloaded
// by grader/tests/house/delays-test.sh. The idea: what another thread may do in between, it does. A thread
// that is held up looks as if it had no processor: it waits for a child that has its memory, so it neither
// sleeps nor works.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PARTS = 16, STACK = 16384, MOST_US = 3000000 }; // MOST_US: of a thread; then only for a fiftieth

struct part { // of memory: code of these libraries
  uintptr_t from, past;
};
static struct part parts[MOST_PARTS];
static atomic_int part_count;
static atomic_uint thread_count;
static uint64_t seed;
static atomic_long held_ms; // all threads

struct thread {
  bool is_known;
  unsigned pace;
  uint64_t random;
  long held_us;
};
static _Thread_local struct thread me;

static uint64_t draw(void) {
  me.random ^= me.random << 13;
  me.random ^= me.random >> 7;
  me.random ^= me.random << 17;
  return me.random * 0x2545f4914f6cdd1dull >> 16;
}

// ---- where -----------------------------------------------------------------------------------------------

static bool is_ours(uintptr_t at) {
  const int count = atomic_load(&part_count);
  for (int i = 0; i < count; i++)
    if (parts[i].from <= at && at < parts[i].past) return true;
  return false;
}

static int add_parts(struct dl_phdr_info *library, size_t size, void *unused) {
  const char *slash = strrchr(library->dlpi_name, '/'), *name = slash ? slash + 1 : library->dlpi_name;
  (void)size;
  (void)unused;
  for (int i = 0; strncmp(name, "libcuda", strlen("libcuda")) == 0 && i < library->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &library->dlpi_phdr[i];
    const uintptr_t from = library->dlpi_addr + p->p_vaddr;
    const int count = atomic_load(&part_count);
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || is_ours(from) || count == MOST_PARTS) continue;
    parts[count] = (struct part){from, from + p->p_memsz};
    atomic_store(&part_count, count + 1);
  }
  return 0;
}

// ---- how long --------------------------------------------------------------------------------------------

static int doze(void *us) {
  const long all = *(const long *)us;
  const struct timespec time = {all / 1000000, all % 1000000 * 1000};
  syscall(SYS_nanosleep, &time, NULL);
  syscall(SYS_exit, 0);
  return 0;
}

static void hold_up(long us) {
  const int error = errno;
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return;
  const int child = clone(doze, stack + STACK, CLONE_VM | CLONE_VFORK, &us); // no signal at its end
  if (child > 0) (void)waitpid(child, NULL, __WALL);
  (void)munmap(stack, STACK);
  errno = error;
}

static long choose_us(void) {
  enum { MS = 1000, LONG_MS = 1500 };
  const uint64_t r = draw(), more = r >> 8;
  switch (me.pace) {
  case 0: return r % 64 ? 0 : 2 * MS;
  case 1: return r % 16 ? 0 : MS + (long)(more % (20 * MS));
  case 2: return r % 24 ? 0 : MS + (long)(more % (100 * MS));
  default: return r % 300 == 0 ? LONG_MS * MS : r % 12 ? 0 : MS + (long)(more % (300 * MS));
  }
}

static void pass(const void *caller) {
  if (!seed) return;
  if (!me.is_known) {
    enum { PACES = 4, SWIFT = 0, SLOW = PACES - 1 };
    const unsigned number = atomic_fetch_add(&thread_count, 1);
    me.is_known = true;
    me.random = (seed * 1000003 + number) * 0x9e3779b97f4a7c15ull | 1;
    for (int i = 0; i < 8; i++)
      (void)draw();
    me.pace = (unsigned)(draw() % PACES);
    if (seed % 4 == 1) me.pace = number ? SLOW : SWIFT;
    if (seed % 4 == 2) me.pace = number ? SWIFT : SLOW;
  }
  if (!is_ours((uintptr_t)caller)) { // the program loads one of them when it has begun
    enum { MOST_LOOKS = 256 };
    static atomic_uint looks;
    if (atomic_load(&looks) < MOST_LOOKS && atomic_fetch_add(&looks, 1) < MOST_LOOKS)
      (void)dl_iterate_phdr(add_parts, NULL);
    if (!is_ours((uintptr_t)caller)) return;
  }
  long us = choose_us();
  if (me.held_us > MOST_US) us /= 50;
  me.held_us += us;
  atomic_fetch_add(&held_ms, us / 1000);
  if (us) hold_up(us);
}

// ---- locks -----------------------------------------------------------------------------------------------

#define EXPORT __attribute__((visibility("default")))

typedef int lock_function(pthread_mutex_t *);

static lock_function *next(const char *name) {
  return (lock_function *)dlsym(RTLD_NEXT, name);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static lock_function *real;
  if (!real) real = next("pthread_mutex_lock");
  pass(__builtin_return_address(0));
  return real(mutex);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  static lock_function *real;
  if (!real) real = next("pthread_mutex_unlock");
  const int status = real(mutex);
  pass(__builtin_return_address(0));
  return status;
}

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("DELAYS");
  seed = text ? strtoull(text, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void) {
  const char *name = getenv("HELD");
  FILE *file = name && seed && atomic_load(&held_ms) ? fopen(name, "ae") : NULL;
  if (!file) return;
  (void)fprintf(file, "%ld\n", atomic_load(&held_ms));
  (void)fclose(file);
}
