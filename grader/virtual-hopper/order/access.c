// Ordinary accesses of threads to shared and global memory, checked against what others did to the same bytes.
// In: resolved addresses by lane. Out: conflicts to report.c, stamps to the shadow. PTX ISA 8.7.1: a race is a conflict without happens-before.
#include <string.h>

#include "virtual-hopper/order/internal.h"

struct access { // one lane's access, while it is checked
  struct warp *w;
  const struct op *op;
  struct block *owner;
  struct order_thread *thread;
  uint32_t lane, self;
  enum order_kind kind;
  enum order_strength strength;
  uint32_t first_thread_agent; // of lane 0 of its warp
};

static bool is_thread_agent(const struct order_cluster *c, uint32_t agent) {
  return agent <= c->threads;
}

static void place_thread(const struct order_cluster *c, uint32_t agent, struct block **block,
                         uint32_t *thread) {
  uint32_t index = agent - 1;
  *block = c->cluster->blocks[index / c->threads_per_block];
  *thread = index % c->threads_per_block;
}

// True when the issuing thread of a load can't know that `reader` is done with what the buffer held before: the reader has seen an earlier
// phase and has told nobody since. Then the load came too early, rather than the reader.
static bool not_handed_back(const struct order_cluster *c, uint32_t issuer, uint32_t load_agent,
                            const struct order_thread *reader, uint32_t reader_agent) {
  const struct order_thread *t = &c->thread[issuer - 1];
  return issuer != reader_agent && clock_seen(reader->base, load_agent) > 0 &&
         clock_seen(t->base, reader_agent) < reader->observed_epoch;
}

static void refilled_too_early(struct conflict *k, const struct access *a, uint32_t issuer) {
  struct order_cluster *c = a->w->block->order->cluster;
  const struct order_thread *loader = &c->thread[issuer - 1];
  k->rule = "buffer-still-read";
  k->edit = order_refill_edit(loader);
  k->later_op = k->earlier_op; // the load is to blame: it comes second
  k->later_block = k->earlier_block;
  k->later_thread = k->earlier_thread;
  k->later_role = "loads the next tile into the same buffer";
  k->earlier_op = a->op;
  k->earlier_block = a->w->block;
  k->earlier_thread = warp_thread(a->w, a->lane);
  k->earlier_role = a->kind == ORDER_READ ? "reads the tile" : "still works on the tile";
  snprintf(
      k->message, sizeof k->message,
      "Nothing tells the issuing thread that the reader is done: the load may overwrite what is still being read.");
  snprintf(
      k->remedy, sizeof k->remedy,
      "Let every reader arrive on an empty barrier (or use __syncthreads()) after its last read, and wait for it before this load.");
  if (order_waited_in_vain(loader)) order_blame_wait(c, k, issuer - 1, order_refill_in_vain);
}

static void before_cp_async(struct conflict *k, const struct access *a) {
  bool own = k->earlier_block == k->later_block && k->earlier_thread == k->later_thread;
  k->earlier_role = "copies into this tile with cp.async";
  k->later_role = a->kind == ORDER_READ ? "reads it before the copy is known to be complete"
                                        : "writes to it before the copy is known to be complete";
  snprintf(
      k->message, sizeof k->message, "%s",
      own ? "A cp.async copy lands some time after it is issued, and this thread has not waited for its group."
          : "Groups of cp.async belong to a thread: its wait covers its own copies, and other threads see them only after a barrier that comes "
            "after that wait.");
  snprintf(
      k->remedy, sizeof k->remedy,
      "In every thread that copies: cp.async.wait_group (__pipeline_wait_prior(N)); then __syncthreads(); then read.");
}

