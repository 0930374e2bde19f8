// Asynchronous copies against everybody else's accesses. In: issues, waits. Out: conflicts, stamps.
// A load's write stands in the shadow as a deed of its barrier, done when the phase is observed; a store's read as a deed of the issuing thread's
// read agent, done when it has waited for the group. PTX ISA 9.7.9.25 (bulk copies), 9.7.9.27.2 (groups).
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/shared-name.h"
#include "virtual-hopper/tensor-box.h"

struct issue {
  struct warp *w;
  const struct op *op;
  uint32_t lane, self;
  struct order_cluster *cluster;
  struct order_thread *thread;
  const struct async_copy *copy;
};

static void thread_place(const struct order_cluster *c, uint32_t index, struct block **block,
                         uint32_t *thread) {
  *block = c->cluster->blocks[index / c->threads_per_block];
  *thread = index % c->threads_per_block;
}

static struct conflict conflict_of(const struct issue *i, const struct shadow *s, uint32_t g,
                                   const char *rule, const struct op *earlier_op, uint32_t earlier_index) {
  struct conflict k = {.rule = rule,
                       .earlier_op = earlier_op,
                       .later_op = i->op,
                       .later_block = i->w->block,
                       .later_thread = warp_thread(i->w, i->lane),
                       .shared_offset = SHARED_FIRST_OFFSET + (g << s->shift)};
  thread_place(i->cluster, earlier_index, &k.earlier_block, &k.earlier_thread);
  return k;
}

static void text(struct conflict *k, const char *earlier, const char *later, const char *message,
                 const char *remedy) {
  k->earlier_role = earlier;
  k->later_role = later;
  snprintf(k->message, sizeof k->message, "%s", message);
  snprintf(k->remedy, sizeof k->remedy, "%s", remedy);
}

// ---- what a load (or a copy into another block) overwrites ----

static void report_overwritten_load(const struct issue *i, const struct shadow *s, uint32_t g, uint32_t agent,
                                    uint32_t epoch) {
  if (s->write_agent[g] == agent && s->write_epoch[g] < epoch) { // the stage's next turn
    struct conflict k = conflict_of(i, s, g, "buffer-still-read", s->write_op[g], s->write_thread[g]);
    k.edit = 1;
    text(
        &k, "loads a tile into this buffer", "loads the next tile into the same buffer",
        "Nothing tells the issuing thread that the first tile has landed and been used: the second load may overwrite it before anybody reads it.",
        "Let every reader arrive on an empty barrier (or use __syncthreads()) after its last read, and wait for it before this load.");
    if (order_waited_in_vain(i->thread)) order_blame_wait(i->cluster, &k, i->self - 1, order_refill_in_vain);
    order_report(i->w->launch->order, &k);
    return;
  }
  struct conflict k = conflict_of(i, s, g, "async-race", s->write_op[g], s->write_thread[g]);
  char barriers[320], message[512];
  order_two_loads_words(i->cluster, s->write_agent[g], agent, barriers, sizeof barriers);
  snprintf(message, sizeof message,
           "Two loads are on their way into the same bytes: which of them wins is open.%s", barriers);
  text(
      &k, "loads into this buffer asynchronously",
      "loads into the same bytes before that load was seen to land", message,
      *barriers
          ? "Give each load a stage of its own: look where it goes, stages + stage * TILE, say (a pointer moves by elements, not by bytes), and on which "
            "barrier. If they share the buffer, wait for the first one, and until its data has been used, before the second."
          : "Wait for the barrier phase of the first load, and until its data has been used, before the buffer is filled again; or give each load its "
            "own stage.");
  order_report(i->w->launch->order, &k);
}

static void report_overwritten_write(const struct issue *i, const struct shadow *s, uint32_t g) {
  struct conflict k = conflict_of(i, s, g, "shared-race", s->write_op[g], s->write_thread[g]);
  text(&k, "writes shared memory", "loads into the same bytes asynchronously",
       "Nothing orders the write before the load: either may come last.",
       "Put __syncthreads() between the write and the load.");
  order_report(i->w->launch->order, &k);
}

