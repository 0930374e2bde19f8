// The numbers of notes and copies (race-notes.h): given out, looked for by marking, given out again.
#include "virtual-hopper/order/race-notes.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-pages.h"

// Numbers are taken from the pool by eights, for the pages of one lock, and are looked through when so many
// are made; for a larger shadow, which takes longer, later.
enum { AT_ONCE = 8, FIRST_COLLECTION = 1 << 16, BYTES_PER_NOTE = 256 };

static size_t chunk_bytes(const struct race_pool *p, uint32_t chunk) {
  return ((size_t)RACE_POOL_FIRST << chunk) * p->unit;
}

static void begin(struct race_shadow *s, struct race_pool *p, size_t unit) {
  p->set.store = s->launch->chunks;
  p->unit = unit;
  p->made = 1;
  p->collect_at = FIRST_COLLECTION;
  p->chunks[0] = pieces_take_any(&p->set, chunk_bytes(p, 0));
  memset(p->chunks[0], 0, unit);
}

void race_notes_begin(struct race_shadow *s) {
  begin(s, &s->notes, sizeof(struct race_note));
  begin(s, &s->copies, sizeof(struct race_copy));
}

void race_notes_end(struct race_shadow *s) {
  pieces_end(&s->notes.set);
  pieces_end(&s->copies.set);
}

static void link_to(struct race_pool *p, uint32_t number, uint32_t next) {
  memcpy(race_pool_at(p, number), &next, sizeof next);
}

static uint32_t next_of(const struct race_pool *p, uint32_t number) {
  uint32_t next;
  memcpy(&next, race_pool_at(p, number), sizeof next);
  return next;
}

// The pool's lock is held, and nothing is free.
static uint32_t make_one(struct race_shadow *s, struct race_pool *p) {
  const uint32_t number = p->made, chunk = race_pool_chunk(number);
  if (!race_has_room(s, &p->share, p->unit)) return 0;
  if (chunk >= RACE_POOL_CHUNKS) {
    atomic_store(&s->full, true);
    return 0;
  }
  if (!p->chunks[chunk]) p->chunks[chunk] = pieces_take_any(&p->set, chunk_bytes(p, chunk));
  p->made++;
  if (p->made >= p->collect_at) atomic_store_explicit(&s->crowded, true, memory_order_relaxed);
  return number;
}

static uint32_t take_one(struct race_shadow *s, struct race_pool *p) {
  const uint32_t number = p->free;
  if (!number) return make_one(s, p);
  p->free = next_of(p, number);
  return number;
}

// Returns the first of a few numbers.
static uint32_t take_some(struct race_shadow *s, struct race_pool *p) {
  uint32_t first = 0;
  lone_lock_take(&p->lock);
  for (uint32_t i = 0; i < AT_ONCE; i++) {
    const uint32_t number = take_one(s, p);
    if (!number) break;
    link_to(p, number, first);
    first = number;
  }
  lone_lock_give(&p->lock);
  return first;
}

uint32_t race_note_make(struct race_shadow *s, uint64_t number, const struct race_note *note) {
  uint32_t *free = &s->pieces[race_lock_place(number)].free_note;
  if (!*free) *free = take_some(s, &s->notes);
  const uint32_t made = *free;
  if (!made) return 0;
  *free = next_of(&s->notes, made);
  memcpy(race_note_at(s, made), note, sizeof *note);
  return made;
}

// ---- copies -----------------------------------------------------------------------------------------------

uint32_t race_copy_make(struct race_shadow *s, const struct race_copy *copy) {
  lone_lock_take(&s->copies.lock);
  const uint32_t number = take_one(s, &s->copies);
  if (number) {
    struct race_copy *made = race_copy_at(s, number);
    made->op = copy->op;
    made->name = copy->name;
    made->cluster = copy->cluster;
    made->warp = made->epoch = 0;
    atomic_store_explicit(&made->done, RACE_PENDING, memory_order_relaxed);
    atomic_store_explicit(&made->landed, false, memory_order_relaxed);
  }
  lone_lock_give(&s->copies.lock);
  return number;
}

void race_copy_ends(struct race_shadow *s, uint32_t copy, const struct race_copy *end) {
  const uint64_t done = atomic_load(&end->done);
  if (!copy) return;
  lone_lock_take(&s->copies.lock);
  struct race_copy *it = race_copy_at(s, copy);
  if (it->cluster == end->cluster && it->name == end->name) {
    atomic_store(&it->landed, true);
    if (done != RACE_PENDING) {
      it->warp = end->warp;
      it->epoch = end->epoch;
      atomic_store(&it->done, done);
    }
  }
  lone_lock_give(&s->copies.lock);
}

