// The notes themselves: who has touched something (race-pages.h says what). In: notes. Out: their numbers.
// One idea: an instruction of a warp makes one note, however many words it touches, and finds it again the
// next time; what no granule refers to any more is collected now and then, under all locks.
#ifndef VIRTUAL_HOPPER_ORDER_RACE_NOTES_H
#define VIRTUAL_HOPPER_ORDER_RACE_NOTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/base/lone-lock.h"
#include "virtual-hopper/base/pieces.h"

struct op;
struct race_shadow;

enum {
  RACE_NOTE_STRONG = 1,
  RACE_NOTE_ACCUMULATES = 2,
  RACE_NOTE_OWNED = 4,
  RACE_NOTE_ASYNC = 8,         // by a bulk copy
  RACE_NOTE_REDUCES = 16,      // which reduces
  RACE_NOTE_PARTIAL = 32,      // and fills the granule in part
  RACE_NOTE_MAP = 64,          // which reads its tensor map there
  RACE_NOTE_BEYOND_EDGE = 128, // behind the edge of the tensor
  RACE_NOTE_OPERATION = 8,     // from this bit on, 4 bits: the operation of a reduction
  RACE_NOTE_UPON = 4096        // an atomic that has come upon what another cluster had written there
};

struct race_note { // compared as bytes; never changed once it has a number
  const struct op *op;
  uint64_t time;      // of the access
  uint64_t published; // a write: what whoever reads it has seen by fences and releases
  // An atomic: the cluster's plain write that it came upon there, and its time; NULL: none.
  const struct op *plain;
  uint64_t plain_time;
  // A store: the plain write that was there, of another cluster and not ordered. A plain write: the store
  // that was there and had not landed, which is then rival_copy. NULL: none.
  const struct op *rival;
  uint32_t cluster; // index + 1; 0: nothing
  uint32_t warp,
      epoch;      // a plain access: of its cluster, plus 1, and of its lane that is least far; 0: not judged;
                  // a load: the barrier that shows its end, behind the warps, and its phase plus 1
  uint32_t flags; // OWNED: a plain write by a cluster that had accessed the place strongly before
  uint32_t copy;  // a store or reduction by a bulk copy: its struct race_copy
  uint32_t below; // and that of a reduction that was there before; 0: none
  uint32_t rival_copy;
  uint32_t lanes; // of a plain write: which lane has written a word, see race_note_lane; 0: not known
};
// The lanes of a warp that write neighbouring words in their order, 1 << shift each; or one lane alone.
enum { RACE_LANES_ROW = 1 << 30, RACE_LANES_ONE = 1 << 29, RACE_LANES_SHIFT = 8 };
#define RACE_NO_LANE UINT32_MAX
static inline uint32_t race_row_of(uint64_t address, uint32_t shift) {
  return (uint32_t)RACE_LANES_ROW | shift << RACE_LANES_SHIFT | (uint32_t)(address / 4 % (32u << shift));
}
static inline uint32_t race_note_lane(const struct race_note *note, uint64_t address) {
  const uint32_t shift = note->lanes >> RACE_LANES_SHIFT & 3, low = note->lanes & 127;
  if (note->lanes & RACE_LANES_ONE) return low;
  return note->lanes ? (uint32_t)(address / 4 - low) % (32u << shift) >> shift : RACE_NO_LANE;
}

#define RACE_PENDING UINT64_MAX
struct race_copy { // a store or a reduction
  const struct op *op;
  uint64_t name;         // within its cluster: race_copy_name
  _Atomic uint64_t done; // when a wait has shown that it is complete; RACE_PENDING: none has
  uint32_t cluster;      // index + 1
  uint32_t warp, epoch;  // of the thread that has waited, as in a note; set before `done`
  atomic_bool landed;    // it is in memory
};

// Numbered things of one size. Number 0 is never given out, and all of its bytes are 0.
enum { RACE_POOL_FIRST = 512, RACE_POOL_CHUNKS = 22 };
struct race_pool {
  struct lone_lock lock;
  struct pieces set;
  struct budget_share share;
  size_t unit;         // bytes
  uint32_t made;       // numbers below it exist
  uint32_t free;       // the first that may be given out again, and begins with the next one; 0: none
  uint32_t collect_at; // how many are made before the unused ones are looked for
  unsigned char *chunks[RACE_POOL_CHUNKS]; // of RACE_POOL_FIRST, twice as many, and so on
};

static inline uint32_t race_pool_chunk(uint32_t number) {
  return (uint32_t)__builtin_clz(RACE_POOL_FIRST) - (uint32_t)__builtin_clz(number + RACE_POOL_FIRST);
}
static inline void *race_pool_at(const struct race_pool *p, uint32_t number) {
  const uint32_t place = number + RACE_POOL_FIRST, chunk = race_pool_chunk(number);
  return p->chunks[chunk] + (place - ((uint32_t)RACE_POOL_FIRST << chunk)) * p->unit;
}

void race_notes_begin(struct race_shadow *s);
void race_notes_end(struct race_shadow *s);
// Of a note like this one, from now on the page's lock's to give out. 0: no room. number: of the page, whose
// lock is held.
uint32_t race_note_make(struct race_shadow *s, uint64_t number, const struct race_note *note);
// Of a new copy, that is pending; it stays until it has landed, and as long as a note refers to it. 0: no
// room.
uint32_t race_copy_make(struct race_shadow *s, const struct race_copy *copy);
// The copy of that number, if it is this one still (cluster and name): it has landed, and where `done` isn't
// RACE_PENDING, it is complete.
void race_copy_ends(struct race_shadow *s, uint32_t copy, const struct race_copy *end);
// To be called now and then without any lock: gives numbers anew that no granule refers to, if there are too
// many. Whoever holds a number without a lock has lost it when `round` has grown.
void race_collect(struct race_shadow *s);

#endif
