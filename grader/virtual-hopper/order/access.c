// Ordinary accesses of threads to shared and global memory, checked against what others did to the same
// bytes. In: resolved addresses by lane. Out: conflicts to report.c, stamps to the shadow. PTX ISA 8.7.1: a
// race is a conflict without happens-before.
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/race-judge.h"
#include "virtual-hopper/order/touched.h"

struct lane_access { // one lane's access, while it is checked
  struct actor by;
  struct order_cluster *cluster;
  struct order_thread *thread;
  uint32_t self;
  enum order_kind kind;
  enum order_strength strength;
  uint32_t first_thread_agent; // of lane 0 of its warp
  const struct order_store *store;
};

static bool is_thread_agent(const struct order_cluster *c, uint32_t agent) {
  return agent <= c->threads;
}

static bool is_of_warp(const struct lane_access *a, uint32_t agent) {
  return agent >= a->first_thread_agent && agent < a->first_thread_agent + WARP_LANES;
}

static enum deed_kind deed_kind(enum order_kind kind) {
  return kind == ORDER_READ ? DEED_READ : DEED_WRITE;
}

// The access as the later deed of a conflict over granule `g`. The caller states the earlier deed.
static struct conflict conflict_with(const struct lane_access *a, const struct shadow *s, uint32_t g) {
  return (struct conflict){.facts = {.later = deed_kind(a->kind)},
                           .later = order_actor_deed(a->by),
                           .shared_offset = SHARED_FIRST_OFFSET + (g << s->shift)};
}

static void state(struct conflict *k, enum conflict_kind kind, enum deed_kind earlier) {
  k->facts.kind = kind;
  k->facts.earlier = earlier;
}

// True when thread `issuer` (linear in the cluster) issued a load without knowing that `reader` is done with
// the buffer's earlier content: the reader has seen an earlier phase, and the issuer has seen nothing of the
// reader since. Then the load is too early, not the reader.
static bool not_handed_back(const struct order_cluster *c, uint32_t issuer, uint32_t load_agent,
                            const struct order_thread *reader, uint32_t reader_agent) {
  const struct order_thread *t = order_view_at(c, issuer);
  return issuer != reader_agent - 1 && clock_seen(reader->base, load_agent) > 0 &&
         clock_seen(t->base, reader_agent) < reader->observed_epoch;
}

// The load is to blame, so it becomes the later deed.
static void refilled_too_early(struct conflict *k, const struct lane_access *a, uint32_t issuer) {
  const struct order_thread *loader = order_view_at(a->cluster, issuer);
  const struct deed load = k->earlier;
  k->earlier = k->later;
  k->later = load;
  k->facts.kind = CONFLICT_REFILL_WHILE_READ;
  k->facts.earlier = deed_kind(a->kind);
  k->facts.later = DEED_LOAD;
  k->facts.loader_waits = order_loader_waits(loader);
  k->earlier_epoch = a->thread->epoch;
  if (order_blame_crowd(a->cluster, k, issuer, &load, DEED_LOAD, a->self - 1)) return;
  if (order_passed_stale_again(loader))
    order_blame_wait(a->cluster, k, CONFLICT_STALE_WAIT_THEN_REFILL, issuer);
}

