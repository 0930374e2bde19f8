// The notes of race.c (race-pages.h).
#include "virtual-hopper/order/race-pages.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"

enum { MOST_NOTES = 6 * RACE_GRANULES, RECENT = 4 };
// Bytes of notes; beyond them nothing is judged any more: a flag that was forgotten orders accesses, too.
#define RACE_PAGE_LIMIT    ((size_t)192 << 20)
#define RACE_MOST_CLUSTERS (1u << 22) // larger grids are not judged

struct race_shadow *race_create(struct launch *launch) {
  if (launch->cluster_count < 2 || launch->cluster_count > RACE_MOST_CLUSTERS) return NULL;
  struct race_shadow *s = calloc(1, sizeof *s);
  if (!s) die("out of memory for the order engine");
  s->launch = launch;
  s->signals = calloc(launch->cluster_count, sizeof *s->signals);
  if (!s->signals) die("out of memory for the order engine");
  for (int i = 0; i < RACE_LOCKS; i++)
    pthread_mutex_init(&s->locks[i], NULL);
  return s;
}

void race_destroy(struct race_shadow *s) {
  if (!s) return;
  for (int i = 0; i < RACE_BUCKETS; i++) {
    struct race_page *page = atomic_load(&s->pages[i]);
    while (page) {
      struct race_page *next = page->next;
      free(page->notes);
      free(page->writes);
      free(page->reads);
      free(page->reads_too);
      free(page->narrow_reads);
      free(page->values);
      free(page->narrow);
      free(page);
      page = next;
    }
  }
  for (int i = 0; i < RACE_LOCKS; i++)
    pthread_mutex_destroy(&s->locks[i]);
  budget_give(s->launch->budget, BUDGET_ORDER, atomic_load(&s->bytes));
  free(s->signals);
  free(s);
}

// ---- notes ------------------------------------------------------------------------------------------------

void *race_take(struct race_shadow *s, size_t bytes) {
  if (atomic_load(&s->bytes) + bytes > RACE_PAGE_LIMIT || budget_left(s->launch->budget) < bytes) {
    atomic_store(&s->full, true);
    return NULL;
  }
  atomic_fetch_add(&s->bytes, bytes);
  budget_count(s->launch->budget, BUDGET_ORDER, bytes);
  void *taken = calloc(1, bytes);
  if (!taken) die("out of memory for the order engine");
  return taken;
}

static size_t bucket_of(uint64_t number) {
  return (number * 0x9e3779b97f4a7c15ull) >> 52;
}

pthread_mutex_t *race_lock(struct race_shadow *s, uint64_t number) {
  return &s->locks[bucket_of(number) % RACE_LOCKS];
}

struct race_page *race_page_find(struct race_shadow *s, uint64_t number, bool make) {
  const size_t bucket = bucket_of(number);
  struct race_page *head = atomic_load(&s->pages[bucket]), *page = head;
  while (page && page->number != number)
    page = page->next;
  if (page || !make) return page;
  page = race_take(s, sizeof *page);
  if (!page) return NULL;
  page->number = number;
  page->next = head;
  page->note_count = 1;
  atomic_store(&s->pages[bucket], page);
  return page;
}

static void rename_all(uint16_t *index, const uint16_t *renamed) {
  for (uint32_t g = 0; index && g < RACE_GRANULES; g++)
    index[g] = renamed[index[g]];
}

static void mark_all(const uint16_t *index, uint16_t *used) {
  for (uint32_t g = 0; index && g < RACE_GRANULES; g++)
    used[index[g]] = 1;
}

// Drops notes to which no granule refers any more.
static void compact(struct race_page *page) {
  uint16_t renamed[MOST_NOTES] = {0};
  mark_all(page->writes, renamed);
  mark_all(page->reads, renamed);
  mark_all(page->reads_too, renamed);
  mark_all(page->narrow_reads, renamed);
  mark_all(page->narrow ? page->narrow->notes : NULL, renamed);
  uint32_t used = 1;
  for (uint32_t n = 1; n < page->note_count; n++) {
    if (!renamed[n]) continue;
    page->notes[used] = page->notes[n];
    renamed[n] = (uint16_t)used++;
  }
  renamed[0] = 0;
  rename_all(page->writes, renamed);
  rename_all(page->reads, renamed);
  rename_all(page->reads_too, renamed);
  rename_all(page->narrow_reads, renamed);
  rename_all(page->narrow ? page->narrow->notes : NULL, renamed);
  page->note_count = used;
}

uint16_t race_note_index(struct race_shadow *s, struct race_page *page, const struct race_note *note) {
  for (uint32_t n = page->note_count; n-- > 1 && page->note_count - n <= RECENT;)
    if (memcmp(&page->notes[n], note, sizeof *note) == 0) return (uint16_t)n;
  if (page->note_count >= MOST_NOTES) compact(page); // five live notes a granule at most
  if (page->note_count >= page->note_room) {
    const uint32_t room = page->note_room ? 2 * page->note_room : 8;
    struct race_note *grown = race_take(s, room * sizeof *grown);
    if (!grown) return 0;
    if (page->notes) memcpy(grown, page->notes, page->note_count * sizeof *grown);
    const size_t before = page->note_room * sizeof *grown;
    free(page->notes);
    atomic_fetch_sub(&s->bytes, before);
    budget_give(s->launch->budget, BUDGET_ORDER, before);
    page->notes = grown;
    page->note_room = room;
  }
  page->notes[page->note_count] = *note;
  return (uint16_t)page->note_count++;
}

uint16_t *race_index(struct race_shadow *s, uint16_t **index) {
  if (!*index) *index = race_take(s, RACE_GRANULES * sizeof **index);
  return *index;
}

bool race_is_unused(struct race_shadow *s, const struct op *op) {
  _Atomic uintptr_t *place = &s->unused[((uintptr_t)op >> 4) % UNUSED_PLACES];
  const uintptr_t known = atomic_load(place);
  if ((known & ~(uintptr_t)1) == (uintptr_t)op) return known & 1;
  const bool unused = race_result_unused(op);
  atomic_store(place, (uintptr_t)op | (uintptr_t)unused);
  return unused;
}
