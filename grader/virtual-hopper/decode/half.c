// Decodes f16, f16x2, bf16 and bf16x2 arithmetic, PTX ISA 9.7.4. The only rounding mode is .rn. It is the
// default of every instruction except fma.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/arithmetic.h"

static const struct arithmetic_handler *const tables[] = {warp_half_handlers, warp_half_other_handlers, NULL};
static const char *const ordered[] = {"approx", "NaN", "xorsign", "abs", "ftz", "sat", "oob", "relu", NULL};

bool decode_half(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  char name[ARITHMETIC_NAME_BYTES];
  enum ptx_type type = modifiers_take_type(&modifiers);
  size_t length = (size_t)snprintf(name, sizeof name, "%s", in->opcode);
  bool rounds = strcmp(in->opcode, "add") == 0 || strcmp(in->opcode, "sub") == 0 ||
                strcmp(in->opcode, "mul") == 0 || strcmp(in->opcode, "fma") == 0;
  if (rounds) modifiers_take(&modifiers, "rn");
  for (int i = 0; ordered[i] && length < sizeof name; i++) {
    if (modifiers_take(&modifiers, ordered[i]))
      length += (size_t)snprintf(name + length, sizeof name - length, ".%s", ordered[i]);
  }
  if (!modifiers_all_taken(d, &modifiers)) return false;
  if (length >= sizeof name) return decode_error(d, in, "it has too many modifiers");
  return arithmetic_decode(d, in, op, tables, name, type);
}
