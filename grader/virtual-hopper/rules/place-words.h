// What lies at an address that a thread may not access, as plain data, and the words for it. In: what memory/
// has found there. Out: words for a message, and advice.
#ifndef VIRTUAL_HOPPER_RULES_PLACE_WORDS_H
#define VIRTUAL_HOPPER_RULES_PLACE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum place_kind {
  PLACE_AT_NULL,          // null, or close to it
  PLACE_PAST_NULL,        // `distance` bytes past null
  PLACE_NO_BLOCK,         // shared memory of block `rank`, in a cluster that has only `blocks`
  PLACE_EXITED_BLOCK,     // shared memory of block `rank`, which has exited
  PLACE_BEFORE_SHARED,    // `distance` bytes before the variable `name`, the first in shared memory
  PLACE_SYSTEM_SHARED,    // at shared offset `offset`, which belongs to the system
  PLACE_PAST_SHARED,      // begins at `name` and ends `distance` bytes past the `bytes` of shared memory
  PLACE_LOCAL,            // outside the `bytes` of local memory
  PLACE_PARAMETERS,       // the `bytes` of parameters, which are read only
  PLACE_FOREIGN,          // an address of the host, perhaps
  PLACE_IN_ALLOCATION,    // `distance` bytes into `allocation`
  PLACE_PAST_ALLOCATION,  // `distance` bytes past its end; 0: right at the end
  PLACE_BEFORE_ALLOCATION // `distance` bytes before it; `allocation` is NULL when there is none at all
};

struct place_allocation {
  const char *name; // "": it has none, and is called by its id
  uint64_t id, bytes, address;
  bool freed;
  bool pinned;          // page-locked memory of the host
  const char *freed_by; // "by thread 3 .."; NULL: unknown
};

// Which fields have a meaning depends on the kind.
struct place_facts {
  enum place_kind kind;
  uint64_t distance, bytes;
  uint32_t rank, blocks, offset;
  char name[160];
  const struct place_allocation *allocation;
};

// "4 bytes past the end of `out` (4096 bytes at 0x...)"
void place_words(const struct place_facts *facts, char *text, size_t size);

struct source_line {
  uint32_t line;    // 0: unknown
  const char *file; // NULL or "": unknown
  // Where the function of that line is called, if that is user's code, too; line 0: nowhere.
  uint32_t caller;
  const char *caller_file;
};

struct fault_place;
struct source_line place_line(const struct fault_place *place);
// "line 46"; "line 46 of copies.cuh" unless `file`, the one that the reader thinks of, is that of the line or
// NULL; and then " (called from line 90)", likewise.
void place_line_words(struct source_line at, const char *file, char *text, size_t size);

enum place_advice {
  ADVICE_NONE,
  ADVICE_POINTER,        // the address is null plus an offset
  ADVICE_HOST_POINTER,   // the address is far from everything
  ADVICE_DYNAMIC_SHARED, // the launch gave `bytes` of dynamic shared memory
  ADVICE_NEGATIVE_INDEX, // the address lies before the first shared variable
  ADVICE_FREED           // the memory was freed
};

// Threads of two blocks meet at the cluster's barrier, not at a block's: changes a remedy's words so.
void place_words_between_blocks(char *remedy, size_t size);

void place_advice_words(enum place_advice advice, uint32_t bytes, char *text, size_t size);

#endif
