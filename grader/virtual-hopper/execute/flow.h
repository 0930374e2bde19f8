// Control flow: branches, calls, exits; and the splits of a warp, which make every thread advance (warp/split.c).
#ifndef VIRTUAL_HOPPER_WARP_FLOW_H
#define VIRTUAL_HOPPER_WARP_FLOW_H

#include "virtual-hopper/decode/op.h"

enum { FLOW_DEEPEST_CALL = 2048 };

op_execute flow_branch;       // op->target
op_execute flow_branch_table; // op->a index, op->extra uint32_t targets[op->immediate]
op_execute flow_return;       // of a device function, or of the entry: then it is an exit
op_execute flow_exit;
op_execute flow_trap;
op_execute flow_breakpoint;
op_execute flow_call; // op->extra struct call_site

struct call_site {
  int32_t callee; // index in program->functions; -1: op->a holds the address
  uint32_t argument_count, result_count;
  struct call_slot {
    uint32_t offset, bytes;
  } * arguments, *results; // in the caller's call area
};

// Moves `lanes`, not all of the running split's (w->splits[0]), into a new split at pc in the frame; returns it.
struct split *split_off(struct warp *w, uint32_t lanes, uint32_t pc, struct frame *frame);
void split_remove(struct warp *w, uint32_t i);
// Takes those at the same place, waiting for the same, into the first split.
void split_merge_into_first(struct warp *w);
// Makes the next split to run the first; false: none can run in this turn.
bool split_choose(struct warp *w);
// The next place behind the first split's where another one stands and may go on; UINT32_MAX: none.
uint32_t split_next_place(const struct warp *w);

// Frames are kept by function and used again within a launch.
struct frame *frame_take(struct warp *w, const struct function *function, struct frame *caller,
                         uint32_t lanes, uint32_t return_pc);
void frame_give(struct warp *w, struct frame *frame);
void frame_destroy_all(struct warp *w); // the free ones

#endif