static void conflict_with_load(struct conflict *k, const struct access *a, uint32_t agent, uint32_t epoch,
                               uint32_t issuer) {
  struct order_cluster *c = a->w->block->order->cluster;
  place_thread(c, issuer, &k->earlier_block, &k->earlier_thread);
  k->earlier_role = "loads this tile asynchronously";
  k->later_role = a->kind == ORDER_READ ? "reads it before its barrier phase was observed"
                                        : "writes to it before its barrier phase was observed";
  if (a->thread->stale_wait && a->thread->stale_agent == agent) {
    k->later_role =
        a->kind == ORDER_READ ? "reads a tile that has not arrived" : "writes to a tile that has not arrived";
    order_blame_wait(c, k, a->self - 1, ", and what follows touches bytes of a load that has not landed.");
    return;
  }
  if (not_handed_back(c, issuer, agent, a->thread, a->self)) {
    refilled_too_early(k, a, issuer);
    return;
  }
  k->rule = "tile-before-phase";
  k->edit = 1; // a wait is missing before the access
  if (agent == c->thread[issuer - 1].cp_async_agent) {
    before_cp_async(k, a);
    return;
  }
  char barrier[384];
  if (!order_load_words(c, a->self - 1, agent, barrier, sizeof barrier)) {
    k->load_agent = agent;
    k->load_epoch = epoch;
  }
  snprintf(
      k->message, sizeof k->message,
      "The load lands some time after it is issued. This thread has not waited for the phase of the barrier that tells that it has landed%s.%s",
      a->kind == ORDER_READ ? ": it may read the old contents" : ": the load may overwrite what it writes",
      barrier);
  snprintf(
      k->remedy, sizeof k->remedy,
      "Call wait(bar, parity) in every thread that touches the tile, or let the thread that waited pass it on through __syncthreads().");
}

static void advise_order(struct conflict *k, bool same_warp) {
  const char *advice =
      "Put __syncthreads() between the two, where every thread of the block reaches it; or let the first arrive on an mbarrier that the second "
      "waits for.";
  if (k->earlier_op == k->later_op && same_warp)
    advice =
        "If all of them change one value, use an atomic: atomicAdd(). Else put __syncwarp() between the two turns, or __syncthreads() when other "
        "warps touch these bytes, too: lanes of a warp need not run in step.";
  else if (same_warp)
    advice =
        "Put __syncwarp() between the two, or __syncthreads() when other warps touch these bytes, too: lanes of a warp need not run in step.";
  else if (k->earlier_block != k->later_block)
    advice =
        "Put cluster_arrive(); cluster_wait(); between the two, in every thread of the cluster's blocks.";
  snprintf(k->remedy, sizeof k->remedy, "%s", advice);
}

// Did the later thread pass a wait that should have held it until the earlier one was done?
static void suspect_later(const struct access *a, struct conflict *k, uint32_t earlier,
                          uint32_t earlier_epoch) {
  const struct suspect s = {.block = a->w->block,
                            .op = a->op,
                            .thread = warp_thread(a->w, a->lane),
                            .agent = a->self,
                            .epoch = a->thread->epoch,
                            .kind = a->kind,
                            .other = earlier,
                            .other_epoch = earlier_epoch,
                            .other_thread = k->earlier_thread};
  order_suspect(a->w->block->order->cluster, &s, k);
}

// Or did the earlier one, which came before its turn?
static void suspect_earlier(const struct access *a, struct conflict *k, uint32_t earlier,
                            uint32_t earlier_epoch, enum order_kind kind) {
  const struct suspect s = {.block = k->earlier_block,
                            .op = k->earlier_op,
                            .thread = k->earlier_thread,
                            .agent = earlier,
                            .epoch = earlier_epoch,
                            .kind = kind,
                            .other = a->self,
                            .other_epoch = a->thread->epoch,
                            .other_thread = warp_thread(a->w, a->lane)};
  order_suspect(a->w->block->order->cluster, &s, k);
}

static void report_write_conflict(const struct access *a, const struct shadow *s, uint32_t g) {
  struct order_cluster *c = a->w->block->order->cluster;
  struct conflict k = {.rule = "shared-race",
                       .earlier_op = s->write_op[g],
                       .later_op = a->op,
                       .later_block = a->w->block,
                       .later_thread = warp_thread(a->w, a->lane),
                       .shared_offset = SHARED_FIRST_OFFSET + (g << s->shift)};
  uint32_t agent = s->write_agent[g];
  if (!is_thread_agent(c, agent)) {
    conflict_with_load(&k, a, agent, s->write_epoch[g], s->write_thread[g] + 1);
  } else {
    place_thread(c, agent, &k.earlier_block, &k.earlier_thread);
    k.earlier_role = "writes shared memory";
    k.later_role = a->kind == ORDER_READ ? "reads the same bytes" : "writes the same bytes";
    bool same_warp = agent - 1 >= a->first_thread_agent - 1 && agent < a->first_thread_agent + WARP_LANES;
    snprintf(k.message, sizeof k.message, "Nothing orders the two accesses: the %s may happen first.",
             a->kind == ORDER_READ ? "read" : "second write");
    advise_order(&k, same_warp);
    if (a->kind == ORDER_READ) order_blame_arrival(c, &k, agent - 1, s->write_epoch[g], a->self - 1);
    // One of them should have waited for the other: the later one for the write, or the writer, who comes again, for the reader.
    suspect_later(a, &k, agent, s->write_epoch[g]);
    suspect_earlier(a, &k, agent, s->write_epoch[g], ORDER_WRITE);
  }
  order_report(a->w->launch->order, &k);
}

