// The notes of race.c (race-pages.h).
#include "virtual-hopper/order/race-pages.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

enum { MOST_NOTES = 6 * RACE_GRANULES, FIRST_NOTES = 4, RECENT = 4 };
// Bytes of notes; beyond them nothing is judged any more: a flag that was forgotten orders accesses, too.
#define RACE_PAGE_LIMIT    ((size_t)192 << 20)
#define RACE_MOST_CLUSTERS (1u << 22) // larger grids are not judged

struct race_shadow *race_create(struct launch *launch) {
  if (launch->cluster_count < 2 || launch->cluster_count > RACE_MOST_CLUSTERS) return NULL;
  struct race_shadow *s = aligned_alloc(alignof(struct race_shadow), sizeof *s);
  if (!s) die("out of memory for the order engine");
  memset(s, 0, sizeof *s);
  s->launch = launch;
  budget_part_begin(&s->memory, launch->budget, BUDGET_ORDER);
  s->signals = calloc(launch->cluster_count, sizeof *s->signals);
  if (!s->signals) die("out of memory for the order engine");
  for (int i = 0; i < RACE_LOCKS; i++)
    s->pieces[i].set.store = launch->chunks;
  return s;
}

bool race_outgrown(const struct launch *launch, const struct race_shadow *s) {
  return s ? atomic_load(&s->full) : launch->cluster_count > RACE_MOST_CLUSTERS;
}

void race_destroy(struct race_shadow *s) {
  if (!s) return;
  for (int i = 0; i < RACE_LOCKS; i++)
    pieces_end(&s->pieces[i].set);
  for (uint64_t i = 0; i < s->launch->cluster_count; i++)
    free(atomic_load(&s->signals[i].met));
  budget_part_end(&s->memory);
  free(s->signals);
  free(s);
}

// ---- notes ------------------------------------------------------------------------------------------------

static size_t lock_index(uint64_t number) {
  return page_lock(number, RACE_LOCKS);
}

static void give(struct race_shadow *s, uint64_t number, void *taken, size_t bytes) {
  struct race_pieces *pieces = &s->pieces[lock_index(number)];
  pieces_give(&pieces->set, taken, bytes);
  budget_share_give(&pieces->share, bytes);
}

// Memory with any contents.
static void *take_any(struct race_shadow *s, uint64_t number, size_t bytes) {
  struct race_pieces *pieces = &s->pieces[lock_index(number)];
  if (pieces->share.left < bytes &&
      (atomic_load(&s->memory.held) + bytes > RACE_PAGE_LIMIT || budget_left(s->launch->budget) < bytes)) {
    atomic_store(&s->full, true);
    return NULL;
  }
  budget_share_count(&s->memory, &pieces->share, bytes);
  return pieces_take_any(&pieces->set, bytes);
}

void *race_take(struct race_shadow *s, uint64_t number, size_t bytes) {
  void *taken = take_any(s, number, bytes);
  return taken ? memset(taken, 0, bytes) : NULL;
}

struct lone_lock *race_lock(struct race_shadow *s, uint64_t number) {
  return &s->locks[lock_index(number)];
}

struct race_page *race_page_find(struct race_shadow *s, uint64_t number, bool make) {
  struct page_table *table = &s->pieces[lock_index(number)].table;
  struct page_link *found = page_table_find(table, number);
  if (found || !make) return (struct race_page *)found;
  const size_t room = page_table_wants(table);
  struct page_link **heads = room ? race_take(s, number, room * sizeof *heads) : NULL,
                   **before = table->heads;
  const size_t bytes = table->room * sizeof *before;
  struct race_page *page = room && !heads ? NULL : race_take(s, number, sizeof *page);
  if (heads) {
    page_table_move(table, heads, room);
    give(s, number, before, bytes);
  }
  if (!page) return NULL;
  page->link.number = number;
  page->note_count = 1;
  page_table_add(table, &page->link);
  return page;
}

static void rename_each(uint16_t *each, const uint16_t *renamed) {
  for (uint32_t g = 0; each && g < RACE_GRANULES; g++)
    each[g] = renamed[each[g]];
}

static void rename_all(struct race_index *i, const uint16_t *renamed) {
  rename_each(i->each, renamed);
  i->all = renamed[i->all];
}

static void mark_each(const uint16_t *each, uint16_t *used) {
  for (uint32_t g = 0; each && g < RACE_GRANULES; g++)
    used[each[g]] = 1;
}

static void mark_all(const struct race_index *i, uint16_t *used) {
  if (!i->each) used[i->all] = 1;
  mark_each(i->each, used);
}

