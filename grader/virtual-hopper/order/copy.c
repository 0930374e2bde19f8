// Asynchronous copies against all other accesses, when they are issued. In: issues. Out: conflicts, stamps. A
// load's write is stamped with its barrier's agent: whoever observes the phase has seen the write. A store's
// read is stamped with the read agent of the issuing thread: a wait for the group shows it. PTX ISA 9.7.9.25
// (bulk copies), 9.7.9.27.2 (groups).
#include <string.h>

#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/machine/tensor-box.h"
#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/touched.h"

// What the loading thread has waited for last. It is the same for all bytes of one load.
struct loader_wait {
  uint32_t agent; // of the barrier that the load completes on; NO_AGENT: nobody has asked yet
  struct source_line at;
  uint32_t arrivals;
  char barrier[CONFLICT_NAME];
};

struct issue { // a copy that is being issued
  struct actor by;
  uint32_t self;
  struct order_cluster *cluster;
  struct order_thread *thread;
  struct async_copy *copy;
  struct loader_wait *waited;
};

// The issue as the later deed of a conflict over granule `g`. The caller fills in k.earlier.
static struct conflict conflict_of(const struct issue *i, const struct shadow *s, uint32_t g,
                                   enum conflict_kind kind, enum deed_kind earlier, enum deed_kind later) {
  return (struct conflict){.facts = {.kind = kind, .earlier = earlier, .later = later},
                           .later = order_actor_deed(i->by),
                           .shared_offset = SHARED_FIRST_OFFSET + (g << s->shift)};
}

// The earlier deed is the granule's last write.
static struct conflict conflict_with_write(const struct issue *i, const struct shadow *s, uint32_t g,
                                           enum conflict_kind kind, enum deed_kind earlier,
                                           enum deed_kind later) {
  struct conflict k = conflict_of(i, s, g, kind, earlier, later);
  k.earlier = order_thread_deed(i->cluster, s->write_thread[g], s->write_op[g]);
  k.earlier_epoch = s->write_epoch[g];
  return k;
}

static void report(const struct issue *i, const struct conflict *k) {
  order_report(i->by.w->launch->order, k);
}

// True for writes through the generic proxy: those of threads, and those of cp.async, a weak memory operation
// (9.7.9.25.3.1), which is generic as such (8.6). Only bulk copies use the async proxy (9.7.9.25.2).
bool order_is_generic(const struct order_cluster *c, uint32_t writer, uint32_t thread) {
  return writer <= c->threads || writer == order_view_at(c, thread)->cp_async_agent;
}

// True for copies that write through the async proxy; cp.async and st.async don't.
static bool writes_async(const struct async_copy *copy) {
  return copy->kind != ASYNC_CP_ASYNC && copy->kind != ASYNC_REMOTE_STORE;
}

static bool made_visible(const struct issue *i, uint32_t agent, uint32_t epoch) {
  return order_made_visible(i->thread, i->self, PROXY_SHARED, agent) >= epoch;
}

// ---- what a load (or a copy into another block) overwrites ----

static void blame_own_wait(const struct issue *i, struct conflict *k) {
  order_note_refused(i->by, k);
  if (order_passed_stale_again(i->thread))
    order_blame_wait(i->cluster, k, CONFLICT_STALE_WAIT_THEN_REFILL, i->self - 1);
}

enum conflict_kind order_cp_async_conflict(const struct order_cluster *c, uint32_t thread, uint32_t epoch) {
  const struct order_thread *t = order_view_at(c, thread);
  return order_seen(t, thread + 1, t->cp_async_agent) < epoch ? CONFLICT_OWN_CP_ASYNC_NOT_AWAITED
                                                              : CONFLICT_CP_ASYNC_NOT_PASSED_ON;
}

// A copy into other blocks' memory: in which of them is this buffer?
static void note_receiver(const struct issue *i, const struct shadow *s, struct conflict_facts *facts) {
  for (uint32_t n = 0; n < i->copy->destination_count; n++) {
    const struct block *to = i->copy->destination[n];
    if (&to->order->shadow != s || to == i->by.w->block) continue;
    facts->in_other_block = true;
    facts->block_rank = to->rank;
  }
}