bool order_sent_to_block(const struct order_cluster *c, const struct shadow_reader *r) {
  return c->thread[r->thread].read_agent != r->agent;
}

void order_source_of_cluster_copy(struct conflict *k, const char *before) {
  k->earlier_role = "copies these bytes into another block's memory: they are read some time later";
  snprintf(
      k->message, sizeof k->message,
      "The copy reads its source until it completes on the barrier in the other block. Nobody who has seen that has told this thread: the copy may "
      "send the new contents.");
  snprintf(
      k->remedy, sizeof k->remedy,
      "The block that receives the bytes waits for its barrier, and then arrives on one of this block: arrive_remote(map_to_block(&bar, rank)). Wait "
      "for that before %s.",
      before);
}

static void report_overwritten_reader(const struct issue *i, const struct shadow *s, uint32_t g,
                                      const struct shadow_reader *r, uint32_t lane, uint32_t agent) {
  struct order_launch *l = i->w->launch->order;
  if (r->mask == 0) {
    struct conflict k = conflict_of(i, s, g, "buffer-in-flight", r->op, r->thread);
    k.edit = 1;
    text(
        &k, "stores these bytes asynchronously: they are read some time later",
        "loads new contents over them",
        "The store reads its source until a wait for its bulk group says otherwise, and no such wait is seen here: it may send the new contents.",
        "Call tma_wait_until_read_pending<N>() in the thread that committed the store, with N the number of younger groups, before this load.");
    if (order_sent_to_block(i->cluster, r)) order_source_of_cluster_copy(&k, "this load");
    order_report(l, &k);
    return;
  }
  uint32_t index = r->agent + lane - 1;
  const struct order_thread *reader = &i->cluster->thread[index];
  bool loaded_before = s->write_agent[g] > i->cluster->threads;
  bool in_vain = reader->stale_wait && reader->stale_agent == agent; // it has waited for this load's barrier
  if (!loaded_before || in_vain) {
    struct conflict k = conflict_of(i, s, g, "tile-before-phase", r->op, index);
    if (in_vain) {
      k.later_role = "issues the load that the reader should have waited for";
      order_blame_wait(i->cluster, &k, index, ", and the tile is read before this load has filled it.");
    } else {
      text(
          &k, "reads the tile", "issues the load that fills it",
          "Nothing makes the reader wait for the load: in this run it even read before the load was issued.",
          i->copy->kind == ASYNC_CP_ASYNC
              ? "Wait for the thread's own groups (cp.async.wait_group, __pipeline_wait_prior(N)), then __syncthreads(), before others' elements "
                "are touched."
              : "Call wait(bar, parity) in every thread that touches the tile, before it does.");
    }
    order_report(l, &k);
    return;
  }
  struct conflict k = conflict_of(i, s, g, "buffer-still-read", r->op, index);
  k.edit = order_refill_edit(i->thread);
  text(
      &k, "reads the tile", "loads the next tile into the same buffer",
      "Nothing tells the issuing thread that the reader is done: the load may overwrite what is still being read.",
      "Let every reader arrive on an empty barrier (or use __syncthreads()) after its last read, and wait for it before this load.");
  if (order_waited_in_vain(i->thread)) order_blame_wait(i->cluster, &k, i->self - 1, order_refill_in_vain);
  order_report(l, &k);
}

static void check_overwritten_readers(const struct issue *i, struct shadow *s, uint32_t g, uint32_t agent) {
  for (uint32_t n = s->readers[g]; n; n = s->pool[n].next) {
    const struct shadow_reader *r = &s->pool[n];
    if (r->mask == 0) {
      if (order_seen(i->thread, i->self, r->agent) < r->epoch)
        return report_overwritten_reader(i, s, g, r, 0, agent);
      continue;
    }
    for (uint32_t left = r->mask; left; left &= left - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(left), reader = r->agent + lane;
      if (reader != i->self && clock_seen(i->thread->base, reader) < r->epoch)
        return report_overwritten_reader(i, s, g, r, lane, agent);
    }
  }
}