// Was the store issued without waiting for this thread (a race), or did this thread come back to the buffer too early (in flight)?
// The latter when it has seen the store issued, or when the store sends what this thread wrote before.
static bool comes_back(const struct access *a, const struct shadow *s, uint32_t g,
                       const struct shadow_reader *store) {
  uint32_t issuer = store->thread + 1;
  return issuer == a->self || clock_seen(a->thread->base, issuer) >= store->issued_epoch ||
         s->write_agent[g] == a->self;
}

static void report_store_race(struct conflict *k) {
  k->earlier_role = "stores these bytes asynchronously, without waiting for this thread";
  k->later_role = "writes them";
  snprintf(
      k->message, sizeof k->message,
      "Nothing orders the write before the store that should send it: the store may send the old contents.");
  snprintf(
      k->remedy, sizeof k->remedy,
      "After the writes: async_proxy_fence() in every thread that wrote, then __syncthreads() (within one warp __syncwarp() will do), then the "
      "store.");
}

static void report_reader_conflict(const struct access *a, const struct shadow *s, uint32_t g,
                                   const struct shadow_reader *r, uint32_t lane) {
  struct order_cluster *c = a->w->block->order->cluster;
  struct conflict k = {.rule = "shared-race",
                       .earlier_op = r->op,
                       .later_op = a->op,
                       .later_block = a->w->block,
                       .later_thread = warp_thread(a->w, a->lane),
                       .earlier_role = "reads shared memory",
                       .later_role = "overwrites the same bytes",
                       .shared_offset = SHARED_FIRST_OFFSET + (g << s->shift)};
  if (r->mask == 0) {
    place_thread(c, r->thread + 1, &k.earlier_block, &k.earlier_thread);
    if (!comes_back(a, s, g, r)) {
      report_store_race(&k);
      order_report(a->w->launch->order, &k);
      return;
    }
    k.rule = "buffer-in-flight";
    k.edit = 1;
    k.earlier_role = "stores these bytes asynchronously: they are read some time later";
    k.later_role = "overwrites them";
    snprintf(
        k.message, sizeof k.message,
        "The store reads its source until a wait for its bulk group says otherwise. This thread has not been made to see such a wait, so the "
        "store may send the new contents.");
    snprintf(
        k.remedy, sizeof k.remedy,
        "In the thread that issued and committed the store: tma_wait_until_read_pending<0>(); then __syncthreads() before the buffer is written.");
    if (order_sent_to_block(c, r)) order_source_of_cluster_copy(&k, "the buffer is written");
  } else {
    place_thread(c, r->agent + lane, &k.earlier_block, &k.earlier_thread);
    bool same_warp = r->agent == a->first_thread_agent;
    snprintf(k.message, sizeof k.message,
             "Nothing orders the read before the write: it may see the new value.");
    advise_order(&k, same_warp);
    suspect_earlier(a, &k, r->agent + lane, r->epoch, ORDER_READ);
    suspect_later(a, &k, r->agent + lane, r->epoch);
  }
  order_report(a->w->launch->order, &k);
}

// Old code synchronises the lanes of a warp by volatile accesses alone: not judged. Nor are lanes of one instruction against each other.
static bool excused(const struct access *a, uint32_t agent, const struct op *op, bool atomic) {
  if (atomic && a->kind == ORDER_ATOMIC) return true;
  bool same_warp = agent >= a->first_thread_agent && agent < a->first_thread_agent + WARP_LANES;
  if (same_warp && (op == a->op || (a->strength != ORDER_WEAK && a->kind != ORDER_ATOMIC))) return true;
  return atomic && a->strength != ORDER_WEAK;
}

static void check_readers(const struct access *a, struct shadow *s, uint32_t g) {
  for (uint32_t i = s->readers[g]; i; i = s->pool[i].next) {
    const struct shadow_reader *r = &s->pool[i];
    if (r->mask == 0) {
      if (order_seen(a->thread, a->self, r->agent) < r->epoch) return report_reader_conflict(a, s, g, r, 0);
      continue;
    }
    for (uint32_t left = r->mask; left; left &= left - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(left), agent = r->agent + lane;
      if (agent == a->self || clock_seen(a->thread->base, agent) >= r->epoch ||
          excused(a, agent, r->op, r->strong))
        continue;
      return report_reader_conflict(a, s, g, r, lane);
    }
  }
}