static void report_overwritten_load(const struct issue *i, const struct shadow *s, uint32_t g, uint32_t agent,
                                    uint32_t epoch) {
  bool next_turn = s->write_agent[g] == agent && s->write_epoch[g] < epoch; // of the same stage of a ring
  struct conflict k = conflict_with_write(
      i, s, g, next_turn ? CONFLICT_REFILL_BEFORE_LANDING : CONFLICT_TWO_LOADS, DEED_LOAD, DEED_LOAD);
  if (next_turn) {
    note_receiver(i, s, &k.facts);
    if (!order_blame_crowd_for_refill(i->cluster, &k, i->self - 1)) blame_own_wait(i, &k);
  } else
    order_name_two_loads(i->cluster, &k.facts, s->write_agent[g], agent);
  report(i, &k);
}

// Did the issuing thread's last wait end without this thread, because its barrier counts too few?
static bool blame_crowd(const struct issue *i, struct conflict *k, uint32_t other) {
  const struct deed load = k->later;
  return order_blame_crowd(i->cluster, k, i->self - 1, &load, DEED_LOAD, other);
}

static void report_overwritten_write(const struct issue *i, const struct shadow *s, uint32_t g) {
  struct conflict k = conflict_with_write(i, s, g, CONFLICT_WRITE_THEN_LOAD, DEED_WRITE, DEED_LOAD);
  (void)blame_crowd(i, &k, s->write_thread[g]);
  report(i, &k);
}

bool order_sent_to_block(const struct order_cluster *c, const struct shadow_reader *r) {
  return order_view_at(c, r->thread)->read_agent != r->agent;
}

static void report_overwritten_source(const struct issue *i, const struct shadow *s, uint32_t g,
                                      const struct shadow_reader *r, uint32_t agent) {
  bool to_block = order_sent_to_block(i->cluster, r);
  struct conflict k = conflict_of(
      i, s, g, to_block ? CONFLICT_CLUSTER_COPY_SOURCE_OVERWRITTEN : CONFLICT_STORE_SOURCE_REFILLED,
      to_block ? DEED_CLUSTER_COPY : DEED_STORE, DEED_LOAD);
  if (order_read_by_product(i->cluster, r)) {
    k.facts.kind = s->write_agent[g] == NO_AGENT ? CONFLICT_PRODUCT_THEN_LOAD : CONFLICT_OPERAND_REFILLED;
    k.facts.earlier = DEED_PRODUCT;
    if (i->copy->kind == ASYNC_CP_ASYNC) k.facts.later = DEED_CP_ASYNC;
  }
  const struct order_thread *reader = order_view_at(i->cluster, r->thread);
  k.earlier = order_thread_deed(i->cluster, r->thread, r->op);
  k.earlier_epoch = r->epoch;
  if (k.facts.earlier == DEED_PRODUCT && reader->stale_wait && reader->stale_agent == agent)
    order_blame_wait(i->cluster, &k, CONFLICT_STALE_WAIT_THEN_LOAD, r->thread);
  report(i, &k);
}

// A search through the barriers of the cluster, made once for a load and not for each of its words.
static void name_loader_wait(const struct issue *i, struct conflict_facts *facts, uint32_t agent) {
  struct loader_wait *known = i->waited;
  if (known->agent != agent) {
    struct conflict_facts found = {.kind = facts->kind};
    order_name_loader_wait(i->cluster, &found, i->self - 1, agent);
    *known = (struct loader_wait){agent, found.last_wait_at, found.other_count, ""};
    memcpy(known->barrier, found.other_barrier, sizeof known->barrier);
  }
  facts->last_wait_at = known->at;
  facts->other_count = known->arrivals;
  memcpy(facts->other_barrier, known->barrier, sizeof known->barrier);
}