// agent: of the barrier that the load completes on, or of its thread's cp.async. issuer: linear in the
// cluster.
static void conflict_with_load(struct conflict *k, const struct lane_access *a, uint32_t agent,
                               uint32_t epoch, uint32_t issuer) {
  struct order_cluster *c = a->cluster;
  if (a->thread->refused_wait && a->thread->refused_agent == agent) {
    order_blame_refused(c, k, a->self - 1);
  } else if (a->thread->stale_wait && a->thread->stale_agent == agent) {
    order_blame_wait(c, k, CONFLICT_STALE_WAIT_THEN_ACCESS, a->self - 1);
  } else if (not_handed_back(c, issuer, agent, a->thread, a->self)) {
    refilled_too_early(k, a, issuer);
  } else if (agent == order_view_at(c, issuer)->cp_async_agent) {
    bool own = issuer == a->self - 1;
    state(k, own ? CONFLICT_OWN_CP_ASYNC_NOT_AWAITED : CONFLICT_CP_ASYNC_NOT_PASSED_ON, DEED_CP_ASYNC);
    k->earlier_epoch = epoch;
    const struct deed later = k->later;
    (void)order_blame_crowd(c, k, a->self - 1, &later, deed_kind(a->kind), issuer);
  } else {
    state(k, CONFLICT_LOAD_NOT_AWAITED, DEED_LOAD);
    if (order_name_bare_phase(c, k, a->self - 1, agent)) return;
    const struct load_deed load = {agent, epoch};
    if (order_name_load(c, &k->facts, a->self - 1, &load)) {
      k->other_wait = k->facts.one_init ? a->thread->last_wait : NULL;
      return;
    }
    k->load_agent = agent;
    k->load_epoch = epoch;
  }
}

static bool is_one_line(const struct conflict *k) {
  if (!k->earlier.op || !k->later.op || !k->earlier.block || !k->later.block) return false;
  const struct source_line earlier = machine_line(k->earlier.op), later = machine_line(k->later.op);
  return earlier.line && earlier.line == later.line &&
         (earlier.file == later.file || strcmp(earlier.file, later.file) == 0);
}

static enum conflict_distance distance(const struct conflict *k, bool same_warp) {
  if (same_warp) return k->earlier.op == k->later.op ? SAME_INSTRUCTION_OF_WARP : SAME_WARP;
  return k->earlier.block == k->later.block ? SAME_BLOCK : SAME_CLUSTER;
}

// Should the later thread's last wait have held it until the earlier one was done?
static void suspect_later(const struct lane_access *a, struct conflict *k, uint32_t earlier,
                          uint32_t earlier_epoch) {
  const struct suspect s = {.deed = order_actor_deed(a->by),
                            .agent = a->self,
                            .epoch = a->thread->epoch,
                            .kind = deed_kind(a->kind),
                            .other = earlier,
                            .other_epoch = earlier_epoch,
                            .other_thread = k->earlier.thread};
  order_suspect(a->cluster, &s, k);
}

// Should the earlier thread's last wait have held it until the later one was done?
static void suspect_earlier(const struct lane_access *a, struct conflict *k, uint32_t earlier,
                            uint32_t earlier_epoch) {
  const struct suspect s = {.deed = k->earlier,
                            .agent = earlier,
                            .epoch = earlier_epoch,
                            .kind = k->facts.earlier,
                            .other = a->self,
                            .other_epoch = a->thread->epoch,
                            .other_thread = actor_thread(a->by)};
  order_suspect(a->cluster, &s, k);
}

// Should one of the two threads have waited for the other, at a barrier that counts too few?
static bool blame_crowd(const struct lane_access *a, struct conflict *k, uint32_t other) {
  const struct deed earlier = k->earlier, later = k->later;
  return order_blame_crowd(a->cluster, k, a->self - 1, &later, deed_kind(a->kind), other) ||
         order_blame_crowd(a->cluster, k, other, &earlier, k->facts.earlier, a->self - 1);
}

static void report_two_sizes(const struct lane_access *a, struct conflict *k) {
  state(k, CONFLICT_ATOMICS_OF_TWO_SIZES, DEED_WRITE);
  k->facts.is_warning = !a->by.w->launch->strict;
  order_report(a->by.w->launch->order, k);
}

