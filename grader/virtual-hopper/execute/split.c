// Splits: the groups of a warp's lanes that stand at the same instruction. One idea: lanes that go different
// ways become different splits, each with its own place in the program. So each split advances, whatever the
// others wait for. Splits that meet again are merged.
#include <string.h>

#include "virtual-hopper/execute/barrier.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/time/record.h"

struct split *split_off(struct warp *w, uint32_t lanes, uint32_t pc, struct frame *frame) {
  struct split *running = &w->splits[0];
  running->lanes &= ~lanes;
  w->yield = true;
  if (w->split_count == WARP_LANES) die("a warp has more splits than lanes");
  struct split *s = &w->splits[w->split_count++];
  *s = *running; // the new split keeps the record of what its lanes have polled
  s->lanes = lanes;
  s->pc = pc;
  s->frame = frame;
  s->wait = WAIT_NONE;
  s->resting = s->expired = false;
  return s;
}

void split_remove(struct warp *w, uint32_t i) {
  w->splits[i] = w->splits[--w->split_count];
}

// ---- waiting ----------------------------------------------------------------------------------------------

// What lets somebody who polls look again. A barrier that all threads pass by turns does not: a loop may poll
// between one __syncthreads() and the next.
static uint64_t news_of(const struct warp *w) {
  return w->block->cluster->events - w->block->cluster->passes;
}

static void set_wait(struct warp *w, struct split *s, enum wait_reason reason, uint64_t object,
                     uint64_t detail) {
  s->wait = reason;
  s->wait_object = object;
  s->wait_detail = detail;
  s->seen_events = news_of(w);
}

void warp_wait_lanes(struct warp *w, uint32_t lanes, enum wait_reason reason, uint64_t object,
                     uint64_t detail) {
  struct split *running = &w->splits[0];
  w->yield = true;
  if (lanes == running->lanes) {
    w->pc--; // the op is executed again after the wait
    set_wait(w, running, reason, object, detail);
    return;
  }
  set_wait(w, split_off(w, lanes, w->pc - 1, running->frame), reason, object, detail);
  w->lanes &= ~lanes;
}

void warp_wait(struct warp *w, enum wait_reason reason, uint64_t object, uint64_t detail) {
  warp_wait_lanes(w, w->lanes, reason, object, detail);
}

void warp_sleep(struct warp *w, uint64_t nanoseconds) {
  const struct cluster *c = w->block->cluster;
  struct split *s =
      w->lanes == w->splits[0].lanes ? &w->splits[0] : split_off(w, w->lanes, w->pc, w->splits[0].frame);
  if (w->launch->time) time_sleep(w, nanoseconds);
  const uint64_t seen = s->seen_events; // sleeping doesn't look at memory, so this value stays
  set_wait(w, s, WAIT_SLEEP, cluster_time(c) + nanoseconds + 1, 0);
  s->seen_events = seen;
  s->resting = true;
  w->yield = true;
}

bool warp_wait_expired(const struct warp *w) {
  return w->splits[0].expired;
}

void warp_poll_value(struct warp *w, uint32_t signature) {
  struct split *s = &w->splits[0];
  uint64_t events = news_of(w);
  signature ^= w->pc * 0x9e3779b1u;
  bool seen = w->block->cluster->watching; // in a watched cluster, schedule/watch.c decides what is new
  for (int i = 0; i < 4; i++)
    seen = seen || s->poll_seen[i] == signature;
  if (!seen) {
    memmove(&s->poll_seen[1], &s->poll_seen[0], 3 * sizeof s->poll_seen[0]);
    s->poll_seen[0] = signature;
  }
  bool news = !seen || s->seen_events != events;
  s->idle_rounds = news ? 0 : s->idle_rounds + 1;
  s->seen_events = events;
  s->barrier_op = NULL;
  if (news) return; // the first look at a new value doesn't end the turn
  s->resting = true;
  w->yield = true;
}

void warp_poll(struct warp *w) {
  warp_poll_value(w, 1);
}

// ---- leaving ----------------------------------------------------------------------------------------------

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
  // Splits that wait for these lanes check again.
  for (uint32_t i = 0; i < w->split_count; i++)
    if (w->splits[i].wait == WAIT_WARP_SYNC) w->splits[i].wait = WAIT_NONE;
  uint32_t count = (uint32_t)__builtin_popcount(lanes);
  w->block->live_threads -= count;
  w->block->cluster->live_threads -= count;
  w->block->cluster->events++;
  barrier_threads_left(w, lanes);
}

// ---- choosing ---------------------------------------------------------------------------------------------

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

// Deeper calls go first, so that lanes meet again after the call. Then the lowest place goes first, so that
// lanes meet after loops and branches.
static bool goes_before(const struct split *a, const struct split *b) {
  if (a->frame->depth != b->frame->depth) return a->frame->depth > b->frame->depth;
  return a->pc < b->pc;
}

static void wake(struct warp *w, struct split *s) {
  if (s->wait == WAIT_SLEEP) {
    if (cluster_time(w->block->cluster) >= s->wait_object) s->wait = WAIT_NONE;
    return;
  }
  bool by_event = s->wait != WAIT_CTA_BARRIER && s->wait != WAIT_CLUSTER_BARRIER && s->wait != WAIT_WARP_SYNC;
  if (s->wait != WAIT_NONE && by_event && s->seen_events != news_of(w)) s->wait = WAIT_NONE;
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