// Drops notes to which no granule refers any more.
static void compact(struct race_page *page) {
  uint16_t renamed[MOST_NOTES] = {0};
  mark_all(&page->writes, renamed);
  mark_all(&page->reads, renamed);
  mark_all(&page->reads_too, renamed);
  mark_all(&page->narrow_reads, renamed);
  mark_each(page->narrow ? page->narrow->notes : NULL, renamed);
  uint32_t used = 1;
  for (uint32_t n = 1; n < page->note_count; n++) {
    if (!renamed[n]) continue;
    page->notes[used] = page->notes[n];
    renamed[n] = (uint16_t)used++;
  }
  renamed[0] = 0;
  rename_all(&page->writes, renamed);
  rename_all(&page->reads, renamed);
  rename_all(&page->reads_too, renamed);
  rename_all(&page->narrow_reads, renamed);
  rename_each(page->narrow ? page->narrow->notes : NULL, renamed);
  page->note_count = used;
}

uint16_t race_note_index(struct race_shadow *s, struct race_page *page, const struct race_note *note) {
  for (uint32_t n = page->note_count; n-- > 1 && page->note_count - n <= RECENT;) {
    const struct race_note *recent = &page->notes[n]; // most differ in the warp
    if (recent->warp == note->warp && memcmp(recent, note, sizeof *note) == 0) return (uint16_t)n;
  }
  if (page->note_count >= MOST_NOTES) compact(page); // five live notes a granule at most
  if (page->note_count >= page->note_room) {
    const uint32_t room = page->note_room ? 2 * page->note_room : FIRST_NOTES;
    struct race_note *grown = take_any(s, page->link.number, room * sizeof *grown);
    if (!grown) return 0;
    memset(grown, 0, sizeof *grown); // [0] is "nothing"
    if (page->notes) memcpy(grown, page->notes, page->note_count * sizeof *grown);
    give(s, page->link.number, page->notes, page->note_room * sizeof *grown);
    page->notes = grown;
    page->note_room = room;
  }
  page->notes[page->note_count] = *note;
  return (uint16_t)page->note_count++;
}

OVER_ALL_AGENTS static void fill(uint16_t *each, uint32_t from, uint32_t to, uint16_t note) {
  for (uint32_t g = from; g < to; g++)
    each[g] = note;
}

void race_index_set(struct race_shadow *s, uint64_t number, struct race_index *i, uint32_t from, uint32_t to,
                    uint16_t note) {
  const size_t bytes = RACE_GRANULES * sizeof *i->each;
  if (!i->each && i->all == note) return;
  if (from == 0 && to == RACE_GRANULES) {
    if (i->each) give(s, number, i->each, bytes);
    *i = (struct race_index){.all = note};
    return;
  }
  if (!i->each) {
    i->each = take_any(s, number, bytes);
    if (!i->each) return;
    fill(i->each, 0, RACE_GRANULES, i->all);
    i->all = 0;
  }
  fill(i->each, from, to, note);
}

uint32_t race_index_alike(const struct race_index *i, uint32_t from, uint32_t to) {
  if (!i->each || to - from < 2) return to;
  // each one equals the next: then all are equal
  if (memcmp(i->each + from, i->each + from + 1, (to - from - 1) * sizeof *i->each) == 0) return to;
  uint32_t g = from + 1;
  while (i->each[g] == i->each[from])
    g++;
  return g;
}

void race_note_read(struct race_shadow *s, struct race_page *page, uint32_t from, uint32_t to,
                    const struct race_note *read) {
  const uint16_t index = race_note_index(s, page, read);
  if (!index) return;
  for (uint32_t g = from, next; g < to; g = next) {
    const uint16_t last = race_index_at(&page->reads, g);
    next = race_index_alike(&page->reads, g, to);
    if (last && last != index && page->notes[last].cluster != read->cluster)
      race_index_set(s, page->link.number, &page->reads_too, g, next, last);
  }
  race_index_set(s, page->link.number, &page->reads, from, to, index);
}

void race_note_written(struct race_shadow *s, struct race_page *page, uint32_t from, uint32_t to,
                       uint16_t written) {
  race_index_set(s, page->link.number, &page->writes, from, to, written);
  race_index_set(s, page->link.number, &page->reads, from, to, 0);
  race_index_set(s, page->link.number, &page->reads_too, from, to, 0);
}

bool race_is_unused(struct race_shadow *s, const struct op *op) {
  _Atomic uintptr_t *place = &s->unused[((uintptr_t)op >> 4) % UNUSED_PLACES];
  const uintptr_t known = atomic_load(place);
  if ((known & ~(uintptr_t)1) == (uintptr_t)op) return known & 1;
  const bool unused = race_result_unused(op);
  atomic_store(place, (uintptr_t)op | (uintptr_t)unused);
  return unused;
}
