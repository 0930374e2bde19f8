// Guards: pages of page-locked memory that an asynchronous copy or a launch reads or writes are protected
// until the host has waited. The host's own code that touches them meets a memory fault, which opens the
// page, goes on, and is noted for the device. A system call meets none: it is announced
// (audit/system-calls.h).
#include "virtual-hopper/shim/audit/system-calls.h"
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { HOST_PAGE = 4096, DEFAULT_STREAM = 1 };

// ---- guards and their lock --------------------------------------------------------------------------------

// A page and the state of its guard change together: a closed page always has a closed guard. Handlers of
// signals take this lock, too: whoever holds it has blocked all signals, and touches no guarded memory.
sigset_t client_guards_lock(struct client *client) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (atomic_exchange_explicit(&client->guards_locked, true, memory_order_acquire))
    (void)sched_yield();
  return before;
}

void client_guards_unlock(struct client *client, const sigset_t *before) {
  atomic_store_explicit(&client->guards_locked, false, memory_order_release);
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

// Another thread may have held the lock when this one forked; the child doesn't have that thread.
static void free_lock_of_child(void) {
  atomic_store(&client_state()->guards_locked, false);
}

static bool meets(const struct client_guard *g, const char *from, size_t bytes) {
  return bytes && g->start < from + bytes && from < g->start + g->bytes;
}

// Of more bytes than one, what lies between rows counts as well.
static bool uses(const struct client_guard *g, const char *from, size_t bytes) {
  if (!bytes || from + bytes <= g->used || g->used + g->used_bytes <= from) return false;
  return bytes > 1 || !g->pitch || (size_t)(from - g->used) % g->pitch < g->width;
}

// What guards share has the strictest protection of theirs. The caller holds the lock, here and in the next.
void client_guards_protect(struct client *client, char *start, size_t bytes) {
  static const int protections[] = {PROT_READ, PROT_NONE};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < CLIENT_GUARDS; i++) {
      struct client_guard *g = &client->guards[i];
      if (atomic_load(&g->state) != GUARD_CLOSED || g->protection != protections[k] ||
          !meets(g, start, bytes))
        continue;
      char *from = g->start > start ? g->start : start;
      const char *past = g->start + g->bytes < start + bytes ? g->start + g->bytes : start + bytes;
      if (client_guards_lent(client, from, (size_t)(past - from))) continue;
      if (mprotect(from, (size_t)(past - from), g->protection) != 0) atomic_store(&g->state, GUARD_FREE);
    }
  }
}

static void open_guard(struct client *client, struct client_guard *g, enum client_guard_state state) {
  if (atomic_load(&g->state) != GUARD_CLOSED) return;
  (void)mprotect(g->start, g->bytes, PROT_READ | PROT_WRITE);
  atomic_store(&g->state, state);
  client_guards_protect(client, g->start, g->bytes);
}

// ---- the host's accesses ----------------------------------------------------------------------------------

static bool was_a_write(const void *context) {
#ifdef __x86_64__
  enum { WRITE_ACCESS = 2 };
  return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & WRITE_ACCESS;
#else
  (void)context;
  return false;
#endif
}

// Another thread may have opened the page between the fault and the handler: then the access is done again.
// A fault of the program's own comes back at the same address, though nothing was guarded meanwhile.
static bool may_be_open(struct client *client, const char *at) {
  enum { TRIES = 16 };
  if (atomic_exchange(&client->faulted, at) != at) {
    atomic_store(&client->fault_tries, 1);
    return true;
  }
  return atomic_fetch_add(&client->fault_tries, 1) < TRIES;
}

// Opens what the access is against. An access to other bytes of the pages is made with the pages open, or, if
// it can't be watched, they stay open. The caller holds the lock.
static bool open_touched(struct client *client, char *at, bool wrote, void *context) {
  bool closed = false, touched = false;
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    if (atomic_load(&g->state) != GUARD_CLOSED || !meets(g, at, 1)) continue;
    closed = true;
    if (!uses(g, at, 1) || (g->protection == PROT_READ && !wrote)) continue;
    touched = true;
    g->touched = (uint64_t)(uintptr_t)at;
    g->wrote = wrote;
    open_guard(client, g, GUARD_TOUCHED);
  }
  if (!closed || touched) return closed;
  if (client_step_begin(client, at, context)) return true;
  for (int i = 0; i < CLIENT_GUARDS; i++)
    if (meets(&client->guards[i], at, 1)) open_guard(client, &client->guards[i], GUARD_FREE);
  return true;
}

