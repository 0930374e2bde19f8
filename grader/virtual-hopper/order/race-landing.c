// When stores to global memory land, and when a wait has shown that they are complete (race.h). One idea: the
// notes that race.c has left say which plain write a store has met; what the store brings is known only now.
#include "virtual-hopper/order/race.h"

#include <stdatomic.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-pages.h"

uint64_t race_copy_name(uint32_t agent, const struct async_copy *copy) {
  return (uint64_t)agent << 32 | (uint32_t)(uintptr_t)copy->order;
}

struct completion {
  struct race_shadow *shadow;
  uint64_t cluster, copy, time;
  bool only_landed; // no wait has shown it
};

static void complete_span(const struct copy_span *span, void *context) {
  const struct completion *done = context;
  for (uint64_t number = span->address / RACE_PAGE_BYTES;
       number <= (span->address + span->bytes - 1) / RACE_PAGE_BYTES; number++) {
    struct lone_lock *lock = race_lock(done->shadow, number);
    lone_lock_take(lock);
    struct race_page *page = race_page_find(done->shadow, number, false);
    for (uint32_t n = 1; page && n < page->note_count; n++) {
      struct race_note *note = &page->notes[n];
      const bool is_it = note->cluster == done->cluster && note->copy == done->copy;
      if (is_it) note->flags |= RACE_NOTE_LANDED;
      if (done->only_landed) continue;
      if (is_it) note->done = done->time;
      if (note->below_cluster == done->cluster && note->below_copy == done->copy)
        note->below_done = done->time;
    }
    lone_lock_give(lock);
  }
}

void race_copy_done(struct warp *w, uint32_t lane, const struct async_copy *copy) {
  struct race_shadow *s = w->launch->order->races;
  if (!s || atomic_load_explicit(&s->full, memory_order_relaxed)) return;
  struct completion done = {.shadow = s,
                            .cluster = w->block->cluster->index + 1,
                            .copy = race_copy_name(order_agent_of(w, lane), copy),
                            .time = atomic_load(&s->time)};
  copy_each_global_span(copy, complete_span, &done);
}

static uint64_t name_of_landing(const struct async_copy *copy) {
  const struct block *b = copy->block;
  return race_copy_name(b->rank * order_rounded_threads(b->launch) + copy->thread + 1, copy);
}

bool race_has_rivals(const struct launch *launch) {
  return launch->order->races && atomic_load_explicit(&launch->order->races->rivals, memory_order_relaxed);
}

// One of the two is the copy, the other one a plain write that has left `value`.
static void compare_granule(const struct async_copy *copy, const struct race_note *note, uint32_t value,
                            uint64_t address, const uint8_t *fresh) {
  const uint64_t cluster = copy->block->cluster->index + 1, name = name_of_landing(copy);
  const bool is_copy = note->flags & RACE_NOTE_ASYNC && note->cluster == cluster && note->copy == name;
  const bool is_write =
      !(note->flags & RACE_NOTE_ASYNC) && note->rival_cluster == cluster && note->rival_copy == name;
  if (!note->rival || !(is_copy || is_write) || memcmp(&value, fresh, sizeof value) == 0) return;
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
    const struct race_page *page = race_page_find(s, number, false);
    for (; at < end && at < page_end; at += RACE_GRANULE_BYTES) {
      const uint32_t g = (uint32_t)(at % RACE_PAGE_BYTES / RACE_GRANULE_BYTES);
      const uint16_t written = page ? race_index_at(&page->writes, g) : 0;
      if (written)
        compare_granule(copy, &page->notes[written], race_value(page, g), at, fresh + (at - address));
      if (page) race_narrow_compare(copy, name_of_landing(copy), page, g, fresh + (at - address));
    }
    lone_lock_give(lock);
  }
}

void race_copy_landed(const struct async_copy *copy) {
  struct race_shadow *s = copy->block->launch->order->races;
  if (!s || atomic_load_explicit(&s->full, memory_order_relaxed)) return;
  struct completion landed = {.shadow = s,
                              .cluster = copy->block->cluster->index + 1,
                              .copy = name_of_landing(copy),
                              .only_landed = true};
  copy_each_global_span(copy, complete_span, &landed);
}
