// Memory of the program's that is protected for a while, so that its own accesses are seen: by guards while
// copies and launches use it, while calls are kept that will, and while a host function runs.
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_GUARDS_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_GUARDS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client;
struct client_host;
struct client_rows;

// Page-locked or managed memory that the host must not touch until it has waited for a copy or a launch.
// GUARD_LENT: open for a system call. GUARD_UNSEEN: of a stream's value; it was open, so the host may have
// looked at it.
enum client_guard_state { GUARD_FREE, GUARD_CLOSED, GUARD_TOUCHED, GUARD_LENT, GUARD_UNSEEN };
struct client_guard {
  _Atomic int state;
  char *start; // whole pages
  size_t bytes;
  const char *used; // what the copy touches of them; other bytes are the program's
  size_t used_bytes;
  size_t pitch, width; // rows in these bytes; pitch 0: there are no gaps
  uint32_t stream;
  uint64_t operation; // of the stream; 0: of launches in any stream that touch managed memory
  int protection;     // of the pages, while closed
  uint64_t touched;   // GUARD_TOUCHED: the address that the host's code has touched
  bool wrote;
};
enum { CLIENT_GUARDS = 64 };
#define CLIENT_GUARD_VALUE UINT64_MAX // instead of an operation: a stream has written a value there

// An access of a thread's to other bytes of closed pages, while it is made (client-step.c).
enum { CLIENT_STEPS = 16, CLIENT_STEP_PAGES = 4, CLIENT_STEP_SEEN = 64 };
struct client_step {
  int thread; // 0: none
  char *pages[CLIENT_STEP_PAGES];
  uint32_t page_count;
  sigset_t signals; // that the thread had blocked
};

// Memory of a system call that is under way; no bytes: none.
struct client_lent {
  const char *start;
  size_t bytes;
};
enum { CLIENT_LENT = 64 };

// Page-locked memory that a call will touch which is kept (client-early.c).
struct client_early {
  _Atomic uintptr_t call; // 0: none
  char *start;
  size_t bytes;
  int protection;
};
enum { CLIENT_EARLY = 16 };

// While a host function runs: page-locked and managed memory that is closed, so that the device learns what
// the function touches (client-watch.c).
struct client_watched {
  char *start;
  size_t bytes;
};
struct client_touch {
  uint64_t address;
  bool wrote;
};
enum { CLIENT_WATCHED = 64, CLIENT_TOUCHES = 4096, CLIENT_KEPT = 512 };
struct client_watch {
  atomic_int thread; // the function's; 0: none is watched
  struct client_watched regions[CLIENT_WATCHED];
  uint32_t region_count;
  struct client_touch *touches; // the first read and the first write in each page
  uint32_t touch_count;
  struct client_watched kept[CLIENT_KEPT]; // whose bytes are kept as they were
  char *before;                            // a page for each
  uint32_t kept_count;
  bool others; // other threads have touched such memory
};

// Pageable memory that a copy has read while host functions had not ended (client-sources.c).
struct client_source {
  const char *start; // NULL: none
  size_t bytes;
  char *before; // what the copy has read
  int thread;   // on whose stack it lies; 0: on none that is known
};
enum { CLIENT_SOURCES = 8 };

// client-guards.c
// A copy in the stream reads or writes this host memory. If it is page-locked, the host's own code must not
// touch it until the host has waited: whoever does is reported. `in`: as in struct client_request.
void client_guard(const struct client_rows *rows, uint32_t in, bool written);
// Writes a value of the stream's there, and guards its page. False: the host may look at it unseen.
bool client_guard_value(const struct client_host *host, char *at, uint32_t stream, uint64_t value,
                        size_t bytes);
void client_guard_filled(const struct client_rows *rows, uint32_t in); // the same for a fill
// A launch in the stream, as that operation, is given this page-locked memory and may still run.
void client_guard_parameter(const void *pointer, uint32_t stream, uint64_t operation);
// Managed memory: guards the pages that launches have touched that the host has not waited for.
void client_guard_managed(void *start, size_t bytes);
void client_guards_check(void);                           // opens what the host has waited for
void client_guards_open(const void *start, size_t bytes); // for this library's own accesses
// The guards' lock, with all signals blocked; protects again what has a closed guard.
sigset_t client_guards_lock(struct client *client);
void client_guards_unlock(struct client *client, const sigset_t *before);
void client_guards_renew(struct client *client);
void client_guards_protect(struct client *client, char *start, size_t bytes); // the same for these pages
bool client_guards_watch_faults(struct client *client);
bool client_guards_lent(const struct client *client, const char *start, size_t bytes);
// Opens it for this library's own transfer, and keeps it open, whatever other threads do. NULL: nothing.
void client_guards_lend(const struct client_rows *rows);
void client_guards_return(const struct client_rows *rows);
// The C library's sigaction. Ours (runtime-signals.c) bears the public name.
int client_set_action(int number, const struct sigaction *wanted,
                      struct sigaction *before) __asm__("__sigaction");
// As sigaction for memory faults, behind our own handler. False: no handler of ours is set.
bool client_guards_set_action(const struct sigaction *wanted, struct sigaction *before);
void client_guards_finish(void); // the program ends

// client-watch.c
// This thread is about to call a host function, and has. alone: no other thread that we have made runs.
// Returns false when there is no memory to watch. thread, frame: who waits for it (client_host_function).
bool client_watch_begin(struct client *client, int thread, const char *frame);
void client_watch_end(struct client *client, uint32_t stream, bool alone);
// A memory fault at this address. Returns false when it isn't watched. The caller holds the guards' lock, as
// for the next one: another access is about to be made there that isn't judged.
bool client_watch_fault(struct client *client, char *at, bool wrote);
void client_watch_lend(struct client *client, const char *start, size_t bytes);

// client-sources.c
// A copy in the stream reads this pageable memory. Returns the bytes as they are now, if a host function that
// has not ended might change them; they stay until the next call. NULL: copy from the memory itself.
const void *client_source(const void *start, size_t bytes, uint32_t stream);
void client_source_gone(const void *block); // it is given back to the C library
void client_sources_forget(struct client *client);
// A host function is about to be called; thread, frame: as for client_watch_begin.
void client_sources_begin(struct client *client, int thread, const char *frame);
// What it has changed; false: nothing, or no more.
bool client_sources_next_change(struct client *client, struct client_watched *change);

// client-step.c: accesses to other bytes of closed pages are made one at a time. Here and below the caller
// holds the lock, but for the first one.
bool client_steps_ready(void); // such accesses can be watched: the program has no handler for traps
// The access at `at`, which a memory fault has interrupted, is about to be made: its page is open until then.
// context: of the fault's handler. False: it can't be watched.
bool client_step_begin(struct client *client, char *at, void *context);
void client_step_end(struct client *client, void *context); // it has been made, or never will be

#endif