static void open_all(struct client *client) {
  const sigset_t signals = client_guards_lock(client);
  for (int i = 0; i < CLIENT_GUARDS; i++)
    open_guard(client, &client->guards[i], GUARD_FREE);
  client_guards_unlock(client, &signals);
}

// Calls only what a signal's handler may call.
static void on_memory_fault(int signal, siginfo_t *info, void *context) {
  struct client *client = client_state(); // known since the guard was set
  const int error = errno;
  const sigset_t signals = client_guards_lock(client);
  const bool wrote = was_a_write(context);
  const bool opened =
      client_watch_fault(client, info->si_addr, wrote) ||
      (!client_early_holds(client, info->si_addr) && open_touched(client, info->si_addr, wrote, context));
  if (!opened) client_step_end(client, context);
  client_guards_unlock(client, &signals);
  const bool held_up = !opened && client_early_fault(client, info->si_addr);
  errno = error;
  if (opened || held_up || may_be_open(client, info->si_addr)) return;
  // The program's own fault: it happens again, and meets what the program has set. Until the next guard is
  // closed, that handler is alone, so it must meet none of ours.
  open_all(client);
  atomic_store(&client->fault_handler, NULL);
  (void)client_set_action(signal, &client->other_action, NULL);
}

// ---- system calls -----------------------------------------------------------------------------------------

// What is lent to a system call under way is not closed again, though another thread launches meanwhile. The
// caller holds the lock, here and in the next two.
bool client_guards_lent(const struct client *client, const char *start, size_t bytes) {
  for (int i = 0; i < CLIENT_LENT; i++) {
    const struct client_lent *l = &client->lent[i];
    if (l->bytes && l->start < start + bytes && start < l->start + l->bytes) return true;
  }
  return false;
}

static void lend(struct client *client, const char *start, size_t bytes) {
  for (int i = 0; i < CLIENT_LENT; i++) {
    if (client->lent[i].bytes) continue;
    client->lent[i] = (struct client_lent){start, bytes};
    return;
  }
}

static void take_back(struct client *client, const char *start, size_t bytes) {
  for (int i = 0; i < CLIENT_LENT; i++) {
    if (client->lent[i].start != start || client->lent[i].bytes != bytes) continue;
    client->lent[i].bytes = 0;
    return;
  }
}

static void system_call_begins(const void *start, size_t bytes) {
  struct client *client = client_state();
  if (!bytes) return;
  const sigset_t signals = client_guards_lock(client);
  lend(client, start, bytes);
  client_watch_lend(client, start, bytes);
  client_early_lend(client, start, bytes);
  for (int i = 0; i < CLIENT_GUARDS; i++)
    if (meets(&client->guards[i], start, bytes)) open_guard(client, &client->guards[i], GUARD_LENT);
  client_guards_unlock(client, &signals);
}

// A page with a stream's value was open, and others may have looked at it meanwhile, or may from now on: that
// is noted (client-order.c). The caller holds the lock.
static void end_lent_value(struct client_guard *g) {
  g->touched = (uint64_t)(uintptr_t)g->start;
  atomic_store(&g->state, GUARD_UNSEEN);
}

// The call has not touched what the copy uses.
static void end_lent_unused(struct client *client, struct client_guard *g) {
  if (g->used_bytes == g->bytes || client_guards_lent(client, g->start, g->bytes)) {
    atomic_store(&g->state, GUARD_FREE);
    return;
  }
  atomic_store(&g->state, GUARD_CLOSED);
  client_guards_protect(client, g->start, g->bytes);
}

// What the call has not reached was not touched.
static void end_lent(const char *from, size_t bytes, size_t used, bool written) {
  struct client *client = client_state();
  if (!bytes) return;
  const sigset_t signals = client_guards_lock(client);
  take_back(client, from, bytes);
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    if (atomic_load(&g->state) != GUARD_LENT || !meets(g, from, bytes)) continue;
    if (g->operation == CLIENT_GUARD_VALUE && !meets(g, from, used)) {
      end_lent_value(g);
      continue;
    }
    const bool touches = uses(g, from, used);
    if (touches || g->operation == CLIENT_GUARD_VALUE) {
      g->touched = (uint64_t)(uintptr_t)(from > g->used ? from : g->used);
      g->wrote = written;
      atomic_store(&g->state, GUARD_TOUCHED);
    } else {
      end_lent_unused(client, g);
    }
  }
  client_guards_unlock(client, &signals);
}