static void report_overwritten_reader(const struct issue *i, const struct shadow *s, uint32_t g,
                                      const struct shadow_reader *r, uint32_t reading, uint32_t agent) {
  uint32_t index = reading - 1;
  const struct order_thread *reader = order_view_at(i->cluster, index);
  bool loaded_before = s->write_agent[g] > i->cluster->threads;
  // its last wait, on this load's barrier, returned at once
  bool stale = reader->stale_wait && reader->stale_agent == agent;
  struct conflict k = conflict_of(i, s, g, CONFLICT_REFILL_WHILE_READ, DEED_READ, DEED_LOAD);
  k.earlier = order_thread_deed(i->cluster, index, r->op);
  k.facts.loader_waits = order_loader_waits(i->thread);
  k.earlier_epoch = r->epoch;
  note_receiver(i, s, &k.facts);
  if (loaded_before) name_loader_wait(i, &k.facts, agent);
  if (stale) {
    order_blame_wait(i->cluster, &k, CONFLICT_STALE_WAIT_THEN_LOAD, index);
  } else if (!loaded_before && reader->refused_wait && reader->refused_agent == agent &&
             r->epoch >= reader->refused_since) {
    order_blame_refused(i->cluster, &k, index);
  } else if (!loaded_before) {
    k.facts.kind = CONFLICT_READ_THEN_LOAD;
    if (reader->observed_epoch <= r->epoch) (void)order_name_bare_phase(i->cluster, &k, index, agent);
    if (i->copy->kind == ASYNC_CP_ASYNC) k.facts.later = DEED_CP_ASYNC;
  } else if (!blame_crowd(i, &k, index)) {
    blame_own_wait(i, &k);
  }
  report(i, &k);
}

// The read comes first, but not by all that it takes to order accesses through two proxies (PTX ISA 8.6). A
// release and an acquire between the two are enough in practice: NVIDIA's pipelines rely on them. Where less
// stands between, hardware has been seen to fail.
static void check_read_through_proxies(const struct issue *i, const struct shadow *s, uint32_t g,
                                       const struct shadow_reader *r, uint32_t reader) {
  const bool strong = order_seen_strongly(i->thread, i->self, reader) >= r->epoch;
  if ((strong && !i->by.w->launch->strict) || made_visible(i, reader, r->epoch)) return;
  struct conflict k = conflict_of(i, s, g, CONFLICT_READ_THEN_UNFENCED_LOAD, DEED_READ, DEED_LOAD);
  k.earlier = order_thread_deed(i->cluster, reader - 1, r->op);
  k.facts.is_warning = !i->by.w->launch->strict;
  k.facts.has_chain = strong;
  report(i, &k);
}

// One look at the threads' clock says that all of them have read before, by more than the order of a warp's
// program.
static bool readers_are_seen(const struct issue *i, const struct shadow *s, uint32_t note) {
  const struct quick_kind *kind = note & READER_QUICK ? quick_kind_at(s, note) : NULL;
  if (!kind || i->by.w->launch->strict) return false;
  const uint32_t left = i->cluster->threads + 1 - kind->agent, most = READER_WARPS * WARP_LANES;
  struct clock *seen = i->thread->strong ? i->thread->strong : i->thread->base;
  return clock_least(seen, kind->agent, left < most ? left : most) >= kind->epoch;
}

static void check_overwritten_readers(const struct issue *i, struct shadow *s, uint32_t g, uint32_t agent) {
  struct named_reader named = {0};
  if (readers_are_seen(i, s, s->readers[g])) return;
  const uint32_t first = shadow_readers(s, g);
  for (uint32_t n = first; n; n = s->pool[n].next) {
    const struct shadow_reader *r = &s->pool[n];
    if (r->mask == 0 && order_seen(i->thread, i->self, r->agent) < r->epoch)
      return report_overwritten_source(i, s, g, r, agent);
    for (struct reader_walk at = {0}; r->mask && reader_next(r, &at);)
      if (at.agent != i->self && clock_seen(i->thread->base, at.agent) < r->epoch)
        order_name_reader(&named, r, at.agent);
  }
  if (named.reader) return report_overwritten_reader(i, s, g, named.reader, named.agent, agent);
  for (uint32_t n = first; writes_async(i->copy) && n; n = s->pool[n].next) {
    const struct shadow_reader *r = &s->pool[n];
    for (struct reader_walk at = {0}; r->mask && reader_next(r, &at);)
      check_read_through_proxies(i, s, g, r, at.agent);
  }
}