static void report_write_conflict(const struct lane_access *a, const struct shadow *s, uint32_t g) {
  struct conflict k = conflict_with(a, s, g);
  uint32_t agent = s->write_agent[g], epoch = s->write_epoch[g];
  k.earlier = order_thread_deed(a->cluster, s->write_thread[g], s->write_op[g]);
  if (a->kind == ORDER_ATOMIC && race_sizes_differ(a->by.op, k.earlier.op)) return report_two_sizes(a, &k);
  if (!is_thread_agent(a->cluster, agent)) {
    conflict_with_load(&k, a, agent, epoch, s->write_thread[g]);
  } else {
    state(&k, CONFLICT_WRITE_THEN_ACCESS, DEED_WRITE);
    k.earlier_epoch = epoch;
    k.facts.distance = distance(&k, is_of_warp(a, agent));
    k.facts.same_line = is_one_line(&k);
    k.facts.with_atomic = race_is_atomic(k.earlier.op) || a->kind == ORDER_ATOMIC;
    if (blame_crowd(a, &k, agent - 1)) {
      order_report(a->by.w->launch->order, &k);
      return;
    }
    if (a->kind == ORDER_READ) order_blame_arrival(a->cluster, &k, agent - 1, epoch, a->self - 1);
    // Either the later thread should have waited for the write, or the writer, back for the next round, for
    // the reader.
    suspect_later(a, &k, agent, epoch);
    suspect_earlier(a, &k, agent, epoch);
    order_note_refused(a->by, &k);
  }
  order_report(a->by.w->launch->order, &k);
}

// This thread has seen that the store, or the product, was issued.
static bool knows_of(const struct lane_access *a, const struct shadow_reader *store) {
  const uint32_t issuer = store->thread + 1;
  return issuer == a->self || clock_seen(a->thread->base, issuer) >= store->issued_epoch;
}

// True when this thread comes back to the buffer too early, while the store is in flight: it knows of the
// store, or the store sends what it wrote. False: the store was issued without waiting for this thread.
static bool comes_back(const struct lane_access *a, const struct shadow *s, uint32_t g,
                       const struct shadow_reader *store) {
  return knows_of(a, store) || s->write_agent[g] == a->self;
}

static void report_store_conflict(const struct lane_access *a, const struct shadow *s, uint32_t g,
                                  const struct shadow_reader *store) {
  struct conflict k = conflict_with(a, s, g);
  k.earlier = order_thread_deed(a->cluster, store->thread, store->op);
  k.earlier_epoch = store->epoch;
  if (order_read_by_product(a->cluster, store))
    state(&k, knows_of(a, store) ? CONFLICT_OPERAND_OVERWRITTEN : CONFLICT_PRODUCT_THEN_WRITE, DEED_PRODUCT);
  else if (!comes_back(a, s, g, store))
    state(&k, CONFLICT_STORE_THEN_WRITE, DEED_STORE);
  else if (order_sent_to_block(a->cluster, store))
    state(&k, CONFLICT_CLUSTER_COPY_SOURCE_OVERWRITTEN, DEED_CLUSTER_COPY);
  else
    state(&k, CONFLICT_STORE_SOURCE_WRITTEN, DEED_STORE);
  order_report(a->by.w->launch->order, &k);
}

static void report_reader_conflict(const struct lane_access *a, const struct shadow *s, uint32_t g,
                                   const struct shadow_reader *r, uint32_t reader) {
  struct conflict k = conflict_with(a, s, g);
  k.earlier = order_thread_deed(a->cluster, reader - 1, r->op);
  state(&k, CONFLICT_READ_THEN_WRITE, DEED_READ);
  k.earlier_epoch = r->epoch;
  k.facts.distance = distance(&k, is_of_warp(a, reader));
  k.facts.same_line = is_one_line(&k);
  k.facts.with_atomic = a->kind == ORDER_ATOMIC;
  if (blame_crowd(a, &k, reader - 1)) {
    order_report(a->by.w->launch->order, &k);
    return;
  }
  suspect_earlier(a, &k, reader, r->epoch);
  suspect_later(a, &k, reader, r->epoch);
  order_note_refused(a->by, &k);
  order_report(a->by.w->launch->order, &k);
}

// Not judged: lanes of one instruction against each other; and lanes of a warp that synchronise by volatile
// accesses alone, as old code does.
static bool excused(const struct lane_access *a, uint32_t agent, const struct op *op, bool atomic) {
  if (atomic && a->kind == ORDER_ATOMIC) return !race_sizes_differ(a->by.op, op);
  if (is_of_warp(a, agent) && (op == a->by.op || (a->strength != ORDER_WEAK && a->kind != ORDER_ATOMIC)))
    return true;
  return atomic && a->strength != ORDER_WEAK;
}