static void system_call_ends(const void *start, size_t bytes, size_t used, bool written) {
  end_lent(start, bytes, used, written);
}

EXPORT bool vhopper_watch_system_calls(const struct system_call_watcher *watcher) {
  (void)watcher; // no auditing library: such a call fails with EFAULT
  return false;
}

static void watch_system_calls(struct client *client) {
  static const struct system_call_watcher watcher = {system_call_begins, system_call_ends,
                                                     client_source_gone};
  atomic_store(&client->hears_frees, vhopper_watch_system_calls(&watcher));
}

// ---- guards -----------------------------------------------------------------------------------------------

// Puts our handler before the program's own, which still gets every fault that is not of a guard.
bool client_guards_watch_faults(struct client *client) {
  static atomic_bool begun;
  struct sigaction now, ours = {.sa_sigaction = on_memory_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  if (client_set_action(SIGSEGV, NULL, &now) != 0) return false;
  if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == atomic_load(&client->fault_handler)) return true;
  client->other_action = now;
  if (!atomic_exchange(&begun, true)) {
    watch_system_calls(client);
    (void)pthread_atfork(NULL, NULL, free_lock_of_child);
  }
  if (client_set_action(SIGSEGV, &ours, NULL) != 0) return false;
  atomic_store(&client->fault_handler, on_memory_fault);
  return true;
}

bool client_guards_set_action(const struct sigaction *wanted, struct sigaction *before) {
  struct client *client = client_state();
  struct sigaction now;
  if (!atomic_load(&client->fault_handler) || client_set_action(SIGSEGV, NULL, &now) != 0 ||
      now.sa_sigaction != atomic_load(&client->fault_handler))
    return false;
  const sigset_t signals = client_guards_lock(client);
  if (before) *before = client->other_action;
  if (wanted) client->other_action = *wanted;
  client_guards_unlock(client, &signals);
  return true;
}

void client_guards_open(const void *start, size_t bytes) {
  struct client *client = client_state();
  const sigset_t signals = client_guards_lock(client);
  for (int i = 0; i < CLIENT_GUARDS; i++)
    if (meets(&client->guards[i], start, bytes)) open_guard(client, &client->guards[i], GUARD_FREE);
  client_guards_unlock(client, &signals);
}

static size_t span_of(const struct client_rows *rows) {
  return rows && rows->rows && rows->width ? (rows->rows - 1) * rows->pitch + rows->width : 0;
}

void client_guards_lend(const struct client_rows *rows) {
  const size_t bytes = span_of(rows);
  if (bytes) system_call_begins(rows->base, bytes);
}

void client_guards_return(const struct client_rows *rows) {
  const size_t bytes = span_of(rows);
  if (bytes) end_lent(rows->base, bytes, 0, false); // the program has touched nothing
}

// Opens the guards of this operation and stream.
static void open_seen(struct client *client, uint32_t stream, uint64_t operation) {
  const sigset_t signals = client_guards_lock(client);
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    if (g->stream == stream && g->operation == operation) open_guard(client, g, GUARD_FREE);
  }
  client_guards_unlock(client, &signals);
}

void client_guards_check(void) {
  struct client *client = client_state();
  bool managed = false;
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    const sigset_t signals = client_guards_lock(client);
    const bool closed = atomic_load(&client->guards[i].state) == GUARD_CLOSED;
    const uint32_t stream = client->guards[i].stream;
    const uint64_t operation = client->guards[i].operation;
    client_guards_unlock(client, &signals);
    managed |= closed && !operation;
    if (closed && operation && operation != CLIENT_GUARD_VALUE &&
        (client_device_error() || client_order_ask(PROTOCOL_ORDER_SEEN, stream, operation, 0)))
      open_seen(client, stream, operation);
  }
  if (managed) client_managed_guard();
}

static char *page_of(uintptr_t at) {
  return (char *)(at / HOST_PAGE * HOST_PAGE); // NOLINT(performance-no-int-to-ptr)
}

// All pages of this memory in which the program has nothing else: another's bytes there would meet the fault,
// too, and a system call would fail.
static bool own_pages(const struct client_host *host, char **from, char **past) {
  const uintptr_t start = (uintptr_t)host->start;
  *from = host->allocated ? (char *)host->start : page_of(start + HOST_PAGE - 1);
  *past = host->allocated ? (char *)host->start + host->span : page_of(start + host->bytes);
  return *from < *past;
}

