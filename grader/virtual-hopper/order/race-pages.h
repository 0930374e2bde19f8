// The notes of race.c: who has touched which granule of global memory, page by page. In: notes. Out: those of
// a page. One idea: few notes stand for many granules, since a warp touches neighbours.
#ifndef VIRTUAL_HOPPER_ORDER_RACE_PAGES_H
#define VIRTUAL_HOPPER_ORDER_RACE_PAGES_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

#include "virtual-hopper/base/pieces.h"
#include "virtual-hopper/order/page-table.h"
#include "virtual-hopper/order/race.h"

enum { RACE_PAGE_BYTES = 4096, RACE_GRANULE_BYTES = 4, RACE_GRANULES = RACE_PAGE_BYTES / RACE_GRANULE_BYTES };
enum { RACE_LOCKS = 64, UNUSED_PLACES = 64 };

enum {
  RACE_NOTE_STRONG = 1,
  RACE_NOTE_ACCUMULATES = 2,
  RACE_NOTE_OWNED = 4,
  RACE_NOTE_ASYNC = 8,         // by a bulk copy
  RACE_NOTE_REDUCES = 16,      // which reduces
  RACE_NOTE_PARTIAL = 32,      // and fills the granule in part
  RACE_NOTE_LANDED = 64,       // and is in memory
  RACE_NOTE_BEYOND_EDGE = 128, // behind the edge of the tensor
  RACE_NOTE_OPERATION = 8      // from this bit on, 4 bits: the operation of a reduction
};
#define RACE_PENDING UINT64_MAX

struct race_note {
  const struct op *op;
  uint64_t cluster;   // index + 1; 0: nothing
  uint64_t time;      // of the access
  uint64_t published; // a write: what whoever reads it has seen by fences and releases
  // An atomic: the cluster's plain write that it came upon there, and its time; NULL: none.
  const struct op *plain;
  uint64_t plain_time;
  // A store or reduction by a bulk copy: which one of its cluster it is, and when a wait has shown that it is
  // complete; RACE_PENDING: none has. Below it there may be another cluster's reduction.
  uint64_t copy, done;
  const struct op *below;
  uint64_t below_cluster, below_copy, below_done;
  // A store: the plain write that was there, of another cluster and not ordered. A plain write: the store
  // that was there and had not landed, and its names. NULL: none.
  const struct op *rival;
  uint64_t rival_cluster, rival_copy;
  uint32_t warp,
      epoch;      // a plain access: of its cluster, plus 1, and of its lane that is least far; 0: not judged
  uint64_t flags; // OWNED: a plain write by a cluster that had accessed the place strongly before
};

struct race_narrow { // plain writes narrower than a granule: the last one's
  uint16_t notes[RACE_GRANULES];
  uint32_t values[RACE_GRANULES], mask[RACE_GRANULES]; // bits of mask: what it has written
};

// A note for each granule of a page. Copies touch pages as a whole: then one number stands for all.
struct race_index {
  uint16_t *each; // [RACE_GRANULES] into the page's notes; NULL: all of them have `all`
  uint16_t all;   // 0: nothing
};

struct race_page {
  struct page_link link; // first
  uint32_t note_count, note_room;
  struct race_note *notes;                    // [0] is "nothing"
  struct race_index writes, reads, reads_too; // reads_too: another cluster's
  struct race_index narrow_reads;             // by plain reads of one or two bytes
  uint32_t *values;           // [RACE_GRANULES] that plain writes have left; NULL: there was none
  struct race_narrow *narrow; // NULL: nothing
};

struct race_signals { // when a cluster last did what others may learn of
  _Atomic uint64_t strong, fenced;
  _Atomic(struct race_met *) met; // race-met.c; NULL: nothing to judge
  atomic_bool plain;              // others have learned of it by what is no strong write: nothing is judged
};

