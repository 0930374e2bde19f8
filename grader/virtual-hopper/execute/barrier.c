// Barriers of a block and of a cluster. One idea: threads are counted one by one, so a warp may arrive in
// parts. The last thread to arrive moves all others past the barrier, so no thread polls.
#include "virtual-hopper/execute/barrier.h"

#include <string.h>

#include "virtual-hopper/execute/named-barrier.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/rules/fault-causes.h"
#include "virtual-hopper/time/record.h"

static uint32_t popcount(uint32_t mask) {
  return (uint32_t)__builtin_popcount(mask);
}

// ---- the barriers of a block ------------------------------------------------------------------------------

static void write_result(struct warp *w, const uint8_t *registers, const struct op *op, uint32_t lanes,
                         const struct cta_barrier *b) {
  if (op->kind < BARRIER_RED_POPC || op->d == OP_NO_REGISTER) return;
  (void)w;
  uint32_t *d = (uint32_t *)(uintptr_t)(registers + op->d);
  if (op->kind == BARRIER_RED_POPC) {
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      if (lanes >> lane & 1) d[lane] = b->last_population;
    return;
  }
  bool value = op->kind == BARRIER_RED_AND ? b->last_and : b->last_or;
  *d = (*d & ~lanes) | (value ? lanes : 0);
}

static void leave(struct warp *w, const struct op *op, const uint8_t *registers, uint32_t lanes, uint32_t id,
                  uint64_t generation) {
  write_result(w, registers, op, lanes, &w->block->barriers[id]);
  if (w->launch->time) time_meet_leave(w, id, generation, op);
  if (w->launch->check) order_cta_barrier_leave(w, lanes, id, generation);
}

static void release(struct block *b, uint32_t id, uint64_t generation) {
  for (uint32_t i = 0; i < b->warp_count; i++) {
    struct warp *w = &b->warps[i];
    for (uint32_t k = 0; k < w->split_count; k++) {
      struct split *s = &w->splits[k];
      if (s->wait != WAIT_CTA_BARRIER || s->wait_object != id || s->wait_detail != generation) continue;
      leave(w, &s->frame->function->ops[s->pc], s->frame->registers, s->lanes, id, generation);
      s->pc++;
      s->wait = WAIT_NONE;
    }
  }
}

// For barriers with a thread count. The chip counts warps, with 32 threads each. So lanes that have exited,
// or that never existed, count as arrived when another lane of their warp has arrived.
static uint32_t arrived_with_absent_lanes(const struct block *b, const struct cta_barrier *barrier) {
  uint32_t total = barrier->arrived_threads;
  for (uint32_t i = 0; i < b->warp_count; i++)
    if (barrier->arrived_lanes[i]) total += popcount(~b->warps[i].alive & ~barrier->arrived_lanes[i]);
  return total;
}

static bool is_complete(const struct block *b, const struct cta_barrier *barrier) {
  if (!barrier->arrived_threads) return false;
  if (!barrier->expected_threads) return barrier->arrived_threads >= b->live_threads;
  return barrier->arrived_threads >= barrier->expected_threads ||
         arrived_with_absent_lanes(b, barrier) >= barrier->expected_threads;
}

static void complete(struct block *b, uint32_t id) {
  struct cta_barrier *barrier = &b->barriers[id];
  const uint32_t meant = barrier->expected_threads ? barrier->expected_threads : b->launch->threads_per_block;
  if (b->launch->check && barrier->arrived_threads < meant) order_cta_barrier_partial(b, barrier);
  if (b->launch->check && barrier->arrived_threads == b->launch->threads_per_block) order_cta_barrier_full(b);
  uint64_t generation = barrier->generation++;
  barrier->last_population = barrier->reduction_population;
  barrier->last_and = barrier->reduction_and;
  barrier->last_or = barrier->reduction_or;
  barrier->arrived_threads = barrier->expected_threads = 0;
  barrier->first_at = NULL;
  barrier->reduction_population = barrier->reduction_or = 0;
  barrier->reduction_and = 1;
  memset(barrier->arrived_lanes, 0, sizeof barrier->arrived_lanes);
  b->cluster->events++;
  b->cluster->passes++;
  release(b, id, generation);
}

