// Reports that no thread can go on, or that the budget is used up. In: the clusters that hang. Out: faults
// that say which threads wait where for what. One idea: threads that wait at the same instruction for the
// same thing are one line of the message. A barrier with missing arrivals or bytes says what is missing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/async/mbarrier.h"
#include "virtual-hopper/diagnose/internal.h"
#include "virtual-hopper/diagnose/stuck.h"
#include "virtual-hopper/execute/register-pool.h"
#include "virtual-hopper/execute/wgmma-check.h"
#include "virtual-hopper/memory/memory.h"

// True when the split runs a loop that polls an mbarrier, with or without sleeps. Such a split counts as
// waiting for the mbarrier.
static bool polls_barrier(const struct split *s) {
  return (s->wait == WAIT_NONE || s->wait == WAIT_SLEEP) && s->barrier_op && s->idle_rounds > 1;
}

const struct op *stuck_standing_at(const struct split *s) {
  uint32_t pc = s->pc;
  if (polls_barrier(s)) return s->barrier_op;
  const struct op *ops = s->frame->function->ops;
  if ((s->wait != WAIT_NONE && s->wait != WAIT_SLEEP) || pc == 0) return &ops[pc];
  // pc has moved to the op after the poll; but at a loop's first op, the one before it is outside the loop
  const bool in_loop = reach_may_lead(s->frame, pc, reach_is_op, (uint64_t)(uintptr_t)&ops[pc - 1]);
  return &ops[s->wait == WAIT_SLEEP || in_loop ? pc - 1 : pc];
}

enum wait_reason stuck_reason_of(const struct split *s) {
  if (polls_barrier(s)) return WAIT_MBARRIER;
  return s->wait == WAIT_SLEEP ? WAIT_NONE : s->wait;
}

static uint64_t object_of(const struct split *s) {
  return polls_barrier(s) ? s->barrier : stuck_reason_of(s) == WAIT_NONE ? 0 : s->wait_object;
}

// Threads that poll in one loop may stop at different instructions of the loop. So polls are compared by
// line.
static bool same_group(const struct waiting_group *g, const struct op *op, const struct split *s) {
  if (g->reason != stuck_reason_of(s) || g->object != object_of(s)) return false;
  return g->op == op || (g->reason == WAIT_NONE && g->op->source && op->source &&
                         g->op->source->location == op->source->location);
}

static struct waiting_group *find_group(struct survey *survey, const struct op *op, const struct split *s,
                                        const struct block *b) {
  for (uint32_t i = 0; i < survey->count; i++)
    if (same_group(&survey->groups[i], op, s)) return &survey->groups[i];
  if (survey->count == MOST_GROUPS) return NULL;
  struct waiting_group *g = &survey->groups[survey->count++];
  *g = (struct waiting_group){
      .op = op, .reason = stuck_reason_of(s), .object = object_of(s), .split = s, .block = b};
  return g;
}

static void add_split(struct survey *survey, const struct warp *w, const struct split *s) {
  struct waiting_group *g = find_group(survey, stuck_standing_at(s), s, w->block);
  uint32_t threads = (uint32_t)__builtin_popcount(s->lanes);
  survey->threads += threads;
  survey->busy = survey->busy || (s->wait == WAIT_NONE && s->idle_rounds == 0);
  if (!g) return;
  g->thread_count += threads;
  if (g->last != w->block) g->block_count++;
  g->last = w->block;
  if (g->block != w->block) return;
  for (uint32_t left = s->lanes; left; left &= left - 1) {
    uint32_t t = warp_thread(w, (uint32_t)__builtin_ctz(left));
    g->threads[t / 8] |= (uint8_t)(1u << t % 8);
  }
}

static void look_around(struct survey *survey, struct cluster *const clusters[], uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t rank = 0; rank < clusters[i]->block_count; rank++) {
      const struct block *b = clusters[i]->blocks[rank];
      for (uint32_t k = 0; k < b->warp_count; k++)
        for (uint32_t n = 0; n < b->warps[k].split_count; n++)
          add_split(survey, &b->warps[k], &b->warps[k].splits[n]);
    }
}

