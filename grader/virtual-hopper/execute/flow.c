// Branches, calls, returns and exits. One idea: when all running lanes go the same way, only the program
// counter changes. Otherwise the lanes that go another way become a new split.
#include "virtual-hopper/execute/flow.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/machine/program.h"

void flow_branch(struct warp *w, const struct op *op) {
  if (w->lanes == w->splits[0].lanes)
    w->pc = op->target;
  else
    split_off(w, w->lanes, op->target, w->splits[0].frame);
}

// brx.idx: an index past the end of the table is undefined (9.7.12.4). Here it is a fault.
void flow_branch_table(struct warp *w, const struct op *op) {
  const uint32_t *targets = op->extra, *index = warp_register32(w, op->a);
  uint32_t left = w->lanes;
  while (left) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), chosen = index[lane], group = 0;
    for (uint32_t i = lane; i < WARP_LANES; i++)
      if ((left >> i & 1) && index[i] == chosen) group |= 1u << i;
    left &= ~group;
    if (chosen >= (uint64_t)op->immediate) {
      warp_faultf(w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_LAUNCH_FAILURE,
                  "The index %u of brx.idx is beyond its table of %lld targets.", chosen,
                  (long long)op->immediate);
      return;
    }
    if (group == w->splits[0].lanes)
      w->pc = targets[chosen];
    else
      split_off(w, group, targets[chosen], w->splits[0].frame);
  }
}

void flow_exit(struct warp *w, const struct op *op) {
  (void)op;
  warp_exit_lanes(w, w->lanes);
}

// Cooperative groups end a kernel that asks for the grid's barrier without a cooperative launch.
static bool is_of_cooperative_groups(const struct fault_place *place) {
  for (uint32_t i = 0; i < place->inlined_count; i++)
    if (strstr(place->inlined[i].file, "/cooperative_groups")) return true;
  return false;
}

void flow_trap(struct warp *w, const struct op *op) {
  const uint32_t lane = (uint32_t)__builtin_ctz(w->lanes);
  struct fault fault = {.rule = RULE_TRAP,
                        .severity = FAULT_FATAL,
                        .device_error = ERROR_LAUNCH_FAILURE,
                        .role = "executes this",
                        .message = "The kernel executed trap, which ends it with an error."};
  struct fault_place place;
  machine_place(&place, w->block, op, warp_thread(w, lane));
  if (!w->launch->grid_workspace && is_of_cooperative_groups(&place))
    snprintf(fault.remedy, sizeof fault.remedy,
             "The barrier of the grid needs a cooperative launch, and this launch is none: "
             "cudaLaunchCooperativeKernel, or the attribute cudaLaunchAttributeCooperative.");
  warp_fault(w, op, lane, &fault);
}

// Without a debugger, the chip treats a breakpoint as a trap.
void flow_breakpoint(struct warp *w, const struct op *op) {
  warp_faultf(w, op, (uint32_t)__builtin_ctz(w->lanes), RULE_TRAP, ERROR_LAUNCH_FAILURE,
              "The kernel executed brkpt without a debugger.");
}

// ---- calls ------------------------------------------------------------------------------------------------

static void copy_slots(uint8_t *to, uint32_t to_area, const uint8_t *from, uint32_t from_area, uint32_t lanes,
                       uint32_t to_offset, uint32_t from_offset, uint32_t bytes) {
  if (!bytes) return; // a parameter of size 0: the call area may be NULL
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    if (lanes >> lane & 1)
      memcpy(to + (size_t)lane * to_area + to_offset, from + (size_t)lane * from_area + from_offset, bytes);
}

static uint32_t smaller(size_t a, uint32_t b) {
  return a < b ? (uint32_t)a : b;
}

static void pass_arguments(const struct call_site *site, struct frame *callee, const struct frame *caller,
                           uint32_t lanes) {
  const struct function *f = callee->function;
  for (uint32_t i = 0; i < site->argument_count && i < f->source->parameter_count; i++)
    copy_slots(callee->parameters, f->call_area_bytes, caller->parameters, caller->function->call_area_bytes,
               lanes, f->parameter_offsets[i], site->arguments[i].offset,
               smaller(f->source->parameters[i].size, site->arguments[i].bytes));
}

static void pass_results(const struct call_site *site, const struct frame *callee, struct frame *caller,
                         uint32_t lanes) {
  const struct function *f = callee->function;
  for (uint32_t i = 0; i < site->result_count && i < f->source->result_count; i++)
    copy_slots(caller->parameters, caller->function->call_area_bytes, callee->parameters, f->call_area_bytes,
               lanes, site->results[i].offset, f->result_offsets[i],
               smaller(f->source->results[i].size, site->results[i].bytes));
}

