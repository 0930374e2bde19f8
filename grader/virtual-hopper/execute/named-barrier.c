// Faults of arrivals at barriers that count their threads (PTX ISA 9.7.13.1). In: an arrival, and what came
// to the barrier before. Out: faults. One idea: a barrier's number and count make a meeting, and nobody may
// be able to come to two meetings at once.
#include "virtual-hopper/execute/named-barrier.h"

#include <stdio.h>

#include "virtual-hopper/execute/barrier.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/rules/place-words.h"

static void place_other(struct fault *f, struct warp *w, const struct op *op, uint32_t lane) {
  machine_place(&f->related[0].place, w->block, op, warp_thread(w, lane));
  f->related_count = 1;
}

// "line 12"; with its file, if the other line that is told stands in another one.
struct line_text {
  char text[192];
};

static struct line_text line_of(struct warp *w, const struct op *op, const struct op *other) {
  struct fault_place place, beside;
  struct line_text line = {0};
  machine_place(&place, w->block, op, 0);
  machine_place(&beside, w->block, other, 0);
  place_line_words(place_line(&place), beside.file, line.text, sizeof line.text);
  return line;
}

// A barrier without a count is for all threads of the block, in whole warps.
static uint32_t true_count(const struct block *b, uint32_t expected) {
  return expected ? expected : b->warp_count * WARP_LANES;
}

static void say_count(const char *line, uint32_t count, uint32_t threads, char *text, size_t size) {
  if (count)
    snprintf(text, size, "%s counts %u threads", line, count);
  else
    snprintf(text, size, "%s waits for all %u threads of the block", line, threads);
}

// Another arrival at the barrier, with another count.
struct other_count {
  struct warp *warp;
  const struct op *op;
  uint32_t lane, count;
  bool before; // in the meeting before, and nothing orders the two
};

static void report_counts(struct warp *w, const struct op *op, uint32_t lanes, uint32_t id, uint32_t expected,
                          const struct other_count *other) {
  const uint32_t threads = w->launch->threads_per_block;
  struct fault f = {.rule = RULE_NAMED_BARRIER, .severity = FAULT_ERROR};
  char here[256], there[256];
  say_count(line_of(w, op, other->op).text, expected, threads, here, sizeof here);
  say_count(line_of(w, other->op, op).text, other->count, threads, there, sizeof there);
  snprintf(f.role, sizeof f.role, "comes to barrier %u for %u threads", id, true_count(w->block, expected));
  snprintf(f.related[0].role, sizeof f.related[0].role, "has come to it for %u threads",
           true_count(w->block, other->count));
  snprintf(f.message, sizeof f.message,
           "At barrier %u, %s and %s, %s. All that come to a barrier must give it the same count; what "
           "happens else is undefined.%s",
           id, there, here,
           other->before ? "and nothing makes the second come after the meeting of the first: it may as well "
                           "be counted there"
                         : "in one and the same meeting",
           id ? "" : " Barrier 0 is that of __syncthreads().");
  snprintf(f.remedy, sizeof f.remedy,
           id ? "Write the same count in all of them: that of all threads that come to the barrier, those "
                "that only arrive among them."
              : "Leave barrier 0 to __syncthreads(), and give the other meeting a barrier from 1 to 15.");
  place_other(&f, other->warp, other->op, other->lane);
  warp_fault(w, op, (uint32_t)__builtin_ctz(lanes), &f);
}

// The warp has arrived before, without waiting.
static void report_again(struct warp *w, const struct op *op, uint32_t lanes, uint32_t id,
                         const struct op *before) {
  const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
  struct fault f = {.rule = RULE_NAMED_BARRIER, .severity = FAULT_ERROR, .edit = 1};
  snprintf(f.role, sizeof f.role, "comes to the barrier a second time");
  snprintf(f.related[0].role, sizeof f.related[0].role, "has arrived here, and has not waited");
  snprintf(
      f.message, sizeof f.message,
      "Warp %u arrives at barrier %u in %s, without waiting, and comes to the same barrier again in "
      "%s, though it can't know that the others of the first meeting have come. Both may be counted "
      "for one meeting, so the barrier lets threads go on that should wait for others. bar.arrive doesn't "
      "wait; bar.sync does.",
      w->index, id, line_of(w, before, op).text, line_of(w, op, before).text);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Use bar.sync where the warp has to wait for the others; or give the two meetings barriers of their "
      "own.");
  place_other(&f, w, before, lane);
  warp_fault(w, op, lane, &f);
}