struct race_shadow {
  struct launch *launch;
  struct race_signals *signals; // [cluster_count]
  struct lone_lock locks[RACE_LOCKS];
  struct race_pieces {
    alignas(HOST_LINE) struct pieces set;
    struct budget_share share; // of `memory`
    struct page_table table;
  } pieces[RACE_LOCKS];                   // of the pages of each lock
  struct lone_lock met_locks[RACE_LOCKS]; // of signals[].met; taken last
  atomic_size_t met_bytes;
  struct budget_part memory;
  _Atomic uint64_t time;
  atomic_bool full;
  atomic_bool rivals;                      // some note has a rival
  _Atomic uintptr_t unused[UNUSED_PLACES]; // of race_is_unused: ops, with the answer in bit 0
};

static inline void raise(uint64_t *to, uint64_t value) {
  if (*to < value) *to = value;
}

static inline void raise_shared(_Atomic uint64_t *to, uint64_t value) {
  uint64_t before = atomic_load(to);
  while (before < value && !atomic_compare_exchange_weak(to, &before, value)) {
  }
}

// Zeroed memory for notes of the page of that number, whose lock is held; NULL: there is no room, and nothing
// is judged any more.
void *race_take(struct race_shadow *s, uint64_t number, size_t bytes);
// The lock of a page; it is held by whoever works on the page.
struct lone_lock *race_lock(struct race_shadow *s, uint64_t number);
struct race_page *race_page_find(struct race_shadow *s, uint64_t number, bool make); // NULL: there is none
// What a plain write has left in the granule.
static inline uint32_t race_value(const struct race_page *page, uint32_t g) {
  return page->values ? page->values[g] : 0;
}
static inline uint16_t race_index_at(const struct race_index *i, uint32_t g) {
  return i->each ? i->each[g] : i->all;
}
// No granule has a note.
static inline bool race_index_is_empty(const struct race_index *i) {
  return !i->each && !i->all;
}

// Who has read a granule.
struct race_readers {
  uint16_t last, other; // notes of the page; 0: nobody
};

static inline struct race_readers race_readers_of(const struct race_page *page, uint32_t g) {
  return (struct race_readers){race_index_at(&page->reads, g), race_index_at(&page->reads_too, g)};
}
// Of a note like this one, made if it is missing; earlier answers may have become other notes. 0: no room.
uint16_t race_note_index(struct race_shadow *s, struct race_page *page, const struct race_note *note);
// The granules from `from` to before `to` get the note. Without room for it nothing is judged any more.
// number: of the index's page.
void race_index_set(struct race_shadow *s, uint64_t number, struct race_index *i, uint32_t from, uint32_t to,
                    uint16_t note);
// Returns the first granule from `from` on that has another note than `from`; `to`: there is none before it.
uint32_t race_index_alike(const struct race_index *i, uint32_t from, uint32_t to);
// The granules have been read.
void race_note_read(struct race_shadow *s, struct race_page *page, uint32_t from, uint32_t to,
                    const struct race_note *read);
// The granules have been written: earlier reads don't matter any more.
void race_note_written(struct race_shadow *s, struct race_page *page, uint32_t from, uint32_t to,
                       uint16_t written);
// True for an atomic whose result nobody looks at: its thread learns nothing by it.
bool race_is_unused(struct race_shadow *s, const struct op *op);
// race-landing.c: names a store within its cluster.
uint64_t race_copy_name(uint32_t agent, const struct async_copy *copy);

// race-narrow.c ---------------------------------------------------------------------------------------------
// Notes a write of one or two bytes. Its rival, if it has one, is a store there that has not landed.
void race_narrow_note(struct race_shadow *s, struct race_page *page, const struct race_note *note,
                      uint64_t address, uint32_t bytes, uint32_t value);
// A store fills the granule, and nothing orders the narrow write there before it.
void race_narrow_meet(struct race_shadow *s, struct race_page *page, uint32_t g,
                      const struct race_note *store);
// The store called `name` lands with the four bytes at `fresh`.
void race_narrow_compare(const struct async_copy *copy, uint64_t name, const struct race_page *page,
                         uint32_t g, const uint8_t *fresh);

#endif
