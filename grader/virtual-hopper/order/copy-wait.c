// The ends of asynchronous copies. In: waits for groups, arrivals of cp.async on mbarriers, blocks that exit.
// Out: what threads have seen of their copies, or the conflict of an exit. PTX ISA 9.7.9.25.3 (cp.async),
// 9.7.9.27.2 (groups).
#include "virtual-hopper/order/internal.h"

static void raise_view(struct order_thread *t, uint32_t agent, uint32_t epoch) {
  struct clock *raised = clock_with(t->base, agent, epoch);
  clock_drop(t->base);
  t->base = raised;
}

void order_note_group_wait(struct warp *w, const struct op *op, uint32_t lane, uint32_t newest) {
  struct order_thread *t = order_thread_of(w, lane);
  t->group_wait = op;
  t->group_newest = newest;
  t->group_since = t->store_sequence;
  maps_group_wait(w, lane, newest);
  if (!ptx_has_modifier(op->source, "read")) return;
  t->group_read_wait = op;
  t->group_read_since = t->store_sequence;
}

void order_note_group_commit(struct warp *w, uint32_t lane) {
  maps_commit(w, lane);
}

void order_note_cp_async_wait(struct warp *w, const struct op *op, uint32_t lane, uint32_t newest) {
  struct order_thread *t = order_thread_of(w, lane);
  t->cp_async_wait = op;
  t->cp_async_newest = newest;
  t->cp_async_since = t->cp_async_sequence;
  t->cp_async_wait_epoch = t->epoch;
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
  for (uint32_t n = 0; stores && !read_only && n < count; n++) {
    if (copies[n]->kind == ASYNC_CP_ASYNC) continue;
    if (!copies[n]->written) die("a store is called complete before it is written");
    race_copy_done(w, lane, copies[n]);
  }
}

void order_cp_async_mbarrier_arrive(struct actor by, struct block *owner, struct mbarrier *m, bool noinc) {
  order_mbarrier_check_init(by, owner, m);
  if (m->order) m->order->loose = true;
  by.w->block->order->cluster->hidden_orders = true; // it comes after all that its thread has waited for
  if (noinc && m->order && owner == by.w->block) order_crowd_add_copier(m->order, actor_thread(by));
}

void order_cp_async_arrival(struct actor by, struct async_copy *arrival) {
  arrival->order = (void *)(uintptr_t)order_thread_of(by.w, by.lane)->cp_async_sequence;
}

void order_cp_async_arrived(const struct async_copy *arrival, const struct mbarrier *m) {
  const struct order_cluster *c = arrival->block->cluster->order;
  if (!c || !m->order) return;
  const struct order_thread *t =
      order_view_at(c, arrival->block->rank * c->threads_per_block + arrival->thread);
  if (t->cp_async_agent != NO_AGENT)
    gather_raise(&m->order->gather, t->cp_async_agent, (uint32_t)(uintptr_t)arrival->order, NULL);
}

// The number of a store among those of its thread; 0: it belongs to no bulk group.
static uint32_t store_sequence(const struct async_copy *copy) {
  const bool in_group = copy->kind == ASYNC_BULK_STORE || copy->kind == ASYNC_BULK_REDUCE ||
                        copy->kind == ASYNC_TENSOR_STORE || copy->kind == ASYNC_TENSOR_REDUCE;
  return in_group ? (uint32_t)(uintptr_t)copy->order : 0;
}

void order_block_exit(struct block *b, struct async_copy *const pending[], uint32_t count) {
  for (uint32_t n = 0; n < count; n++) {
    if (pending[n]->source_read || pending[n]->block != b) continue;
    const struct conflict k = {
        .facts = {.kind = CONFLICT_EXIT_BEFORE_READ, .later = DEED_STORE, .bytes = pending[n]->bytes},
        .later = {pending[n]->op, b, pending[n]->thread},
        .earlier_epoch = store_sequence(pending[n])};
    order_report(b->launch->order, &k);
    return; // one report is enough: the same wait mends all
  }
}
