// Decodes video instructions, PTX ISA 9.7.18: vadd, vsub, vavrg, vabsdiff, vmin, vmax, vset on words, pairs
// (2) and quads (4), with .sat and the second operations. The selection of parts of an operand is not
// supported, because compilers don't emit it.
#include "virtual-hopper/execute/video.h"

#include <string.h>

#include "virtual-hopper/decode/arithmetic.h"
#include "virtual-hopper/decode/video.h"

static const struct {
  const char *name;
  enum video_operation operation;
} operations[] = {
    {"vadd", VIDEO_ADD}, {"vsub", VIDEO_SUB}, {"vavrg", VIDEO_AVERAGE}, {"vabsdiff", VIDEO_DISTANCE},
    {"vmin", VIDEO_MIN}, {"vmax", VIDEO_MAX}, {"vset", VIDEO_EQ}};

// The name of the opcode, without the number at its end, is the operation. The number is the number of
// elements.
static bool find_operation(const char *opcode, struct video *v) {
  size_t length = strlen(opcode);
  char last = length ? opcode[length - 1] : 0;
  v->bits = last == '2' ? 16 : last == '4' ? 8 : 32;
  if (v->bits != 32) length--;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    if (strlen(operations[i].name) != length || strncmp(operations[i].name, opcode, length) != 0) continue;
    v->operation = operations[i].operation;
    return v->bits != 32 || v->operation != VIDEO_AVERAGE;
  }
  return false;
}

static bool take_signedness(struct modifiers *modifiers, bool *is_signed) {
  enum ptx_type type = modifiers_take_type(modifiers);
  *is_signed = type == PTX_S32;
  return type == PTX_S32 || type == PTX_U32;
}

bool decode_video(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge", NULL};
  static const char *const seconds[] = {"add", "min", "max", NULL};
  struct modifiers modifiers = modifiers_of(in);
  struct video *v = decode_allocate(d, sizeof *v);
  if (!find_operation(in->opcode, v)) return decode_error(d, in, "this device doesn't know the instruction");
  bool compares = v->operation == VIDEO_EQ;
  bool typed = (compares || take_signedness(&modifiers, &v->d_signed)) &&
               take_signedness(&modifiers, &v->a_signed) && take_signedness(&modifiers, &v->b_signed);
  if (!typed) return decode_error(d, in, "its types must be .u32 or .s32, one per operand");
  int comparison = compares ? modifiers_take_one_of(&modifiers, comparisons) : 0;
  if (comparison < 0) return decode_error(d, in, "it names no comparison");
  if (compares) v->operation = (enum video_operation)(VIDEO_EQ + comparison);
  v->saturate = !compares && modifiers_take(&modifiers, "sat");
  int second = modifiers_take_one_of(&modifiers, seconds);
  if (!modifiers_all_taken(d, &modifiers)) return false;
  if (second > 0 && v->bits != 32) return decode_error(d, in, ".%s needs whole words", seconds[second]);
  v->second = second + 1;
  op->extra = v;
  op->execute = warp_video;
  if (v->bits == 32 && second < 0) {
    op->c = decode_constant(d, 0, 4);
    return arithmetic_decode_operands(d, in, op, "uuu", PTX_U32);
  }
  return arithmetic_decode_operands(d, in, op, "uuuu", PTX_U32);
}
