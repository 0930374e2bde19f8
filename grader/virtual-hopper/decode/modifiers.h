// Reads the modifiers of an instruction so that none is overlooked. A family takes each modifier that it
// supports. A modifier that is left at the end is an error, and the error names the modifier.
#ifndef VIRTUAL_HOPPER_DECODE_MODIFIERS_H
#define VIRTUAL_HOPPER_DECODE_MODIFIERS_H

#include "virtual-hopper/decode/decode.h"

struct modifiers {
  const struct ptx_instruction *in;
  uint32_t taken; // one bit per modifier: a family has taken it
};

static inline struct modifiers modifiers_of(const struct ptx_instruction *in) {
  return (struct modifiers){.in = in};
}
// Takes the modifier. Returns false when the instruction does not have it or it was taken before.
bool modifiers_take(struct modifiers *m, const char *name);
// Takes the first modifier, in the order written, that is one of `names` (a list that ends with NULL).
// Returns its index in `names`; -1 when there is no such modifier.
int modifiers_take_one_of(struct modifiers *m, const char *const names[]);
// Takes the next type in the order written. Returns PTX_TYPE_NONE when no type is left.
enum ptx_type modifiers_take_type(struct modifiers *m);
// Takes every modifier that is left, except types, and writes "opcode.modifier.modifier" to `text`. Returns
// false when the text doesn't fit.
bool modifiers_take_name(struct modifiers *m, char *text, size_t size);
// Returns true when no modifier is left. Otherwise returns false after a decode_error that names the first
// one.
bool modifiers_all_taken(struct decoder *d, const struct modifiers *m);

#endif