// ---- facts ------------------------------------------------------------------------------------------------

bool stuck_has_thread(const struct waiting_group *g, uint32_t t) {
  return t < BLOCK_MAX_THREADS && (g->threads[t / 8] >> t % 8 & 1);
}

uint32_t stuck_first_thread(const struct waiting_group *g) {
  uint32_t t = 0;
  while (t + 1 < BLOCK_MAX_THREADS && !stuck_has_thread(g, t))
    t++;
  return t;
}

struct stuck_threads stuck_threads_of(const struct waiting_group *g) {
  struct stuck_threads threads = {0};
  for (uint32_t t = 0; t < BLOCK_MAX_THREADS; t++) {
    if (!stuck_has_thread(g, t)) continue;
    uint32_t first = t;
    while (stuck_has_thread(g, t + 1))
      t++;
    threads.count += t - first + 1;
    if (threads.ranges == STUCK_RANGES) continue;
    threads.first[threads.ranges] = first;
    threads.last[threads.ranges++] = t;
  }
  return threads;
}

struct mbarrier *stuck_barrier(const struct waiting_group *g, struct block **owner) {
  uint32_t offset;
  *owner = memory_shared_owner(g->block, (uint32_t)g->object, &offset);
  return *owner ? mbarrier_find(*owner, offset) : NULL;
}

static void state_mbarrier(const struct waiting_group *g, struct stuck_group *facts) {
  struct block *owner;
  struct mbarrier *m = stuck_barrier(g, &owner);
  facts->wait = STUCK_FOR_MBARRIER;
  if (m) mbarrier_describe(owner, m, facts->state, sizeof facts->state);
}

static void state_cta_barrier(const struct waiting_group *g, struct stuck_group *facts) {
  const struct cta_barrier *b = &g->block->barriers[g->object % BLOCK_MAX_BARRIERS];
  facts->wait = STUCK_AT_BLOCK_BARRIER;
  facts->barrier = g->object;
  facts->arrived = b->arrived_threads;
  facts->awaited = b->expected_threads ? b->expected_threads : g->block->live_threads;
  facts->gone = g->block->launch->threads_per_block - g->block->live_threads;
}

static void state_wait(const struct waiting_group *g, bool running, struct stuck_group *facts) {
  const struct cluster *c = g->block->cluster;
  switch (g->reason) {
  case WAIT_CTA_BARRIER: state_cta_barrier(g, facts); return;
  case WAIT_CLUSTER_BARRIER:
    facts->wait = STUCK_AT_CLUSTER_BARRIER;
    facts->arrived = c->cluster_arrived;
    facts->awaited = c->live_threads;
    return;
  case WAIT_WARP_SYNC:
    facts->wait = STUCK_FOR_LANES;
    facts->lanes = (uint32_t)g->object;
    return;
  case WAIT_MBARRIER: state_mbarrier(g, facts); return;
  case WAIT_BULK_GROUP: facts->wait = STUCK_FOR_BULK_GROUPS; return;
  case WAIT_CP_ASYNC: facts->wait = STUCK_FOR_CP_ASYNC; return;
  case WAIT_WARPGROUP: facts->wait = STUCK_FOR_WARPGROUP; return;
  case WAIT_REGISTERS:
    facts->wait = STUCK_FOR_REGISTERS;
    facts->registers = (uint32_t)g->object;
    return;
  default: facts->wait = STUCK_IN_LOOP; facts->changes = running && g->reason == WAIT_NONE;
  }
}

// States a group, and gives the place where it waits.
static struct stuck_group state_group(const struct waiting_group *g, bool running,
                                      struct fault_place *place) {
  const struct vhopper_dim *index = &g->block->index, *grid = &g->block->launch->grid;
  machine_place(place, g->block, g->op, stuck_first_thread(g));
  struct stuck_group facts = {.threads = stuck_threads_of(g),
                              .block = {index->x, index->y, index->z},
                              .flat_grid = grid->y == 1 && grid->z == 1,
                              .thread_count = g->thread_count,
                              .block_count = g->block_count,
                              .at = place_line(place)};
  state_wait(g, running, &facts);
  return facts;
}

