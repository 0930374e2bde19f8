// Late news: a strong read of a flag or a counter may still find what was there before another cluster's
// last writes. In: strong reads and writes of global memory that lanes make at one address. Out: the old
// value, where nothing has told the reader of the writes behind it (PTX ISA 8.10.4 and 8.10.5: causality
// and coherence). One idea: a look shows as little as it may; who looks again, and has done nothing in
// between, sees one more write. So who waits for the fifth arrival, and is content with the fourth, goes
// on at the fourth, under every seed; and two blocks that both write and then look for the other's write
// see none, unless fence.sc stands in between.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-judge.h"

enum { PLACES = 256, KEPT = 16 }; // addresses that share a place forget each other's writes
enum { MOST_REPEATS = 16 };       // so often a place shows the same old value

struct late_write {
  uint64_t time, cluster; // index + 1
  uint64_t before;        // the value that it found
  uint64_t others; // what whoever had seen the write before it knew of other clusters (between-clusters.c)
  struct race_note seen; // that write's note; cluster 0: there was none
};

struct late_place {
  uint64_t address;
  uint32_t bytes, count; // the last KEPT of `count` writes are here; nothing else was written in between
  struct late_write write[KEPT];
};

struct race_late {
  struct lone_lock lock;
  struct late_place place[PLACES];
};

static uint32_t hash_of(uint64_t address, uint32_t places) {
  return (uint32_t)((address >> 2) * 0x9e3779b97f4a7c15ull >> 40) % places;
}

// Lanes that all have one address; false: they don't, or there is none.
static bool is_one_place(uint32_t lanes, const uint64_t address[WARP_LANES], uint32_t bytes, uint64_t *at) {
  if (!lanes || (bytes != 4 && bytes != 8)) return false;
  *at = address[__builtin_ctz(lanes)];
  EACH_LANE(lane, lanes) {
    if (address[lane] != *at) return false;
  }
  return true;
}

static bool is_played(const struct launch *l) {
  return l->tries && !l->time && !l->clocks;
}

static struct race_late *late_of(struct race_shadow *s) {
  struct race_late *late = atomic_load(&s->late), *none = NULL;
  if (late) return late;
  late = calloc(1, sizeof *late);
  if (!late) die("out of memory for the order engine");
  if (atomic_compare_exchange_strong(&s->late, &none, late)) return late;
  free(late); // another worker has made one
  return none;
}

static struct late_write *newest_of(struct late_place *p) {
  return p->count ? &p->write[(p->count - 1) % KEPT] : NULL;
}

// The note of the last write there, whose page is entered; NULL: there was none.
static const struct race_note *written_at(struct race_deed *a, uint64_t address, bool makes) {
  struct race_page *page = race_enter(a, address / RACE_PAGE_BYTES, makes);
  if (page) race_gather(a->shadow, page);
  const uint32_t g = (uint32_t)(address % RACE_PAGE_BYTES / RACE_GRANULE_BYTES),
                 written = page ? race_index_at(&page->writes, g) : 0;
  return written ? race_note_at(a->shadow, written) : NULL;
}

static bool is_of(const struct late_write *w, const struct race_note *n) {
  return w && n && n->flags & RACE_NOTE_STRONG && n->time == w->time && n->cluster == w->cluster;
}

void race_late_write(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES]) {
  struct launch *l = a->shadow->launch;
  uint64_t at;
  a->cluster->race.told++;
  if (!is_played(l) || !is_one_place(lanes, address, a->bytes, &at)) return;
  const uint8_t *host = memory_host(l->memory, at, a->bytes);
  if (!host) return;
  struct race_late *late = late_of(a->shadow);
  const struct race_note *n = written_at(a, at, true);
  lone_lock_take(&late->lock);
  struct late_place *p = &late->place[hash_of(at, PLACES)];
  if (p->address != at || p->bytes != a->bytes || !is_of(newest_of(p), n)) p->count = 0;
  p->address = at;
  p->bytes = a->bytes;
  struct late_write *w = &p->write[p->count++ % KEPT];
  *w = (struct late_write){.time = a->note.time, .cluster = a->note.cluster, .others = between_now(l->order)};
  memcpy(&w->before, host, a->bytes);
  if (n) w->seen = *n;
  lone_lock_give(&late->lock);
}

// What was noted before this has been seen, by whatever way: more than is certain, so that nothing is old
// that can't be. Who looks again, and has done nothing else meanwhile, waits for news: then one more write
// shows.
static uint64_t known_of(const struct race_view *view, uint64_t address) {
  const struct race_looked *looked = &view->looked[hash_of(address, RACE_LOOKED)];
  uint64_t known = view->heard;
  raise(&known, view->seen);
  raise(&known, view->glanced);
  if (looked->address != address) return known;
  const bool waits = looked->told == view->told || looked->repeats == MOST_REPEATS;
  raise(&known, looked->time + waits);
  return known;
}

// The write at `time` is not seen. What shares its room in the table is not old any more.
static void keep_looked(struct race_view *view, uint64_t address, uint64_t time) {
  struct race_looked *looked = &view->looked[hash_of(address, RACE_LOOKED)];
  if (looked->address != address) raise(&view->heard, looked->time + 1);
  const bool same = looked->address == address && looked->time == time;
  *looked = (struct race_looked){address, time, view->told, same ? looked->repeats + 1 : 0};
}

// The first write that the reader need not see; NULL: there is none, or it isn't known any more.
static const struct late_write *first_unseen(struct late_place *p, const struct race_deed *a,
                                             uint64_t known) {
  const struct late_write *first = NULL;
  for (uint32_t i = p->count, left = KEPT; i > 0 && left > 0; i--, left--) {
    const struct late_write *w = &p->write[(i - 1) % KEPT];
    if (w->cluster == a->note.cluster || w->time < known) break;
    first = w;
  }
  return first;
}

bool race_late_read(struct race_deed *a, uint32_t lanes, const uint64_t address[WARP_LANES],
                    uint64_t *value) {
  struct race_late *late = atomic_load(&a->shadow->late);
  struct order_cluster *c = a->cluster;
  uint64_t at, bit;
  if (!late || !is_played(a->shadow->launch) || !is_one_place(lanes, address, a->bytes, &at)) return false;
  const struct race_note *n = written_at(a, at, false);
  lone_lock_take(&late->lock);
  struct late_place *p = &late->place[hash_of(at, PLACES)];
  const struct late_write *found = NULL;
  struct late_write w = {0};
  if (p->address == at && p->bytes == a->bytes && is_of(newest_of(p), n))
    found = first_unseen(p, a, known_of(&c->race, at));
  if (found) w = *found;
  lone_lock_give(&late->lock);
  if (!found) return false;
  *value = w.before;
  a->first = (uint32_t)__builtin_ctz(lanes);
  a->address = at;
  a->end = at + a->bytes;
  race_check_sum_by_hand(a, n, at);
  keep_looked(&c->race, at, w.time);
  raise(&c->others_seen, w.others);
  uint64_t *word = race_strong_word(c, at, &bit);
  *word |= bit;
  c->race.any_strong = true;
  if (w.seen.cluster) race_learn(a, &w.seen, at);
  return true;
}

void race_total_fence(struct order_cluster *c) {
  struct race_shadow *s = c->launch->races;
  if (!s) return;
  raise(&c->race.heard, atomic_load(&s->last_total_fence));
  raise_shared(&s->last_total_fence, atomic_fetch_add(&s->time, 1) + 1);
}

void race_late_free(struct race_late *late) {
  free(late);
}