static void report_unfenced_destination(const struct issue *i, const struct shadow *s, uint32_t g) {
  bool cp_async = s->write_agent[g] > i->cluster->threads;
  const struct conflict k = conflict_with_write(i, s, g, CONFLICT_UNFENCED_DESTINATION,
                                                cp_async ? DEED_CP_ASYNC : DEED_WRITE, DEED_LOAD);
  report(i, &k);
}

static void check_overwritten(const struct issue *i, struct shadow *s, uint32_t g, uint32_t agent,
                              uint32_t epoch) {
  uint32_t writer = s->write_agent[g];
  // Two reductions change each element atomically.
  bool both_reduce = writer != NO_AGENT && s->write_atomic[g] && i->copy->operation != ASYNC_STORE;
  if (writer != NO_AGENT && !both_reduce && order_seen(i->thread, i->self, writer) < s->write_epoch[g]) {
    if (writer > i->cluster->threads)
      report_overwritten_load(i, s, g, agent, epoch);
    else
      report_overwritten_write(i, s, g);
  } else if (writer != NO_AGENT && !both_reduce && writes_async(i->copy) &&
             order_is_generic(i->cluster, writer, s->write_thread[g]) &&
             !made_visible(i, writer, s->write_epoch[g])) {
    report_unfenced_destination(i, s, g);
  }
  if (s->readers[g]) check_overwritten_readers(i, s, g, agent);
}

// The first granule behind `g`'s line, or behind the copy: copies are handled line by line.
static uint32_t end_of_line(const struct shadow *s, uint32_t g, uint32_t end) {
  uint32_t next = (g / line_granules(s) + 1) * line_granules(s);
  return next < end ? next : end;
}

bool order_write_is_visible(const struct order_cluster *c, const struct order_thread *t, uint32_t self,
                            const struct line_stamp *write) {
  if (write->agent == NO_AGENT) return true;
  return line_stamp_seen(write, t->base, self) &&
         (!order_is_generic(c, write->agent, write->thread) || line_stamp_visible(write, t, self));
}

// Nothing to say about the line's readers: stores that have read it, and lanes whose reads come before this
// copy by more than the order of a warp's program.
static bool readers_are_done(const struct issue *i, const struct shadow *s, struct shadow_line *line) {
  const struct clock *strong = order_strong(i->thread);
  const bool async = writes_async(i->copy);
  if (!(async && i->by.w->launch->strict) && line_quick_seen(s, line, async ? strong : i->thread->base, NULL))
    return true;
  line_spell_readers(s, line);
  for (uint32_t r = 0; r < line->reader_count; r++) {
    const struct line_stamp *reader = &line->readers[r];
    if (reader->warp_agent == NO_AGENT || !async) {
      if (!line_stamp_seen(reader, i->thread->base, i->self)) return false;
    } else if (i->by.w->launch->strict || !line_stamp_seen(reader, strong, NO_AGENT)) {
      if (!line_stamp_seen(reader, i->thread->base, i->self) ||
          !line_stamp_visible(reader, i->thread, i->self))
        return false;
    }
  }
  return true;
}

static bool may_overwrite(const struct issue *i, const struct shadow *s, struct shadow_line *line) {
  if (line->detailed || !readers_are_done(i, s, line)) return false;
  if (writes_async(i->copy)) return order_write_is_visible(i->cluster, i->thread, i->self, &line->write);
  return line->write.agent == NO_AGENT || line_stamp_seen(&line->write, i->thread->base, i->self);
}

