// In: names of types, and syntax trees. Out: facts about them that depend on no instruction.
// The one idea: one table holds all facts about a type. PTX ISA 5.2.
#include "virtual-hopper/ptx/ptx.h"

#include <string.h>

static const struct {
  const char *name;
  size_t size; // bytes
} types[PTX_TYPE_COUNT] = {
    [PTX_TYPE_NONE] = {"", 0},  [PTX_U8] = {"u8", 1},       [PTX_U16] = {"u16", 2},
    [PTX_U32] = {"u32", 4},     [PTX_U64] = {"u64", 8},     [PTX_S8] = {"s8", 1},
    [PTX_S16] = {"s16", 2},     [PTX_S32] = {"s32", 4},     [PTX_S64] = {"s64", 8},
    [PTX_B8] = {"b8", 1},       [PTX_B16] = {"b16", 2},     [PTX_B32] = {"b32", 4},
    [PTX_B64] = {"b64", 8},     [PTX_B128] = {"b128", 16},  [PTX_F16] = {"f16", 2},
    [PTX_F16X2] = {"f16x2", 4}, [PTX_BF16] = {"bf16", 2},   [PTX_BF16X2] = {"bf16x2", 4},
    [PTX_F32] = {"f32", 4},     [PTX_F32X2] = {"f32x2", 8}, [PTX_F64] = {"f64", 8},
    [PTX_TF32] = {"tf32", 4},   [PTX_U16X2] = {"u16x2", 4}, [PTX_S16X2] = {"s16x2", 4},
    [PTX_PRED] = {"pred", 0},
};

size_t ptx_type_size(enum ptx_type type) {
  return (unsigned)type < PTX_TYPE_COUNT ? types[type].size : 0;
}

const char *ptx_type_name(enum ptx_type type) {
  return (unsigned)type < PTX_TYPE_COUNT ? types[type].name : "";
}

enum ptx_type ptx_type_from_name(const char *name) {
  for (enum ptx_type type = PTX_TYPE_NONE + 1; type < PTX_TYPE_COUNT; type++) {
    if (strcmp(types[type].name, name) == 0) return type;
  }
  return PTX_TYPE_NONE;
}

bool ptx_has_modifier(const struct ptx_instruction *instruction, const char *modifier) {
  for (uint32_t i = 0; i < instruction->modifier_count; i++) {
    const char *each = instruction->modifiers[i];
    if (*each == *modifier && strcmp(each, modifier) == 0) return true; // asked at each wait and arrival
  }
  return false;
}

void ptx_module_free(struct ptx_module *module) {
  if (module) arena_destroy(module->arena); // the arena also holds the module itself
}