// Finds the function that the first running lane calls, and the lanes that call the same function. Returns
// NULL after a fault.
static const struct function *find_callee(struct warp *w, const struct op *op, const struct call_site *site,
                                          uint32_t *group) {
  const struct program *program = w->launch->program;
  *group = w->lanes;
  if (site->callee >= 0) return program->functions[site->callee];
  const uint64_t *address = warp_register64(w, op->a);
  uint32_t first = (uint32_t)__builtin_ctz(w->lanes);
  for (uint32_t i = 0; i < WARP_LANES; i++)
    if (address[i] != address[first]) *group &= ~(1u << i);
  const struct function *f = program_function_at(program, address[first]);
  if (f && !f->is_entry) return f;
  warp_faultf(w, op, first, RULE_ILLEGAL_INSTRUCTION, ERROR_LAUNCH_FAILURE,
              "The call goes to 0x%llx, where no function is.", (unsigned long long)address[first]);
  return NULL;
}

// Whether a call from `caller` would be too deep: true, and the fault is recorded. Bounds on depth and on
// registers are each thread's own, so the same call is refused whatever the other threads do.
static bool is_too_deep(struct warp *w, const struct op *op, const struct frame *caller,
                        const struct function *f, uint32_t group) {
  const struct program *program = w->launch->program;
  const bool unbounded = program->uses_recursion || program->uses_indirect_calls;
  const uint32_t local = w->launch->function->local_bytes_per_thread;
  const uint64_t most = w->launch->limits->stack_bytes * FLOW_REGISTERS_TO_STACK; // the limit is below 2^32
  char what[128];
  if (caller->local_base + caller->function->local_bytes + f->local_bytes > local)
    snprintf(what, sizeof what, "and need more than the %u bytes of local memory that a thread has", local);
  else if (caller->depth >= FLOW_DEEPEST_CALL)
    snprintf(what, sizeof what, "and no deeper call is possible");
  else if (unbounded && caller->call_bytes + frame_bytes_per_thread(f) > most)
    snprintf(what, sizeof what,
             "and need more than the %llu KiB of registers that a thread has for them, "
             "%d times cudaLimitStackSize",
             (unsigned long long)most >> 10, FLOW_REGISTERS_TO_STACK);
  else
    return false;
  warp_faultf(w, op, (uint32_t)__builtin_ctz(group), RULE_OUT_OF_BOUNDS, ERROR_ILLEGAL_ADDRESS,
              "Calls are %u deep %s.", caller->depth + 1, what);
  return true;
}

void flow_call(struct warp *w, const struct op *op) {
  const struct call_site *site = op->extra;
  struct split *running = &w->splits[0];
  struct frame *caller = running->frame;
  uint32_t group;
  const struct function *f = find_callee(w, op, site, &group);
  if (!f || is_too_deep(w, op, caller, f, group)) return;
  struct frame *frame = frame_take(w, f, caller, group, w->pc);
  if (!frame) {
    warp_faultf(
        w, op, (uint32_t)__builtin_ctz(group), RULE_OUT_OF_BOUNDS, ERROR_ILLEGAL_ADDRESS,
        "Calls are %u deep here, and those of all threads together need more registers than the device has "
        "room for.",
        caller->depth + 1);
    return;
  }
  uint32_t others = w->lanes & ~group, unguarded = running->lanes & ~w->lanes;
  // The other lanes call other functions: they execute this op again.
  if (others) split_off(w, others, w->pc - 1, caller);
  if (unguarded) split_off(w, unguarded, w->pc, caller);
  pass_arguments(site, frame, caller, group);
  running->frame = frame;
  w->pc = 0;
  w->yield = true; // the run loop looks up the new frame's code and registers
}

void flow_return(struct warp *w, const struct op *op) {
  struct split *running = &w->splits[0];
  struct frame *frame = running->frame, *caller = frame->caller;
  if (!caller) {
    flow_exit(w, op);
    return;
  }
  const struct op *call = &caller->function->ops[frame->return_pc - 1];
  pass_results(call->extra, frame, caller, w->lanes);
  uint32_t return_pc = frame->return_pc;
  frame->lanes &= ~w->lanes;
  if (!frame->lanes) frame_give(w, frame);
  if (w->lanes == running->lanes) {
    running->frame = caller;
    w->pc = return_pc;
  } else {
    split_off(w, w->lanes, return_pc, caller);
  }
  w->yield = true;
}
