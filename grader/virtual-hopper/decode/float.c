// Decodes f32 and f64 arithmetic, PTX ISA 9.7.3. Modifiers may stand in any order. The decoder sorts them
// into the order that the names of the handlers use.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/arithmetic.h"

static const struct arithmetic_handler *const tables[] = {warp_float_handlers, warp_float_other_handlers,
                                                          NULL};
static const char *const rounding_names[] = {"rn", "rz", "rm", "rp", NULL}; // as in enum rounding
static const char *const roundable[] = {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt", NULL};
static const char *const no_default[] = {"fma", "mad", "div", "rcp", "sqrt", NULL};
// The modifiers that may follow an opcode, in the order that the names of the handlers use. An instruction
// may have only one of the properties of testp.
static const char *const ordered[] = {"approx",     "full",   "NaN",       "xorsign",  "abs",
                                      "ftz",        "sat",    "finite",    "infinite", "number",
                                      "notanumber", "normal", "subnormal", NULL};

static bool is_one_of(const char *opcode, const char *const names[]) {
  for (; *names; names++) {
    if (strcmp(opcode, *names) == 0) return true;
  }
  return false;
}

// rsqrt.approx.ftz.f64, rcp.approx.ftz.f64 and similar instructions have handlers of their own. For all other
// instructions .ftz is allowed only with .f32.
bool decode_float(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  char name[ARITHMETIC_NAME_BYTES];
  enum ptx_type type = modifiers_take_type(&modifiers);
  int mode = modifiers_take_one_of(&modifiers, rounding_names);
  size_t length = (size_t)snprintf(name, sizeof name, "%s", in->opcode);
  bool approximate = false;
  for (int i = 0; ordered[i] && length < sizeof name; i++) {
    if (!modifiers_take(&modifiers, ordered[i])) continue;
    if (i < 2) approximate = true;
    length += (size_t)snprintf(name + length, sizeof name - length, ".%s", ordered[i]);
  }
  if (!modifiers_all_taken(d, &modifiers)) return false;
  if (length >= sizeof name) return decode_error(d, in, "it has too many modifiers");
  if (mode >= 0 && (approximate || !is_one_of(in->opcode, roundable)))
    return decode_error(d, in, "the modifier .%s has no meaning here", rounding_names[mode]);
  if (mode < 0 && !approximate && is_one_of(in->opcode, no_default))
    return decode_error(d, in, "it needs a rounding mode (.rn, .rz, .rm or .rp)");
  if (!arithmetic_decode(d, in, op, tables, name, type)) return false;
  arithmetic_round(d, op, mode < 0 ? ROUND_NEAREST : (enum rounding)mode);
  return true;
}