static void check_overwritten(const struct issue *i, struct shadow *s, uint32_t g, uint32_t agent,
                              uint32_t epoch) {
  uint32_t writer = s->write_agent[g];
  bool both_reduce = // each element is changed atomically
      writer != NO_AGENT && s->write_atomic[g] && i->copy->operation != ASYNC_STORE;
  if (writer != NO_AGENT && !both_reduce && order_seen(i->thread, i->self, writer) < s->write_epoch[g]) {
    if (writer > i->cluster->threads)
      report_overwritten_load(i, s, g, agent, epoch);
    else
      report_overwritten_write(i, s, g);
  }
  if (s->readers[g]) check_overwritten_readers(i, s, g, agent);
}

// Lines are gone through one by one; the last granule of `g`'s line, or of the copy, is before this one.
static uint32_t end_of_line(const struct shadow *s, uint32_t g, uint32_t end) {
  uint32_t next = (g / line_granules(s) + 1) * line_granules(s);
  return next < end ? next : end;
}

static bool may_overwrite(const struct issue *i, const struct shadow_line *line) {
  const struct clock *base = i->thread->base;
  return !line->detailed && (line->write.agent == NO_AGENT || line_stamp_seen(&line->write, base, i->self)) &&
         line_readers_seen(line, base, i->self);
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

static void stamp_write(const struct issue *i, struct shadow *s, uint32_t first, uint32_t count,
                        uint32_t agent, uint32_t epoch) {
  const struct line_stamp stamp = {.op = i->op,
                                   .agent = agent,
                                   .epoch = epoch,
                                   .thread = i->self - 1,
                                   .lane_shift = LINE_SHIFT,
                                   .atomic = i->copy->operation != ASYNC_STORE};
  for (uint32_t g = first, next; g < first + count; g = next) {
    next = end_of_line(s, g, first + count);
    uint32_t line = g / line_granules(s);
    bool whole = next - g == line_granules(s);
    if (!whole || !may_overwrite(i, &s->lines[line])) {
      line_spell_out(s, g, next - g);
      for (uint32_t each = g; each < next; each++)
        check_overwritten(i, s, each, agent, epoch);
    }
    if (whole)
      line_written(s, line, &stamp);
    else
      stamp_granules(s, g, next, &stamp);
  }
}

// A thread that passed the barrier's wait before any of its phases, read the tile, and handed the stage on in good order: it is no race,
// but what it read was nothing.
static void check_read_before_first(const struct issue *i, struct shadow *s, uint32_t first, uint32_t count,
                                    struct order_mbarrier *o) {
  uint32_t warp_agent = (o->fresh_agent - 1) / WARP_LANES * WARP_LANES + 1;
  line_spell_out(s, first, count);
  for (uint32_t g = first; g < first + count; g++) {
    if (s->write_agent[g] != NO_AGENT) continue;
    for (uint32_t n = s->readers[g]; n; n = s->pool[n].next) {
      const struct shadow_reader *r = &s->pool[n];
      if (r->agent != warp_agent || !(r->mask >> (o->fresh_agent - warp_agent) & 1) ||
          r->epoch < o->fresh_epoch)
        continue;
      struct conflict k = conflict_of(i, s, g, "parity", o->fresh_wait, o->fresh_agent - 1);
      k.later_op = r->op;
      k.later_block = k.earlier_block;
      k.later_thread = k.earlier_thread;
      text(
          &k, "waits for a phase that had completed before: the wait returns at once",
          "reads a tile that has not arrived",
          "The wait asks for parity 1 of a barrier none of whose phases is complete, which passes at once; the tile is read before anything was "
          "loaded into it.",
          "Whoever reads begins with parity 0 for the first phase of a barrier and flips it once for each phase of that barrier: (turn / STAGES) & 1 "
          "in a ring. Only who fills a stage begins with parity 1, on its empty barrier.");
      order_report(i->w->launch->order, &k);
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
    order_mbarrier_check_init(i->w, i->op, i->lane, to, m);
    if (m->order->fresh_wait) check_read_before_first(i, &to->order->shadow, first, count, m->order);
    stamp_write(i, &to->order->shadow, first, count, m->order->agent, (uint32_t)m->phase + 1);
  }
}

// ---- what a store (or a copy into another block) reads ----

static void report_unfenced(const struct issue *i, const struct shadow *s, uint32_t g) {
  struct conflict k = conflict_of(i, s, g, "proxy-fence", s->write_op[g], s->write_thread[g]);
  bool cp_async = s->write_agent[g] > i->cluster->threads;
  text(
      &k,
      cp_async ? "copies into shared memory with cp.async, which counts as an ordinary write"
               : "writes shared memory with an ordinary store",
      "reads those bytes through the async proxy",
      "Nothing between the two makes ordinary writes visible to the async proxy. A real H100 gives the right answer here nearly every time. It need not.",
      "Add async_proxy_fence() after the writes, in every thread that wrote, before the synchronisation that leads to the copy.");
  order_report(i->w->launch->order, &k);
}

static void report_unordered_source(const struct issue *i, const struct shadow *s, uint32_t g) {
  bool load = s->write_agent[g] > i->cluster->threads;
  struct conflict k =
      conflict_of(i, s, g, load ? "tile-before-phase" : "shared-race", s->write_op[g], s->write_thread[g]);
  if (load) {
    k.edit = 1;
    text(
        &k, "loads this tile asynchronously", "stores it before its barrier phase was observed",
        "The load lands some time after it is issued; the issuing thread of the store has not waited for its phase.",
        "Call wait(bar, parity) before the store.");
  } else {
    text(
        &k, "writes shared memory", "stores those bytes asynchronously without waiting for the write",
        "Nothing orders the write before the store: it may send the old contents.",
        "After the writes: async_proxy_fence() in every thread that wrote, then __syncthreads() (within one warp __syncwarp() will do), then the store.");
  }
  order_report(i->w->launch->order, &k);
}

// What went through the generic proxy: threads' own writes, and cp.async, which is a weak memory operation (9.7.9.25.3.1) and as such generic
// (8.6); of the copies, only bulk ones take the async proxy (9.7.9.25.2).
static bool is_generic(const struct order_cluster *c, uint32_t writer, uint32_t thread) {
  return writer <= c->threads || writer == c->thread[thread].cp_async_agent;
}

static bool may_send(const struct issue *i, const struct shadow_line *line) {
  const struct line_stamp *write = &line->write;
  if (line->detailed) return false;
  if (write->agent == NO_AGENT) return true;
  if (!line_stamp_seen(write, i->thread->base, i->self)) return false;
  if (!is_generic(i->cluster, write->agent, write->thread)) return true;
  for (uint32_t n = 0; n < (uint32_t)LINE_BYTES >> write->lane_shift; n++) {
    if (order_made_visible(i->thread, i->self, PROXY_SHARED, write->agent + n) < write->epoch) return false;
  }
  return true;
}

static void check_source_granules(const struct issue *i, struct shadow *s, uint32_t first, uint32_t count) {
  uint32_t good_agent = NO_AGENT, good_epoch = 0;
  line_spell_out(s, first, count);
  for (uint32_t g = first; g < first + count; g++) {
    uint32_t writer = s->write_agent[g], epoch = s->write_epoch[g];
    if (writer == NO_AGENT || (writer == good_agent && epoch <= good_epoch)) continue;
    if (order_seen(i->thread, i->self, writer) < epoch)
      report_unordered_source(i, s, g);
    else if (is_generic(i->cluster, writer, s->write_thread[g]) &&
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
  for (uint32_t g = first, next; g < first + count; g = next) {
    next = end_of_line(s, g, first + count);
    struct shadow_line *line = &s->lines[g / line_granules(s)];
    if (!may_send(i, line)) check_source_granules(i, s, g, next - g);
    if (reader->agent == NO_AGENT ||
        (!line->detailed && next - g == line_granules(s) && line_read(line, reader)))
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
  struct shadow *s = &i->w->block->order->shadow;
  if (shadow_range(s, i->copy->shared_offset, i->copy->footprint, &first, &count)) {
    const struct line_stamp store = {.op = i->op,
                                     .agent = t->read_agent,
                                     .epoch = sequence,
                                     .thread = i->self - 1,
                                     .issued_epoch = t->epoch,
                                     .lane_shift = LINE_SHIFT};
    read_source(i, s, first, count, &store);
  }
  if (to_global && i->w->launch->order->tracks_global_stores)
    global_note_copy_write(i->w, i->op, i->lane, i->copy, sequence);
}

// A copy into another block reads here and completes on a barrier there: whoever observes that phase knows that the source is free.
static void issue_cluster_copy(const struct issue *i, uint32_t source_offset) {
  const struct async_copy *copy = i->copy;
  struct shadow *s = &i->w->block->order->shadow;
  struct mbarrier *m =
      copy->destination_count ? mbarrier_find(copy->destination[0], copy->mbarrier_offset) : NULL;
  uint32_t first, count;
  if (shadow_range(s, source_offset, copy->bytes, &first, &count)) {
    const struct line_stamp send = {.op = i->op,
                                    .agent = m && m->order ? m->order->agent : NO_AGENT,
                                    .epoch = m ? (uint32_t)m->phase + 1 : 0,
                                    .thread = i->self - 1,
                                    .issued_epoch = i->thread->epoch,
                                    .lane_shift = LINE_SHIFT};
    read_source(i, s, first, count, &send);
  }
  issue_load(i);
}

static void issue_cp_async(const struct issue *i) {
  struct order_thread *t = i->thread;
  if (t->cp_async_agent == NO_AGENT) t->cp_async_agent = order_agent_new(i->cluster);
  uint32_t sequence = ++t->cp_async_sequence, first, count;
  ((struct async_copy *)(uintptr_t)i->copy)->order = (void *)(uintptr_t)sequence;
  struct shadow *s = &i->w->block->order->shadow;
  if (shadow_range(s, i->copy->shared_offset, i->copy->footprint, &first, &count))
    stamp_write(i, s, first, count, t->cp_async_agent, sequence);
}

// ---- the neighbour's array --------------------------------------------------------------------------------------------

// A copy that begins in one variable of shared memory and ends in the next: no bound of the chip is broken, but the program's own.
static void check_variable(const struct issue *i, const char *role) {
  const struct launch *l = i->w->launch;
  const struct async_copy *copy = i->copy;
  uint32_t own_offset, next_offset, end = copy->shared_offset + copy->footprint;
  const char *own = shared_variable_at(l, copy->shared_offset, &own_offset, &next_offset);
  if (!own || copy->shared_offset >= l->dynamic_shared_offset || end <= next_offset) return;
  struct conflict k = {.rule = "out-of-bounds",
                       .later_op = i->op,
                       .later_block = i->w->block,
                       .later_thread = warp_thread(i->w, i->lane),
                       .later_role = role};
  char own_name[96], next_name[96];
  uint32_t unused;
  shared_variable_name(own, own_name, sizeof own_name);
  shared_variable_name(shared_variable_at(l, next_offset, &unused, &unused), next_name, sizeof next_name);
  char what[160], box[96];
  snprintf(what, sizeof what, "The copy of %u bytes", copy->footprint);
  if (copy->box) {
    tensor_box_name(copy->box->map.count, copy->box->map.rank, copy->box->map.type, box, sizeof box);
    snprintf(what, sizeof what, "The copy of the map's whole box, %s or %u bytes,", box, copy->footprint);
    k.edit = FAULT_EDIT_HOST;
  }
  snprintf(k.message, sizeof k.message,
           "%s begins at byte %u of `%s`, which has at most %u bytes, and runs %u bytes into `%s`.", what,
           copy->shared_offset - own_offset, own_name, next_offset - own_offset, end - next_offset,
           next_name);
  snprintf(
      k.remedy, sizeof k.remedy, "%s",
      copy->box
          ? "A tensor copy moves its map's whole box: is this the map that belongs to this buffer, and is its box as large as the buffer?"
          : "Make the array as large as what is copied, or copy less.");
  order_report(l->order, &k);
}

void order_copy_issue(struct warp *w, const struct op *op, uint32_t lane, struct async_copy *copy) {
  struct order_block *b = w->block->order;
  struct issue i = {.w = w,
                    .op = op,
                    .lane = lane,
                    .self = order_agent_of(w, lane),
                    .cluster = b->cluster,
                    .thread = order_thread_of(w, lane),
                    .copy = copy};
  struct order_launch *l = w->launch->order;
  if (w->launch->before) dependency_check_copy(w, op, lane, copy);
  switch (copy->kind) {
  case ASYNC_BULK_LOAD:
  case ASYNC_TENSOR_LOAD:
    if (l->tracks_global_writes) global_check_copy_read(w, op, lane, copy);
    if (copy->destination_count == 1 && copy->destination[0] == w->block)
      check_variable(&i, "loads more than the array holds");
    issue_load(&i);
    break;
  case ASYNC_BULK_STORE:
  case ASYNC_BULK_REDUCE:
  case ASYNC_TENSOR_STORE:
  case ASYNC_TENSOR_REDUCE:
    check_variable(&i, "stores more than the array holds");
    issue_store(&i, true);
    break;
  case ASYNC_BULK_CLUSTER:
  case ASYNC_BULK_CLUSTER_REDUCE: issue_cluster_copy(&i, copy->source_offset); break;
  case ASYNC_CP_ASYNC: issue_cp_async(&i); break;
  case ASYNC_REMOTE_STORE: issue_load(&i); break;
  }
  i.thread->dirty = true;
}

static void raise_view(struct order_thread *t, uint32_t agent, uint32_t epoch) {
  struct clock *raised = clock_with(t->base, agent, epoch);
  clock_drop(t->base);
  t->base = raised;
}

void order_group_wait(struct warp *w, uint32_t lane, struct async_copy *const copies[], uint32_t count,
                      bool read_only) {
  struct order_thread *t = order_thread_of(w, lane);
  uint32_t stores = 0, cp_asyncs = 0;
  for (uint32_t n = 0; n < count; n++) {
    uint32_t sequence = (uint32_t)(uintptr_t)copies[n]->order;
    uint32_t *newest = copies[n]->kind == ASYNC_CP_ASYNC ? &cp_asyncs : &stores;
    if (sequence > *newest) *newest = sequence;
  }
  if (stores) raise_view(t, t->read_agent, stores);
  if (stores && !read_only) raise_view(t, t->write_agent, stores);
  if (cp_asyncs) raise_view(t, t->cp_async_agent, cp_asyncs);
}

void order_cp_async_mbarrier_arrive(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                                    struct mbarrier *m) {
  order_mbarrier_check_init(w, op, lane, owner, m);
  struct order_thread *t = order_thread_of(w, lane);
  if (m->order && t->cp_async_agent != NO_AGENT)
    gather_raise(&m->order->gather, t->cp_async_agent, t->cp_async_sequence, NULL);
}

void order_block_exit(struct block *b, struct async_copy *const pending[], uint32_t count) {
  for (uint32_t n = 0; n < count; n++) {
    if (pending[n]->source_read || pending[n]->block != b) continue;
    struct conflict k = {.rule = "exit-before-read",
                         .later_op = pending[n]->op,
                         .later_block = b,
                         .later_thread = pending[n]->thread,
                         .later_role = "issues a bulk store that none of its waits covers"};
    snprintf(
        k.message, sizeof k.message,
        "The block ends while this store of %u bytes may still read its shared memory, which another block may get next.",
        pending[n]->bytes);
    snprintf(
        k.remedy, sizeof k.remedy,
        "Before the thread returns: tma_wait_until_read_pending<0>(); (its groups, all of them; N counts those that need not have read.)");
    order_report(b->launch->order, &k);
    return; // one of them is enough: the same wait mends all
  }
}