// Old reductions rely on lanes that run in step: they read by volatile what another lane has written, and
// nothing stands between the two. A value that decides something may be a flag, and is left alone.
static bool relies_on_step(const struct lane_access *a, uint32_t writer, const struct op *written) {
  return a->kind == ORDER_READ && is_of_warp(a, writer) && written && written != a->by.op &&
         ptx_has_modifier(a->by.op->source, "volatile") && strcmp(written->source->opcode, "st") == 0 &&
         race_text_of(&a->cluster->race, a->by.op)->only_data;
}

static void report_step(const struct lane_access *a, const struct shadow *s, uint32_t g) {
  struct conflict k = conflict_with(a, s, g);
  k.earlier = order_thread_deed(a->cluster, s->write_thread[g], s->write_op[g]);
  state(&k, CONFLICT_LANES_IN_STEP, DEED_WRITE);
  k.facts.is_warning = !a->by.w->launch->strict;
  order_report(a->by.w->launch->order, &k);
}

// Two threads write the same value: whoever comes last, the same is left. By the letter of PTX it is a race.
static bool leaves_the_same(const struct lane_access *a, uint32_t writer) {
  return a->store && is_thread_agent(a->cluster, writer) && !a->by.w->launch->strict &&
         !a->store->changes(a->store, a->by.lane);
}

// True when the thread has seen every agent of the readers' block at that epoch, as it has after a barrier of
// them all. Then nobody has to be looked at one by one.
static bool has_seen_from(const struct lane_access *a, uint32_t agent, uint32_t epoch) {
  const uint32_t left = a->cluster->threads + 1 - agent, most = READER_WARPS * WARP_LANES;
  return clock_least(a->thread->base, agent, left < most ? left : most) >= epoch;
}
static bool has_seen_block(const struct lane_access *a, const struct shadow_reader *r) {
  enum { MANY = 8 };
  return __builtin_popcount(r->mask) * __builtin_popcount(r->warps) >= MANY &&
         has_seen_from(a, r->agent, r->epoch);
}

// The same of a quick note.
static bool has_seen_quick(const struct lane_access *a, const struct shadow *s, uint32_t note) {
  const struct quick_kind *kind = note & READER_QUICK ? quick_kind_at(s, note) : NULL;
  return kind && has_seen_from(a, kind->agent, kind->epoch);
}

// Returns the index of a reader that is to stay; 0: none.
static uint32_t check_readers(const struct lane_access *a, struct shadow *s, uint32_t g) {
  uint32_t stays = 0;
  struct named_reader named = {0};
  for (uint32_t i = shadow_readers(s, g); i; i = s->pool[i].next) {
    const struct shadow_reader *r = &s->pool[i];
    if (r->mask == 0) {
      if (order_seen(a->thread, a->self, r->agent) >= r->epoch) continue;
      if (order_product_is_ahead(a->cluster, r, a->self - 1)) {
        stays = i;
        continue;
      }
      report_store_conflict(a, s, g, r);
      return 0;
    }
    if (has_seen_block(a, r)) continue;
    for (struct reader_walk at = {0}; reader_next(r, &at);) {
      if (at.agent == a->self || clock_seen(a->thread->base, at.agent) >= r->epoch ||
          excused(a, at.agent, r->op, r->strong))
        continue;
      order_name_reader(&named, r, at.agent);
    }
  }
  if (!named.reader) return stays;
  report_reader_conflict(a, s, g, named.reader, named.agent);
  return 0;
}

// Whether the thread has seen the write by a relaxed arrival alone.
static bool seen_relaxed(const struct lane_access *a, uint32_t writer, uint32_t epoch) {
  const struct order_thread *t = order_view_at(a->cluster, writer - 1);
  return epoch > t->relaxed_after && epoch <= t->relaxed_upto &&
         clock_seen(a->thread->base, writer) <= t->relaxed_upto;
}

