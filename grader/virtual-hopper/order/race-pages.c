// The notes of race.c (race-pages.h).
#include "virtual-hopper/order/race-pages.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "virtual-hopper/order/internal.h"

// Bytes of pages and notes; beyond them nothing is judged any more: a flag that was forgotten orders
// accesses, too.
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
  race_notes_begin(s);
  return s;
}

bool race_outgrown(const struct launch *launch, const struct race_shadow *s) {
  return s ? atomic_load(&s->full) : launch->cluster_count > RACE_MOST_CLUSTERS;
}

void race_destroy(struct race_shadow *s) {
  if (!s) return;
  for (int i = 0; i < RACE_LOCKS; i++)
    pieces_end(&s->pieces[i].set);
  race_notes_end(s);
  for (uint64_t i = 0; i < s->launch->cluster_count; i++) {
    race_met_free(atomic_load(&s->signals[i].met));
    free(atomic_load(&s->signals[i].told));
  }
  race_late_free(atomic_load(&s->late));
  budget_part_end(&s->memory);
  free(s->signals);
  free(s);
}

// ---- pages ------------------------------------------------------------------------------------------------

void race_give(struct race_shadow *s, uint64_t number, void *taken, size_t bytes) {
  struct race_pieces *pieces = &s->pieces[race_lock_place(number)];
  if (!taken) return;
  pieces_give(&pieces->set, taken, bytes);
  budget_share_give(&pieces->share, bytes);
}

bool race_has_room(struct race_shadow *s, struct budget_share *share, size_t bytes) {
  if (share->left < bytes &&
      (atomic_load(&s->memory.held) + bytes > RACE_PAGE_LIMIT || budget_left(s->launch->budget) < bytes)) {
    atomic_store(&s->full, true);
    return false;
  }
  budget_share_count(&s->memory, share, bytes);
  return true;
}

void *race_take_any(struct race_shadow *s, uint64_t number, size_t bytes) {
  struct race_pieces *pieces = &s->pieces[race_lock_place(number)];
  return race_has_room(s, &pieces->share, bytes) ? pieces_take_any(&pieces->set, bytes) : NULL;
}

void *race_take(struct race_shadow *s, uint64_t number, size_t bytes) {
  void *taken = race_take_any(s, number, bytes);
  return taken ? memset(taken, 0, bytes) : NULL;
}

struct race_region *race_region_make(struct race_shadow *s, uint64_t number) {
  const uint64_t region = number / RACE_REGION;
  _Atomic(struct race_region *) *list = &s->regions[region % RACE_REGION_LISTS];
  lone_lock_take(&s->notes.lock);
  struct race_region *r = race_region_of(s, number, false); // another worker may have made it
  if (!r && race_has_room(s, &s->notes.share, sizeof *r)) {
    r = pieces_take(&s->notes.set, sizeof *r);
    r->number = region;
    r->next = atomic_load(list);
    atomic_store_explicit(list, r, memory_order_release);
  }
  lone_lock_give(&s->notes.lock);
  return r;
}

struct race_page *race_page_make(struct race_shadow *s, struct race_region *r, uint64_t number) {
  struct race_page *page = race_take(s, number, sizeof *page);
  if (page) page->number = number;
  r->pages[number % RACE_REGION] = page;
  return page;
}

uint32_t *race_values_make(struct race_shadow *s, struct race_page *page, uint32_t g, bool row) {
  const uint64_t number = page->number;
  if (!page->values) page->values = race_take(s, number, RACE_LINES * sizeof *page->values);
  if (!page->values) return NULL;
  uint32_t **line = &page->values[g / RACE_LINE];
  const bool whole = row && line == page->values; // the other lines follow, it seems
  if (!*line) *line = race_take(s, number, (whole ? RACE_LINES : 1) * RACE_LINE * sizeof **line);
  for (uint32_t n = 1; whole && *line && n < RACE_LINES; n++)
    if (!line[n]) line[n] = *line + (size_t)n * RACE_LINE;
  return *line;
}

// ---- indices ----------------------------------------------------------------------------------------------

enum {
  LINE_BYTES_OF_NOTES = RACE_LINE * sizeof(uint32_t),
  LINES_BYTES = RACE_LINES * sizeof(union race_line)
};

static union race_line alike(uint32_t note) {
  return (union race_line){.alike = (uintptr_t)note << 1 | 1};
}

static bool is_alike(union race_line line) {
  return line.alike & 1;
}

static void fill(uint32_t *each, uint32_t from, uint32_t to, uint32_t note) {
  static_assert(sizeof(wchar_t) == sizeof *each, "32 bits");
  wmemset((wchar_t *)each + from, (wchar_t)note, to - from);
}

// Afterwards it has lines. False: no room.
static bool make_lines(struct race_shadow *s, uint64_t number, struct race_index *i) {
  if (i->lines) return true;
  i->lines = race_take_any(s, number, LINES_BYTES);
  for (uint32_t n = 0; i->lines && n < RACE_LINES; n++)
    i->lines[n] = alike(i->all);
  i->all = 0;
  return i->lines;
}

