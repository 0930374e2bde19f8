// Faults of copies in flight, except faults of mbarriers, as plain data, and the words for them.
#ifndef VIRTUAL_HOPPER_RULES_COPY_WORDS_H
#define VIRTUAL_HOPPER_RULES_COPY_WORDS_H

#include "virtual-hopper/rules/fault.h"

// Which fields have a meaning depends on the fault. Threads are linear in the block.
struct copy_facts {
  uint32_t bytes, thread;    // size of the copy, and the thread that issued it
  bool to_global;            // the copy is a store
  bool by_group;             // the copy is a load that is awaited by cp.async groups
  uint64_t committed_groups; // of that thread, before the store
  bool waited; // that thread has waited for groups at `wait_line`, but not for this copy's group
  uint32_t wait_line;
  bool others_wait;     // of a store that isn't committed: idle_thread waits
  uint32_t idle_thread; // a thread that waits, but has issued nothing
};

// All functions fill rule, severity, role, message and remedy; the caller fills in places and the device
// error. No wait of its thread covers this bulk store, because the store was not committed to a group. If
// others wait, the related place is the wait of the idle thread.
void copy_words_not_committed(const struct copy_facts *facts, struct fault *fault);
// No wait of its thread covers this bulk store. The related place is the wait of the idle thread.
void copy_words_not_awaited(const struct copy_facts *facts, struct fault *fault);
// A thread frees the global memory that the copy reads or writes.
void copy_words_freed(const struct copy_facts *facts, struct fault *fault);
// The device has no room for another copy in flight.
void copy_words_no_room(struct fault *fault);

#endif