// What another block has written is read after a cluster barrier that the writer came to with .relaxed.
static void check_relaxed(const struct lane_access *a, struct shadow *s, uint32_t g) {
  const uint32_t writer = s->write_agent[g];
  if (!is_thread_agent(a->cluster, writer) || writer == a->self ||
      !seen_relaxed(a, writer, s->write_epoch[g]))
    return;
  struct conflict k = conflict_with(a, s, g);
  k.earlier = order_thread_deed(a->cluster, s->write_thread[g], s->write_op[g]);
  if (k.earlier.block == a->by.w->block && !a->by.w->launch->strict) return;
  state(&k, CONFLICT_RELAXED_ARRIVAL, DEED_WRITE);
  order_report(a->by.w->launch->order, &k);
  s->write_epoch[g] = 0; // reported once
}

// What a thread of another block has written is read after waits on mbarriers alone, of the block's scope.
static void check_narrow(const struct lane_access *a, struct shadow *s, uint32_t g) {
  const uint32_t writer = s->write_agent[g];
  if (!is_thread_agent(a->cluster, writer) || writer == a->self || !s->write_epoch[g] ||
      clock_seen(a->by.w->block->order->wide, writer) >= s->write_epoch[g])
    return;
  struct conflict k = conflict_with(a, s, g);
  k.earlier = order_thread_deed(a->cluster, s->write_thread[g], s->write_op[g]);
  if (k.earlier.block == a->by.w->block) return;
  state(&k, CONFLICT_NARROW_WAIT, DEED_WRITE);
  k.facts.is_warning = !a->by.w->launch->strict;
  order_report(a->by.w->launch->order, &k);
  s->write_epoch[g] = 0; // reported once
}

// A strong read has observed what a strong write left there, by the thread itself or by one that it knows to
// have read: so the write comes before (PTX ISA 8.9.5, causality order), whatever its thread has told since.
static bool has_observed(const struct lane_access *a, struct shadow *s, uint32_t g) {
  if (!s->write_atomic[g] || !is_thread_agent(a->cluster, s->write_agent[g])) return false;
  for (uint32_t i = shadow_readers(s, g); i; i = s->pool[i].next) { // they have come after the write
    const struct shadow_reader *r = &s->pool[i];
    for (struct reader_walk at = {0}; r->strong && r->mask && reader_next(r, &at);)
      if (at.agent == a->self || clock_seen(a->thread->base, at.agent) >= r->epoch) return true;
  }
  return false;
}

static void check_granule(const struct lane_access *a, struct shadow *s, uint32_t g) {
  uint32_t writer = s->write_agent[g];
  const bool unseen =
      writer != NO_AGENT && writer != a->self && clock_seen(a->thread->base, writer) < s->write_epoch[g];
  const bool conflicts = unseen && !excused(a, writer, s->write_op[g], s->write_atomic[g]);
  if (conflicts && has_observed(a, s, g)) {
    // This read may take the place of the one that has observed: who knows as much of the writer has seen it.
    s->write_epoch[g] = clock_seen(a->thread->base, writer);
  } else if (conflicts) {
    if (!leaves_the_same(a, writer)) report_write_conflict(a, s, g);
    s->write_epoch[g] = 0; // reported once; from now on it counts as seen
  } else if (unseen && relies_on_step(a, writer, s->write_op[g])) {
    report_step(a, s, g);
    s->write_epoch[g] = 0;
  } else if (a->kind == ORDER_READ && writer != NO_AGENT) {
    if (a->cluster->relaxed) check_relaxed(a, s, g);
    if (a->cluster->narrow) check_narrow(a, s, g);
  }
  if (a->kind != ORDER_READ && has_seen_quick(a, s, s->readers[g])) {
    shadow_clear_readers(s, g);
  } else if (a->kind != ORDER_READ && s->readers[g]) {
    const uint32_t stays = check_readers(a, s, g);
    const struct shadow_reader kept = s->pool[stays];
    shadow_clear_readers(s, g);
    if (stays) shadow_read_by_store(s, g, &kept);
  }
}

