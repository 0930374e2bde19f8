// In: work for several threads. Out: all of it is done. The idea: one word holds the number of the call and
// how many are called; each thread sleeps on it with a bit of its own, so that nobody is woken for nothing.
#include "virtual-hopper/schedule/crew.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/schedule/meeting.h"

enum { COUNT_BITS = 9, MASK_BITS = 32 }; // CREW_MOST fits into COUNT_BITS
enum { EVERYBODY_ENDS = 0 };             // as a count

struct member {
  struct crew *crew;
  unsigned number, heard; // heard: the last call
  pthread_t thread;
};

struct crew {
  long processors;
  unsigned count; // with the thread that calls
  struct member *member[CREW_MOST];
  // of the call:
  void (*work)(void *context, unsigned number);
  void *context;
  atomic_bool looks;               // there is a processor for each who is called
  atomic_uint call, working, done; // call: its number and count; done: calls that have ended
};

struct crew *crew_create(void) {
  struct crew *c = calloc(1, sizeof *c);
  if (!c) die("out of memory for a crew");
  c->processors = sysconf(_SC_NPROCESSORS_ONLN);
  c->count = 1;
  return c;
}

bool crew_has_processors(const struct crew *c, unsigned count) {
  return c && (long)count <= c->processors;
}

static uint32_t bit_of(unsigned number) {
  return 1u << number % MASK_BITS;
}

static void wake(atomic_uint *word, uint32_t mask) {
  syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, mask);
}

// Returns when the word is no longer `old`.
static void await(const struct crew *c, atomic_uint *word, unsigned old, uint32_t mask) {
  if (atomic_load(&c->looks) && meeting_look(word, old)) return;
  while (atomic_load(word) == old)
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, old, NULL, NULL, mask);
}

static void *member_main(void *argument) {
  struct member *m = argument;
  struct crew *c = m->crew;
  for (;;) {
    await(c, &c->call, m->heard, bit_of(m->number));
    m->heard = atomic_load(&c->call);
    const unsigned count = m->heard % (1u << COUNT_BITS);
    if (count == EVERYBODY_ENDS) return NULL;
    if (m->number >= count) continue;
    c->work(c->context, m->number);
    if (atomic_fetch_sub(&c->working, 1) > 1) continue;
    atomic_fetch_add(&c->done, 1);
    wake(&c->done, UINT32_MAX);
  }
}

// What ends or stops the process is for the thread that calls: it may wait for it in a system call.
static void start(struct member *m) {
  sigset_t ending, before;
  sigemptyset(&ending);
  const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGCHLD};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    sigaddset(&ending, signals[i]);
  pthread_sigmask(SIG_BLOCK, &ending, &before);
  if (pthread_create(&m->thread, NULL, member_main, m) != 0) die("no thread can be made for a worker");
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void grow(struct crew *c, unsigned count) {
  for (; c->count < count; c->count++) {
    struct member *m = calloc(1, sizeof *m);
    if (!m) die("out of memory for a crew");
    *m = (struct member){.crew = c, .number = c->count, .heard = atomic_load(&c->call)};
    c->member[c->count] = m;
    start(m);
  }
}

static void call(struct crew *c, unsigned count) {
  const unsigned number = (atomic_load(&c->call) >> COUNT_BITS) + 1;
  uint32_t mask = count > MASK_BITS || count == EVERYBODY_ENDS ? UINT32_MAX : 0;
  for (unsigned i = 1; i < count; i++)
    mask |= bit_of(i);
  atomic_store(&c->call, number << COUNT_BITS | count);
  wake(&c->call, mask);
}

void crew_run(struct crew *c, unsigned count, void (*work)(void *context, unsigned number), void *context) {
  if (count < 2) return work(context, 0);
  grow(c, count);
  c->work = work;
  c->context = context;
  atomic_store(&c->looks, crew_has_processors(c, count));
  atomic_store(&c->working, count - 1);
  const unsigned done = atomic_load(&c->done);
  call(c, count);
  work(context, 0);
  await(c, &c->done, done, UINT32_MAX);
}

void crew_destroy(struct crew *c) {
  if (!c) return;
  if (c->count > 1) call(c, EVERYBODY_ENDS);
  for (unsigned i = 1; i < c->count; i++) {
    pthread_join(c->member[i]->thread, NULL);
    free(c->member[i]);
  }
  free(c);
}
