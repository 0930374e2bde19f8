// When stores to global memory land, and when a wait has shown that they are complete (race.h). One idea: the
// notes that race.c has left say which plain write a store has met; what the store brings is known only now.
#include "virtual-hopper/order/race.h"

#include <stdatomic.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-judge.h"
#include "virtual-hopper/order/race-pages.h"

uint64_t race_copy_name(uint32_t agent, const struct async_copy *copy) {
  return (uint64_t)agent << 32 | (uint32_t)(uintptr_t)copy->order;
}

void race_copy_done(struct warp *w, uint32_t lane, const struct async_copy *copy) {
  struct race_shadow *s = w->launch->order->races;
  if (!s || atomic_load_explicit(&s->full, memory_order_relaxed)) return;
  struct race_note waited;
  race_met_name(&waited, w, 1u << lane);
  race_copy_ends(s, copy->race,
                 &(struct race_copy){.name = race_copy_name(order_agent_of(w, lane), copy),
                                     .done = atomic_load(&s->time),
                                     .cluster = (uint32_t)w->block->cluster->index + 1,
                                     .warp = waited.warp,
                                     .epoch = waited.epoch});
}

static uint64_t name_of_landing(const struct async_copy *copy) {
  const struct block *b = copy->block;
  return race_copy_name(b->rank * order_rounded_threads(b->launch) + copy->thread + 1, copy);
}

bool race_is_landing(const struct race_shadow *s, uint32_t is, const struct async_copy *copy) {
  const struct race_copy *it = race_copy_at(s, is);
  return is && it->cluster == (uint32_t)copy->block->cluster->index + 1 && it->name == name_of_landing(copy);
}

bool race_has_rivals(const struct launch *launch) {
  return launch->order->races && atomic_load_explicit(&launch->order->races->rivals, memory_order_relaxed);
}

// One of the two is the copy, the other one a plain write that has left `value`.
static void compare_granule(const struct race_shadow *s, const struct async_copy *copy,
                            const struct race_note *note, uint32_t value, uint64_t address,
                            const uint8_t *fresh) {
  const bool is_copy = note->flags & RACE_NOTE_ASYNC;
  if (!note->rival || !race_is_landing(s, is_copy ? note->copy : note->rival_copy, copy) ||
      memcmp(&value, fresh, sizeof value) == 0)
    return;
  const struct conflict k = {.facts = {.kind = CONFLICT_GLOBAL_WRITE_AND_STORE,
                                       .earlier = DEED_WRITE,
                                       .later = DEED_STORE,
                                       .beyond_edge = copy_is_beyond_edge(copy, address, sizeof value)},
                             .earlier = {.op = is_copy ? note->rival : note->op},
                             .later = {copy->op, copy->block, copy->thread},
                             .global_address = address};
  order_report(copy->block->launch->order, &k);
}

void race_copy_compare(const struct async_copy *copy, uint64_t address, const uint8_t *fresh,
                       uint32_t bytes) {
  struct race_shadow *s = copy->block->launch->order->races;
  const uint64_t end = (address + bytes) / RACE_GRANULE_BYTES * RACE_GRANULE_BYTES;
  uint64_t at = (address + RACE_GRANULE_BYTES - 1) / RACE_GRANULE_BYTES * RACE_GRANULE_BYTES;
  while (at < end) {
    const uint64_t number = at / RACE_PAGE_BYTES, page_end = (number + 1) * RACE_PAGE_BYTES;
    struct lone_lock *lock = race_lock(s, number);
    lone_lock_take(lock);
    struct race_page *page = race_page_find(s, number, false);
    if (page) race_gather(s, page);
    for (; at < end && at < page_end; at += RACE_GRANULE_BYTES) {
      const uint32_t g = (uint32_t)(at % RACE_PAGE_BYTES / RACE_GRANULE_BYTES);
      const uint32_t written = page ? race_index_at(&page->writes, g) : 0;
      if (written)
        compare_granule(s, copy, race_note_at(s, written), race_value(page, g), at, fresh + (at - address));
      if (page) race_narrow_compare(s, copy, page, g, fresh + (at - address));
    }
    lone_lock_give(lock);
  }
}

void race_copy_landed(const struct async_copy *copy) {
  struct race_shadow *s = copy->block->launch->order->races;
  if (!s || atomic_load_explicit(&s->full, memory_order_relaxed)) return;
  race_copy_ends(s, copy->race,
                 &(struct race_copy){.name = name_of_landing(copy),
                                     .done = RACE_PENDING,
                                     .cluster = (uint32_t)copy->block->cluster->index + 1});
}
