// What loads, stores and atomics have in common when they are decoded.
#ifndef VIRTUAL_HOPPER_DECODE_ACCESS_H
#define VIRTUAL_HOPPER_DECODE_ACCESS_H

#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/warp/access.h"

bool access_is_hint(const char *modifier); // of caches
enum ptx_space access_space(
    const struct ptx_instruction *in); // the first space named; PTX_SPACE_NONE: generic
// Reads .relaxed, .acquire, .gpu, ... into one of the two; false: it is none of these.
bool access_ordering(const char *modifier, enum order_strength *strength);
bool access_address(struct decoder *d, const struct ptx_operand *operand, struct op *op,
                    struct access_plan *plan); // op->a, op->immediate

#endif
