// Barriers of a block and of a cluster, as ops. PTX ISA 9.7.13.1 and 9.7.13.3.
#ifndef VIRTUAL_HOPPER_EXECUTE_BARRIER_H
#define VIRTUAL_HOPPER_EXECUTE_BARRIER_H

#include "virtual-hopper/machine/op.h"

enum barrier_kind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_RED_POPC, BARRIER_RED_AND, BARRIER_RED_OR };

// kind; a: the barrier's number; b: thread count or OP_NO_REGISTER; c: predicate (flags: negated); d: result
op_execute barrier_cta;
op_execute barrier_cluster_arrive; // flags: 1 release, 0 relaxed
op_execute barrier_cluster_wait;   // flags: 1 acquire

// Call when `lanes` have exited. Barriers that waited only for these lanes complete.
void barrier_threads_left(struct warp *w, uint32_t lanes);

#endif
