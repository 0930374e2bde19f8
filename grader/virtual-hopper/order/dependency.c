// Programmatic launches: a kernel may begin before the one before it has ended (PTX ISA 9.7.13.13). In: what
// the earlier kernel wrote, and who has waited for its end. Out: conflicts. One idea: the end of the earlier
// launch is a deed of an agent of its own. griddepcontrol.wait shows it to its thread, and from there it
// spreads by whatever orders threads. A strong read or an atomic is assumed to synchronise the two launches.
// It doesn't matter whether the two did run side by side. A kernel that lets no other begin early is not
// concerned.
#include <string.h>

#include "virtual-hopper/order/internal.h"

enum { GRANULE_BYTES = 4, MOST_KEPT = 8 };

// A launch that began early, and of which no block waited before it let the next one begin, or ended, says
// nothing of those before it (an H200 runs the third kernel of such a chain beside the first).
static struct global_shadow *keep_earlier(struct launch *launch, struct global_shadow *before) {
  uint32_t count = 0;
  if (!launch->before || atomic_load(&launch->order->waits_first)) {
    order_keep_drop(before);
    return NULL;
  }
  for (struct global_shadow *s = before; s; s = s->earlier) {
    if (++count < MOST_KEPT) continue;
    order_keep_drop(s->earlier);
    s->earlier = NULL;
  }
  return before;
}

struct global_shadow *order_launch_keep(struct launch *launch, struct global_shadow *before) {
  struct order_launch *l = launch->order;
  struct global_shadow *earlier = keep_earlier(launch, before), *kept = l->global;
  if (!kept || !atomic_load(&l->lets_next_begin)) return earlier;
  l->global = NULL;
  kept->earlier = earlier;
  kept->late_reads = l->late_reads;
  kept->now = NULL;
  if (kept->late_reads) kept->late_reads->now = NULL;
  l->late_reads = NULL;
  return kept;
}

void order_keep_drop(struct global_shadow *kept) {
  while (kept) {
    struct global_shadow *earlier = kept->earlier;
    global_free(kept);
    kept = earlier;
  }
}

void order_launch_dependents(struct warp *w) {
  atomic_store(&w->block->order->lets_next_begin, true);
  w->block->order->triggering_warps |= 1u << w->index;
  atomic_store(&w->launch->order->lets_next_begin, true);
}

// A launch that has let the next one begin may still be reading when that one writes. Only reads that come
// after the warp's own trigger count: whether another warp's speaks for the whole block, PTX doesn't say.
void dependency_note_reads(struct warp *w, const struct op *op, uint32_t lanes,
                           const uint64_t address[WARP_LANES], uint32_t bytes) {
  if (bytes < GRANULE_BYTES || !(w->block->order->triggering_warps >> w->index & 1)) return;
  struct global_shadow *reads = w->launch->order->late_reads;
  struct global_write read;
  memset(&read, 0, sizeof read); // notes are compared as bytes
  read.cluster = w->block->cluster->index + 1;
  read.op = op;
  if (lanes == UINT32_MAX && order_is_row(lanes, address, bytes)) {
    global_note(reads, address[0], (uint64_t)WARP_LANES * bytes, &read);
    return;
  }
  for (uint32_t left = lanes; left; left &= left - 1)
    global_note(reads, address[__builtin_ctz(left)], bytes, &read);
}

static void see_the_end(struct order_thread *t, uint32_t agent) {
  struct clock *raised = clock_with(t->base, agent, 1);
  clock_drop(t->base);
  t->base = raised;
}

void order_grid_wait(struct warp *w, uint32_t lanes) {
  if (!w->launch->before) return;
  if (!atomic_load(&w->block->order->lets_next_begin)) atomic_store(&w->launch->order->waits_first, true);
  for (uint32_t left = lanes; left; left &= left - 1)
    see_the_end(order_thread_of(w, (uint32_t)__builtin_ctz(left)),
                w->block->order->cluster->dependency_agent);
}