static void stamp_granules(struct shadow *s, uint32_t first, uint32_t end, const struct line_stamp *stamp) {
  for (uint32_t g = first; g < end; g++) {
    shadow_clear_readers(s, g);
    s->write_agent[g] = stamp->agent;
    s->write_epoch[g] = stamp->epoch;
    s->write_thread[g] = stamp->thread;
    s->write_op[g] = stamp->op;
    s->write_atomic[g] = stamp->atomic;
  }
}

static bool is_unread(const struct shadow_line *l) {
  return !l->detailed && !l->reader_count && !l->quick_warps;
}
// By one agent, as a copy is.
static bool same_write(const struct line_stamp *a, const struct line_stamp *b) {
  return a->agent == b->agent && a->epoch == b->epoch && a->thread == b->thread &&
         a->lane_shift == LINE_SHIFT && b->lane_shift == LINE_SHIFT;
}

static void stamp_write(const struct issue *i, struct shadow *s, uint32_t first, uint32_t count,
                        uint32_t agent, uint32_t epoch) {
  const struct line_stamp stamp = {.op = i->by.op,
                                   .agent = agent,
                                   .epoch = epoch,
                                   .thread = i->self - 1,
                                   .lane_shift = LINE_SHIFT,
                                   .atomic = i->copy->operation != ASYNC_STORE};
  const bool async = writes_async(i->copy);
  struct line_stamp good = {.agent = NO_AGENT}; // a write that may be overwritten
  log_copied(s, first, count, async ? order_strong(i->thread) : i->thread->base, async ? NO_AGENT : i->self);
  for (uint32_t g = first, next; g < first + count; g = next) {
    next = end_of_line(s, g, first + count);
    uint32_t line = g / line_granules(s);
    bool whole = next - g == line_granules(s) && !i->by.w->launch->plain;
    struct shadow_line *l = &s->lines[line];
    const bool again = whole && good.agent != NO_AGENT && is_unread(l) && same_write(&l->write, &good);
    const struct line_stamp before = l->write;
    if (again || (whole && may_overwrite(i, s, l))) {
      good = before;
    } else {
      line_spell_out(s, g, next - g);
      for (uint32_t each = g; each < next; each++)
        check_overwritten(i, s, each, agent, epoch);
    }
    if (whole)
      line_written(s, line, &stamp);
    else
      stamp_granules(s, g, next, &stamp);
  }
  log_landed(s, first, count, agent, epoch);
}

// A thread waited before any phase of the barrier was complete, passed at once, read the tile, and handed the
// stage on properly. That is no race, but nothing had been loaded when it read.
static void check_read_before_first(const struct issue *i, struct shadow *s, uint32_t first, uint32_t count,
                                    struct order_mbarrier *o) {
  line_spell_out(s, first, count);
  for (uint32_t g = first; g < first + count; g++) {
    if (s->write_agent[g] != NO_AGENT) continue;
    for (uint32_t n = shadow_readers(s, g); n; n = s->pool[n].next) {
      const struct shadow_reader *r = &s->pool[n];
      if (!reader_is(r, o->fresh_agent) || r->epoch < o->fresh_epoch) continue;
      struct conflict k = conflict_of(i, s, g, CONFLICT_READ_BEFORE_FIRST_PHASE, DEED_WAIT, DEED_READ);
      k.earlier = k.later = order_thread_deed(i->cluster, o->fresh_agent - 1, r->op);
      k.earlier.op = o->fresh_refused ? o->fresh_refused : o->fresh_wait;
      if (o->fresh_refused) {
        k.facts.kind = CONFLICT_REFUSED_WAIT_THEN_ACCESS;
        order_name_barrier(i->cluster, o->agent, k.facts.barrier);
      }
      report(i, &k);
      o->fresh_wait = NULL;
      return;
    }
  }
}

