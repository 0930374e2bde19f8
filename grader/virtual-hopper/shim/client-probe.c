// Which host functions are tried, when, and what comes of it (client-probe.h). The copy of the process is
// made by a thread of its own, so that locks of the calling thread stay locked there. What goes on without
// end, or sleeps in the system, waits.
#include "virtual-hopper/shim/client-probe.h"
#include "virtual-hopper/shim/client-later.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_COPIED = 4 << 20, // bytes of managed memory that a copy of the process copies
  MOMENT_US = 300,
  ASLEEP_MOMENTS = 12,  // in a row: it waits
  MOST_CPU_MS = 60,     // it waits in a loop
  MOST_REAL_MS = 10000, // the machine has no processor for it
  MOST_PROBES_MS = 2000 // of processor time, in all; after that every function counts as one that waits
};

// What would meet the copy that is under way.
struct meeting {
  uint32_t stream;
  uint64_t operation, address;
  bool wrote;
};
enum { MOST_MEETINGS = 8 };
static _Thread_local struct meeting meetings[MOST_MEETINGS];
static _Thread_local uint32_t meeting_count;

// ---- the copy of the process ------------------------------------------------------------------------------

// "NUMBER (NAME) S ..": the name may hold anything.
static bool sleeps(const char *name) {
  char text[512];
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = read(file, text, sizeof text - 1);
  (void)close(file);
  if (got <= 0) return false;
  text[got] = '\0';
  const char *name_ends = strrchr(text, ')');
  return name_ends && name_ends[1] == ' ' && name_ends[2] == 'S';
}

// By its own process: a walled program that asks for /proc/NUMBER seems to look for somebody else's.
bool client_thread_sleeps(int thread) {
  char name[64];
  (void)snprintf(name, sizeof name, "/proc/self/task/%d/stat", thread);
  return sleeps(name);
}

static bool process_sleeps(pid_t process) {
  char name[64];
  (void)snprintf(name, sizeof name, "/proc/%d/stat", (int)process);
  return sleeps(name);
}

static bool has_left(pid_t process) {
  return waitpid(process, NULL, WNOHANG | __WALL) != 0;
}

// Returns when it has ended, or waits; then it is ended.
static enum probe_state watch(pid_t process, uint32_t *spent_ms) {
  const struct timespec moment = {.tv_nsec = MOMENT_US * 1000};
  const int64_t began = client_clock_ms(CLOCK_MONOTONIC);
  clockid_t cpu;
  int asleep = 0;
  const bool has_clock = clock_getcpuclockid(process, &cpu) == 0;
  *spent_ms = 1;
  while (!has_left(process)) {
    (void)nanosleep(&moment, NULL);
    const int64_t spent = has_clock ? client_clock_ms(cpu) : 0;
    if (spent > *spent_ms) *spent_ms = (uint32_t)spent;
    asleep = process_sleeps(process) ? asleep + 1 : 0;
    if (asleep < ASLEEP_MOMENTS && spent < MOST_CPU_MS &&
        client_clock_ms(CLOCK_MONOTONIC) - began < MOST_REAL_MS)
      continue;
    (void)kill(process, SIGKILL);
    (void)waitpid(process, NULL, __WALL);
    return PROBE_WAITS;
  }
  return PROBE_ENDED;
}

static void *try_in_copy(void *which) {
  struct client_probe *probe = which;
  const long process = syscall(SYS_clone, 0, NULL, NULL, NULL, NULL); // no signal at its end
  if (process == 0) client_probe_child(probe);
  int goes_on = PROBE_GOES_ON; // else it has said what came of it
  const enum probe_state state = process < 0 ? PROBE_UNKNOWN : watch((pid_t)process, &probe->spent_ms);
  const enum probe_state found = state == PROBE_ENDED ? PROBE_UNKNOWN : state; // ended by somebody else
  (void)atomic_compare_exchange_strong(&probe->state, &goes_on, (int)found);
  return NULL;
}

static void try(struct client_probe *probe) {
  sigset_t all, before;
  pthread_t thread;
  atomic_store(&probe->touch_count, 0);
  atomic_store(&probe->state, PROBE_GOES_ON);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool made = pthread_create(&thread, NULL, try_in_copy, probe) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (made)
    (void)pthread_join(thread, NULL);
  else
    atomic_store(&probe->state, PROBE_UNKNOWN);
}

// ---- what is tried ----------------------------------------------------------------------------------------

static void add_region(struct client_probe *p, const void *start, size_t bytes, bool shared) {
  if (!bytes || p->region_count == PROBE_REGIONS) return;
  p->regions[p->region_count++] =
      (struct probe_region){.start = (char *)(uintptr_t)start, .bytes = bytes, .shared = shared};
}