// ---- collection -------------------------------------------------------------------------------------------

struct marks { // a byte for each number
  uint8_t *notes, *copies;
};

static void mark_each(const uint32_t *each, uint32_t count, struct marks *m) {
  for (uint32_t i = 0; i < count; i++)
    m->notes[each[i]] = 1;
}

static void mark_index(const struct race_index *i, struct marks *m) {
  if (!i->lines) m->notes[i->all] = 1;
  for (uint32_t n = 0; i->lines && n < RACE_LINES; n++) {
    if (i->lines[n].alike & 1)
      m->notes[i->lines[n].alike >> 1] = 1;
    else
      mark_each(i->lines[n].each, RACE_LINE, m);
  }
}

static void mark_words(const struct race_scatter *words, struct marks *m) {
  uint32_t left = words->read_count;
  for (const struct race_reads *r = words->reads; left; r = r->next)
    for (uint32_t i = 0; i < RACE_READS_OF_PIECE && left; i++, left--)
      m->notes[r->each[i].note] = 1;
  left = words->write_count;
  for (const struct race_writes *w = words->writes; left; w = w->next)
    for (uint32_t i = 0; i < RACE_WRITES_OF_PIECE && left; i++, left--)
      m->notes[w->each[i].note] = 1;
}

static void mark_page(const struct race_page *page, struct marks *m) {
  mark_words(&page->scatter, m);
  mark_index(&page->writes, m);
  mark_index(&page->reads, m);
  mark_index(&page->reads_too, m);
  mark_index(&page->narrow_reads, m);
  if (page->narrow) mark_each(page->narrow->notes, RACE_GRANULES, m);
}

static void mark_region(const struct race_region *r, struct marks *m) {
  for (size_t n = 0; n < RACE_REGION; n++)
    if (r->pages[n]) mark_page(r->pages[n], m);
}

static void mark_copies(const struct race_shadow *s, struct marks *m) {
  for (uint32_t n = 1; n < s->notes.made; n++) {
    const struct race_note *note = race_note_at(s, n);
    if (m->notes[n]) m->copies[note->copy] = m->copies[note->below] = m->copies[note->rival_copy] = 1;
  }
  for (uint32_t n = 1; n < s->copies.made; n++)
    if (!atomic_load(&race_copy_at(s, n)->landed)) m->copies[n] = 1;
}

// Whatever has no mark may be given out again.
static void sweep(struct race_shadow *s, struct race_pool *p, const uint8_t *marks) {
  const size_t larger = atomic_load(&s->memory.held) / BYTES_PER_NOTE;
  uint32_t kept = 0;
  p->free = 0;
  for (uint32_t n = p->made; --n > 0;) {
    kept += marks[n];
    if (!marks[n]) link_to(p, n, p->free), p->free = n;
  }
  p->collect_at = 2 * kept > FIRST_COLLECTION ? 2 * kept : (uint32_t)FIRST_COLLECTION;
  if (p->collect_at < larger) p->collect_at = (uint32_t)larger;
  if (p->collect_at <= p->made) p->collect_at = p->made + 1;
}

static void collect(struct race_shadow *s) {
  struct marks m = {calloc(1, s->notes.made), calloc(1, s->copies.made)};
  if (!m.notes || !m.copies) die("out of memory for the order engine");
  for (size_t lock = 0; lock < RACE_LOCKS; lock++)
    s->pieces[lock].free_note = 0;
  for (size_t i = 0; i < RACE_REGION_LISTS; i++)
    for (const struct race_region *r = atomic_load(&s->regions[i]); r; r = r->next)
      mark_region(r, &m);
  mark_copies(s, &m);
  sweep(s, &s->notes, m.notes);
  sweep(s, &s->copies, m.copies);
  free(m.notes);
  free(m.copies);
  s->round++;
}

void race_collect(struct race_shadow *s) {
  if (!atomic_load_explicit(&s->crowded, memory_order_relaxed)) return;
  for (size_t i = 0; i < RACE_LOCKS; i++)
    lone_lock_take(&s->locks[i]);
  lone_lock_take(&s->copies.lock);
  if (atomic_load(&s->crowded)) collect(s);
  atomic_store(&s->crowded, false);
  lone_lock_give(&s->copies.lock);
  for (size_t i = RACE_LOCKS; i-- > 0;)
    lone_lock_give(&s->locks[i]);
}