struct touch { // an access of the later kernel, while the earlier one's writes are searched, or its reads
  struct actor by;
  const struct op *read_by;    // NULL: not found yet, or not looked for
  const struct op *written_by; // NULL: not found yet
  bool by_earlier;             // than the launch before
};

// A note stands for whole granules. Which bytes of a granule a narrower store wrote is unknown, so it is left
// out.
static void find_write(const struct global_write *g, uint64_t address, void *context) {
  struct touch *t = context;
  (void)address;
  bool narrow = g->op->width && (uint32_t)g->op->width * g->op->count < GRANULE_BYTES;
  if (!t->written_by && !narrow) t->written_by = g->op;
}

static void find_read(const struct global_write *g, uint64_t address, void *context) {
  struct touch *t = context;
  (void)address;
  if (!t->read_by) t->read_by = g->op;
}

static void find_reads_in_span(const struct copy_span *span, void *context) {
  struct touch *t = context;
  struct global_shadow *reads = t->by.w->launch->before->late_reads;
  if (reads && !t->written_by && !t->read_by) global_visit(reads, span->address, span->bytes, find_read, t);
}

static void find_in_span(const struct copy_span *span, void *context) {
  struct touch *t = context;
  for (struct global_shadow *s = t->by.w->launch->before; s && !t->written_by; s = s->earlier) {
    t->by_earlier = s->launch_index + 1 < t->by.w->launch->launch_index;
    global_visit(s, span->address, span->bytes, find_write, t);
  }
}

static void report(const struct touch *t, enum deed_kind deed) {
  struct conflict k = {
      .facts = {.kind = t->by_earlier ? CONFLICT_GRID_DEPENDENCY_PASSED : CONFLICT_GRID_DEPENDENCY,
                .earlier = DEED_WRITE,
                .later = deed},
      .earlier = {.op = t->written_by}, // its block is gone
      .later = order_actor_deed(t->by)};
  if (!t->written_by) {
    k.facts.kind = CONFLICT_GRID_DEPENDENCY_READ;
    k.facts.earlier = DEED_READ;
    k.earlier.op = t->read_by;
  }
  order_report(t->by.w->launch->order, &k);
}

static bool has_seen_the_end(struct actor a) {
  return order_seen(order_thread_of(a.w, a.lane), order_agent_of(a.w, a.lane),
                    a.w->block->order->cluster->dependency_agent) > 0;
}

// DEED_NONE: the access counts as a wait. At most one report a thread: its later accesses have the same
// cause.
static void judge(const struct touch *t, enum deed_kind deed) {
  if (!t->written_by && !t->read_by) return;
  if (deed != DEED_NONE) report(t, deed);
  see_the_end(order_thread_of(t->by.w, t->by.lane), t->by.w->block->order->cluster->dependency_agent);
}

void dependency_check(struct actor by, uint64_t address, uint64_t bytes, enum order_kind kind, bool strong) {
  struct touch t = {.by = by};
  if (has_seen_the_end(by)) return;
  const struct copy_span span = {address, bytes, 0};
  find_in_span(&span, &t);
  if (kind == ORDER_WRITE && !strong && bytes >= GRANULE_BYTES) find_reads_in_span(&span, &t);
  judge(&t, strong ? DEED_NONE : kind == ORDER_READ ? DEED_READ : DEED_WRITE);
}

void dependency_check_copy(struct actor by, const struct async_copy *copy) {
  struct touch t = {.by = by};
  enum deed_kind deed = DEED_LOAD;
  if (has_seen_the_end(by)) return;
  switch (copy->kind) {
  case ASYNC_BULK_LOAD:
  case ASYNC_TENSOR_LOAD:
  case ASYNC_CP_ASYNC: break;
  case ASYNC_BULK_STORE:
  case ASYNC_TENSOR_STORE: deed = DEED_STORE; break;
  default:
    return; // within the cluster; or a reduction, whose order against the earlier kernel's doesn't matter
  }
  copy_each_global_span(copy, find_in_span, &t);
  if (deed == DEED_STORE) copy_each_global_span(copy, find_reads_in_span, &t);
  judge(&t, deed);
}