// ---- faults -----------------------------------------------------------------------------------------------

static bool somebody_waits_at(const struct survey *survey, const struct block *b, uint32_t id) {
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->block == b && g->reason == WAIT_CTA_BARRIER && g->object == id) return true;
  }
  return false;
}

static bool share_a_warp(const struct block *b, const struct cta_barrier *one,
                         const struct cta_barrier *other) {
  for (uint32_t i = 0; i < b->warp_count; i++)
    if (one->arrived_lanes[i] && other->arrived_lanes[i]) return true;
  return false;
}

static bool may_come(const struct warp *w, uint32_t id) {
  for (uint32_t i = 0; i < w->split_count; i++)
    if (reach_may_lead(w->splits[i].frame, w->splits[i].pc, reach_is_barrier, id)) return true;
  return false;
}

// A barrier at which just those have arrived that are missing at this one, and where nobody waits; or why the
// count is wrong. 0 or more, as a barrier; STUCK_COUNT_*; SOUND_COUNT.
enum { SOUND_COUNT = -4 };
static int find_other_barrier(const struct survey *survey, const struct block *b, uint32_t id) {
  const struct cta_barrier *barrier = &b->barriers[id];
  for (uint32_t other = 0; other < BLOCK_MAX_BARRIERS; other++) {
    const struct cta_barrier *o = &b->barriers[other];
    if (other == id || !(b->barriers_used >> other & 1) || !o->arrived_threads) continue;
    if (o->arrived_threads + barrier->arrived_threads == barrier->expected_threads &&
        !share_a_warp(b, barrier, o) && !somebody_waits_at(survey, b, other))
      return (int)other;
  }
  if (barrier->expected_threads > b->warp_count * WARP_LANES) return STUCK_COUNT_TOO_LARGE;
  int reason = STUCK_COUNT_OTHERS_ENDED;
  for (uint32_t i = 0; i < b->warp_count; i++) {
    if (!b->warps[i].alive || barrier->arrived_lanes[i]) continue;
    if (may_come(&b->warps[i], id)) return SOUND_COUNT;
    reason = STUCK_COUNT_OUT_OF_REACH;
  }
  return reason;
}

// Explains threads that wait at a barrier whose count or number is wrong for certain.
static void explain_count(const struct survey *survey, const struct waiting_group *g) {
  const uint32_t id = (uint32_t)(g->object % BLOCK_MAX_BARRIERS);
  const struct block *b = g->block;
  const struct cta_barrier *barrier = &b->barriers[id];
  const int other = find_other_barrier(survey, b, id);
  struct fault f = {.device_error = ERROR_LAUNCH_TIMEOUT};
  if (!barrier->expected_threads ||
      (other < 0 && other != STUCK_COUNT_TOO_LARGE && stuck_explain_skipped(survey, g)))
    return;
  if (other == SOUND_COUNT) return;
  // Another mistake may have led the missing threads away.
  const bool led_away = other == STUCK_COUNT_OTHERS_ENDED || other == STUCK_COUNT_OUT_OF_REACH;
  if (led_away && fault_count(survey->launch->report) > 0) return;
  machine_place(&f.place, b, g->op, stuck_first_thread(g));
  struct stuck_count count = {.barrier = id,
                              .awaited = barrier->expected_threads,
                              .arrived = barrier->arrived_threads,
                              .threads = survey->launch->threads_per_block,
                              .line = f.place.line,
                              .other = other};
  if (other >= 0) {
    const struct cta_barrier *o = &b->barriers[other];
    machine_place(&f.related[0].place, b, o->first_at, o->first_thread);
    count.other_arrived = o->arrived_threads;
    count.other_line = f.related[0].place.line;
    f.related_count = 1;
    f.edit = 1;
  }
  const struct op *way = other == STUCK_COUNT_OTHERS_ENDED ? reach_way_out(g->split->frame, g->op) : NULL;
  if (way) {
    machine_place(&f.related[0].place, b, way, 0);
    f.related[0].place.has_thread = false;
    count.way_out = place_line(&f.related[0].place);
    f.related_count = 1;
  }
  snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
  stuck_count_words(&count, &f);
  fault_record(survey->launch->report, &f);
}