// A part of a line.
static void set_part(struct race_shadow *s, uint64_t number, union race_line *line, uint32_t from,
                     uint32_t to, uint32_t note) {
  const union race_line before = *line;
  if (is_alike(before)) {
    if (before.alike == alike(note).alike) return;
    uint32_t *each = race_take_any(s, number, LINE_BYTES_OF_NOTES);
    if (!each) return;
    fill(each, 0, RACE_LINE, (uint32_t)(before.alike >> 1));
    line->each = each;
  }
  fill(line->each, from, to, note);
}

// Parts of a line that had notes of their own will have them again, it seems.
static void set_line(union race_line *line, uint32_t note) {
  if (is_alike(*line))
    *line = alike(note);
  else
    fill(line->each, 0, RACE_LINE, note);
}

static void set_page(struct race_shadow *s, uint64_t number, struct race_index *i, uint32_t note) {
  for (uint32_t n = 0; i->lines && n < RACE_LINES; n++)
    if (!is_alike(i->lines[n])) race_give(s, number, i->lines[n].each, LINE_BYTES_OF_NOTES);
  if (i->lines) race_give(s, number, i->lines, LINES_BYTES);
  *i = (struct race_index){.all = note};
}

void race_index_set(struct race_shadow *s, uint64_t number, struct race_index *i, uint32_t from, uint32_t to,
                    uint32_t note) {
  if (!i->lines && i->all == note) return;
  if (from == 0 && to == RACE_GRANULES) {
    set_page(s, number, i, note);
    return;
  }
  if (!make_lines(s, number, i)) return;
  for (uint32_t g = from, end; g < to; g = end) {
    union race_line *line = &i->lines[g / RACE_LINE];
    end = g - g % RACE_LINE + RACE_LINE;
    if (end <= to && g % RACE_LINE == 0) {
      set_line(line, note);
      continue;
    }
    if (end > to) end = to;
    set_part(s, number, line, g % RACE_LINE, (end - 1) % RACE_LINE + 1, note);
  }
}

// The first granule from `g` on, before `to`, that has another note in its line; else `to` or the line's end.
static uint32_t end_in_line(union race_line line, uint32_t g, uint32_t to, uint32_t note) {
  const uint32_t line_end = g - g % RACE_LINE + RACE_LINE, end = to < line_end ? to : line_end;
  if (is_alike(line)) return line.alike == alike(note).alike ? end : g;
  const uint32_t *each = &line.each[g % RACE_LINE];
  if (*each != note) return g;
  // each one equals the next: then all are equal
  if (memcmp(each, each + 1, (end - g - 1) * sizeof *each) == 0) return end;
  while (*++each == note)
    g++;
  return g + 1;
}

uint32_t race_index_alike(const struct race_index *i, uint32_t from, uint32_t to) {
  if (!i->lines || to - from < 2) return to;
  const uint32_t note = race_index_at(i, from);
  if (from / RACE_LINE == (to - 1) / RACE_LINE)
    return end_in_line(i->lines[from / RACE_LINE], from, to, note);
  for (uint32_t g = from; g < to;) {
    const uint32_t end = end_in_line(i->lines[g / RACE_LINE], g, to, note);
    if (end == to || end % RACE_LINE || end == g) return end;
    g = end;
  }
  return to;
}

// Who has read the granules last, and is of another cluster, stays known.
static void keep_readers(struct race_shadow *s, struct race_page *page, uint32_t from, uint32_t to,
                         uint32_t read) {
  const uint32_t cluster = race_note_at(s, read)->cluster;
  for (uint32_t g = from, next; g < to; g = next) {
    const uint32_t last = race_index_at(&page->reads, g);
    next = page->reads.lines ? end_in_line(page->reads.lines[g / RACE_LINE], g, to, last) : to;
    if (last && last != read && race_note_at(s, last)->cluster != cluster)
      race_index_set(s, page->number, &page->reads_too, g, next, last);
  }
}

void race_note_read(struct race_shadow *s, struct race_page *page, uint32_t from, uint32_t to,
                    uint32_t read) {
  if (!read) return;
  if (!race_index_is_empty(&page->reads)) keep_readers(s, page, from, to, read);
  race_index_set(s, page->number, &page->reads, from, to, read);
}

void race_note_written(struct race_shadow *s, struct race_page *page, uint32_t from, uint32_t to,
                       uint32_t written) {
  race_index_set(s, page->number, &page->writes, from, to, written);
  race_index_set(s, page->number, &page->reads, from, to, 0);
  race_index_set(s, page->number, &page->reads_too, from, to, 0);
}

bool race_is_unused(struct race_shadow *s, const struct op *op) {
  _Atomic uintptr_t *place = &s->unused[((uintptr_t)op >> 4) % UNUSED_PLACES];
  const uintptr_t known = atomic_load(place);
  if ((known & ~(uintptr_t)1) == (uintptr_t)op) return known & 1;
  const bool unused = race_result_unused(op);
  atomic_store(place, (uintptr_t)op | (uintptr_t)unused);
  return unused;
}
