// What loads, stores and atomics have in common when they are decoded.
#ifndef VIRTUAL_HOPPER_DECODE_ACCESS_H
#define VIRTUAL_HOPPER_DECODE_ACCESS_H

#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/execute/access.h"

// True when the modifier is only a hint for the caches.
bool access_is_hint(const char *modifier);
// Returns the first space that the instruction names; PTX_SPACE_NONE: the address is generic.
enum ptx_space access_space(const struct ptx_instruction *in);
// Accepts an ordering modifier: .relaxed, .acquire, .gpu and so on. Writes `strength` when the modifier names
// a strength. Returns false for any other modifier.
bool access_ordering(const char *modifier, enum order_strength *strength);
// Decodes the address operand into op->a and op->immediate.
bool access_address(struct decoder *d, const struct ptx_operand *operand, struct op *op,
                    struct access_plan *plan);
// early-load.c: finds out for which lanes the value of an ordinary load matters.
void decode_early_load(struct decoder *d, const struct ptx_instruction *in, struct access_plan *plan);

#endif
