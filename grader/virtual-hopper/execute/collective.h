// What the lanes of a warp do together: PTX ISA 9.7.9.6 (shfl), 9.7.13.2 (bar.warp.sync), 9.7.13.9 to 9.7.13.12.
#ifndef VIRTUAL_HOPPER_WARP_COLLECTIVE_H
#define VIRTUAL_HOPPER_WARP_COLLECTIVE_H

#include "virtual-hopper/decode/op.h"

// op->target: the member mask's register.
op_execute collective_sync; // bar.warp.sync
op_execute
    collective_shuffle; // kind: enum shuffle; d, a; b: lane or delta; c: clamp and segment mask; immediate: predicate's offset or -1
op_execute collective_vote;   // kind: enum vote; a: predicate (flags: negated); d
op_execute collective_match;  // kind: 0 any, 1 all; width 4 or 8; d, a; immediate: predicate's offset or -1
op_execute collective_reduce; // kind: enum reduction; flags: signed; d, a
op_execute collective_elect;  // d: leader's lane (or none); immediate: predicate's offset
op_execute collective_active_mask; // d

// Calls `act` for each set of lanes that has met at the op: all that the mask names and that haven't exited. The others wait.
typedef void collective_act(struct warp *w, const struct op *op, uint32_t lanes);
void collective_meeting(struct warp *w, const struct op *op, collective_act *act);

enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };
enum vote { VOTE_ALL, VOTE_ANY, VOTE_UNIFORM, VOTE_BALLOT };
enum reduction { REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR, REDUCE_XOR };

#endif
