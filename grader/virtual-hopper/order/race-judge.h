// An access to global memory, as race.c looks at it, and what it meets there. Private to race.c and
// race-judge.c.
#ifndef VIRTUAL_HOPPER_ORDER_RACE_JUDGE_H
#define VIRTUAL_HOPPER_ORDER_RACE_JUDGE_H

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-pages.h"

#define RACE_NO_PAGE UINT64_MAX
struct race_deed {
  struct race_shadow *shadow;
  struct order_cluster *cluster;
  struct actor by;
  enum deed_kind deed;
  enum order_kind kind;
  bool strong, accumulates;
  bool narrow;     // plain, and smaller than a granule
  bool known;      // the cluster has made strong accesses to the place, or to one that shares its bit
  bool coherent;   // plain, by .cg or .cv
  bool unchanging; // a plain read by .nc, of what nobody may write in this launch
  bool acquires;   // what it learns needs no fence after it
  const struct order_store *store;
  uint64_t address; // of the lane `first`; the next lanes follow, `bytes` each
  uint64_t end;
  uint32_t first, bytes;
  int reported; // the last lane that was reported; -1: none
  struct {      // what race_met_untold has found last
    uint32_t cluster, warp, epoch, lane;
    const struct op *by;
  } told;
  struct race_note note;
  uint64_t place; // while a read meets a write: the word; else 0
  // While lanes or parts of a copy are looked at: the page of the last one, and its lock, which is held.
  // lock NULL: none is needed, or there is no page yet, whose number is RACE_NO_PAGE then.
  bool alone; // no other cluster runs meanwhile
  struct lone_lock *lock;
  uint64_t number;
  struct race_page *page;
  struct race_region *region;      // of a page that was entered; NULL: of none
  uint32_t settled, settled_round; // the note's number, as long as lanes leave it as it is; 0: it has none
};

// The page of that number, locked until another one is entered, or none. NULL: it isn't there, or there is no
// room. Numbers of notes are good as long as it is locked.
static inline struct race_page *race_enter_other(struct race_deed *a, uint64_t number, bool makes) {
  struct race_shadow *s = a->shadow;
  struct lone_lock *lock = race_lock(s, number);
  if (!a->alone && lock != a->lock) {
    if (a->lock) lone_lock_give(a->lock);
    lone_lock_take(lock);
    a->lock = lock;
    if (a->settled_round != s->round) a->settled = 0;
  }
  if (!a->region || a->region->number != number / RACE_REGION) a->region = race_region_of(s, number, makes);
  struct race_page *page = a->region ? a->region->pages[number % RACE_REGION] : NULL;
  if (!page && makes && a->region) page = race_page_make(s, a->region, number);
  a->number = number;
  a->page = page;
  return page;
}

static inline struct race_page *race_enter(struct race_deed *a, uint64_t number, bool makes) {
  return a->number == number ? a->page : race_enter_other(a, number, makes);
}

static inline uint64_t *race_strong_word(struct order_cluster *c, uint64_t address, uint64_t *bit) {
  const uint64_t place = ((address >> 2) * 0x9e3779b97f4a7c15ull) >> 54; // below RACE_PLACES
  *bit = 1ull << place % 64;
  return &c->race.strong[place / 64];
}

// race-words.c. The number of the access's note: that of one like it, if the cluster has made one a short
// while ago. The other while the note stays as it is from lane to lane. 0: no room.
uint32_t race_own_note(const struct race_deed *a);
uint32_t race_settled_note(struct race_deed *a);
// Lanes that read, or write, a word each, here and there. Returns those that are to be judged.
uint32_t race_read_words(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES]);
uint32_t race_write_words(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES]);
// Neighbours of one page that a warp, or a copy, reads. False: they are to be judged.
bool race_read_row(struct race_deed *a, struct race_page *page, uint32_t from, uint32_t to);

// race-late.c. The lanes are about to write, strongly. Whether a strong read finds an older value.
void race_late_write(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES]);
bool race_late_read(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES], uint64_t *value);

// What the program's text says of the access. Looked up once for each of the last few.
const struct race_text *race_text_of(struct race_view *view, const struct op *op);

// race-met.c. A strong write tells other clusters of what its thread has done and seen.
void race_met_told(struct race_shadow *s, const struct warp *w, const struct op *op, uint32_t lanes,
                   enum order_strength strength, uint64_t time);