static void stamp_granule(const struct lane_access *a, struct shadow *s, uint32_t g) {
  if (a->kind == ORDER_READ) {
    shadow_read(s, g, a->first_thread_agent, 1u << a->by.lane, a->thread->epoch, a->by.op,
                a->strength != ORDER_WEAK);
    return;
  }
  s->write_agent[g] = a->self;
  s->write_epoch[g] = a->thread->epoch;
  s->write_thread[g] = a->self - 1;
  s->write_op[g] = a->by.op;
  s->write_atomic[g] = a->kind == ORDER_ATOMIC || a->strength != ORDER_WEAK;
}

OVER_ALL_AGENTS static struct warp_view compare_views(const struct order_thread threads[WARP_LANES]) {
  const struct clock *base = threads->base;
  const uint32_t epoch = threads->epoch;
  uint32_t different = 0, dirty = 1; // no early way out: the loop has no branches
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    different |= (uint32_t)(threads[lane].base != base) | (threads[lane].epoch ^ epoch);
    dirty &= threads[lane].dirty;
  }
  return (struct warp_view){!different, dirty};
}

static struct warp_view view_of(const struct warp *w) {
  const struct order_warp *warp = order_warp_of(w);
  return warp->folded ? (struct warp_view){true, warp->all.dirty} : compare_views(order_thread_of(w, 0));
}

// False: no lane acquires or releases by these accesses, not even from one another.
static bool synchronises(const struct order_cluster *c, struct order_lanes threads, uint32_t lanes,
                         enum order_strength strength) {
  bool fenced = false;
  if (c->location_count || strength == ORDER_RELEASE || strength == ORDER_ACQ_REL) return true;
  if (!threads.step) return order_lane(threads, 0)->has_fenced;
  for (uint32_t left = lanes; left; left &= left - 1)
    fenced |= order_lane(threads, (uint32_t)__builtin_ctz(left))->has_fenced;
  return fenced;
}

// Lane by lane, granule by granule.
static void judge_lanes(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                        const uint32_t offset[WARP_LANES], uint32_t bytes, enum order_kind kind,
                        enum order_strength strength, const struct order_store *store) {
  struct shadow *s = &owner->order->shadow;
  struct lane_access a = {.by = actor_of(w, op, 0),
                          .cluster = w->block->order->cluster,
                          .kind = kind,
                          .strength = strength,
                          .first_thread_agent = order_agent_of(w, 0),
                          .store = store};
  const bool strong = strength != ORDER_WEAK || kind == ORDER_ATOMIC;
  const bool syncs = strong && synchronises(a.cluster, order_lanes_of(w), lanes, strength);
  struct order_thread *threads = order_thread_of(w, 0);
  for (uint32_t left = lanes; left; left &= left - 1) {
    a.by.lane = (uint32_t)__builtin_ctz(left);
    a.thread = &threads[a.by.lane];
    a.self = a.first_thread_agent + a.by.lane;
    a.thread->dirty = true;
    uint64_t key = (uint64_t)owner->rank << SHARED_RANK_SHIFT | (offset[a.by.lane] & ~3u);
    if (syncs && kind != ORDER_WRITE) order_location_acquire(w, a.by.lane, key, strength);
    uint32_t first, count;
    // faulted already as out of bounds
    if (!shadow_range(s, offset[a.by.lane], bytes, &first, &count)) continue;
    line_spell_out(s, first, count);
    for (uint32_t g = first; g < first + count; g++) {
      check_granule(&a, s, g);
      stamp_granule(&a, s, g);
    }
    if (syncs && kind != ORDER_READ) order_location_release(a.by, key, strength);
  }
}

// Another block's memory.
static void touch_peer(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                       enum order_kind kind) {
  for (uint32_t left = lanes; left; left &= left - 1)
    order_touch_block(actor_of(w, op, (uint32_t)__builtin_ctz(left)), owner, deed_kind(kind));
  if (kind != ORDER_READ) owner->order->remotely_written = true;
}