// .aligned: all threads of the block execute the same barrier instruction (PTX ISA 9.7.13.1). This check
// looks only at threads of one warp. Different warps often have different roles and arrive at different
// barrier instructions, and the chip counts warps.
static void report_divergence(struct warp *w, const struct op *op, uint32_t lanes,
                              const struct cta_barrier *barrier) {
  const struct op *other = barrier->arrived_at[w->index];
  if (!w->launch->check || !op->width || !other->width || w->block->diverged) return;
  w->block->diverged = true;
  struct fault f = {.rule = RULE_DIVERGENT_BARRIER, .severity = FAULT_ERROR, .related_count = 1};
  f.cause = fault_cause(SUBJECT_DIVIDED_WARP, "", 0);
  const uint32_t here = (uint32_t)__builtin_ctz(lanes);
  const uint32_t there = (uint32_t)__builtin_ctz(barrier->arrived_lanes[w->index]);
  const uint32_t before = popcount(barrier->arrived_lanes[w->index]), now = popcount(lanes);
  struct fault_place last = {0}, first = {0};
  machine_place(&last, w->block, op, warp_thread(w, here));
  machine_place(&first, w->block, other, warp_thread(w, there));
  snprintf(
      f.message, sizeof f.message,
      "Warp %u has %u threads: %u stand%s at the barrier in line %u, thread %u among them, and %u at another "
      "one, in line %u. Each part takes the other for arrived. __syncthreads() must be reached by all "
      "threads of the block, at the same place; what happens else is undefined.",
      w->index, popcount(w->alive), before, before == 1 ? "s" : "", first.line, warp_thread(w, there), now,
      last.line);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Move the __syncthreads() out of the branch, or make the condition the same for all threads of the "
      "block.");
  // The barrier that comes first in the source stands in the branch: that is the one to edit.
  const bool in_branch = first.line < last.line;
  snprintf(f.role, sizeof f.role, in_branch ? "is at this barrier, in a branch" : "is at this barrier");
  snprintf(f.related[0].role, sizeof f.related[0].role, "is at this one");
  f.related[0].place = in_branch ? last : first;
  warp_fault(w, in_branch ? other : op, in_branch ? there : here, &f);
}

static void arrive(struct warp *w, const struct op *op, uint32_t lanes, uint32_t id, uint32_t expected) {
  struct block *b = w->block;
  struct cta_barrier *barrier = &b->barriers[id];
  if (!(b->barriers_used >> id & 1)) {
    b->barriers_used |= 1u << id;
    *barrier = (struct cta_barrier){.reduction_and = 1};
  }
  if (w->launch->check) {
    named_barrier_judge(w, op, lanes, id, expected);
    order_cta_barrier_arrive(w, lanes, id, barrier->generation);
    order_cta_barrier_come(w, op, lanes, id, op->kind != BARRIER_ARRIVE);
  }
  if (w->launch->time) time_meet_arrive(w, id, barrier->generation, op);
  if (op->kind >= BARRIER_RED_POPC) {
    uint32_t values = *warp_predicate(w, op->c);
    if (op->flags) values = ~values;
    barrier->reduction_population += popcount(values & lanes);
    barrier->reduction_and = barrier->reduction_and && !(lanes & ~values);
    barrier->reduction_or = barrier->reduction_or || (values & lanes);
  }
  if (expected) barrier->expected_threads = expected;
  barrier->arrived_threads += popcount(lanes);
  if (barrier->arrived_lanes[w->index] & ~lanes && barrier->arrived_at[w->index] != op)
    report_divergence(w, op, lanes, barrier);
  barrier->arrived_at[w->index] = op;
  barrier->arrived_lanes[w->index] |= lanes;
  uint64_t generation = barrier->generation;
  if (is_complete(b, barrier)) {
    complete(b, id);
    if (op->kind != BARRIER_ARRIVE) leave(w, op, w->registers, lanes, id, generation);
    w->yield = true; // other splits may stand at this place now, and can be merged
  } else if (op->kind != BARRIER_ARRIVE) {
    warp_wait_lanes(w, lanes, WAIT_CTA_BARRIER, id, generation);
  }
}

