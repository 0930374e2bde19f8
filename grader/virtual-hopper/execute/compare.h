// The handlers of comparison and selection that decode finds by other means than the tables of lanes.h.
#ifndef VIRTUAL_HOPPER_WARP_COMPARE_H
#define VIRTUAL_HOPPER_WARP_COMPARE_H

#include "virtual-hopper/warp/lanes.h"

// setp's handlers, named by the comparison (and .ftz), for unsigned, signed and floating-point types. Operands: a, b; op->d is p,
// op->target q (either may be absent); op->kind combines with the predicate op->c, which op->flags bit 0 negates.
extern const struct arithmetic_handler warp_compare_handlers[], warp_compare_half_handlers[];
enum compare_combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

// p and q of a comparison, from `mask`; the packed comparisons give q a mask of its own.
void compare_result(struct warp *w, const struct op *op, uint32_t mask);
void compare_results(struct warp *w, const struct op *op, uint32_t p_mask, uint32_t q_mask);

op_execute warp_select32, warp_select64; // d = c ? a : b; flags bit 0 negates c
op_execute warp_set, warp_set_pair;      // d = a ? immediate : 0; of a pair: low half by a, high half by b
op_execute warp_slct32_s32, warp_slct64_s32, warp_slct32_f32, warp_slct64_f32, warp_slct32_f32_ftz,
    warp_slct64_f32_ftz;

#endif
