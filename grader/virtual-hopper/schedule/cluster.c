// One cluster: its blocks, warps and memory, and the rounds in which its warps take their turns. In: a slot
// in the grid; out: the cluster's end, or why it can't go on. One idea: late effects land only when no thread
// can go on without them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/async/mbarrier.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/register-pool.h"
#include "virtual-hopper/execute/run.h"
#include "virtual-hopper/execute/unwritten.h"
#include "virtual-hopper/execute/wgmma-registers.h"
#include "virtual-hopper/execute/wgmma.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/schedule/schedule.h"
#include "virtual-hopper/schedule/watch.h"
#include "virtual-hopper/time/record.h"

enum {
  SHARED_POISON = 0xff,
  DEADLINE_CHECK_OPS = 5000,
  ROUND_COST_OPS = 100,
  FIRST_LEAP = 1000, // nanoseconds
  // A leap of time is at most this share (1/64) of the time since the leaps began, or SMALL_LEAP: a thread
  // may see its time-out late by so much. Beyond 10 seconds it is 1/4, so that a thread that waits for
  // ever is found soon.
  LEAP_SHARE = 64,
  LONG_LEAP_SHARE = 4,
  SMALL_LEAP = 5000, // nanoseconds
  SCHEDULERS = 4,    // of a multiprocessor: warps of a block that execute at the same time
  // rounds in which only the time has changed, after which sleeping threads sleep longer than they asked for
  LEAPS_OF_SLEEPERS = 64,
  WATCH_FIRST = 1 << 18, // ops after which a busy cluster is watched for the first time
  WATCH_SHARE = 16       // a busy cluster is watched for 1/16 of its ops
};

// ---- memory, used again for one cluster after the other ---------------------------------------------------

