// Programmatic launches: a kernel that may begin before the one before it has ended (PTX ISA 9.7.13.13). In: what that one wrote, and who has waited
// for it. Out: conflicts. One idea: that the launch before has ended is a deed like any other, of an agent of its own; griddepcontrol.wait shows
// it to its thread, and from there it spreads by whatever orders threads. A look at a flag, or an atomic, may be how the two kernels meet without that
// wait, and counts as one. Whether the two did run side by side doesn't matter; and a kernel that lets nobody begin early is waited for as ever.
#include <string.h>

#include "virtual-hopper/order/internal.h"

enum { GRANULE_BYTES = 4 };

struct global_shadow *order_launch_keep(struct launch *launch) {
  struct order_launch *l = launch->order;
  if (!atomic_load(&l->lets_next_begin)) return NULL;
  struct global_shadow *kept = l->global;
  l->global = NULL;
  return kept;
}

void order_keep_drop(struct global_shadow *kept) {
  global_free(kept);
}

void order_launch_dependents(struct warp *w) {
  atomic_store(&w->launch->order->lets_next_begin, true);
}

static void see_the_end(struct order_thread *t, uint32_t agent) {
  struct clock *raised = clock_with(t->base, agent, 1);
  clock_drop(t->base);
  t->base = raised;
}

void order_grid_wait(struct warp *w, uint32_t lanes) {
  if (!w->launch->before) return;
  for (uint32_t left = lanes; left; left &= left - 1)
    see_the_end(order_thread_of(w, (uint32_t)__builtin_ctz(left)),
                w->block->order->cluster->dependency_agent);
}

struct touch { // by a thread of the later kernel, while what the earlier one wrote is visited
  struct warp *w;
  const struct op *op; // of the later one
  uint32_t lane;
  const struct op *written_by; // NULL: not found yet
};

// A note is of whole granules; of a narrower store nobody knows which bytes of one it wrote.
static void find_write(const struct global_write *g, uint64_t address, void *context) {
  struct touch *t = context;
  (void)address;
  bool narrow = g->op->width && (uint32_t)g->op->width * g->op->count < GRANULE_BYTES;
  if (!t->written_by && !narrow) t->written_by = g->op;
}

static void find_in_span(uint64_t address, uint64_t bytes, void *context) {
  struct touch *t = context;
  global_visit(t->w->launch->before, address, bytes, find_write, t);
}

static void report(const struct touch *t, const char *role) {
  struct conflict k = {.rule = "grid-dependency",
                       .earlier_op = t->written_by,
                       .later_op = t->op,
                       .later_block = t->w->block,
                       .later_thread = warp_thread(t->w, t->lane),
                       .earlier_role = "writes these bytes, in the kernel before",
                       .later_role = role,
                       .edit = 1};
  snprintf(
      k.message, sizeof k.message,
      "This kernel was launched with programmaticStreamSerializationAllowed, and the one before it calls cudaTriggerProgrammaticLaunchCompletion(): it may begin "
      "before that one has ended, and nothing tells this thread that it has.");
  snprintf(
      k.remedy, sizeof k.remedy,
      "Call cudaGridDependencySynchronize() before the first access to what the kernel before writes, in the thread that touches it, or in one that it then meets "
      "by __syncthreads() or a barrier; or launch without that attribute.");
  order_report(t->w->launch->order, &k);
}

static bool has_seen_the_end(struct warp *w, uint32_t lane) {
  return order_seen(order_thread_of(w, lane), order_agent_of(w, lane),
                    w->block->order->cluster->dependency_agent) > 0;
}

// What follows in the same thread follows from it.
static void judge(const struct touch *t, const char *role) {
  if (!t->written_by) return;
  if (role) report(t, role);
  see_the_end(order_thread_of(t->w, t->lane), t->w->block->order->cluster->dependency_agent);
}

void dependency_check(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, uint64_t bytes,
                      enum order_kind kind, bool strong) {
  struct touch t = {.w = w, .op = op, .lane = lane};
  if (has_seen_the_end(w, lane)) return;
  find_in_span(address, bytes, &t);
  judge(&t, strong               ? NULL
            : kind == ORDER_READ ? "may read them before they are written"
                                 : "may write them first, to have them overwritten");
}

void dependency_check_copy(struct warp *w, const struct op *op, uint32_t lane,
                           const struct async_copy *copy) {
  struct touch t = {.w = w, .op = op, .lane = lane};
  const char *role = NULL;
  if (has_seen_the_end(w, lane)) return;
  switch (copy->kind) {
  case ASYNC_BULK_LOAD:
  case ASYNC_TENSOR_LOAD:
  case ASYNC_CP_ASYNC: role = "may load them before they are written"; break;
  case ASYNC_BULK_STORE:
  case ASYNC_TENSOR_STORE: role = "may store to them first, to have them overwritten"; break;
  default: return; // within the cluster; or a reduction, which the kernel before may do as well, in any order
  }
  async_each_global_span(copy, find_in_span, &t);
  judge(&t, role);
}