static void report_too_many(struct warp *w, const struct op *op, uint32_t lanes, uint32_t id,
                            uint32_t expected, const struct order_arrival *earlier) {
  struct fault f = {.rule = RULE_NAMED_BARRIER, .severity = FAULT_ERROR};
  snprintf(f.role, sizeof f.role, "comes to barrier %u", id);
  snprintf(f.related[0].role, sizeof f.related[0].role, "has come to it, for the meeting before");
  snprintf(f.message, sizeof f.message,
           "Barrier %u counts %u threads, %u warp%s. Warp %u comes to it in %s when that many have met, warp "
           "%u in %s among them, and nothing makes it come after them: it may as well be counted for their "
           "meeting, and one of them be left over.",
           id, expected, expected / WARP_LANES, expected == WARP_LANES ? "" : "s", w->index,
           line_of(w, op, earlier->op).text, earlier->warp->index, line_of(w, earlier->op, op).text);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Count all threads that come to the barrier, 32 for each warp; or give the two meetings barriers of "
      "their own.");
  place_other(&f, earlier->warp, earlier->op, earlier->lane);
  warp_fault(w, op, (uint32_t)__builtin_ctz(lanes), &f);
}

// A warp may be meant to count twice: whoever takes turns with others gives itself the first one. That is
// wrong only if others may come to the same meeting, or could have. They are judged when they come.
static void note_again(struct warp *w, const struct op *op, uint32_t lanes, struct cta_barrier *barrier) {
  barrier->again_at = op;
  barrier->again_before = barrier->arrived_at[w->index];
  barrier->again_thread = warp_thread(w, (uint32_t)__builtin_ctz(lanes));
  barrier->again_generation = barrier->generation + 1;
}

void named_barrier_judge(struct warp *w, const struct op *op, uint32_t lanes, uint32_t id,
                         uint32_t expected) {
  struct block *b = w->block;
  struct cta_barrier *barrier = &b->barriers[id];
  const uint32_t before = barrier->arrived_lanes[w->index];
  struct order_arrival earlier = {0};
  if (!barrier->first_at) {
    barrier->first_at = op;
    barrier->count_before = barrier->first_count;
    barrier->first_thread = warp_thread(w, (uint32_t)__builtin_ctz(lanes));
    barrier->first_count = expected;
  }
  // After a meeting of some threads only, even who comes to __syncthreads() may come to that one.
  if (true_count(b, expected) < b->warp_count * WARP_LANES) barrier->counts_some = true;
  const bool unseen = (expected || barrier->counts_some) &&
                      order_named_barrier(w, op, lanes, id, barrier->generation, &earlier);
  if (b->diverged) return;
  if (true_count(b, expected) != true_count(b, barrier->first_count)) {
    const struct other_count other = {&b->warps[barrier->first_thread / WARP_LANES], barrier->first_at,
                                      barrier->first_thread % WARP_LANES, barrier->first_count, false};
    b->diverged = true;
    report_counts(w, op, lanes, id, expected, &other);
  } else if (lanes & before && barrier->arrived_at[w->index]->kind == BARRIER_ARRIVE) {
    note_again(w, op, lanes, barrier);
  } else if (unseen) {
    const struct other_count other = {earlier.warp, earlier.op, earlier.lane, barrier->count_before, true};
    b->diverged = true;
    if (true_count(b, other.count) != true_count(b, expected))
      report_counts(w, op, lanes, id, expected, &other);
    else if (earlier.own && earlier.own->kind == BARRIER_ARRIVE)
      report_again(w, op, lanes, id, earlier.own);
    else if (barrier->again_generation && barrier->again_generation == barrier->generation)
      report_again(&b->warps[barrier->again_thread / WARP_LANES], barrier->again_at,
                   1u << barrier->again_thread % WARP_LANES, id, barrier->again_before);
    else
      report_too_many(w, op, lanes, id, expected, &earlier);
  }
}
