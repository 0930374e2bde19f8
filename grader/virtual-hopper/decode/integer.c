// Decodes integer arithmetic, PTX ISA 9.7.1 and 9.7.2. The name and the type determine the handler. Only dot
// products have two types.
#include "virtual-hopper/decode/arithmetic.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/video.h"

static const struct arithmetic_handler *const tables[] = {warp_integer_handlers, warp_integer_wide_handlers,
                                                          warp_integer_bits_handlers,
                                                          warp_integer_carry_handlers, NULL};

// dp4a.atype.btype, dp2a.mode.atype.btype: the second type is part of the handler's name.
static bool decode_dot_product(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  char name[ARITHMETIC_NAME_BYTES], with_type[ARITHMETIC_NAME_BYTES + 8];
  enum ptx_type first = modifiers_take_type(&modifiers), second = modifiers_take_type(&modifiers);
  if (second == PTX_TYPE_NONE) return decode_error(d, in, "it needs two types");
  if (!modifiers_take_name(&modifiers, name, sizeof name))
    return decode_error(d, in, "it has too many modifiers");
  snprintf(with_type, sizeof with_type, "%s.%s", name, ptx_type_name(second));
  return modifiers_all_taken(d, &modifiers) && arithmetic_decode(d, in, op, tables, with_type, first);
}

bool decode_integer(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (in->opcode[0] == 'v') return decode_video(d, in, op);
  if (strncmp(in->opcode, "dp", 2) == 0) return decode_dot_product(d, in, op);
  return arithmetic_decode_as_written(d, in, op, tables);
}
