// Reading an instruction's modifiers so that none is ever overlooked: what a family understands it takes; what is left
// over at the end is an error that names it.
#ifndef VIRTUAL_HOPPER_DECODE_MODIFIERS_H
#define VIRTUAL_HOPPER_DECODE_MODIFIERS_H

#include "virtual-hopper/decode/op.h"

struct modifiers {
  const struct ptx_instruction *in;
  uint32_t taken; // one bit per modifier
};

static inline struct modifiers modifiers_of(const struct ptx_instruction *in) {
  return (struct modifiers){.in = in};
}
// Takes the modifier when it is there and not yet taken.
bool modifiers_take(struct modifiers *m, const char *name);
// Takes the first modifier, in the order written, that is one of `names` (ended by NULL); its index there, or -1 when none is.
int modifiers_take_one_of(struct modifiers *m, const char *const names[]);
// Takes the next type in the order written; PTX_TYPE_NONE when there is no more.
enum ptx_type modifiers_take_type(struct modifiers *m);
// Takes everything left except types and writes "opcode.modifier.modifier" to `text`; false when it doesn't fit.
bool modifiers_take_name(struct modifiers *m, char *text, size_t size);
// True when nothing is left; else decode_error naming the first that is.
bool modifiers_all_taken(struct decoder *d, const struct modifiers *m);

#endif