// Explains warps that wait for more registers than the block has left.
static void explain_registers(const struct survey *survey, const struct waiting_group *g) {
  const struct warp *w = &g->block->warps[stuck_first_thread(g) / WARP_LANES];
  if (register_pool_explains(g->block->cluster->blocks[g->block->rank])) return;
  const struct stuck_registers registers = {.asked = (uint32_t)g->object,
                                            .held = w->pool_op ? w->pool_registers
                                                               : survey->launch->pool_registers,
                                            .at_first = survey->launch->pool_registers,
                                            .free = register_pool_free(g->block),
                                            .warps = g->block->warp_count};
  struct fault f = {.device_error = ERROR_LAUNCH_TIMEOUT};
  snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
  stuck_registers_words(&registers, &f);
  machine_place(&f.place, g->block, g->op, stuck_first_thread(g));
  fault_record(survey->launch->report, &f);
}

// Explains warps that wait for another warp of their warpgroup: it has ended, or waits for the whole block.
static void explain_warpgroup(const struct survey *survey, const struct waiting_group *g) {
  const struct block *b = g->block;
  const int missing = wgmma_missing(b, stuck_first_thread(g) / WARP_LANES, g->object);
  if (missing < 0) return;
  const struct warp *other = &b->warps[missing];
  const enum wait_reason wait = other->splits[0].wait;
  if (other->alive && wait != WAIT_CTA_BARRIER && wait != WAIT_WARPGROUP) return;
  struct fault f = {.severity = FAULT_FATAL, .device_error = ERROR_LAUNCH_TIMEOUT};
  snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
  wgmma_missing_words(&f, (uint32_t)missing,
                      !other->alive              ? WGMMA_ENDED_WITHOUT
                      : wait == WAIT_CTA_BARRIER ? WGMMA_AT_BARRIER
                                                 : WGMMA_AWAITS_IT);
  machine_place(&f.place, g->block, g->op, stuck_first_thread(g));
  fault_record(survey->launch->report, &f);
}

// True when some barrier has had some of its arrivals, but not all. The threads that wait for it may be the
// ones that should issue the copies for which other threads wait.
static bool arrivals_are_missing(const struct survey *survey) {
  for (uint32_t i = 0; i < survey->count; i++) {
    struct block *owner;
    const struct mbarrier *m =
        survey->groups[i].reason == WAIT_MBARRIER ? stuck_barrier(&survey->groups[i], &owner) : NULL;
    if (m && m->pending_arrivals > 0 && m->arrivals > 0) return true;
  }
  return false;
}

// True when the copy that is missing is another block's, and its thread waits for an mbarrier that lacks
// arrivals: that is why it doesn't come.
static bool peer_is_held_up(const struct survey *survey, const struct mbarrier *m) {
  struct block *owner;
  if (!m->peer_copy.by || m->peer_copy.phase + 1 != m->phase) return false;
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->reason != WAIT_MBARRIER || g->block != m->peer_copy.block ||
        !stuck_has_thread(g, m->peer_copy.thread))
      continue;
    const struct mbarrier *its = stuck_barrier(g, &owner);
    return its && its != m && its->pending_arrivals > 0;
  }
  return false;
}

// True when bytes of another block have landed, and the thread that announces such bytes waits for another
// mbarrier: that is why it hasn't announced these.
static bool announcer_is_held_up(const struct survey *survey, const struct block *owner,
                                 const struct mbarrier *m) {
  struct block *other;
  if (m->arrivals > 0 || !m->last_expect_by || !m->completed_bytes || m->last_copy_block == owner)
    return false;
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->reason != WAIT_MBARRIER || g->block != owner || !stuck_has_thread(g, m->last_expect_thread))
      continue;
    const struct mbarrier *its = stuck_barrier(g, &other);
    return its && its != m && its->pending_arrivals > 0;
  }
  return false;
}