// The pages that the copy's bytes lie in; where single accesses can't be watched, those that hold no others.
static bool copied_pages(const struct client_host *host, const char *start, size_t bytes, char **from,
                         size_t *span) {
  const bool in_part = client_steps_ready() || (host->allocated && host->span == HOST_PAGE);
  const bool ends = host->allocated && start + bytes == (char *)host->start + host->bytes;
  const uintptr_t low = (uintptr_t)start, high = low + bytes, round = HOST_PAGE - 1;
  char *own, *past, *low_page = page_of(in_part ? low : low + round),
                    *high_page = page_of(in_part || ends ? high + round : high);
  if (!own_pages(host, &own, &past)) return false;
  if (low_page < own) low_page = own;
  if (high_page > past) high_page = past;
  *from = low_page;
  *span = (size_t)(high_page - low_page);
  return low_page < high_page;
}

// A part that is closed already, for the same stream, needs no other guard. Returns false when it stays open.
// The caller holds the lock.
static bool close_locked(struct client *client, const struct client_guard *wanted, int protection) {
  struct client_guard *room = NULL;
  if (client_guards_lent(client, wanted->start, wanted->bytes)) return false;
  const char *used = wanted->used ? wanted->used : wanted->start;
  const size_t used_bytes = wanted->used ? wanted->used_bytes : wanted->bytes;
  for (int i = 0; i < CLIENT_GUARDS; i++) {
    struct client_guard *g = &client->guards[i];
    const int state = atomic_load(&g->state);
    if (state == GUARD_CLOSED && g->start == wanted->start && g->bytes == wanted->bytes &&
        g->stream == wanted->stream && g->operation == wanted->operation && g->used == used &&
        g->used_bytes == used_bytes && g->pitch == wanted->pitch && g->width == wanted->width)
      return true;
    if (state == GUARD_FREE && !room) room = g;
  }
  if (!room) return false;
  room->start = wanted->start;
  room->bytes = wanted->bytes;
  room->used = used;
  room->used_bytes = used_bytes;
  room->pitch = wanted->pitch;
  room->width = wanted->width;
  room->stream = wanted->stream;
  room->operation = wanted->operation;
  room->protection = protection;
  atomic_store(&client->fault_tries, 0);
  atomic_store(&room->state, GUARD_CLOSED);
  client_guards_protect(client, room->start, room->bytes);
  return atomic_load(&room->state) == GUARD_CLOSED;
}

void client_guards_renew(struct client *client) {
  for (int i = 0; i < CLIENT_GUARDS; i++)
    client_guards_protect(client, client->guards[i].start, client->guards[i].bytes);
  client_early_renew(client);
}

static bool close_guard(const struct client_guard *wanted, int protection) {
  struct client *client = client_state();
  const sigset_t signals = client_guards_lock(client);
  const bool closed = close_locked(client, wanted, protection);
  client_guards_unlock(client, &signals);
  return closed;
}

// Until the host has waited for the stream's last operation.
static void close_for_stream(const struct client_host *host, const struct client_rows *rows, uint32_t stream,
                             bool written) {
  const uint64_t operation = client_order_ask(PROTOCOL_ORDER_LAST, stream, 0, 0);
  const size_t bytes = span_of(rows);
  char *start;
  size_t span;
  if (!operation || !bytes || !copied_pages(host, rows->base, bytes, &start, &span) ||
      !client_guards_watch_faults(client_state()))
    return;
  close_guard(&(struct client_guard){.start = start,
                                     .bytes = span,
                                     .used = rows->base,
                                     .used_bytes = bytes,
                                     .pitch = rows->rows > 1 && rows->pitch > rows->width ? rows->pitch : 0,
                                     .width = rows->width,
                                     .stream = stream,
                                     .operation = operation},
              written ? PROT_NONE : PROT_READ);
}

void client_guard_filled(const struct client_rows *rows, uint32_t in) {
  struct client_host host;
  const bool is_whole = rows->rows == 1 || rows->pitch == rows->width;
  const size_t bytes = is_whole ? rows->width * rows->rows : 0; // else it is only ordered
  const uint32_t stream = in & PROTOCOL_STREAM;
  client_order(PROTOCOL_ORDER_FILLS, stream, (uint64_t)(uintptr_t)rows->base, bytes);
  if (in & PROTOCOL_HOST_WAITS)
    client_order(PROTOCOL_ORDER_HOST_STREAM, stream, 0, 0);
  else if (bytes && client_host_find(rows->base, &host))
    close_for_stream(&host, rows, stream, true);
  else if (bytes && client_has_managed())
    client_managed_guard();
}

