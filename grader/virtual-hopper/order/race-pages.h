// The notes of race.c: who has touched which granule of global memory, page by page. In: notes. Out: those of
// a page. One idea: a warp touches neighbours, so one number stands for a line of them, or for the page.
#ifndef VIRTUAL_HOPPER_ORDER_RACE_PAGES_H
#define VIRTUAL_HOPPER_ORDER_RACE_PAGES_H

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

#include "virtual-hopper/base/pieces.h"
#include "virtual-hopper/order/race-notes.h"
#include "virtual-hopper/order/race.h"

enum { RACE_PAGE_BYTES = 4096, RACE_GRANULE_BYTES = 4, RACE_GRANULES = RACE_PAGE_BYTES / RACE_GRANULE_BYTES };
enum { RACE_LINE = 32, RACE_LINES = RACE_GRANULES / RACE_LINE }; // granules of a line: a warp's words
enum { RACE_REGION = 512, RACE_REGION_LISTS = 1024 };            // pages of a region
enum { RACE_LOCKS = 64, UNUSED_PLACES = 64, RACE_MODIFIERS = 256 };

struct race_narrow { // plain writes narrower than a granule: the last one's
  uint32_t notes[RACE_GRANULES], values[RACE_GRANULES], mask[RACE_GRANULES]; // mask: bits that it has written
};

// A note for each granule of a page. Copies touch pages as a whole: then one number stands for all; warps
// touch lines as a whole.
union race_line {
  uintptr_t alike; // twice the note of all granules, plus 1
  uint32_t *each;  // [RACE_LINE], if the lowest bit is not set
};
struct race_index {
  union race_line *lines; // [RACE_LINES]; NULL: all granules have `all`
  uint32_t all;           // 0: nothing
};

// Words that lanes have read, or written, here and there, in their order, until somebody looks at the page's
// notes (race-words.c): a page where reads and writes don't meet never has to be looked at.
// They lie in pieces of two lines of the host's cache: if each page had one array, all of them, which grow at
// the same pace, would be wanted in the same sets of the cache.
enum { RACE_READS_OF_PIECE = 15, RACE_WRITES_OF_PIECE = 10 };
struct race_reads {
  struct race_reads *next;
  struct race_read {
    uint32_t run, note; // run: one granule, or some that are a step apart (race-words.c)
  } each[RACE_READS_OF_PIECE];
};
struct race_writes {
  struct race_writes *next;
  struct race_write {
    uint32_t granule, note, value;
  } each[RACE_WRITES_OF_PIECE];
};
struct race_scatter {
  struct race_reads *reads, *last_reads;
  struct race_writes *writes, *last_writes; // there are no reads then, and no notes of any
  uint32_t *written;                        // [RACE_LINES] a bit for each granule in `writes`
  uint16_t read_count, write_count;
  uint8_t reads_left, writes_left; // room in the last pieces
  bool any_read;                   // some read was put down
  bool ended;                      // the page goes by notes
};

struct race_page {
  uint64_t number;
  struct race_scatter scatter;
  struct race_index writes, reads, reads_too; // reads_too: another cluster's
  uint32_t **values;              // [RACE_LINES][RACE_LINE] that plain writes have left; NULL: there was none
  struct race_narrow *narrow;     // NULL: nothing
  struct race_index narrow_reads; // by plain reads of one or two bytes
};

struct race_region { // found without a lock, and never taken away; its pages are their locks'
  uint64_t number;   // of its first page, divided by RACE_REGION
  struct race_region *next;
  struct race_page *pages[RACE_REGION]; // NULL: nothing is noted there
};

enum { RACE_TOLD = 12 };
struct race_told {          // the times at which a cluster did what others may learn of, in any order
  _Atomic uint64_t dropped; // the last one that isn't kept
  _Atomic uint64_t kept[RACE_TOLD];
};

struct race_signals { // when a cluster last did what others may learn of
  _Atomic uint64_t strong, fenced;
  _Atomic(struct race_told *) told; // NULL: it never did
  _Atomic(struct race_met *) met;   // race-met.c; NULL: nothing to judge
  atomic_bool plain;                // others have learned of it by what is no strong write: nothing is judged
};