static void issue_load(const struct issue *i) {
  const struct async_copy *copy = i->copy;
  for (uint32_t d = 0; d < copy->destination_count; d++) {
    struct block *to = copy->destination[d];
    if (!to->order) continue;
    struct mbarrier *m = mbarrier_find(to, copy->mbarrier_offset);
    uint32_t first, count;
    if (!m || !m->order ||
        !shadow_range(&to->order->shadow, copy->shared_offset, copy->footprint, &first, &count))
      continue;
    order_mbarrier_check_init(i->by, to, m);
    order_touch_block(i->by, to, DEED_LOAD);
    if (m->order->fresh_wait) check_read_before_first(i, &to->order->shadow, first, count, m->order);
    stamp_write(i, &to->order->shadow, first, count, m->order->agent, (uint32_t)m->phase + 1);
    order_note_load(m->order, i->by, copy, (uint32_t)m->phase + 1);
  }
}

// ---- what a store (or a copy into another block) reads ----

static void report_unfenced(const struct issue *i, const struct shadow *s, uint32_t g) {
  bool cp_async = s->write_agent[g] > i->cluster->threads;
  const struct conflict k = conflict_with_write(i, s, g, CONFLICT_UNFENCED_SOURCE,
                                                cp_async ? DEED_CP_ASYNC : DEED_WRITE, DEED_STORE);
  report(i, &k);
}

static void report_unordered_source(const struct issue *i, const struct shadow *s, uint32_t g) {
  bool load = s->write_agent[g] > i->cluster->threads;
  if (load && order_is_generic(i->cluster, s->write_agent[g], s->write_thread[g])) {
    const struct conflict cp_async = conflict_with_write(
        i, s, g, order_cp_async_conflict(i->cluster, s->write_thread[g], s->write_epoch[g]), DEED_CP_ASYNC,
        DEED_STORE);
    report(i, &cp_async);
    return;
  }
  struct conflict k =
      conflict_with_write(i, s, g, load ? CONFLICT_LOAD_THEN_STORE : CONFLICT_WRITE_THEN_STORE,
                          load ? DEED_LOAD : DEED_WRITE, DEED_STORE);
  if (load && i->thread->refused_wait && i->thread->refused_agent == s->write_agent[g])
    order_blame_refused(i->cluster, &k, i->self - 1);
  report(i, &k);
}

// The warp whose lanes' writes at that epoch have all been found to be visible; its lines lie in a row.
struct visible_warp {
  uint32_t agent, epoch; // NO_AGENT: none
};

static bool may_send(const struct issue *i, const struct shadow_line *line, struct visible_warp *known) {
  const struct line_stamp *write = &line->write;
  if (line->detailed) return false;
  if (write->agent != NO_AGENT && write->warp_agent != NO_AGENT) {
    if (write->warp_agent == known->agent && write->epoch == known->epoch) return true;
    const struct line_stamp all = {.agent = write->warp_agent,
                                   .epoch = write->epoch,
                                   .thread = write->warp_agent - 1,
                                   .lane_shift = LINE_SHIFT - 5}; // 32 of them
    if (order_write_is_visible(i->cluster, i->thread, i->self, &all)) {
      *known = (struct visible_warp){write->warp_agent, write->epoch};
      return true;
    }
  }
  return order_write_is_visible(i->cluster, i->thread, i->self, write);
}

static void check_source_granules(const struct issue *i, struct shadow *s, uint32_t first, uint32_t count) {
  uint32_t good_agent = NO_AGENT, good_epoch = 0;
  line_spell_out(s, first, count);
  for (uint32_t g = first; g < first + count; g++) {
    uint32_t writer = s->write_agent[g], epoch = s->write_epoch[g];
    if (writer == NO_AGENT || (writer == good_agent && epoch <= good_epoch)) continue;
    if (order_seen(i->thread, i->self, writer) < epoch)
      report_unordered_source(i, s, g);
    else if (order_is_generic(i->cluster, writer, s->write_thread[g]) &&
             order_made_visible(i->thread, i->self, PROXY_SHARED, writer) < epoch)
      report_unfenced(i, s, g);
    else
      good_agent = writer, good_epoch = epoch;
  }
}

