// Splits: the groups of a warp's lanes that stand at the same instruction. One idea: lanes that go different ways become splits of their own with their
// own place in the program, so each of them advances whatever the others wait for; those that meet again are merged.
#include <string.h>

#include "virtual-hopper/schedule.h"
#include "virtual-hopper/warp/flow.h"

struct split *split_off(struct warp *w, uint32_t lanes, uint32_t pc, struct frame *frame) {
  struct split *running = &w->splits[0];
  running->lanes &= ~lanes;
  w->yield = true;
  if (w->split_count == WARP_LANES) die("a warp has more splits than lanes");
  struct split *s = &w->splits[w->split_count++];
  *s = (struct split){.lanes = lanes, .pc = pc, .frame = frame, .spent = running->spent};
  return s;
}

void split_remove(struct warp *w, uint32_t i) {
  w->splits[i] = w->splits[--w->split_count];
}

// ---- waiting ------------------------------------------------------------------------------------------------------

static void set_wait(struct warp *w, struct split *s, enum wait_reason reason, uint64_t object,
                     uint64_t detail) {
  s->wait = reason;
  s->wait_object = object;
  s->wait_detail = detail;
  s->seen_events = w->block->cluster->events;
}

void warp_wait_lanes(struct warp *w, uint32_t lanes, enum wait_reason reason, uint64_t object,
                     uint64_t detail) {
  struct split *running = &w->splits[0];
  w->yield = true;
  if (lanes == running->lanes) {
    w->pc--; // executed again
    set_wait(w, running, reason, object, detail);
    return;
  }
  set_wait(w, split_off(w, lanes, w->pc - 1, running->frame), reason, object, detail);
  w->lanes &= ~lanes;
}

void warp_wait(struct warp *w, enum wait_reason reason, uint64_t object, uint64_t detail) {
  warp_wait_lanes(w, w->lanes, reason, object, detail);
}

bool warp_wait_expired(const struct warp *w) {
  return w->splits[0].expired;
}

void warp_poll_value(struct warp *w, uint32_t signature) {
  struct split *s = &w->splits[0];
  uint64_t events = w->block->cluster->events;
  signature ^= w->pc * 0x9e3779b1u;
  bool seen = false;
  for (int i = 0; i < 4; i++)
    seen = seen || s->poll_seen[i] == signature;
  if (!seen) {
    memmove(&s->poll_seen[1], &s->poll_seen[0], 3 * sizeof s->poll_seen[0]);
    s->poll_seen[0] = signature;
  }
  bool news = !seen || s->seen_events != events;
  s->idle_rounds = news ? 0 : s->idle_rounds + 1;
  s->seen_events = events;
  if (news) return; // the first look costs nobody their turn
  s->resting = true;
  w->yield = true;
}

void warp_poll(struct warp *w) {
  warp_poll_value(w, 1);
}

// ---- leaving ------------------------------------------------------------------------------------------------------

static void leave_frames(struct warp *w, struct frame *frame, uint32_t lanes) {
  while (frame) {
    struct frame *caller = frame->caller;
    frame->lanes &= ~lanes;
    if (!frame->lanes && caller) frame_give(w, frame); // the kernel's own frame stays with the warp
    frame = caller;
  }
}

void warp_exit_lanes(struct warp *w, uint32_t lanes) {
  struct split *running = &w->splits[0];
  leave_frames(w, running->frame, lanes);
  running->lanes &= ~lanes;
  w->alive &= ~lanes;
  w->yield = true;
  for (uint32_t i = 0; i < w->split_count; i++) // who waits for these lanes looks again
    if (w->splits[i].wait == WAIT_WARP_SYNC) w->splits[i].wait = WAIT_NONE;
  uint32_t count = (uint32_t)__builtin_popcount(lanes);
  w->block->live_threads -= count;
  w->block->cluster->live_threads -= count;
  w->block->cluster->events++;
  barrier_threads_left(w, lanes);
}

// ---- choosing -----------------------------------------------------------------------------------------------------

static bool same_place(const struct split *a, const struct split *b) {
  return a->pc == b->pc && a->frame == b->frame;
}

static bool same_wait(const struct split *a, const struct split *b) {
  return a->wait == b->wait && a->wait_object == b->wait_object && a->wait_detail == b->wait_detail;
}

void split_merge_into_first(struct warp *w) {
  struct split *s = &w->splits[0];
  for (uint32_t i = 1; i < w->split_count;) {
    struct split *other = &w->splits[i];
    if (!same_place(s, other) || !same_wait(s, other)) {
      i++;
      continue;
    }
    s->lanes |= other->lanes;
    if (other->idle_rounds < s->idle_rounds) s->idle_rounds = other->idle_rounds;
    if (other->spent < s->spent) s->spent = other->spent;
    s->resting = s->resting && other->resting;
    split_remove(w, i);
  }
}

// Deeper calls first, so that lanes meet again where they were called from; then the lowest place, so that they meet behind loops and branches.
static bool goes_before(const struct split *a, const struct split *b) {
  if (a->frame->depth != b->frame->depth) return a->frame->depth > b->frame->depth;
  return a->pc < b->pc;
}

static void wake(struct warp *w, struct split *s) {
  bool by_event = s->wait != WAIT_CTA_BARRIER && s->wait != WAIT_CLUSTER_BARRIER && s->wait != WAIT_WARP_SYNC;
  if (s->wait != WAIT_NONE && by_event && s->seen_events != w->block->cluster->events) s->wait = WAIT_NONE;
}

bool split_choose(struct warp *w) {
  uint32_t best = WARP_LANES;
  for (uint32_t i = 0; i < w->split_count; i++) {
    struct split *s = &w->splits[i];
    if (s->wait != WAIT_NONE) wake(w, s);
    if (s->wait != WAIT_NONE || s->resting) continue;
    if (best == WARP_LANES || goes_before(s, &w->splits[best])) best = i;
  }
  if (best == WARP_LANES) return false;
  if (best) {
    struct split swap = w->splits[0];
    w->splits[0] = w->splits[best];
    w->splits[best] = swap;
  }
  if (w->split_count > 1) split_merge_into_first(w);
  return true;
}

uint32_t split_next_place(const struct warp *w) {
  const struct split *s = &w->splits[0];
  uint32_t next = UINT32_MAX;
  for (uint32_t i = 1; i < w->split_count; i++) {
    const struct split *other = &w->splits[i];
    if (other->frame == s->frame && other->wait == WAIT_NONE && other->pc > s->pc && other->pc < next)
      next = other->pc;
  }
  return next;
}