struct race_shadow {
  struct launch *launch;
  struct race_signals *signals; // [cluster_count]
  struct lone_lock locks[RACE_LOCKS];
  struct race_pieces {
    alignas(HOST_LINE) struct pieces set;
    struct budget_share share; // of `memory`
    uint32_t free_note;        // the first of a few; see race_pool
  } pieces[RACE_LOCKS];        // of the pages of each lock
  _Atomic(struct race_region *) regions[RACE_REGION_LISTS];
  struct race_pool notes, copies;
  uint32_t round;      // grows when numbers of notes are given anew; all locks are held then
  atomic_bool crowded; // race_collect has something to do
  struct lone_lock met_locks[RACE_LOCKS]; // of signals[].met; taken last
  atomic_size_t met_bytes;
  struct budget_part memory;
  _Atomic uint64_t time;
  _Atomic(struct race_late *) late;  // race-late.c; NULL: nobody has written a flag
  _Atomic uint64_t last_total_fence; // of any cluster
  atomic_bool full;
  atomic_bool rivals;                          // some note has a rival
  _Atomic uintptr_t unused[UNUSED_PLACES];     // of race_is_unused: ops, with the answer in bit 0
  _Atomic uintptr_t modifiers[RACE_MODIFIERS]; // of plain accesses: ops, with the answers in two bits
};

static inline void raise(uint64_t *to, uint64_t value) {
  if (*to < value) *to = value;
}

static inline void raise_shared(_Atomic uint64_t *to, uint64_t value) {
  uint64_t before = atomic_load(to);
  while (before < value && !atomic_compare_exchange_weak(to, &before, value)) {
  }
}

// race-told.c: the cluster (index + 1) does at that time what others may learn of.
void race_tell(struct race_shadow *s, uint64_t cluster, uint64_t time);
// True when it may have told of what it had done at `time`, to somebody who has seen all before `seen`.
bool race_has_told(const struct race_shadow *s, uint64_t cluster, uint64_t time, uint64_t seen);

// race-words.c: the page's scattered words become notes. Its lock is held.
void race_scatter_end(struct race_shadow *s, struct race_page *page);
// Call it before looking at the notes of a page.
static inline void race_gather(struct race_shadow *s, struct race_page *page) {
  if (!page->scatter.ended) race_scatter_end(s, page);
}
// Memory of that page, with any contents; and given back, NULL is allowed.
void *race_take_any(struct race_shadow *s, uint64_t number, size_t bytes);
void race_give(struct race_shadow *s, uint64_t number, void *taken, size_t bytes);
// Zeroed memory for the page of that number, whose lock is held; NULL: there is no room, and nothing is
// judged any more.
void *race_take(struct race_shadow *s, uint64_t number, size_t bytes);
// Counts memory of the share, which is held; false, as above.
bool race_has_room(struct race_shadow *s, struct budget_share *share, size_t bytes);
// The lock of a page, held by whoever works on the page: neighbours have different ones.
static inline size_t race_lock_place(uint64_t number) {
  return (number ^ number >> 6) % RACE_LOCKS;
}
static inline struct lone_lock *race_lock(struct race_shadow *s, uint64_t number) {
  return &s->locks[race_lock_place(number)];
}
// The region of a page. NULL: there is none, or no room.
struct race_region *race_region_make(struct race_shadow *s, uint64_t number);
static inline struct race_region *race_region_of(struct race_shadow *s, uint64_t number, bool make) {
  const uint64_t region = number / RACE_REGION;
  struct race_region *r = atomic_load_explicit(&s->regions[region % RACE_REGION_LISTS], memory_order_acquire);
  while (r && r->number != region)
    r = r->next;
  return r || !make ? r : race_region_make(s, number);
}
struct race_page *race_page_make(struct race_shadow *s, struct race_region *r, uint64_t number);
// A page whose lock is held. NULL: there is none, or no room.
static inline struct race_page *race_page_find(struct race_shadow *s, uint64_t number, bool make) {
  struct race_region *r = race_region_of(s, number, make);
  struct race_page *page = r ? r->pages[number % RACE_REGION] : NULL;
  return page || !r || !make ? page : race_page_make(s, r, number);
}
static inline struct race_note *race_note_at(const struct race_shadow *s, uint32_t note) {
  return race_pool_at(&s->notes, note);
}
static inline struct race_copy *race_copy_at(const struct race_shadow *s, uint32_t copy) {
  return race_pool_at(&s->copies, copy);
}
// What a plain write has left in the granule.
static inline uint32_t race_value(const struct race_page *page, uint32_t g) {
  const uint32_t *line = page->values ? page->values[g / RACE_LINE] : NULL;
  return line ? line[g % RACE_LINE] : 0;
}
// [RACE_LINE] values of the granule's line, to be written; row: all of them, as in a row of lines.
// NULL: there is no room.
uint32_t *race_values_make(struct race_shadow *s, struct race_page *page, uint32_t g, bool row);
static inline uint32_t *race_values_at(struct race_shadow *s, struct race_page *page, uint32_t g, bool row) {
  uint32_t *line = page->values ? page->values[g / RACE_LINE] : NULL;
  return line ? line : race_values_make(s, page, g, row);
}
// [RACE_LINE] notes of the granule's line; NULL: they are all the same.
static inline uint32_t *race_line_at(const struct race_index *i, uint32_t g) {
  const union race_line *line = i->lines ? &i->lines[g / RACE_LINE] : NULL;
  return line && !(line->alike & 1) ? line->each : NULL;
}
static inline uint32_t race_index_at(const struct race_index *i, uint32_t g) {
  if (!i->lines) return i->all;
  const union race_line line = i->lines[g / RACE_LINE];
  return line.alike & 1 ? (uint32_t)(line.alike >> 1) : line.each[g % RACE_LINE];
}
// No granule has a note.
static inline bool race_index_is_empty(const struct race_index *i) {
  return !i->lines && !i->all;
}