static bool check_operands(struct warp *w, const struct op *op, uint32_t lane, uint32_t id,
                           uint32_t expected) {
  if (id >= BLOCK_MAX_BARRIERS) {
    warp_faultf(w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_ILLEGAL_INSTRUCTION,
                "Barrier %u is asked for; a block has barriers 0 to 15.", id);
    return false;
  }
  if (op->b != OP_NO_REGISTER && (expected % WARP_LANES || (!expected && op->kind == BARRIER_ARRIVE))) {
    warp_faultf(w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_ILLEGAL_INSTRUCTION,
                "A barrier for %u threads: the count must be a multiple of 32, and not 0 for an arrival.",
                expected);
    return false;
  }
  return true;
}

// The lanes among `left` with the first one's barrier.
static uint32_t group_of(const uint32_t ids[WARP_LANES], uint32_t left) {
  const uint32_t id = ids[__builtin_ctz(left)];
  uint32_t different = 0, group = 0;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    different |= ids[i] ^ id;
  if (!different) return left;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    group |= (uint32_t)(ids[i] == id) << i;
  return group & left;
}

void barrier_cta(struct warp *w, const struct op *op) {
  const uint32_t *ids = warp_register32(w, op->a);
  uint32_t left = w->lanes;
  while (left) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left), id = ids[lane], group = group_of(ids, left);
    left &= ~group;
    uint32_t expected = op->b == OP_NO_REGISTER ? 0 : warp_register32(w, op->b)[lane];
    if (!check_operands(w, op, lane, id, expected)) return;
    arrive(w, op, group, id, expected);
  }
}

// ---- the barrier of a cluster -----------------------------------------------------------------------------

static void release_cluster(struct cluster *c, uint64_t phase) {
  for (uint32_t i = 0; i < c->warp_count; i++) {
    struct warp *w = &c->blocks[c->turns[i] >> 8]->warps[c->turns[i] & 0xff];
    for (uint32_t k = 0; k < w->split_count; k++) {
      struct split *s = &w->splits[k];
      if (s->wait != WAIT_CLUSTER_BARRIER || s->wait_detail != phase) continue;
      if (w->launch->check)
        order_cluster_barrier_leave(w, s->lanes, phase, s->frame->function->ops[s->pc].flags);
      if (w->launch->time) time_meet_leave(w, TIME_CLUSTER_BARRIER, phase, &s->frame->function->ops[s->pc]);
      w->cluster_arrived &= ~s->lanes;
      s->pc++;
      s->wait = WAIT_NONE;
    }
  }
}

static void complete_cluster_barrier(struct cluster *c) {
  if (!c->cluster_arrived || c->cluster_arrived < c->live_threads) return;
  uint64_t phase = c->cluster_phase++;
  c->cluster_arrived = 0;
  c->events++;
  c->passes++;
  release_cluster(c, phase);
}

// Returns the lanes whose arrival belongs to the current phase.
static uint32_t arrived_now(const struct warp *w) {
  uint32_t odd = w->block->cluster->cluster_phase & 1 ? UINT32_MAX : 0;
  return w->cluster_arrived & ~(w->cluster_parity ^ odd);
}

