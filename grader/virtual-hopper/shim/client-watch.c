// What a host function touches. In: page-locked and managed memory, which is closed while the function runs.
// Out: notes for the device. One idea: the first read and the first write in each page meet a memory fault,
// which opens the page. If no other thread of the program's can have written meanwhile, all bytes that have
// changed there are the function's; else only the bytes of those first accesses are known.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client-probe.h"
#include "virtual-hopper/shim/client.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOST_PAGE = 4096, NOTES_AT_ONCE = 32, MOST_NOTES = 4096 };

static char *page_of(const char *at) {
  return (char *)((uintptr_t)at / HOST_PAGE * HOST_PAGE);
}

// ---- closing ----------------------------------------------------------------------------------------------

// The caller holds the lock, here and below where it says nothing else.
static void keep(struct client_watch *w, char *start, size_t bytes) {
  if (w->kept_count == CLIENT_KEPT || bytes > HOST_PAGE) return;
  memcpy(w->before + (size_t)w->kept_count * HOST_PAGE, start, bytes);
  w->kept[w->kept_count++] = (struct client_watched){start, bytes};
}

// Whole pages of the program's. The rest of registered memory shares its pages with something else.
static void add_region(struct client_watch *w, char *start, size_t bytes, size_t span) {
  char *low = page_of(start + HOST_PAGE - 1), *high = page_of(start + (span > bytes ? span : bytes));
  if (w->region_count == CLIENT_WATCHED) return;
  if (low < high) w->regions[w->region_count++] = (struct client_watched){low, (size_t)(high - low)};
  if (span) return;
  if (low >= high) {
    keep(w, start, bytes);
  } else {
    if (start < low) keep(w, start, (size_t)(low - start));
    if (high < start + bytes) keep(w, high, (size_t)(start + bytes - high));
  }
}

static void close_regions(struct client *client) {
  struct client_watch *w = &client->watch;
  for (uint32_t i = 0; i < w->region_count;) {
    const struct client_watched *r = &w->regions[i];
    if (!client_guards_lent(client, r->start, r->bytes) && mprotect(r->start, r->bytes, PROT_NONE) == 0)
      i++;
    else
      w->regions[i] = w->regions[--w->region_count];
  }
}

// Memory for the notes, once for all functions.
static bool has_room(struct client_watch *w) {
  const size_t touches = sizeof(struct client_touch) * CLIENT_TOUCHES, kept = (size_t)CLIENT_KEPT * HOST_PAGE;
  if (w->touches) return true;
  char *room = mmap(NULL, touches + kept, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  w->before = room;
  w->touches = (struct client_touch *)(void *)(room + kept);
  return true;
}

static void set_faults(int how) {
  sigset_t faults;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  pthread_sigmask(how, &faults, NULL);
}

bool client_watch_begin(struct client *client, int thread, const char *frame) {
  struct client_watch *w = &client->watch;
  struct client_watched regions[CLIENT_WATCHED];
  size_t spans[CLIENT_WATCHED];
  uint32_t count = 0;
  pthread_mutex_lock(&client->handles_mutex);
  for (const struct client_host *h = client->hosts; h && count < CLIENT_WATCHED; h = h->next) {
    regions[count] = (struct client_watched){h->start, h->bytes};
    spans[count++] = h->allocated ? h->span : 0;
  }
  count = client_managed_list(client, regions, spans, count);
  pthread_mutex_unlock(&client->handles_mutex);
  client_sources_begin(client, thread, frame);
  if (!(count || atomic_load(&client->source_count)) || !client_guards_watch_faults(client) || !has_room(w))
    return false;
  const sigset_t signals = client_guards_lock(client);
  w->region_count = w->kept_count = w->touch_count = 0;
  w->others = false;
  for (uint32_t i = 0; i < count; i++)
    add_region(w, regions[i].start, regions[i].bytes, spans[i]);
  close_regions(client);
  atomic_store(&w->thread, (int)syscall(SYS_gettid));
  client_guards_unlock(client, &signals);
  set_faults(SIG_UNBLOCK);
  return true;
}

// ---- faults -----------------------------------------------------------------------------------------------

static bool is_watched(const struct client_watch *w, const char *at) {
  for (uint32_t i = 0; i < w->region_count; i++)
    if (w->regions[i].start <= at && at < w->regions[i].start + w->regions[i].bytes) return true;
  return false;
}

bool client_watch_fault(struct client *client, char *at, bool wrote) {
  struct client_watch *w = &client->watch;
  char *page = page_of(at);
  if (!atomic_load(&w->thread) || !is_watched(w, at)) return false;
  if (atomic_load(&w->thread) != (int)syscall(SYS_gettid)) {
    w->others = true;
    if (client_early_holds(client, at)) return false;
    for (int i = 0; i < CLIENT_GUARDS; i++) { // the guard is the one that tells
      const struct client_guard *g = &client->guards[i];
      if (atomic_load(&g->state) == GUARD_CLOSED && g->start <= at && at < g->start + g->bytes) return false;
    }
    return mprotect(page, HOST_PAGE, PROT_READ | PROT_WRITE) == 0;
  }
  if (w->touch_count < CLIENT_TOUCHES)
    w->touches[w->touch_count++] = (struct client_touch){(uint64_t)(uintptr_t)at, wrote};
  if (mprotect(page, HOST_PAGE, PROT_READ) != 0) return false;
  if (!wrote) return true;
  keep(w, page, HOST_PAGE);
  return mprotect(page, HOST_PAGE, PROT_READ | PROT_WRITE) == 0;
}

void client_watch_lend(struct client *client, const char *start, size_t bytes) {
  struct client_watch *w = &client->watch;
  if (!atomic_load(&w->thread)) return;
  for (uint32_t i = 0; i < w->region_count; i++) {
    const struct client_watched *r = &w->regions[i];
    if (r->start < start + bytes && start < r->start + r->bytes)
      (void)mprotect(r->start, r->bytes, PROT_READ | PROT_WRITE);
  }
}

// ---- what is told -----------------------------------------------------------------------------------------

static int count_threads(void) {
  DIR *tasks = opendir("/proc/self/task");
  int count = 0;
  if (!tasks) return -1;
  for (const struct dirent *entry; (entry = readdir(tasks));)
    count += entry->d_name[0] != '.';
  (void)closedir(tasks);
  return count;
}

bool client_others_sleep(void) {
  const int own = (int)syscall(SYS_gettid);
  DIR *tasks = opendir("/proc/self/task");
  bool sleep = true;
  if (!tasks) return true;
  for (const struct dirent *entry; sleep && (entry = readdir(tasks));) {
    const int thread = atoi(entry->d_name); // "." and "..": 0
    sleep = thread == 0 || thread == own || client_thread_sleeps(thread);
  }
  (void)closedir(tasks);
  return sleep;
}

bool client_is_alone(struct client *client) {
  return count_threads() == 1 + (int)atomic_load(&client->helpers);
}

// A handler of the program's may do something at any time; those of memory faults are this library's.
static bool catches_signals(void) {
  for (int number = 1; number < NSIG; number++) {
    struct sigaction now;
    if (number == SIGSEGV || client_set_action(number, NULL, &now) != 0) continue;
    if (now.sa_flags & SA_SIGINFO || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)) return true;
  }
  return false;
}