void client_guard(const struct client_rows *rows, uint32_t in, bool written) {
  struct client_host host;
  const uint32_t stream = in & PROTOCOL_STREAM;
  if (!client_host_find(rows->base, &host) && !client_managed_find(rows->base, &host)) return;
  client_order_rows(written ? PROTOCOL_ORDER_WRITES : PROTOCOL_ORDER_READS, stream, rows);
  if (!(in & PROTOCOL_HOST_WAITS)) close_for_stream(&host, rows, stream, written);
}

// A stream is about to write a value there: what the host learns by looking at it is known when it does.
// Whoever touches the page before it is written waits. Returns false where accesses can't be seen.
bool client_guard_value(const struct client_host *host, char *at, uint32_t stream, uint64_t value,
                        size_t bytes) {
  struct client *client = client_state();
  char *start, *past;
  void *to = host->again + (at - (char *)host->start);
  const bool can_close = own_pages(host, &start, &past) && start <= at && at + bytes <= past &&
                         client_guards_watch_faults(client);
  const sigset_t signals = client_guards_lock(client);
  bool closed = can_close;
  if (can_close)
    closed = close_locked(client,
                          &(struct client_guard){.start = start + (at - start) / HOST_PAGE * HOST_PAGE,
                                                 .bytes = HOST_PAGE,
                                                 .stream = stream,
                                                 .operation = CLIENT_GUARD_VALUE},
                          PROT_NONE);
  if (bytes == sizeof value)
    __atomic_store_n((uint64_t *)to, value, __ATOMIC_RELEASE);
  else
    __atomic_store_n((uint32_t *)to, (uint32_t)value, __ATOMIC_RELEASE);
  client_guards_unlock(client, &signals);
  return closed;
}

// In parts: the first access to one opens it, and others in that part are not seen.
void client_guard_parameter(const void *pointer, uint32_t stream, uint64_t operation) {
  enum { PARTS = 8 };
  struct client *client = client_state();
  struct client_host host;
  char *start, *past;
  if (!client_host_find(pointer, &host) || !own_pages(&host, &start, &past) ||
      !client_guards_watch_faults(client))
    return;
  const size_t span = (size_t)(past - start);
  const sigset_t signals = client_guards_lock(client);
  for (int i = 0; i < CLIENT_GUARDS; i++) { // what an earlier launch has been given stays closed for longer
    struct client_guard *g = &client->guards[i];
    if (atomic_load(&g->state) != GUARD_CLOSED || g->stream != stream) continue;
    if (g->operation != CLIENT_GUARD_VALUE && meets(g, start, span)) g->operation = operation;
  }
  client_guards_unlock(client, &signals);
  const size_t part = (span / HOST_PAGE + PARTS - 1) / PARTS * HOST_PAGE;
  for (size_t at = 0; at < span; at += part)
    close_guard(&(struct client_guard){.start = start + at,
                                       .bytes = span - at < part ? span - at : part,
                                       .stream = stream,
                                       .operation = operation},
                PROT_NONE);
}

void client_guard_managed(void *start, size_t bytes) {
  enum { MOST_RUNS = 8 };
  client_guards_open(start, bytes);
  if (client_device_error() || !client_guards_watch_faults(client_state())) return;
  char *from = start;
  for (size_t left = bytes, runs = 0; left && runs < MOST_RUNS; runs++) {
    const uint64_t answer =
        client_order_ask(PROTOCOL_ORDER_TOUCHED, DEFAULT_STREAM, (uint64_t)(uintptr_t)from, left);
    const size_t first = (size_t)(answer >> PROTOCOL_TOUCHED_FIRST) * HOST_PAGE,
                 count = (size_t)((uint32_t)answer >> PROTOCOL_TOUCHED_COUNT) * HOST_PAGE;
    if (!count) return;
    close_guard(&(struct client_guard){.start = from + first, .bytes = count, .stream = DEFAULT_STREAM},
                answer & PROTOCOL_TOUCHED_WRITTEN ? PROT_NONE : PROT_READ);
    const size_t past = first + count < left ? first + count : left;
    from += past;
    left -= past;
  }
}