void barrier_cluster_arrive(struct warp *w, const struct op *op) {
  struct cluster *c = w->block->cluster;
  if (w->cluster_arrived & w->lanes) {
    const uint32_t lane = (uint32_t)__builtin_ctz(w->cluster_arrived & w->lanes);
    struct fault f = {.rule = RULE_ILLEGAL_INSTRUCTION,
                      .severity = FAULT_FATAL,
                      .device_error = ERROR_ILLEGAL_INSTRUCTION,
                      .role = "arrives at the cluster's barrier again",
                      .message = "The thread has arrived at the cluster's barrier before, and has not waited "
                                 "there since: a second arrival is undefined.",
                      .remedy = "Let cluster_wait() follow each cluster_arrive(), in the same threads. The "
                                "cluster has one barrier: those who arrive early for the next meeting come "
                                "too early."};
    if (w->cluster_arrived_at) {
      struct fault_place *before = &f.related[0].place;
      machine_place(before, w->block, w->cluster_arrived_at, warp_thread(w, lane));
      snprintf(f.related[0].role, sizeof f.related[0].role, "has arrived here, and has not waited");
      f.related_count = 1;
      f.edit = 1;
      f.cause = fault_cause(SUBJECT_LINE, before->file ? before->file : "", before->line);
    }
    warp_fault(w, op, lane, &f);
    return;
  }
  if (w->launch->check) order_cluster_barrier_arrive(w, w->lanes, c->cluster_phase, op->flags);
  if (w->launch->time) time_meet_arrive(w, TIME_CLUSTER_BARRIER, c->cluster_phase, op);
  w->cluster_arrived |= w->lanes;
  w->cluster_arrived_at = op;
  w->cluster_parity = c->cluster_phase & 1 ? w->cluster_parity | w->lanes : w->cluster_parity & ~w->lanes;
  c->cluster_arrived += popcount(w->lanes);
  complete_cluster_barrier(c);
}

void barrier_cluster_wait(struct warp *w, const struct op *op) {
  struct cluster *c = w->block->cluster;
  uint32_t strangers = w->lanes & ~w->cluster_arrived;
  if (strangers) {
    struct fault f = {.rule = RULE_ILLEGAL_INSTRUCTION,
                      .severity = FAULT_FATAL,
                      .device_error = ERROR_ILLEGAL_INSTRUCTION,
                      .role = "waits at the cluster's barrier",
                      .message =
                          "The thread waits at the cluster's barrier without having arrived there since "
                          "its last wait: that is undefined.",
                      .remedy = "Put cluster_arrive() before each cluster_wait(), in the same threads."};
    warp_fault(w, op, (uint32_t)__builtin_ctz(strangers), &f);
    return;
  }
  uint32_t waiting = w->lanes & arrived_now(w), passing = w->lanes & ~waiting;
  if (passing) {
    if (w->launch->check) order_cluster_barrier_leave(w, passing, c->cluster_phase - 1, op->flags);
    if (w->launch->time) time_meet_leave(w, TIME_CLUSTER_BARRIER, c->cluster_phase - 1, op);
    w->cluster_arrived &= ~passing;
  }
  if (waiting) warp_wait_lanes(w, waiting, WAIT_CLUSTER_BARRIER, 0, c->cluster_phase);
}

// ---- exits ------------------------------------------------------------------------------------------------

void barrier_threads_left(struct warp *w, uint32_t lanes) {
  struct block *b = w->block;
  struct cluster *c = b->cluster;
  if (w->launch->check) order_threads_left(w, lanes);
  // These lanes have arrived, but they no longer count as live threads: take their arrivals back.
  uint32_t gone = lanes & arrived_now(w);
  c->cluster_arrived -= popcount(gone);
  w->cluster_arrived &= ~lanes;
  for (uint32_t used = b->barriers_used; used; used &= used - 1) {
    uint32_t id = (uint32_t)__builtin_ctz(used);
    if (is_complete(b, &b->barriers[id])) complete(b, id);
  }
  complete_cluster_barrier(c);
}
