// In: the operands and modifiers that asynchronous instructions have in common. Out: registers and spaces, or
// an error that names what this device doesn't support.
#include "virtual-hopper/decode/async-operand.h"

bool async_address_decode(struct decoder *d, const struct ptx_instruction *in,
                          const struct ptx_operand *operand, enum ptx_space space, struct async_address *a) {
  if (operand->kind != PTX_OPERAND_ADDRESS && operand->kind != PTX_OPERAND_TENSOR)
    return decode_error(d, in, "an address in brackets is wanted here");
  a->shared = space == PTX_SHARED;
  return decode_address(d, operand, space, NULL, &a->base, &a->offset, &a->narrow);
}

enum ptx_space async_take_shared(struct modifiers *m) {
  static const char *const spellings[] = {"shared::cta", "shared::cluster", "shared", NULL};
  return modifiers_take_one_of(m, spellings) >= 0 ? PTX_SHARED : PTX_SPACE_NONE;
}

int async_take_operation(struct modifiers *m) {
  static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", NULL};
  // an enum async_operation; 0: no operation is named
  return modifiers_take_one_of(m, names) + 1;
}

bool async_refuse(struct decoder *d, const struct ptx_instruction *in, const struct async_refusal *refusals) {
  for (; refusals->modifier; refusals++)
    if (ptx_has_modifier(in, refusals->modifier))
      return !decode_error(d, in, ".%s %s", refusals->modifier, refusals->reason);
  return false;
}

bool async_operand_count(struct decoder *d, const struct ptx_instruction *in, uint32_t wanted) {
  if (in->operand_count == wanted) return true;
  return decode_error(d, in, "%u operands, where %u are wanted", in->operand_count, wanted);
}
