// In: a PTX instruction. Out: the family that decodes it. One idea: one table, searched by opcode. A few
// opcodes belong to several families: a modifier decides, and for arithmetic the type decides.
#include "virtual-hopper/decode/families.h"

#include <string.h>

struct family_entry {
  const char *opcode;
  const char *modifier;  // the instruction must have this modifier; NULL: no condition
  decode_family *family; // NULL: integer, float or half; the instruction's type decides
};

// The first match counts, so entries with a modifier stand before those without.
static const struct family_entry families[] = {
    // PTX ISA 9.7.1 to 9.7.5: arithmetic
    {"add", NULL, NULL},
    {"sub", NULL, NULL},
    {"mul", NULL, NULL},
    {"mad", NULL, NULL},
    {"div", NULL, NULL},
    {"abs", NULL, NULL},
    {"neg", NULL, NULL},
    {"min", NULL, NULL},
    {"max", NULL, NULL},
    {"fma", NULL, NULL},
    {"rem", NULL, decode_integer},
    {"sad", NULL, decode_integer},
    {"mul24", NULL, decode_integer},
    {"mad24", NULL, decode_integer},
    {"addc", NULL, decode_integer},
    {"subc", NULL, decode_integer},
    {"madc", NULL, decode_integer},
    {"popc", NULL, decode_integer},
    {"clz", NULL, decode_integer},
    {"bfind", NULL, decode_integer},
    {"fns", NULL, decode_integer},
    {"brev", NULL, decode_integer},
    {"bfe", NULL, decode_integer},
    {"bfi", NULL, decode_integer},
    {"szext", NULL, decode_integer},
    {"bmsk", NULL, decode_integer},
    {"dp4a", NULL, decode_integer},
    {"dp2a", NULL, decode_integer},
    // 9.7.18: video
    {"vadd", NULL, decode_integer},
    {"vadd2", NULL, decode_integer},
    {"vadd4", NULL, decode_integer},
    {"vsub", NULL, decode_integer},
    {"vsub2", NULL, decode_integer},
    {"vsub4", NULL, decode_integer},
    {"vabsdiff", NULL, decode_integer},
    {"vabsdiff2", NULL, decode_integer},
    {"vabsdiff4", NULL, decode_integer},
    {"vmin", NULL, decode_integer},
    {"vmin2", NULL, decode_integer},
    {"vmin4", NULL, decode_integer},
    {"vmax", NULL, decode_integer},
    {"vmax2", NULL, decode_integer},
    {"vmax4", NULL, decode_integer},
    {"vset", NULL, decode_integer},
    {"vset2", NULL, decode_integer},
    {"vset4", NULL, decode_integer},
    {"vavrg2", NULL, decode_integer},
    {"vavrg4", NULL, decode_integer},
    {"rcp", NULL, decode_float},
    {"sqrt", NULL, decode_float},
    {"rsqrt", NULL, decode_float},
    {"sin", NULL, decode_float},
    {"cos", NULL, decode_float},
    {"lg2", NULL, decode_float},
    {"copysign", NULL, decode_float},
    {"testp", NULL, decode_float},
    {"ex2", NULL, NULL},
    {"tanh", NULL, NULL},
    // 9.7.6 to 9.7.8: comparison, logic, shifts
    {"set", NULL, decode_compare},
    {"setp", NULL, decode_compare},
    {"selp", NULL, decode_compare},
    {"slct", NULL, decode_compare},
    {"and", NULL, decode_logic},
    {"or", NULL, decode_logic},
    {"xor", NULL, decode_logic},
    {"not", NULL, decode_logic},
    {"cnot", NULL, decode_logic},
    {"lop3", NULL, decode_logic},
    {"shl", NULL, decode_logic},
    {"shr", NULL, decode_logic},
    {"shf", NULL, decode_logic},
    // 9.7.9: data movement and conversion
    {"mov", NULL, decode_move},
    {"prmt", NULL, decode_move},
    {"cvt", NULL, decode_convert},
    {"cvta", NULL, decode_convert},
    {"mapa", NULL, decode_convert},
    {"isspacep", NULL, decode_convert},
    {"getctarank", NULL, decode_convert},
    {"createpolicy", NULL, decode_convert},
    {"st", "async", decode_bulk},
    {"st", "bulk", decode_bulk},
    {"red", "async", decode_bulk},
    {"ld", NULL, decode_memory},
    {"ldu", NULL, decode_memory},
    {"st", NULL, decode_memory},
    {"prefetch", "tensormap", decode_tensormap},
    {"prefetch", NULL, decode_memory},
    {"prefetchu", NULL, decode_memory},
    {"applypriority", NULL, decode_memory},
    {"discard", NULL, decode_memory},
    {"cp", "tensor", decode_tensor},
    {"cp", "bulk", decode_bulk},
    {"cp", "async", decode_cp_async},
    {"tensormap", NULL, decode_tensormap},
    // 9.7.10, 9.7.11: textures and surfaces
    {"tex", NULL, decode_texture},
    {"tld4", NULL, decode_texture},
    {"suld", NULL, decode_texture},
    {"sust", NULL, decode_texture},
    // 9.7.12: control flow
    {"bra", NULL, decode_branch},
    {"brx", NULL, decode_branch},
    {"ret", NULL, decode_branch},
    {"exit", NULL, decode_branch},
    {"trap", NULL, decode_branch},
    {"brkpt", NULL, decode_branch},
    {"call", NULL, decode_call},
    // 9.7.13: synchronisation
    {"bar", "warp", decode_warp},
    {"bar", NULL, decode_barrier},
    {"barrier", NULL, decode_barrier},
    {"fence", NULL, decode_fence},
    {"membar", NULL, decode_fence},
    {"atom", NULL, decode_atomic},
    {"red", NULL, decode_atomic},
    {"vote", NULL, decode_warp},
    {"match", NULL, decode_warp},
    {"activemask", NULL, decode_warp},
    {"redux", NULL, decode_warp},
    {"shfl", NULL, decode_warp},
    {"elect", NULL, decode_warp},
    {"griddepcontrol", NULL, decode_special},
    {"mbarrier", NULL, decode_mbarrier},
    // 9.7.14: matrices of a warp
    {"ldmatrix", NULL, decode_matrix},
    {"stmatrix", NULL, decode_matrix},
    {"movmatrix", NULL, decode_matrix},
    {"mma", NULL, decode_mma},
    {"wgmma", NULL, decode_wgmma},
    {"wmma", NULL, decode_wmma},
    // 9.7.19: miscellaneous
    {"nanosleep", NULL, decode_special},
    {"pmevent", NULL, decode_special},
    {"multimem", NULL, decode_special},
    {"setmaxnreg", NULL, decode_special},
    {NULL, NULL, NULL},
};

static decode_family *by_type(const struct ptx_instruction *in) {
  enum ptx_type type = decode_type(in, 0);
  switch (type) {
  case PTX_F16:
  case PTX_F16X2:
  case PTX_BF16:
  case PTX_BF16X2: return decode_half;
  case PTX_F32:
  case PTX_F32X2:
  case PTX_F64: return decode_float;
  default: return decode_integer;
  }
}

decode_family *decode_family_find(const struct ptx_instruction *in) {
  if (strcmp(in->opcode, PTX_MARK) == 0) return decode_special;
  for (const struct family_entry *entry = families; entry->opcode; entry++) {
    // The first letter saves most calls.
    if (entry->opcode[0] != in->opcode[0] || strcmp(entry->opcode, in->opcode) != 0) continue;
    if (!entry->modifier || ptx_has_modifier(in, entry->modifier))
      return entry->family ? entry->family : by_type(in);
  }
  return NULL;
}

const char *decode_family_entry(uint32_t n, const char **modifier) {
  if (n >= sizeof families / sizeof *families) return NULL;
  *modifier = families[n].modifier;
  return families[n].opcode;
}