// Who has read a granule.
struct race_readers {
  uint32_t last, other; // notes; 0: nobody
};

static inline struct race_readers race_readers_of(const struct race_page *page, uint32_t g) {
  return (struct race_readers){race_index_at(&page->reads, g), race_index_at(&page->reads_too, g)};
}
// The granules from `from` to before `to` get the note. Without room for it nothing is judged any more.
// number: of the index's page.
void race_index_set(struct race_shadow *s, uint64_t number, struct race_index *i, uint32_t from, uint32_t to,
                    uint32_t note);
// The same of one granule.
static inline void race_index_put(struct race_shadow *s, uint64_t number, struct race_index *i, uint32_t g,
                                  uint32_t note) {
  uint32_t *line = race_line_at(i, g);
  if (line)
    line[g % RACE_LINE] = note;
  else
    race_index_set(s, number, i, g, g + 1, note);
}
// Returns the first granule from `from` on that has another note than `from`; `to`: there is none before it.
uint32_t race_index_alike(const struct race_index *i, uint32_t from, uint32_t to);
// The granules have been read.
void race_note_read(struct race_shadow *s, struct race_page *page, uint32_t from, uint32_t to, uint32_t read);
// The granules have been written: earlier reads don't matter any more.
void race_note_written(struct race_shadow *s, struct race_page *page, uint32_t from, uint32_t to,
                       uint32_t written);
// True for an atomic whose result nobody looks at: its thread learns nothing by it.
bool race_is_unused(struct race_shadow *s, const struct op *op);
// race-landing.c: names a store within its cluster.
uint64_t race_copy_name(uint32_t agent, const struct async_copy *copy);
// Whether the struct race_copy is of this copy, which lands.
bool race_is_landing(const struct race_shadow *s, uint32_t is, const struct async_copy *copy);

void race_met_free(struct race_met *met);    // race-met.c; NULL is allowed
void race_late_free(struct race_late *late); // race-late.c; NULL is allowed

// race-narrow.c ---------------------------------------------------------------------------------------------
// Notes a write of one or two bytes: the number of its note. Its rival, if it has one, is a store there that
// has not landed.
void race_narrow_note(struct race_shadow *s, struct race_page *page, uint32_t index, uint64_t address,
                      uint32_t bytes, uint32_t value);
// A store fills the granule, and nothing orders the narrow write there before it.
void race_narrow_meet(struct race_shadow *s, struct race_page *page, uint32_t g,
                      const struct race_note *store);
// The store lands with the four bytes at `fresh`.
void race_narrow_compare(const struct race_shadow *s, const struct async_copy *copy,
                         const struct race_page *page, uint32_t g, const uint8_t *fresh);

#endif
