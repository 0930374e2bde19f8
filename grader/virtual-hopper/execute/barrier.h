// Barriers of a block and of a cluster, as ops. PTX ISA 9.7.13.1 and 9.7.13.3.
#ifndef VIRTUAL_HOPPER_WARP_BARRIER_H
#define VIRTUAL_HOPPER_WARP_BARRIER_H

#include "virtual-hopper/decode/op.h"

enum barrier_kind { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_RED_POPC, BARRIER_RED_AND, BARRIER_RED_OR };

op_execute
    barrier_cta; // kind; a: barrier's number; b: thread count or OP_NO_REGISTER; c: predicate (flags: negated); d: result
op_execute barrier_cluster_arrive; // flags: 1 release, 0 relaxed
op_execute barrier_cluster_wait;   // flags: 1 acquire

#endif
