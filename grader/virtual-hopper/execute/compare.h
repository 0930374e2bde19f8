// The handlers of comparison and selection that decode doesn't find in the tables of lanes.h.
#ifndef VIRTUAL_HOPPER_EXECUTE_COMPARE_H
#define VIRTUAL_HOPPER_EXECUTE_COMPARE_H

#include "virtual-hopper/execute/lanes.h"

// The handlers of setp, for unsigned, signed and floating-point types. Each is named by its comparison (and
// .ftz). Operands: a and b. op->d is p and op->target is q; each may be absent. op->kind says how the result
// is combined with the predicate op->c. Bit 0 of op->flags negates that predicate.
extern const struct arithmetic_handler warp_compare_handlers[], warp_compare_half_handlers[];
enum compare_combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

// Writes p and q of a comparison from `mask`. The packed comparisons have a second mask, for q.
void compare_result(struct warp *w, const struct op *op, uint32_t mask);
void compare_results(struct warp *w, const struct op *op, uint32_t p_mask, uint32_t q_mask);

op_execute warp_select32, warp_select64; // d = c ? a : b; flags bit 0 negates c
op_execute warp_set, warp_set_pair;      // d = a ? immediate : 0; pair: a is for the low half, b for the high
op_execute warp_slct32_s32, warp_slct64_s32, warp_slct32_f32, warp_slct64_f32, warp_slct32_f32_ftz,
    warp_slct64_f32_ftz;

#endif