// Records the faults that the barriers themselves show. When a barrier shows the cause of a deadlock, this
// cause is the likeliest one: `likely` receives it.
static void explain_barriers(const struct survey *survey, struct fault *likely) {
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->reason == WAIT_WARP_SYNC) stuck_explain_lanes(survey, g);
    if (g->reason == WAIT_CTA_BARRIER) explain_count(survey, g);
    if (g->reason == WAIT_REGISTERS) explain_registers(survey, g);
    if (g->reason == WAIT_WARPGROUP) explain_warpgroup(survey, g);
    struct block *owner;
    struct mbarrier *m = g->reason == WAIT_MBARRIER ? stuck_barrier(g, &owner) : NULL;
    struct fault f = {0};
    if (!m || !mbarrier_diagnose(owner, m, false, &f)) continue;
    const bool left_out = m->left_out.by && m->left_out.phase == m->phase;
    if (f.rule == RULE_BYTES_ANNOUNCED && m->completed_bytes == 0 && !left_out &&
        arrivals_are_missing(survey))
      continue;
    if (f.rule == RULE_BYTES_ANNOUNCED && peer_is_held_up(survey, m)) continue;
    if (f.rule == RULE_DEADLOCK && announcer_is_held_up(survey, owner, m)) continue;
    // "Wrong parity" is a guess from phases that no thread has observed. A fault that was recorded before is
    // a better explanation.
    if (f.rule == RULE_PARITY && fault_count(survey->launch->report) > 0) continue;
    // This fault becomes the first line of the table, not a separate report.
    if (f.rule == RULE_DEADLOCK) {
      stuck_explain_gone(g, owner, m, &f);
      if (stuck_waits_in_pipeline(g)) stuck_pipeline_words(m->expected_arrivals, f.remedy, sizeof f.remedy);
      if (!*likely->message) *likely = f;
      continue;
    }
    f.severity = FAULT_FATAL;
    f.device_error = ERROR_LAUNCH_TIMEOUT;
    snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
    machine_place(&f.place, g->block, g->op, stuck_first_thread(g));
    fault_record(survey->launch->report, &f);
  }
}

// The launch has spent its budget, and all threads wait or ask for an mbarrier: what a barrier shows is most
// likely why.
static void suspect_barriers(const struct survey *survey, struct fault *likely) {
  for (uint32_t i = 0; i < survey->count; i++)
    if (survey->groups[i].reason == WAIT_NONE && !survey->groups[i].split->barrier_op) return;
  for (uint32_t i = 0; i < survey->count && !*likely->message; i++) {
    const struct waiting_group *g = &survey->groups[i];
    struct block *owner;
    struct mbarrier *m = g->reason == WAIT_MBARRIER ? stuck_barrier(g, &owner) : NULL;
    struct fault f = {0};
    if (m && mbarrier_diagnose(owner, m, true, &f) && f.rule != RULE_PARITY) *likely = f;
  }
}

// Whether some threads run in a loop that nothing leads out of.
static bool some_are_shut_in(const struct survey *survey) {
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct split *s = survey->groups[i].split;
    if (s->wait == WAIT_NONE && !reach_may_leave(s->frame, s->pc)) return true;
  }
  return false;
}

static bool some_await_barrier(const struct survey *survey) {
  bool any = false;
  for (uint32_t i = 0; i < survey->count; i++)
    any |= survey->groups[i].reason == WAIT_MBARRIER;
  return any;
}

static void append_summary(const struct survey *survey, uint64_t running, uint64_t unstarted,
                           enum stuck_reason reason, struct fault *f) {
  // When so many blocks have ended, their loops end, too, and the problem is the size of the grid. One turn
  // fills every place for blocks on the chip.
  enum { MANY_TURNS = 8 };
  const struct launch *l = survey->launch;
  const uint64_t ended = l->cluster_count - unstarted - running;
  const struct stuck_summary summary = {.budget_spent = reason == STUCK_BUDGET,
                                        .loops = survey->busy,
                                        .no_way_out = some_are_shut_in(survey),
                                        .host_rests = l->host_rests,
                                        .instructions = l->most_instructions,
                                        .blocks = l->cluster_count * l->blocks_per_cluster,
                                        .ended = ended * l->blocks_per_cluster,
                                        .unstarted = unstarted * l->blocks_per_cluster,
                                        .awaits_barrier = some_await_barrier(survey),
                                        .many_have_ended = ended >= MANY_TURNS * running};
  stuck_summary_words(&summary, f);
}