// A plain access: whose it is.
void race_met_name(struct race_note *note, const struct warp *w, uint32_t lanes);
// The note's cluster has told this one of something, but nobody who had met the note's warp did: its last
// strong write. NULL: somebody did, or it is not known.
const struct op *race_met_untold(struct race_deed *a, const struct race_note *n);
// The same for a copy that is complete, and the thread that has waited for it.
const struct op *race_met_untold_of_copy(struct race_deed *a, const struct race_copy *copy);
// A bulk load: the barrier's phase that tells when it has read its source. It stands behind the warps'.
void race_met_name_load(struct race_note *note, const struct order_cluster *c, const struct async_copy *load);
// A cp.async: its number among its thread's, which a wait of that thread shows to have ended.
void race_met_name_cp_async(struct race_note *note, struct actor by, const struct async_copy *copy);
// Of an access that nothing orders with the note: the strong write by which the note's cluster has told this
// one of something all the same, from a thread that had not met the note's. NULL: there was none. With
// read_first the note is of a read; then it may also be the own cluster's, which speaks for this access.
const struct op *race_met_teller(struct race_deed *a, const struct race_note *n, bool read_first,
                                 bool *speaks_for_later);

static inline bool race_is_of_other(const struct race_deed *a, const struct race_note *n) {
  return n->cluster && n->cluster != a->note.cluster;
}
// True when nobody has told this cluster of anything so late, or its own cluster had told nobody of it by
// then.
static inline bool race_is_later(const struct race_deed *a, const struct race_note *n) {
  return !race_has_told(a->shadow, n->cluster, n->time, a->cluster->race.seen);
}
static inline bool race_is_unordered(struct race_deed *a, const struct race_note *n) {
  return race_is_of_other(a, n) && (race_is_later(a, n) || race_met_untold(a, n));
}
// A store or a reduction of another cluster; true: this one was told of nothing since a wait has shown that
// it is complete, if any has.
static inline bool race_is_later_done(const struct race_deed *a, uint32_t copy) {
  const struct race_copy *it = race_copy_at(a->shadow, copy);
  if (!copy || it->cluster == a->note.cluster) return false;
  const uint64_t done = atomic_load(&it->done);
  return !race_has_told(a->shadow, it->cluster, done, a->cluster->race.seen);
}
// Or it was told, but by a thread that had not met the one that waited.
static inline bool race_is_not_done(struct race_deed *a, uint32_t copy) {
  return race_is_later_done(a, copy) || (copy && race_met_untold_of_copy(a, race_copy_at(a->shadow, copy)));
}
static inline bool race_has_landed(const struct race_deed *a, uint32_t copy) {
  return atomic_load(&race_copy_at(a->shadow, copy)->landed);
}
// It fills the granule, and brings every byte.
static inline bool race_is_whole_store(const struct race_note *written) {
  return (written->flags & (RACE_NOTE_ASYNC | RACE_NOTE_PARTIAL)) == RACE_NOTE_ASYNC;
}

// Or its note is of a plain write: those fill their granules.
static inline bool race_is_whole(const struct race_note *written) {
  return race_is_whole_store(written) || !(written->flags & (RACE_NOTE_ASYNC | RACE_NOTE_STRONG));
}

// The access learns, by the note of a strong write, of all that its cluster had told others by then.
void race_learn(struct race_deed *a, const struct race_note *n, uint64_t address);
// What a plain write leaves in the granule at `address`. Memory may not hold yet what others have noted.
uint32_t race_value_at(const struct race_deed *a, uint64_t address);
// Notes what plain writes leave in these granules of the access.
void race_leave_values(const struct race_deed *a, struct race_page *page, uint32_t from, uint32_t to);
// The access meets what was noted for the granule at `address`: its last write, or a reader.
void race_check_read(struct race_deed *a, const struct race_note *written, uint64_t address);
void race_check_reader(struct race_deed *a, const struct race_note *read, uint64_t address);
// A strong read whose value is raised and stored meets the same of another cluster.
void race_check_sum_by_hand(struct race_deed *a, const struct race_note *written, uint64_t address);
// Nothing brings the access, a write, after the read; or, by the letter, a relaxed flag alone does.
bool race_is_loose_reader(struct race_deed *a, const struct race_note *read);
static inline bool race_are_ordered(struct race_deed *a, struct race_readers who) {
  return !(who.last && race_is_loose_reader(a, race_note_at(a->shadow, who.last))) &&
         !(who.other && race_is_loose_reader(a, race_note_at(a->shadow, who.other)));
}
// Returns false if the write is not to be noted: it leaves what another one has written.
bool race_check_written(struct race_deed *a, const struct race_note *written, uint64_t address,
                        uint32_t value);
void race_report_write_and_copy(struct race_deed *a, const struct race_note *earlier, uint64_t address);

#endif