// Checks what the copy reads, and notes that `reader` reads it.
static void read_source(const struct issue *i, struct shadow *s, uint32_t first, uint32_t count,
                        const struct line_stamp *reader) {
  const struct shadow_reader by_granule = {.op = reader->op,
                                           .agent = reader->agent,
                                           .epoch = reader->epoch,
                                           .thread = reader->thread,
                                           .issued_epoch = reader->issued_epoch};
  struct visible_warp known = {NO_AGENT, 0};
  for (uint32_t g = first, next; g < first + count; g = next) {
    next = end_of_line(s, g, first + count);
    struct shadow_line *line = &s->lines[g / line_granules(s)];
    if (i->by.w->launch->plain) line_spell_out(s, g, next - g);
    if (!may_send(i, line, &known)) check_source_granules(i, s, g, next - g);
    if (reader->agent == NO_AGENT ||
        (!line->detailed && next - g == line_granules(s) && line_read(s, line, reader)))
      continue;
    line_spell_out(s, g, next - g);
    for (uint32_t each = g; each < next; each++)
      shadow_read_by_store(s, each, &by_granule);
  }
}

static void issue_store(const struct issue *i, bool to_global) {
  struct order_thread *t = i->thread;
  if (t->read_agent == NO_AGENT) {
    t->read_agent = order_agent_new(i->cluster);
    t->write_agent = order_agent_new(i->cluster);
  }
  uint32_t sequence = ++t->store_sequence, first, count;
  ((struct async_copy *)(uintptr_t)i->copy)->order = (void *)(uintptr_t)sequence;
  struct shadow *s = &i->by.w->block->order->shadow;
  if (shadow_range(s, i->copy->shared_offset, i->copy->footprint, &first, &count)) {
    const struct line_stamp store = {.op = i->by.op,
                                     .agent = t->read_agent,
                                     .epoch = sequence,
                                     .thread = i->self - 1,
                                     .issued_epoch = t->epoch,
                                     .lane_shift = LINE_SHIFT};
    read_source(i, s, first, count, &store);
  }
  if (to_global && i->by.w->launch->order->tracks_global_stores)
    global_note_copy_write(i->by, i->copy, sequence);
  if (to_global) race_copy_writes(i->by, i->copy);
}

// A copy into another block reads this block's memory and completes on a barrier of the other one. Whoever
// observes that phase knows that the source is free.
static void issue_cluster_copy(const struct issue *i, uint32_t source_offset) {
  const struct async_copy *copy = i->copy;
  struct shadow *s = &i->by.w->block->order->shadow;
  struct mbarrier *m =
      copy->destination_count ? mbarrier_find(copy->destination[0], copy->mbarrier_offset) : NULL;
  uint32_t first, count;
  if (shadow_range(s, source_offset, copy->bytes, &first, &count)) {
    const struct line_stamp send = {.op = i->by.op,
                                    .agent = m && m->order ? m->order->agent : NO_AGENT,
                                    .epoch = m ? (uint32_t)m->phase + 1 : 0,
                                    .thread = i->self - 1,
                                    .issued_epoch = i->thread->epoch,
                                    .lane_shift = LINE_SHIFT};
    read_source(i, s, first, count, &send);
    if (send.agent != NO_AGENT) order_note_sent(i->by, copy, send.agent, send.epoch);
  }
  issue_load(i);
}

static void issue_cp_async(const struct issue *i) {
  struct order_thread *t = i->thread;
  if (t->cp_async_agent == NO_AGENT) t->cp_async_agent = order_agent_new(i->cluster);
  uint32_t sequence = ++t->cp_async_sequence, first, count;
  ((struct async_copy *)(uintptr_t)i->copy)->order = (void *)(uintptr_t)sequence;
  struct shadow *s = &i->by.w->block->order->shadow;
  if (shadow_range(s, i->copy->shared_offset, i->copy->footprint, &first, &count))
    stamp_write(i, s, first, count, t->cp_async_agent, sequence);
  race_copy_reads(i->by, i->copy);
}

