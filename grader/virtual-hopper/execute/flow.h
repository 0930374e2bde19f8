// Control flow: branches, calls, exits. Also the splits of a warp, which make every thread advance
// (execute/split.c).
#ifndef VIRTUAL_HOPPER_EXECUTE_FLOW_H
#define VIRTUAL_HOPPER_EXECUTE_FLOW_H

#include "virtual-hopper/machine/op.h"

// Bounds for kernels that call themselves, or by address. On the chip callers' registers lie on the thread's
// stack, whose size is a limit of the context. Here a call holds all its registers, and there only those that
// are needed after it. So calls may hold a multiple of that limit here.
#ifdef VHOPPER_FUZZ_LIMITS
enum { FLOW_DEEPEST_CALL = 8, FLOW_REGISTERS_TO_STACK = 2 };
#else
enum { FLOW_DEEPEST_CALL = 2048, FLOW_REGISTERS_TO_STACK = 64 };
#endif

op_execute flow_branch;       // op->target
op_execute flow_branch_table; // op->a index, op->extra uint32_t targets[op->immediate]
op_execute flow_return;       // from a device function; from the entry function it is an exit
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

// Moves `lanes` from the running split (w->splits[0]) into a new split at `pc` in `frame`. `lanes` must not
// be all lanes of the running split. Returns the new split.
struct split *split_off(struct warp *w, uint32_t lanes, uint32_t pc, struct frame *frame);
void split_remove(struct warp *w, uint32_t i);
// Merges into the first split all splits that stand at the same place and wait for the same object.
void split_merge_into_first(struct warp *w);
// Makes the next split to run the first split. Returns false when no split can run in this turn.
bool split_choose(struct warp *w);
// Returns the next place, after that of the first split, where a split stands in the same frame and isn't
// waiting. Returns UINT32_MAX when no such place exists.
uint32_t split_next_place(const struct warp *w);

// What a register holds that nobody has written, byte for byte: on a chip, what was there before. Zeros would
// let a program pass that forgets to set a sum to zero.
enum { REGISTER_UNWRITTEN_BYTE = 0xc5 };
// The warp keeps free frames and uses each again for the same function, within a launch.
struct frame *frame_take(struct warp *w, const struct function *function, struct frame *caller,
                         uint32_t lanes, uint32_t return_pc);
// Registers and parameters of one call, for one thread.
uint32_t frame_bytes_per_thread(const struct function *function);
void frame_give(struct warp *w, struct frame *frame);
void frame_destroy_all(struct warp *w); // destroys the free frames

#endif
