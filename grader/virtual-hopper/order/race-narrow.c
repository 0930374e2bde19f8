// Plain writes of one or two bytes against the bulk stores of other clusters (race.h). In: a write's note, a
// store's note, what a store brings. Out: conflicts. One idea: neighbours may share a granule, so such writes
// are kept apart from the others; but a store that fills a granule meets every byte of it.
#include <stdatomic.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-pages.h"

void race_narrow_note(struct race_shadow *s, struct race_page *page, uint32_t index, uint64_t address,
                      uint32_t bytes, uint32_t value) {
  if (!page->narrow) page->narrow = race_take(s, page->number, sizeof *page->narrow);
  if (!page->narrow || !index) return;
  const uint32_t g = (uint32_t)(address % RACE_PAGE_BYTES / RACE_GRANULE_BYTES),
                 shift = 8 * (uint32_t)(address % RACE_GRANULE_BYTES),
                 mask = ((1u << 8 * bytes) - 1) << shift;
  struct race_narrow *narrow = page->narrow;
  const uint32_t kept = narrow->notes[g] == index ? narrow->mask[g] & ~mask : 0; // of the same instruction
  narrow->values[g] = (narrow->values[g] & kept) | (value << shift & mask);
  narrow->mask[g] = kept | mask;
  narrow->notes[g] = index;
  if (race_note_at(s, index)->rival) atomic_store(&s->rivals, true);
}

void race_narrow_meet(struct race_shadow *s, struct race_page *page, uint32_t g,
                      const struct race_note *store) {
  struct race_note note = *race_note_at(s, page->narrow->notes[g]);
  note.rival = store->op;
  note.rival_copy = store->copy;
  const uint32_t index = race_note_make(s, page->number, &note);
  if (!index) return;
  page->narrow->notes[g] = index;
  atomic_store(&s->rivals, true);
}

void race_narrow_compare(const struct race_shadow *s, const struct async_copy *copy,
                         const struct race_page *page, uint32_t g, const uint8_t *fresh) {
  const struct race_narrow *narrow = page->narrow;
  const struct race_note *note = narrow ? race_note_at(s, narrow->notes[g]) : NULL;
  if (!note || !note->rival || !race_is_landing(s, note->rival_copy, copy)) return;
  uint32_t brought;
  memcpy(&brought, fresh, sizeof brought);
  if (((brought ^ narrow->values[g]) & narrow->mask[g]) == 0) return;
  const struct conflict k = {
      .facts = {.kind = CONFLICT_GLOBAL_WRITE_AND_STORE,
                .earlier = DEED_WRITE,
                .later = DEED_STORE,
                .beyond_edge = copy_is_beyond_edge(
                    copy, page->number * RACE_PAGE_BYTES + g * RACE_GRANULE_BYTES, sizeof brought)},
      .earlier = {.op = note->op},
      .later = {copy->op, copy->block, copy->thread}};
  order_report(copy->block->launch->order, &k);
}