// room: places that others need.
static void append_groups(const struct survey *survey, bool running, uint32_t room, struct fault *f) {
  uint32_t told = 0;
  for (uint32_t i = 0; i < survey->count; i++) {
    struct fault_place place;
    const struct stuck_group facts = state_group(&survey->groups[i], running, &place);
    // Lanes that wait for the rest of their warp are shown as a place; what holds that up is said.
    if (told < 4 && facts.wait != STUCK_FOR_LANES) {
      stuck_group_words(&facts, f);
      told++;
    }
    place.has_thread = false; // the role names all the threads
    struct fault_related *related = &f->related[f->related_count];
    if (i == 0) {
      stuck_group_role(&facts, f->role, sizeof f->role);
      f->place = place;
    } else if (f->related_count + room < FAULT_MAX_RELATED) {
      stuck_group_role(&facts, related->role, sizeof related->role);
      related->place = place;
      f->related_count++;
    }
  }
}

static void report_all(const struct survey *survey, uint64_t running, uint64_t unstarted,
                       enum stuck_reason reason, struct fault *likely) {
  const bool loops = reason == STUCK_BUDGET || survey->busy;
  struct fault f = {.rule = loops ? RULE_ENDLESS_LOOP : RULE_DEADLOCK,
                    .severity = FAULT_FATAL,
                    .device_error = ERROR_LAUNCH_TIMEOUT};
  snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
  if (!loops && !stuck_explain_branch(survey, &f)) {
    memcpy(f.message, likely->message, sizeof f.message);
    if (!*likely->message) stuck_explain_untouched(survey, &f, likely);
    if (*likely->remedy) snprintf(f.remedy, sizeof f.remedy, "%s", likely->remedy);
  } else if (reason == STUCK_BUDGET && *likely->message) {
    memcpy(f.message, likely->message, sizeof f.message);
    snprintf(f.remedy, sizeof f.remedy, "%s", likely->remedy);
  } else {
    *likely = (struct fault){0}; // the explanation of the barrier describes only a consequence
  }
  append_summary(survey, running, unstarted, reason, &f);
  append_groups(survey, loops, likely->related_count, &f);
  if (likely->edit) f.edit = (int)f.related_count + likely->edit;
  for (uint32_t i = 0; i < likely->related_count && f.related_count < FAULT_MAX_RELATED; i++)
    f.related[f.related_count++] = likely->related[i];
  if (f.edit > (int)f.related_count) f.edit = FAULT_EDIT_PLACE;
  fault_record(survey->launch->report, &f);
}

// Here one launch or copy comes after the other, on the chip they may run side by side.
static void report_alone(const struct survey *survey) {
  struct unsupported u = {.place = {.file = "", .instruction = ""}};
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (i > 0 && g->reason != WAIT_NONE) continue;
    machine_place(&u.place, g->block, g->op, stuck_first_thread(g));
    if (g->reason == WAIT_NONE) break;
  }
  snprintf(u.kernel, sizeof u.kernel, "%s", survey->launch->function->name);
  stuck_alone_words(u.what, sizeof u.what);
  unsupported_record(survey->launch->report, &u);
}

void stuck_report(struct launch *l, struct cluster *const clusters[], uint32_t count, uint64_t unstarted,
                  enum stuck_reason reason) {
  struct survey *survey = calloc(1, sizeof *survey);
  if (!survey) die("out of memory for a report");
  survey->launch = l;
  look_around(survey, clusters, count);
  struct fault likely = {0};
  if (reason == STUCK_PROVED && !survey->busy) explain_barriers(survey, &likely);
  if (reason == STUCK_BUDGET) suspect_barriers(survey, &likely);
  if (reason == STUCK_ALONE)
    report_alone(survey);
  else
    report_all(survey, count, unstarted, reason, &likely);
  free(survey);
}