static void block_make(struct cluster *c, uint32_t rank) {
  struct launch *l = c->launch;
  struct block *b = calloc(1, sizeof *b);
  struct warp *warps = calloc(l->warps_per_block, sizeof *warps);
  size_t shared = ((size_t)l->shared_bytes + 128) / 128 * 128;
  uint8_t *memory = aligned_alloc(128, shared);
  if (!b || !warps || !memory) die("out of memory for a block");
  *b = (struct block){.cluster = c,
                      .launch = l,
                      .rank = rank,
                      .shared = memory,
                      .warp_count = l->warps_per_block,
                      .warps = warps};
  for (uint32_t i = 0; i < b->warp_count; i++) {
    struct warp *w = &warps[i];
    *w = (struct warp){.block = b, .launch = l, .index = i};
    w->kernel_frame = frame_take(w, l->function, NULL, 0, 0);
    size_t local = (size_t)l->function->local_bytes_per_thread * WARP_LANES;
    if (!local) continue;
    w->local = mmap(NULL, local, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (w->local == MAP_FAILED) die("out of memory for local memory");
  }
  c->blocks[rank] = b;
}

struct cluster *cluster_make(struct launch *l) {
  struct cluster *c = calloc(1, sizeof *c);
  if (!c) die("out of memory for a cluster");
  c->launch = l;
  snprintf(c->observed.kernel, sizeof c->observed.kernel, "%s", l->function->name);
  c->block_count = l->blocks_per_cluster;
  c->warp_count = c->block_count * l->warps_per_block;
  const uint32_t schedulers = c->block_count * SCHEDULERS;
  c->issue_width = c->warp_count < schedulers ? c->warp_count : schedulers;
  c->turns = calloc(c->warp_count, sizeof *c->turns);
  if (!c->turns) die("out of memory for a cluster");
  for (uint32_t rank = 0; rank < c->block_count; rank++)
    block_make(c, rank);
  return c;
}

// A cluster that was given up has frames of calls that never returned.
static void abandon_frames(struct warp *w) {
  for (uint32_t i = 0; i < w->split_count; i++) {
    for (struct frame *f = w->splits[i].frame; f && f != w->kernel_frame;) {
      struct frame *caller = f->caller;
      if (f->lanes) frame_give(w, f);
      f->lanes = 0;
      f = caller;
    }
  }
  w->split_count = 0;
}

void cluster_destroy(struct cluster *c) {
  observed_merge(c->launch->report, &c->observed); // totals of every cluster that this object ran
  for (uint32_t rank = 0; rank < c->block_count; rank++) {
    struct block *b = c->blocks[rank];
    for (uint32_t i = 0; i < b->warp_count; i++) {
      struct warp *w = &b->warps[i];
      abandon_frames(w);
      unwritten_forget(w);
      wgmma_registers_forget(w);
      frame_give(w, w->kernel_frame);
      frame_destroy_all(w);
      if (w->local) munmap(w->local, (size_t)c->launch->function->local_bytes_per_thread * WARP_LANES);
    }
    free(b->warps);
    free(b->shared);
    free(b);
  }
  async_queue_destroy(c);
  watch_destroy(c);
  free(c->turns);
  free(c);
}

// ---- begin and end ----------------------------------------------------------------------------------------

static void warp_begin(struct warp *w, uint32_t threads) {
  uint32_t first = w->index * WARP_LANES, count = threads - first;
  uint32_t lanes = count >= WARP_LANES ? UINT32_MAX : (1u << count) - 1;
  w->alive = lanes;
  w->kernel_frame->lanes = lanes;
  w->splits[0] = (struct split){.lanes = lanes, .frame = w->kernel_frame};
  w->split_count = 1;
  w->carry = w->cluster_arrived = w->cluster_parity = 0;
  w->instructions = w->clock_reads = 0;
  w->clock_ahead = 0;
  w->pool_registers = w->pool_changes = 0;
  w->pool_op = NULL;
}

static void block_begin(struct block *b, const struct vhopper_dim *origin) {
  struct launch *l = b->launch;
  const struct vhopper_dim *size = &l->cluster;
  b->index = (struct vhopper_dim){origin->x + b->rank % size->x, origin->y + b->rank / size->x % size->y,
                                  origin->z + b->rank / (size->x * size->y)};
  b->linear_index = b->index.x + (uint64_t)l->grid.x * (b->index.y + (uint64_t)l->grid.y * b->index.z);
  b->live_threads = l->threads_per_block;
  b->barriers_used = 0;
  b->exited = false;
  b->phased = false;
  b->diverged = false;
  // Undefined on the chip. Here it must not happen to be what a program expects, such as zero.
  memset(b->shared, SHARED_POISON, l->shared_bytes);
  if (l->unwritten) unwritten_fill(b->shared, (l->shared_bytes - l->shared_of_groups + 15) / 16 * 16);
  for (uint32_t i = 0; i < b->warp_count; i++)
    warp_begin(&b->warps[i], l->threads_per_block);
  for (uint32_t i = 0; i < b->warp_count && l->products; i++)
    wgmma_registers_forget(&b->warps[i]);
  for (uint32_t i = 0; i < b->warp_count; i++) {
    unwritten_forget(&b->warps[i]);
    if (l->unwritten && b->warps[i].local)
      unwritten_fill(b->warps[i].local, (size_t)l->function->local_bytes_per_thread * WARP_LANES);
  }
  mbarrier_table_create(b);
  if (l->check) order_block_begin(b);
}

// The order in which the grid's clusters start: as the chip does, but shuffled by the seed within groups of
// 64.
static uint64_t shuffled(const struct launch *l, uint64_t slot) {
  if (!l->seed) return slot;
  uint64_t group = slot / 64 * 64, left = l->cluster_count - group, size = left < 64 ? left : 64;
  uint64_t state = l->seed * 0x9e3779b97f4a7c15ull + l->launch_index;
  uint64_t random = machine_random(&state);
  // A step without a common divisor with the group's size visits each of its members once.
  uint64_t step = size == 64 ? 2 * (random % 32) + 1 : random & 1 ? size - 1 : 1;
  return group + ((slot - group) * step + (random >> 8) % size) % size;
}

static void shuffle_turns(struct cluster *c) {
  uint32_t n = 0;
  for (uint32_t rank = 0; rank < c->block_count; rank++)
    for (uint32_t i = 0; i < c->launch->warps_per_block; i++)
      c->turns[n++] = (uint16_t)(rank << 8 | i);
  for (uint32_t i = n; c->launch->seed && i > 1; i--) {
    uint32_t with = (uint32_t)(machine_random(&c->random) % i);
    uint16_t swap = c->turns[i - 1];
    c->turns[i - 1] = c->turns[with];
    c->turns[with] = swap;
  }
}

void cluster_begin(struct cluster *c, uint64_t slot) {
  struct launch *l = c->launch;
  c->slot = slot;
  c->index = shuffled(l, slot);
  c->time = l->time ? time_cluster_begin(l->time, c->index) : NULL;
  uint64_t state = l->seed ^ l->launch_index << 40 ^ c->index * 0xd1342543de82ef95ull;
  c->random = machine_random(&state);
  uint64_t across = l->grid.x / l->cluster.x, down = l->grid.y / l->cluster.y;
  struct vhopper_dim origin = {(uint32_t)(c->index % across) * l->cluster.x,
                               (uint32_t)(c->index / across % down) * l->cluster.y,
                               (uint32_t)(c->index / (across * down)) * l->cluster.z};
  const bool tries = l->tries && !l->time && c->index < TRYING_CLUSTERS;
  c->trying_effects = tries ? TRYING_EFFECTS : 0;
  c->limits_spent = 0;
  c->trying_answers = tries ? TRYING_ANSWERS : 0;
  c->events = c->passes = c->changes = 0;
  c->watching = false;
  c->watch_due = c->watch_interval = WATCH_FIRST;
  c->cluster_arrived = 0;
  c->cluster_phase = 0;
  c->live_threads = c->block_count * l->threads_per_block;
  c->alone = c->turn = l->cluster_count == 1;
  c->wants_turn = false;
  c->device_error = 0;
  c->instructions = c->turn_began = c->turn_used = c->host_looks = c->host_polls = 0;
  c->time_offset = l->now - l->start_time;
  c->wakes_at = UINT64_MAX;
  c->next_warp = c->turn_grabs = c->turns_taken = 0;
  c->grabs_allowed = 1;
  shuffle_turns(c);
  for (uint32_t rank = 0; rank < c->block_count; rank++)
    block_begin(c->blocks[rank], &origin);
}

static void block_end(struct block *b) {
  if (!b->exited) {
    register_pool_end(b);
    wgmma_end(b);
    async_block_exit(b);
  }
  b->exited = true;
}

// Sums may stay in the object until the launch ends. Averages are merged for each cluster.
static void merge_observed(struct cluster *c) {
  struct observed *o = &c->observed;
  o->blocks += c->block_count;
  o->threads += (uint64_t)c->block_count * c->launch->threads_per_block;
  if (!o->barriers_initialised && !(o->mean_loads_in_flight > 0) && !(o->mean_stores_in_flight > 0)) return;
  observed_merge(c->launch->report, o);
  struct observed fresh = {0};
  memcpy(fresh.kernel, o->kernel, sizeof fresh.kernel);
  *o = fresh;
}

uint64_t cluster_end(struct cluster *c) {
  uint64_t instructions = 0;
  for (uint32_t rank = 0; rank < c->block_count; rank++) {
    struct block *b = c->blocks[rank];
    // A block that was stopped has not ended, so its copies are not judged.
    if (!b->live_threads) block_end(b);
    b->exited = true;
    wgmma_forget(b);
    for (uint32_t i = 0; i < b->warp_count; i++) {
      instructions += b->warps[i].instructions;
      abandon_frames(&b->warps[i]);
    }
  }
  async_cluster_destroy(c);
  if (c->launch->check) order_cluster_end(c);
  // Late effects of one block may touch another block, so all blocks end together.
  for (uint32_t rank = 0; rank < c->block_count; rank++) {
    if (c->launch->check) order_block_end(c->blocks[rank]);
    mbarrier_table_destroy(c->blocks[rank]);
  }
  c->observed.thread_instructions += instructions;
  merge_observed(c);
  return instructions;
}

// ---- the turn at ordered accesses -------------------------------------------------------------------------

static bool turn_is_over(const struct cluster *c) {
  if (!c->turn || c->alone) return false;
  if (c->turn_grabs >= c->grabs_allowed) return true;
  return c->instructions - c->turn_used > TURN_LINGER_OPS || c->instructions - c->turn_began > TURN_MOST_OPS;
}

// ---- rounds -----------------------------------------------------------------------------------------------

// As news_of() in execute/split.c.
static uint64_t news_of(const struct cluster *c) {
  return c->events - c->passes;
}

static bool has_polled(const struct cluster *c, const struct split *s, uint32_t polls) {
  return s->idle_rounds >= polls && s->seen_events == news_of(c);
}

static bool split_is_quiet(const struct cluster *c, const struct split *s, uint32_t polls) {
  switch (s->wait) {
  case WAIT_NONE:
  case WAIT_SLEEP: return has_polled(c, s, polls);
  case WAIT_CTA_BARRIER:
  case WAIT_CLUSTER_BARRIER:
  case WAIT_WARP_SYNC: return true;
  default: return s->seen_events == news_of(c);
  }
}

// What the splits of a cluster do when every thread waits, sleeps, or has polled so many times without a
// change.
struct pause {
  bool polling;         // some of them poll
  bool plain_sleep;     // some sleep without having polled: they go on when their time has come
  uint64_t first_wakes; // when the first sleeping split goes on; UINT64_MAX: none sleeps
};

// False: a thread of the cluster has something to do.
static bool cluster_is_quiet(const struct cluster *c, uint32_t polls, struct pause *pause) {
  *pause = (struct pause){.first_wakes = UINT64_MAX};
  for (uint32_t i = 0; i < c->warp_count; i++) {
    const struct warp *w = &c->blocks[c->turns[i] >> 8]->warps[c->turns[i] & 0xff];
    for (uint32_t k = 0; k < w->split_count; k++) {
      const struct split *s = &w->splits[k];
      bool asleep = s->wait == WAIT_SLEEP, quiet = split_is_quiet(c, s, polls);
      if (!quiet && !asleep) return false;
      pause->polling = pause->polling || asleep || s->wait == WAIT_NONE;
      pause->plain_sleep = pause->plain_sleep || !quiet;
      if (asleep && s->wait_object < pause->first_wakes) pause->first_wakes = s->wait_object;
    }
  }
  return true;
}

// Ends every wait that may time out. False: there is none.
static bool expire_waits(struct cluster *c) {
  bool any = false;
  for (uint32_t i = 0; i < c->warp_count; i++) {
    struct warp *w = &c->blocks[c->turns[i] >> 8]->warps[c->turns[i] & 0xff];
    for (uint32_t k = 0; k < w->split_count; k++) {
      struct split *s = &w->splits[k];
      if (s->wait != WAIT_MBARRIER) continue;
      s->wait = WAIT_NONE;
      s->expired = any = true;
    }
  }
  return any;
}

void cluster_pass_time(struct cluster *c, uint64_t time) {
  uint64_t now = cluster_time(c);
  if (time > now) c->time_offset += time - now;
}

// False: the other clusters' clocks are far behind this moment. The cluster goes on when they have reached
// it.
static bool sleep_until(struct cluster *c, uint64_t time) {
  const bool now = c->alone || time <= c->launch->now + CLOCK_SLACK;
  if (now)
    cluster_pass_time(c, time);
  else
    c->wakes_at = time;
  return now;
}

static uint64_t far_leap(uint64_t passed) {
  const uint64_t long_wait = 10000000000;
  const uint64_t leap = passed / (passed < long_wait ? LEAP_SHARE : LONG_LEAP_SHARE);
  return leap > SMALL_LEAP ? leap : SMALL_LEAP;
}

// No thread can go on and nothing is pending: time passes. While some thread's state still changes (it may
// count its polls), no more time than the sleeping threads ask for. When only time can still end the wait,
// the leaps grow. False: the cluster waits for the others before such a leap, until something changes.
static bool leap(struct cluster *c, const struct pause *pause) {
  uint64_t now = cluster_time(c);
  uint64_t passed = now - c->quiet_since, far = 0;
  bool time_only = (c->alone || c->launch->all_repeat) && watch_may_leap(c);
  if (time_only && passed <= LONGEST_WAIT) far = now + far_leap(passed);
  if (far > now + CLOCK_SLACK && !watch_has_returned(c)) far = now + CLOCK_SLACK;
  uint64_t near = now + FIRST_LEAP + machine_random(&c->random) % FIRST_LEAP; // never in step with a loop
  const bool asleep = pause->first_wakes != UINT64_MAX;
  if (asleep) near = pause->first_wakes;
  if (far <= near || (asleep && watch_rounds(c) <= LEAPS_OF_SLEEPERS)) {
    (void)sleep_until(c, near);
    return true;
  }
  watch_leapt(c);
  return sleep_until(c, far);
}

// A loop that polls nothing but a clock is busy until its time has come. False: the cluster has to wait
// until the others have come so far.
static bool leap_if_spinning(struct cluster *c) {
  uint64_t since;
  if (!watch_spins_for_time(c, &since)) return true;
  const uint64_t now = cluster_time(c), passed = now - since,
                 until = c->instructions + WATCH_FIRST / WATCH_SHARE;
  if (passed > LONGEST_WAIT) return true;
  if (c->watch_until < until) c->watch_until = until;
  watch_leapt(c);
  return sleep_until(c, now + far_leap(passed));
}

// False: the round ended early, because the cluster wants the turn, has failed or has used up its turn.
static bool run_round(struct cluster *c, uint32_t slice) {
  for (uint32_t i = 0; i < c->warp_count; i++) {
    uint32_t turn = c->turns[c->next_warp];
    struct block *b = c->blocks[turn >> 8];
    struct warp *w = &b->warps[turn & 0xff];
    if (w->split_count) warp_run(w, slice);
    if (c->wants_turn || c->device_error) return false; // the same warp goes on later
    if (!b->live_threads) block_end(b);
    if (++c->next_warp == c->warp_count) c->next_warp = 0;
    if (turn_is_over(c)) return false;
  }
  return true;
}

// No thread could go on in the last round: late effects land, then time passes. CLUSTER_RUNNING: run another
// round.
static enum cluster_state cluster_idle(struct cluster *c) {
  struct pause pause;
  const bool tries = c->trying_effects > 0 && !c->watching;
  if (!cluster_is_quiet(c, tries ? TRYING_POLLS : IDLE_POLLS_TO_DELIVER, &pause)) return CLUSTER_RUNNING;
  if (tries) c->trying_effects--;
  if (pause.plain_sleep) // a sleeping thread does not wait for pending copies
    return sleep_until(c, pause.first_wakes) ? CLUSTER_RUNNING : CLUSTER_SLEEPING;
  if (async_deliver(c)) return c->wants_turn ? CLUSTER_WANTS_TURN : CLUSTER_RUNNING;
  if (!cluster_is_quiet(c, IDLE_POLLS_TO_PASS, &pause)) return CLUSTER_RUNNING;
  if (!c->watching) watch_begin(c);
  c->watch_until = UINT64_MAX;
  const bool leapt = leap(c, &pause), polls = expire_waits(c) || pause.polling;
  c->sleeps_until_news = polls && !leapt;
  if (!polls) return CLUSTER_STUCK;
  return leapt ? CLUSTER_POLLING : CLUSTER_SLEEPING;
}

// A busy cluster may repeat its states, too, without polling anything.
static void watch_busy(struct cluster *c) {
  if (c->watching && c->instructions > c->watch_until) {
    watch_end(c);
    c->watch_interval *= 2;
    c->watch_due = c->instructions + c->watch_interval;
  } else if (!c->watching && c->instructions > c->watch_due) {
    watch_begin(c);
    c->watch_until = c->instructions + c->watch_interval / WATCH_SHARE;
  }
}

enum cluster_state cluster_run(struct cluster *c) {
  struct launch *l = c->launch;
  uint64_t began = c->instructions, checked = c->instructions, eventful = c->instructions, rounds = 0;
  const uint64_t host_looks = c->host_looks;
  uint64_t pauses =
      c->alone ? UINT64_MAX : (uint64_t)PAUSES_TO_PASS << (l->idle_epochs < 8 ? l->idle_epochs : 8);
  c->turn_began = c->turn_used = c->instructions;
  c->turn_grabs = 0;
  c->wakes_at = UINT64_MAX;
  c->sleeps_until_news = false;
  uint32_t slice = c->turn && !c->alone ? TURN_SLICE_OPS : l->slice_ops;
  for (;;) {
    uint64_t news = news_of(c), before = c->instructions;
    bool whole = run_round(c, slice);
    if (c->device_error) return CLUSTER_FAILED;
    if (c->wants_turn) return CLUSTER_WANTS_TURN;
    if (!c->live_threads) return async_finish(c) ? CLUSTER_FINISHED : CLUSTER_WANTS_TURN;
    if (whole && c->watching && watch_round(c) == WATCH_PROVED) {
      if (!async_deliver(c)) return c->alone || watch_is_closed(c) ? CLUSTER_STUCK : CLUSTER_POLLING;
      if (c->wants_turn) return CLUSTER_WANTS_TURN; // pending effects land, and may change everything
    }
    if (whole && c->watching && !leap_if_spinning(c)) return CLUSTER_SLEEPING;
    if (turn_is_over(c) || c->instructions - began > l->epoch_ops) return CLUSTER_RUNNING;
    rounds++;
    if (c->instructions - checked + rounds * ROUND_COST_OPS > DEADLINE_CHECK_OPS) {
      if (atomic_load_explicit(&l->device_error, memory_order_relaxed) || launch_out_of_time(l))
        return CLUSTER_RUNNING;
      checked = c->instructions;
      rounds = 0;
    }
    watch_busy(c);
    if (news_of(c) != news) {
      eventful = c->instructions;
    } else if (c->instructions - eventful > PATIENCE_OPS) {
      // A thread may spin on memory that a copy changes, and copies land in the end.
      eventful = c->instructions;
      async_deliver(c);
      if (c->wants_turn) return CLUSTER_WANTS_TURN;
    }
    if (news_of(c) != news || c->instructions - before > (uint64_t)c->warp_count * slice / 2) continue;
    enum cluster_state state = cluster_idle(c);
    bool goes_on = c->wakes_at == UINT64_MAX && (c->host_looks == host_looks || l->host_rests);
    if (state == CLUSTER_POLLING && goes_on && --pauses) continue;
    if (state != CLUSTER_RUNNING) return state;
  }
}
