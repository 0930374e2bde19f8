// Instructions that the lanes of a warp execute together: PTX ISA 9.7.9.6 (shfl), 9.7.13.2 (bar.warp.sync),
// 9.7.13.9 to 9.7.13.12.
#ifndef VIRTUAL_HOPPER_EXECUTE_COLLECTIVE_H
#define VIRTUAL_HOPPER_EXECUTE_COLLECTIVE_H

#include "virtual-hopper/machine/op.h"

// op->target: the register of the member mask.
op_execute collective_sync; // bar.warp.sync
// kind: enum shuffle; d, a; b: lane or delta; c: clamp and segment mask; immediate: predicate's offset or -1
op_execute collective_shuffle;
op_execute collective_vote;   // kind: enum vote; a: predicate (flags: negated); d
op_execute collective_match;  // kind: 0 any, 1 all; width 4 or 8; d, a; immediate: predicate's offset or -1
op_execute collective_reduce; // kind: enum reduction; flags: signed; d, a
op_execute collective_elect;  // d: leader's lane (or none); immediate: predicate's offset
op_execute collective_active_mask; // d

// Calls `act` for each set of lanes that has met at the op. A set has met when all lanes in its mask that
// haven't exited are there. The other lanes wait.
typedef void collective_act(struct warp *w, const struct op *op, uint32_t lanes);
void collective_meeting(struct warp *w, const struct op *op, collective_act *act);
// The same for an act that writes memory: the lanes have not met after what it writes. (.sync brings them
// together, and says nothing of memory.)
void collective_write(struct warp *w, const struct op *op, collective_act *act);
// The same for an act that orders nothing.
void collective_gather(struct warp *w, const struct op *op, collective_act *act);

enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };
enum vote { VOTE_ALL, VOTE_ANY, VOTE_UNIFORM, VOTE_BALLOT };
enum reduction { REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR, REDUCE_XOR };

#endif