void order_shared_access(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                         const uint32_t offset[WARP_LANES], uint32_t bytes, enum order_kind kind,
                         enum order_strength strength, const struct order_store *store) {
  if (!owner->order) return;
  const struct order_cluster *c = w->block->order->cluster;
  struct shadow *s = &owner->order->shadow;
  const bool strong = strength != ORDER_WEAK || kind == ORDER_ATOMIC;
  if (bytes < 4) shadow_refine(s); // of this block alone: what other blocks count must not depend on it
  if (owner != w->block) touch_peer(w, op, lanes, owner, kind);
  const bool doubtful = (c->relaxed || c->narrow) && kind == ORDER_READ &&
                        (owner != w->block || owner->order->remotely_written || w->launch->strict);
  if (!strong && !doubtful && kind == ORDER_READ && owner == w->block &&
      log_lanes(w, op, s, lanes, offset, bytes))
    return;
  log_accessed(s, lanes, offset, bytes, kind != ORDER_READ);
  const bool plain = w->launch->plain, by_lines = lanes == UINT32_MAX && !strong && !doubtful && !plain;
  struct warp_view view = {0};
  struct word_access words;
  bool by_words = false;
  if (by_lines) {
    view = view_of(w);
    by_words = word_access_begin(&words, w, op, s, bytes, kind == ORDER_WRITE);
    lanes &= ~line_warp_access(w, op, s, offset, bytes, kind == ORDER_WRITE, &view, by_words ? &words : NULL);
    const uint32_t done =
        by_words && lanes == UINT32_MAX ? words_accessed(&words, offset, kind == ORDER_WRITE) : 0;
    by_words = done == UINT32_MAX;
    if (kind == ORDER_READ) lanes &= ~done;
  }
  if (!strong && !doubtful && kind == ORDER_READ && !plain)
    lanes &= ~read_quietly(w, op, s, lanes, offset, bytes, view);
  if (!lanes) return;
  if (strong)
    order_flag_access(w, op, lanes,
                      (uint64_t)owner->rank << SHARED_RANK_SHIFT | (offset[__builtin_ctz(lanes)] & ~3u), kind,
                      strength);
  bool quiet = by_lines && kind == ORDER_WRITE && lanes == UINT32_MAX &&
               (by_words || (view.same && write_quietly(w, op, s, offset, bytes)));
  if (kind == ORDER_ATOMIC && bytes == 4 && !plain && !synchronises(c, order_lanes_of(w), lanes, strength))
    quiet = view_of(w).same && atomics_quietly(w, op, s, lanes, offset);
  if (!quiet) judge_lanes(w, op, lanes, owner, offset, bytes, kind, strength, store);
  if (by_lines && kind == ORDER_WRITE) line_warp_wrote(w, op, s, offset, bytes, lanes);
}

OVER_ALL_AGENTS static bool is_in_step(const uint64_t address[WARP_LANES], uint32_t bytes) {
  uint64_t wrong = 0; // no early way out: the loop becomes vector instructions
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    wrong |= address[lane] ^ (address[0] + (uint64_t)lane * bytes);
  return wrong == 0;
}

bool order_is_row(uint32_t lanes, const uint64_t address[WARP_LANES], uint32_t bytes) {
  return lanes == UINT32_MAX && address[1] == address[0] + bytes && is_in_step(address, bytes);
}

// Lanes in a row of addresses are noted at once, and lanes with one address once.
static void note_touched(struct warp *w, const struct op *op, uint32_t lanes,
                         const uint64_t address[WARP_LANES], uint32_t bytes, enum order_kind kind,
                         bool strong) {
  const unsigned how =
      (kind == ORDER_READ ? TOUCH_READS : TOUCH_WRITES) | (strong ? (unsigned)TOUCH_STRONG : 0);
  const bool row = order_is_row(lanes, address, bytes);
  uint64_t noted = UINT64_MAX;
  for (uint32_t lane = 0; lane < WARP_LANES;) {
    uint32_t end = row ? (uint32_t)WARP_LANES : lane + 1;
    if (lanes >> lane & 1 && address[lane] != noted) {
      noted = address[lane];
      while (end < WARP_LANES && lanes >> end & 1 && address[end] == address[end - 1] + bytes)
        end++;
      touched_note(w->launch->touched, address[lane], (uint64_t)(end - lane) * bytes, how, op);
    }
    lane = end;
  }
}