static void list_regions(struct client *client, struct client_probe *p) {
  struct client_watched managed[CLIENT_WATCHED];
  size_t spans[CLIENT_WATCHED];
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_host *h = client->hosts; h && p->region_count < CLIENT_WATCHED; h = h->next)
    add_region(p, h->start, h->bytes, true);
  const uint32_t count = client_managed_list(client, managed, spans, 0);
  pthread_mutex_unlock(&client->handles_mutex);
  size_t copied = 0;
  for (uint32_t i = 0; i < count && p->region_count < CLIENT_WATCHED; i++) {
    const bool copies = managed[i].bytes <= MOST_COPIED - copied;
    add_region(p, managed[i].start, managed[i].bytes, !copies);
    p->regions[p->region_count - 1].copied = copies;
    if (copies) copied += managed[i].bytes;
  }
}

static void keep_meetings(const struct client_probe *p, const struct client_host_function *f,
                          const char *start, size_t bytes) {
  for (uint32_t i = 0; i < atomic_load(&p->touch_count); i++) {
    const struct client_touch *t = &p->touches[i];
    const char *at = (const char *)(uintptr_t)t->address;
    if (at < start || at >= start + bytes || meeting_count == MOST_MEETINGS) continue;
    meetings[meeting_count++] = (struct meeting){f->stream, f->operation, t->address, t->wrote};
    return;
  }
}

static void tell(const struct client_probe *p, const struct client_host_function *f, enum probe_state state) {
  const uint32_t count = p ? atomic_load(&p->touch_count) : 0;
  (void)client_order_ask(PROTOCOL_ORDER_FUNCTION_WAITS, f->stream, f->operation, state == PROBE_WAITS);
  for (uint32_t i = 0; i < count; i++)
    (void)client_order_ask(PROTOCOL_ORDER_FUNCTION_WOULD, f->stream, p->touches[i].address, f->operation);
}

// `chain`: the functions before it, and it.
static void try_function(struct client *client, const struct client_host_function *chain, uint32_t count,
                         const void *start, size_t bytes, bool written) {
  const struct client_host_function *f = &chain[count - 1];
  if (!client->is_run) return tell(NULL, f, PROBE_UNKNOWN); // the referee's walls let no process begin
  if (atomic_load(&client->probes_ms) >= MOST_PROBES_MS) return tell(NULL, f, PROBE_WAITS);
  struct client_probe *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return tell(NULL, f, PROBE_UNKNOWN);
  for (uint32_t i = 0; i < count; i++) {
    p->calls[i].function = chain[i].function;
    p->calls[i].data = chain[i].data;
  }
  p->call_count = count;
  list_regions(client, p);
  add_region(p, start, start ? bytes : 0, false);
  p->only_writes = start && !written;
  try(p);
  atomic_fetch_add(&client->probes_ms, p->spent_ms);
  tell(p, f, (enum probe_state)atomic_load(&p->state));
  if (start && written) keep_meetings(p, f, start, bytes);
  (void)munmap(p, sizeof *p);
}

void client_probe_functions(uint32_t stream, const void *start, size_t bytes, bool written) {
  struct client *client = client_state();
  struct client_host_function list[CLIENT_FUNCTIONS], chain[PROBE_CALLS];
  meeting_count = 0;
  if (!atomic_load(&client->functions_wait) || client_later_makes()) return;
  client_settle(); // a launch may wait for one of the functions, which another thread then calls
  if (client_device_error()) return;
  const uint32_t all = client_functions_list(list);
  for (uint32_t i = 0; i < all; i++) {
    const struct client_host_function *f = &list[i];
    if (!f->operation || f->runs ||
        (stream && client_order_ask(PROTOCOL_ORDER_AFTER, stream, f->operation, f->stream)) ||
        (!bytes && !client_order_ask(PROTOCOL_ORDER_TRIED, f->stream, f->operation, 0)))
      continue;
    const int count = client_functions_chain(f->number, chain, PROBE_CALLS);
    if (count > 0)
      try_function(client, chain, (uint32_t)count, start, bytes, written);
    else if (count < 0)
      tell(NULL, f, PROBE_WAITS); // one before it runs, and has not ended
  }
}

void client_probe_copied(void) {
  for (uint32_t i = 0; i < meeting_count; i++)
    (void)client_order_ask(PROTOCOL_ORDER_FUNCTION_MEETS, meetings[i].stream, meetings[i].address,
                           meetings[i].operation << 1 | meetings[i].wrote);
  meeting_count = 0;
}
