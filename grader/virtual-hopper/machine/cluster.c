// What every room may do to a running cluster or launch: stop it, take its turn for ordered accesses, take
// memory from its budget.
#include "monotonic.h"
#include "virtual-hopper/base/cuda-errors.h"
#include "virtual-hopper/machine/machine.h"

void cluster_fail(struct cluster *c, int device_error) {
  if (!c->device_error) c->device_error = device_error;
}

bool cluster_take_turn(struct cluster *c) {
  if (c->turn) {
    c->turn_used = c->instructions;
    return true;
  }
  c->wants_turn = true;
  return false;
}

bool warp_take_turn(struct warp *w) {
  if (cluster_take_turn(w->block->cluster)) return true;
  w->pc--; // executed again, with the turn
  w->yield = true;
  return false;
}

void warp_count_grab(struct warp *w) {
  struct cluster *c = w->block->cluster;
  if (c->alone || ++c->turn_grabs < c->grabs_allowed) return;
  w->splits[0].resting = true;
  w->yield = true;
}

bool launch_take(struct launch *l, size_t bytes) {
  size_t taken = atomic_fetch_add_explicit(&l->taken, bytes, memory_order_relaxed) + bytes;
  if (taken <= LAUNCH_MOST_BYTES && budget_take(l->budget, BUDGET_COPIES, bytes)) return true;
  atomic_fetch_sub_explicit(&l->taken, bytes, memory_order_relaxed);
  return false;
}

size_t launch_resident_most(const struct budget *budget) {
  size_t half = budget_left(budget) / 2;
  return half < LAUNCH_MOST_BYTES ? half : LAUNCH_MOST_BYTES;
}

void launch_budget_spent(struct launch *l) {
  char text[320];
  int none = 0;
  budget_describe(l->budget, text, sizeof text);
  fault_refuse(l->report, "%s", text);
  atomic_compare_exchange_strong(&l->device_error, &none, ERROR_MEMORY_ALLOCATION);
}

bool launch_is_stopped(const struct launch *l) {
  return l->stop && atomic_load_explicit(l->stop, memory_order_relaxed) != 0;
}

bool launch_out_of_time(const struct launch *l) {
  if (launch_is_stopped(l)) return true;
  return l->deadline > 0 && monotonic_seconds() > l->deadline;
}