void order_constant_read(struct warp *w, const struct op *op, uint32_t lanes,
                         const uint64_t address[WARP_LANES], uint32_t bytes) {
  if (w->launch->touched) note_touched(w, op, lanes, address, bytes, ORDER_READ, false);
}

// A write that leaves what is there does no harm.
static void check_load_sources(struct warp *w, const struct op *op, uint32_t lanes,
                               const uint64_t address[WARP_LANES], uint32_t bytes,
                               const struct order_store *store) {
  for (uint32_t left = global_loaded_lanes(w->launch->order, lanes, address, bytes); left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (store->changes(store, lane)) global_check_load_source(actor_of(w, op, lane), address[lane], bytes);
  }
}

void order_global_access(struct warp *w, const struct op *op, uint32_t lanes,
                         const uint64_t address[WARP_LANES], uint32_t bytes, enum order_kind kind,
                         enum order_strength strength, const struct order_store *store) {
  struct order_launch *l = w->launch->order;
  struct order_cluster *c = w->block->order->cluster;
  bool strong = strength != ORDER_WEAK || kind == ORDER_ATOMIC;
  if (w->launch->touched) note_touched(w, op, lanes, address, bytes, kind, strong);
  if (kind != ORDER_READ && c->maps.use_count) maps_check_write(w, op, lanes, address, bytes, store);
  if (l->races) race_access(w, op, lanes, address, bytes, kind, strength, store);
  if (kind == ORDER_READ && l->late_reads) dependency_note_reads(w, op, lanes, address, bytes);
  if (kind == ORDER_READ && l->global_reads) global_note_reads(w, op, lanes, address, bytes);
  if (kind == ORDER_WRITE && !strong && l->tracks_global_writes)
    global_plain_writes(w, op, lanes, address, bytes);
  if (kind == ORDER_WRITE && l->global_loads && store)
    check_load_sources(w, op, lanes, address, bytes, store);
  if (!strong && !w->launch->before && !(kind == ORDER_READ && l->tracks_global_stores)) return;
  for (uint32_t left = lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (w->launch->before) dependency_check(actor_of(w, op, lane), address[lane], bytes, kind, strong);
    if (strong && kind != ORDER_WRITE) {
      order_location_acquire(w, lane, address[lane], strength);
      between_acquire(c, address[lane]);
    }
    if (kind == ORDER_READ) {
      if (l->tracks_global_stores) global_check_plain_read(actor_of(w, op, lane), address[lane], bytes);
    } else if (l->tracks_global_writes && strong) {
      global_plain_writes(w, op, 1u << lane, address, bytes);
    }
    if (strong && kind != ORDER_READ) {
      order_location_release(actor_of(w, op, lane), address[lane], strength);
      between_release(c, address[lane], strength);
    }
  }
}

bool order_global_old(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[WARP_LANES],
                      uint32_t bytes, enum order_strength strength, uint64_t *value) {
  struct order_launch *l = w->launch->order;
  if (!l->races || !race_reads_old(w, op, lanes, address, bytes, strength, value)) return false;
  if (w->launch->touched) note_touched(w, op, lanes, address, bytes, ORDER_READ, true);
  if (l->late_reads) dependency_note_reads(w, op, lanes, address, bytes);
  if (l->global_reads) global_note_reads(w, op, lanes, address, bytes);
  EACH_LANE(lane, lanes) {
    if (w->launch->before) dependency_check(actor_of(w, op, lane), address[lane], bytes, ORDER_READ, true);
    order_location_acquire(w, lane, address[lane], strength);
    if (l->tracks_global_stores) global_check_plain_read(actor_of(w, op, lane), address[lane], bytes);
  }
  return true;
}