// ---- the neighbour's array --------------------------------------------------------------------------------

// Reports a copy that begins in one variable of shared memory and ends in the next. The chip allows it; the
// program can't mean it.
static void check_variable(const struct issue *i, enum conflict_kind kind, enum deed_kind deed) {
  const struct launch *l = i->by.w->launch;
  const struct async_copy *copy = i->copy;
  uint32_t own_offset, next_offset, unused, end = copy->shared_offset + copy->footprint;
  const char *own = shared_variable_at(l, copy->shared_offset, &own_offset, &next_offset);
  if (!own || copy->shared_offset >= l->dynamic_shared_offset || end <= next_offset) return;
  struct conflict k = {.facts = {.kind = kind, .later = deed, .bytes = copy->footprint},
                       .later = order_actor_deed(i->by)};
  struct conflict_facts *f = &k.facts;
  f->overrun.begin = copy->shared_offset - own_offset;
  f->overrun.room = next_offset - own_offset;
  f->overrun.beyond = end - next_offset;
  shared_variable_name(own, f->overrun.own, sizeof f->overrun.own);
  shared_variable_name(shared_variable_at(l, next_offset, &unused, &unused), f->overrun.next,
                       sizeof f->overrun.next);
  if (copy->box)
    tensor_box_name(copy->box->map.count, copy->box->map.rank, copy->box->map.type, f->overrun.box,
                    sizeof f->overrun.box);
  report(i, &k);
}

// A barrier that is initialised after the issue, and before the landing, isn't ordered before the copy.
static void note_unready(struct async_copy *copy) {
  for (uint32_t d = 0; d < copy->destination_count; d++) {
    struct block *to = copy->destination[d];
    if (to != copy->block && !mbarrier_find(to, copy->mbarrier_offset)) copy->unready |= 1u << to->rank;
  }
}

void order_copy_issue(struct actor by, struct async_copy *copy) {
  struct order_block *b = by.w->block->order;
  struct loader_wait waited = {.agent = NO_AGENT};
  struct issue i = {.by = by,
                    .self = order_agent_of(by.w, by.lane),
                    .cluster = b->cluster,
                    .thread = order_thread_of(by.w, by.lane),
                    .copy = copy,
                    .waited = &waited};
  struct order_launch *l = by.w->launch->order;
  if (by.w->launch->before) dependency_check_copy(i.by, copy);
  if (by.w->launch->touched) touched_note_copy(by.w->launch->touched, copy);
  if (copy->mbarrier_offset) note_unready(copy);
  switch (copy->kind) {
  case ASYNC_BULK_LOAD:
  case ASYNC_TENSOR_LOAD:
    if (l->tracks_global_writes) global_check_copy_read(i.by, copy);
    race_copy_reads(i.by, copy);
    if (l->global_loads) global_note_load(i.by, copy);
    if (copy->destination_count == 1 && copy->destination[0] == by.w->block)
      check_variable(&i, CONFLICT_LOAD_PAST_VARIABLE, DEED_LOAD);
    issue_load(&i);
    break;
  case ASYNC_BULK_STORE:
  case ASYNC_BULK_REDUCE:
  case ASYNC_TENSOR_STORE:
  case ASYNC_TENSOR_REDUCE:
    check_variable(&i, CONFLICT_STORE_PAST_VARIABLE, DEED_STORE);
    issue_store(&i, true);
    break;
  case ASYNC_BULK_CLUSTER:
  case ASYNC_BULK_CLUSTER_REDUCE: issue_cluster_copy(&i, copy->source_offset); break;
  case ASYNC_CP_ASYNC: issue_cp_async(&i); break;
  case ASYNC_REMOTE_STORE: issue_load(&i); break;
  }
  i.thread->dirty = true;
  if (!copy->map) return;
  maps_note_use(i.by, copy);
  race_copy_reads_map(i.by, copy);
}