static void check_granule(const struct access *a, struct shadow *s, uint32_t g) {
  uint32_t writer = s->write_agent[g];
  if (writer != NO_AGENT && writer != a->self && clock_seen(a->thread->base, writer) < s->write_epoch[g] &&
      !excused(a, writer, s->write_op[g], s->write_atomic[g])) {
    report_write_conflict(a, s, g);
    s->write_epoch[g] = 0; // told once: from now on everybody has seen it
  }
  if (a->kind != ORDER_READ && s->readers[g]) {
    check_readers(a, s, g);
    shadow_clear_readers(s, g);
  }
}

static void stamp_granule(const struct access *a, struct shadow *s, uint32_t g) {
  if (a->kind == ORDER_READ) {
    shadow_read(s, g, a->first_thread_agent, a->lane, a->thread->epoch, a->op, a->strength != ORDER_WEAK);
    return;
  }
  s->write_agent[g] = a->self;
  s->write_epoch[g] = a->thread->epoch;
  s->write_thread[g] = a->self - 1;
  s->write_op[g] = a->op;
  s->write_atomic[g] = a->kind == ORDER_ATOMIC || a->strength != ORDER_WEAK;
}

void order_shared_access(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                         const uint32_t offset[WARP_LANES], uint32_t bytes, enum order_kind kind,
                         enum order_strength strength) {
  if (!owner->order) return;
  struct shadow *s = &owner->order->shadow;
  bool strong = strength != ORDER_WEAK || kind == ORDER_ATOMIC;
  if (bytes < 4 && s->shift > 0) {
    shadow_refine(s);
    atomic_store(&w->launch->order->byte_granules, 1);
  }
  struct access a = {.w = w,
                     .op = op,
                     .owner = owner,
                     .kind = kind,
                     .strength = strength,
                     .first_thread_agent = order_agent_of(w, 0)};
  struct order_thread *threads = order_thread_of(w, 0);
  bool by_lines = lanes == UINT32_MAX && !strong;
  if (by_lines) lanes &= ~line_warp_access(w, op, s, offset, bytes, kind == ORDER_WRITE);
  for (uint32_t left = lanes; left; left &= left - 1) {
    a.lane = (uint32_t)__builtin_ctz(left);
    a.thread = &threads[a.lane];
    a.self = a.first_thread_agent + a.lane;
    a.thread->dirty = true;
    uint64_t key = (uint64_t)owner->rank << SHARED_RANK_SHIFT | (offset[a.lane] & ~3u);
    if (strong && kind != ORDER_WRITE) order_location_acquire(w, a.lane, key);
    uint32_t first, count;
    if (!shadow_range(s, offset[a.lane], bytes, &first, &count)) continue; // faulted already as out of bounds
    line_spell_out(s, first, count);
    for (uint32_t g = first; g < first + count; g++) {
      check_granule(&a, s, g);
      stamp_granule(&a, s, g);
    }
    if (strong && kind != ORDER_READ) order_location_release(w, a.lane, key, strength);
  }
  if (by_lines && kind == ORDER_WRITE && lanes) line_warp_wrote(w, op, s, offset, bytes, lanes);
}

void order_global_access(struct warp *w, const struct op *op, uint32_t lanes,
                         const uint64_t address[WARP_LANES], uint32_t bytes, enum order_kind kind,
                         enum order_strength strength) {
  struct order_launch *l = w->launch->order;
  struct order_cluster *c = w->block->order->cluster;
  bool strong = strength != ORDER_WEAK || kind == ORDER_ATOMIC;
  for (uint32_t left = lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (w->launch->before) dependency_check(w, op, lane, address[lane], bytes, kind, strong);
    if (strong && kind != ORDER_WRITE) order_location_acquire(w, lane, address[lane]);
    if (kind == ORDER_READ) {
      if (l->tracks_global_stores) global_check_plain_read(w, op, lane, address[lane], bytes);
    } else if (l->tracks_global_writes) {
      struct order_thread *t = order_thread_of(w, lane);
      t->dirty = true;
      struct global_write write = {.cluster = c->cluster->index + 1,
                                   .owner = c,
                                   .op = op,
                                   .agent = order_agent_of(w, lane),
                                   .epoch = t->epoch,
                                   .thread = order_agent_of(w, lane) - 1};
      global_note(l->global, address[lane], bytes, &write);
    }
    if (strong && kind != ORDER_READ) order_location_release(w, lane, address[lane], strength);
  }
}
