// A host function is tried before it begins: in a copy of this process, which nothing leaves. In: functions
// that have not begun, while the host is about to wait for something else. Out: notes for the device: does
// the function wait, perhaps for a word of the host's, or what would it touch at once?
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_PROBE_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_PROBE_H

#include "virtual-hopper/shim/client.h"

enum { PROBE_REGIONS = CLIENT_WATCHED + 1, PROBE_TOUCHES = 8, PROBE_CALLS = 8 };
enum probe_state { PROBE_GOES_ON, PROBE_ENDED, PROBE_UNKNOWN, PROBE_WAITS };

struct probe_region {
  char *start;
  size_t bytes;
  bool shared; // what is written there others see
  bool copied; // others would, but the copy of the process makes a copy of it
};

// Shared by both processes.
struct client_probe {
  // set before: functions that run one after the other, of which the last one is tried
  struct {
    void (*function)(void *);
    void *data;
  } calls[PROBE_CALLS];
  uint32_t call_count;
  struct probe_region regions[PROBE_REGIONS]; // whose accesses matter
  uint32_t region_count;
  bool only_writes; // of the last region, reads don't matter
  // set by the copy: the first accesses in each page
  atomic_uint touch_count;
  struct client_touch touches[PROBE_TOUCHES];
  atomic_int state;
  uint32_t spent_ms; // of the copy's processor time; set by who made it
};

// client-host-function.c
// Copies of those that have not ended, the newest first; room for CLIENT_FUNCTIONS.
uint32_t client_functions_list(struct client_host_function *list);
// Copies of this one, as the last, and of those that it comes after. Returns how many; 0: it has ended, or
// there are too many; -1: one of them runs.
int client_functions_chain(uint64_t number, struct client_host_function *chain, int most);

// client-probe-child.c: what the copy of the process does.
_Noreturn void client_probe_child(struct client_probe *probe);

// client-probe.c
// The host is about to wait for the stream (0: for something else), or for a copy that reads or writes this
// pageable memory (NULL: none).
void client_probe_functions(uint32_t stream, const void *start, size_t bytes, bool written);
bool client_thread_sleeps(int thread); // of this process
bool client_others_sleep(void);        // client-watch.c: no thread but this one has anything to do
void client_probe_copied(void); // that copy is done: functions that would touch what it has written are told

#endif