static bool has_children(void) {
  siginfo_t unused;
  return waitid(P_ALL, 0, &unused, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

bool client_is_at_rest(struct client *client, bool has_kept) {
  if (client->function_count || !client_is_alone(client) || catches_signals() || has_children()) return false;
  return has_kept || (!atomic_load(&client->later_count) && !atomic_load(&client->helpers));
}

// The caller doesn't hold the lock.
static void tell(uint32_t stream, bool wrote, uint64_t address, size_t bytes, uint32_t *notes) {
  struct protocol_order body = {.kind =
                                    wrote ? PROTOCOL_ORDER_FUNCTION_WRITES : PROTOCOL_ORDER_FUNCTION_READS,
                                .stream = stream,
                                .object = address,
                                .bytes = bytes};
  struct client_request now = {.operation = PROTOCOL_STATUS};
  if (++*notes > MOST_NOTES) return;
  client_order((enum protocol_order_kind)body.kind, stream, address, bytes);
  if (*notes % NOTES_AT_ONCE == 0) (void)client_call(&now);
}

static void tell_sources(struct client *client, uint32_t stream, uint32_t *notes) {
  struct client_watched change;
  while (client_sources_next_change(client, &change))
    tell(stream, true, (uint64_t)(uintptr_t)change.start, change.bytes, notes);
}

static void tell_changes(const struct client_watch *w, uint32_t stream, uint32_t *notes) {
  for (uint32_t i = 0; i < w->kept_count; i++) {
    const char *now = w->kept[i].start, *before = w->before + (size_t)i * HOST_PAGE;
    for (size_t at = 0; at < w->kept[i].bytes;) {
      size_t past = at;
      while (past < w->kept[i].bytes && now[past] != before[past])
        past++;
      if (past > at) tell(stream, true, (uint64_t)(uintptr_t)now + at, past - at, notes);
      at = past + 1;
    }
  }
}

void client_watch_end(struct client *client, uint32_t stream, bool alone) {
  struct client_watch *w = &client->watch;
  uint32_t notes = 0;
  const sigset_t signals = client_guards_lock(client);
  atomic_store(&w->thread, 0);
  for (uint32_t i = 0; i < w->region_count; i++)
    (void)mprotect(w->regions[i].start, w->regions[i].bytes, PROT_READ | PROT_WRITE);
  client_guards_renew(client);
  client_guards_unlock(client, &signals);
  alone = alone && !w->others && client_is_alone(client);
  for (uint32_t i = 0; i < w->touch_count; i++)
    tell(stream, w->touches[i].wrote, w->touches[i].address, 1, &notes);
  if (!alone) return;
  tell_changes(w, stream, &notes);
  tell_sources(client, stream, &notes);
}
