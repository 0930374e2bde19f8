// What the auditing library tells the CUDA library of a process: which memory a system call is about to read
// or write. Both sides agree on this header; they share no other state.
#ifndef VIRTUAL_HOPPER_AUDIT_SYSTEM_CALLS_H
#define VIRTUAL_HOPPER_AUDIT_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stddef.h>

// The functions may be called by any thread at any time, in a signal's handler, too.
struct system_call_watcher {
  void (*begins)(const void *start, size_t bytes);
  // used: of the bytes from start on, how many the call has read or written. written: by the system.
  void (*ends)(const void *start, size_t bytes, size_t used, bool written);
  void (*gives_back)(const void *block); // to the C library: free, realloc
};

// The CUDA library calls this function, and exports one that does nothing. Where the auditing library is, the
// loader asks it about the name and gets its own. watcher: lives as long as the process. Returns whether it
// will be called.
bool vhopper_watch_system_calls(const struct system_call_watcher *watcher);

// The auditing library's. Returns what stands for the C library's function of that name at `address`: that
// address itself, or a function that tells the watcher and then calls it.
void *system_call_bind(const char *name, void *address);

#endif
