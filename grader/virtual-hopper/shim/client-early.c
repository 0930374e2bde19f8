// The host's accesses to page-locked and managed memory while calls are kept that touch it (client-later.c).
// In: such calls, and memory faults. Out: nothing but time. One idea: a host function may wait for what the
// host does next, so an access before the function's end may be right. The access is held up for a moment: if
// the call is made meanwhile, nothing orders the two, and the guard that the call has closed meets the
// access.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HOST_PAGE = 4096, MOMENT_US = 500, LONG_US = 150000, ENOUGH_US = 1500000 };

static bool holds(const struct client_early *e, const char *at) {
  return atomic_load(&e->call) && e->start <= at && at < e->start + e->bytes;
}

static void close_pages(struct client *client, char *from, const char *past, int protection, uintptr_t call) {
  const sigset_t signals = client_guards_lock(client);
  for (int i = 0; i < CLIENT_EARLY; i++) {
    struct client_early *e = &client->early[i];
    if (atomic_load(&e->call)) continue;
    if (client_guards_lent(client, from, (size_t)(past - from))) break;
    e->start = from;
    e->bytes = (size_t)(past - from);
    e->protection = protection;
    if (mprotect(from, e->bytes, protection) == 0) atomic_store(&e->call, call);
    break;
  }
  client_guards_unlock(client, &signals);
}

static bool may_close(struct client *client) {
  return atomic_load(&client->early_us) < ENOUGH_US && client_guards_watch_faults(client);
}

void client_early_begin(const void *start, size_t bytes, bool written, uintptr_t call) {
  struct client *client = client_state();
  struct client_host host;
  char *from = (char *)(((uintptr_t)start + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE);
  char *past = (char *)(((uintptr_t)start + bytes) / HOST_PAGE * HOST_PAGE);
  if (!bytes || !client_host_find(start, &host) || !may_close(client)) return;
  if (host.allocated && (char *)start + bytes == (char *)host.start + host.bytes)
    past = (char *)host.start + host.span;
  if (from < past) close_pages(client, from, past, written ? PROT_NONE : PROT_READ, call);
}

void client_early_begin_managed(uintptr_t call) {
  struct client *client = client_state();
  struct client_watched regions[CLIENT_WATCHED];
  size_t spans[CLIENT_WATCHED];
  pthread_mutex_lock(&client->handles_mutex);
  const uint32_t count = client_managed_list(client, regions, spans, 0);
  pthread_mutex_unlock(&client->handles_mutex);
  if (!count || !may_close(client)) return;
  for (uint32_t i = 0; i < count; i++)
    close_pages(client, regions[i].start, regions[i].start + spans[i], PROT_NONE, call);
}

// The caller holds the guards' lock.
static void open_pages(struct client *client, struct client_early *e) {
  (void)mprotect(e->start, e->bytes, PROT_READ | PROT_WRITE);
  atomic_store(&e->call, 0);
  for (int i = 0; i < CLIENT_EARLY; i++) { // others that hold the same pages
    struct client_early *other = &client->early[i];
    if (atomic_load(&other->call) && other->start < e->start + e->bytes &&
        e->start < other->start + other->bytes)
      atomic_store(&other->call, 0);
  }
  client_guards_renew(client);
}

void client_early_renew(struct client *client) {
  for (int i = 0; i < CLIENT_EARLY; i++) {
    struct client_early *e = &client->early[i];
    if (!atomic_load(&e->call) || client_guards_lent(client, e->start, e->bytes)) continue;
    if (mprotect(e->start, e->bytes, e->protection) != 0) atomic_store(&e->call, 0);
  }
}

bool client_early_holds(const struct client *client, const char *at) {
  for (int i = 0; i < CLIENT_EARLY; i++)
    if (holds(&client->early[i], at)) return true;
  return false;
}

void client_early_end(uintptr_t call) {
  struct client *client = client_state();
  const sigset_t signals = client_guards_lock(client);
  for (int i = 0; i < CLIENT_EARLY; i++)
    if (atomic_load(&client->early[i].call) == call) open_pages(client, &client->early[i]);
  client_guards_unlock(client, &signals);
}

void client_early_lend(struct client *client, const char *start, size_t bytes) {
  for (int i = 0; i < CLIENT_EARLY; i++) {
    const struct client_early *e = &client->early[i];
    if (atomic_load(&e->call) && bytes && e->start < start + bytes && start < e->start + e->bytes)
      (void)mprotect(e->start, e->bytes, PROT_READ | PROT_WRITE);
  }
}

// Of a host function nobody knows when it ends: it is not held up.
static bool is_in_function(const struct client *client) {
  const int thread = (int)syscall(SYS_gettid);
  for (int i = 0; i < CLIENT_FUNCTIONS; i++) {
    const struct client_host_function *f = &client->functions[i];
    if (f->function && f->runs && f->runs_in == thread) return true;
  }
  return false;
}

// Calls only what a signal's handler may call.
bool client_early_fault(struct client *client, const char *at) {
  enum { MOST = 20000 }; // moments, whatever others do
  const struct timespec moment = {.tv_nsec = MOMENT_US * 1000};
  struct client_pace paces[CLIENT_FUNCTIONS] = {{0}};
  struct client_early *met = NULL;
  sigset_t signals = client_guards_lock(client);
  for (int i = 0; i < CLIENT_EARLY && !met; i++)
    if (holds(&client->early[i], at)) met = &client->early[i];
  client_guards_unlock(client, &signals);
  if (!met) return false;
  for (int us = is_in_function(client) ? LONG_US : 0, n = 0; us < LONG_US && n < MOST && holds(met, at);
       n++) {
    (void)nanosleep(&moment, NULL);
    const int64_t pace = client_functions_pace(client, paces);
    const int passed = pace < 0 || pace > MOMENT_US ? MOMENT_US : (int)pace;
    us += passed;
    atomic_fetch_add(&client->early_us, (uint32_t)passed);
  }
  signals = client_guards_lock(client);
  if (holds(met, at)) open_pages(client, met);
  client_guards_unlock(client, &signals);
  return true; // the access is done again
}
