// Textures and surfaces. In: tex, tld4, suld.b, sust.b, with objects as 64-bit registers. Out: ops of
// execute/texture.h. PTX ISA 9.1, 9.7.10.3, 9.7.10.4, 9.7.11.1, 9.7.11.2. Layers of cube maps, and textures
// and samplers of the older modes, are not decoded. Arrays here have one level, so a level of detail changes
// nothing.
#include "virtual-hopper/execute/texture.h"

#include <string.h>

#include "virtual-hopper/decode/async-operand.h"

static const char *const shapes[] = {"1d", "2d", "3d", "a1d", "a2d", NULL};

static const struct async_refusal refusals[] = {
    {"acube", "maps aren't modelled by this device"},
    {"2dms", "isn't modelled by this device"},
    {"a2dms", "isn't modelled by this device"},
    {"p", "formatted surfaces aren't modelled here"},
    {NULL, NULL},
};

// [object, {coordinates}]: a layer first where there are layers; what fills up to four counts for nothing.
static bool take_place(struct decoder *d, const struct ptx_instruction *in, const struct ptx_operand *operand,
                       struct async_address *object, uint32_t axes, bool layered, enum ptx_type type,
                       uint32_t *layer, uint32_t coordinates[TEXTURE_MOST_AXES]) {
  if (operand->kind != PTX_OPERAND_TENSOR || operand->count != 2)
    return decode_error(d, in, "[object, {coordinates}] is wanted");
  if (!async_address_decode(d, in, operand, PTX_SPACE_NONE, object)) return false;
  const struct ptx_operand *all = &operand->elements[1];
  const bool vector = all->kind == PTX_OPERAND_VECTOR;
  const uint32_t given = vector ? all->count : 1, wanted = axes + layered;
  if (given != wanted && !(wanted >= 3 && given == 4))
    return decode_error(d, in, "%u coordinates are wanted", wanted);
  const struct ptx_operand *elements = vector ? all->elements : all;
  *layer = layered ? decode_source(d, &elements[0], PTX_U32) : OP_NO_REGISTER;
  for (uint32_t i = 0; i < axes; i++)
    coordinates[i] = decode_source(d, &elements[i + layered], type);
  return !decode_failed(d);
}

static bool take_shape(struct decoder *d, struct modifiers *m, uint32_t *axes, bool *layered) {
  const int shape = modifiers_take_one_of(m, shapes);
  if (shape < 0) return decode_error(d, m->in, "one of .1d, .2d, .3d, .a1d and .a2d is wanted");
  *layered = shape > 2;
  *axes = (uint32_t)(shape > 2 ? shape - 2 : shape + 1);
  return true;
}

static bool take_results(struct decoder *d, const struct ptx_instruction *in, bool is_float,
                         uint32_t results[TEXTURE_ELEMENTS]) {
  const struct ptx_operand *vector = &in->operands[0];
  if (vector->kind != PTX_OPERAND_VECTOR || vector->count != TEXTURE_ELEMENTS)
    return decode_error(d, in, "it takes 4 destinations");
  for (uint32_t i = 0; i < TEXTURE_ELEMENTS; i++)
    results[i] = decode_destination(d, &vector->elements[i], is_float ? PTX_F32 : PTX_B32);
  return !decode_failed(d);
}

// tex{.level,.grad}.geom.v4.dtype.ctype {d..}, [object, {c..}]{, lod}{, dPdx, dPdy};
// tld4.comp.2d.v4.dtype.f32 {d..}, [object, {c..}];
static bool decode_fetch(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                         struct op *op) {
  static const char *const types[] = {"f32", "s32", "u32", NULL}, *const channels[] = {"r", "g", "b", "a",
                                                                                       NULL};
  struct texture_plan *plan = decode_allocate(d, sizeof *plan);
  op->extra = plan;
  const bool gather = strcmp(in->opcode, "tld4") == 0;
  op->execute = gather ? texture_gather : texture_fetch;
  if (!gather) modifiers_take(m, "base"); // level 0
  const uint32_t more = modifiers_take(m, "level") ? 1 : modifiers_take(m, "grad") ? 2 : 0;
  if (gather) {
    const int channel = modifiers_take_one_of(m, channels);
    if (channel < 0) return decode_error(d, in, "one of .r, .g, .b and .a is wanted");
    plan->channel = (uint32_t)channel;
  }
  plan->cube = !gather && modifiers_take(m, "cube");
  plan->axes = 2;
  if (!plan->cube && !take_shape(d, m, &plan->axes, &plan->layered)) return false;
  if (gather && plan->axes != 2) return decode_error(d, in, "tld4 is for two dimensions");
  if (!modifiers_take(m, "v4")) return decode_error(d, in, "the form .v4 alone is decoded");
  const int type = modifiers_take_one_of(m, types), by = modifiers_take_one_of(m, types);
  if (type < 0 || by < 0 || by > 1) return decode_error(d, in, "these types aren't decoded");
  plan->is_float = type == 0;
  plan->whole = by == 1;
  if (plan->cube && plan->whole) return decode_error(d, in, "a cube map wants floats");
  if (!modifiers_all_taken(d, m)) return false;
  if (in->operand_count != 2 + more) return decode_error(d, in, "it takes %u operands", 2 + more);
  return take_results(d, in, plan->is_float, plan->d) &&
         take_place(d, in, &in->operands[1], &plan->object, texture_coordinates(plan), plan->layered,
                    plan->whole ? PTX_S32 : PTX_F32, &plan->layer, plan->coordinates);
}

// suld.b.geom{.vec}.type.clamp {d..}, [object, {c..}];
// sust.b.geom{.vec}.type.clamp [object, {c..}], {a..};
static bool decode_surface(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                           struct op *op) {
  static const char *const types[] = {"b8", "b16", "b32", "b64", NULL}, *const counts[] = {"v2", "v4", NULL},
                           *const bounds[] = {"trap", "clamp", "zero", NULL};
  static const enum ptx_type stored[] = {PTX_B16, PTX_B16, PTX_B32, PTX_B64};
  struct surface_plan *plan = decode_allocate(d, sizeof *plan);
  op->extra = plan;
  const bool load = strcmp(in->opcode, "suld") == 0;
  op->execute = load ? surface_load : surface_store;
  if (!modifiers_take(m, "b")) return decode_error(d, in, "the form .b alone is decoded");
  if (!take_shape(d, m, &plan->axes, &plan->layered)) return false;
  plan->count = (uint32_t[]){1, 2, 4}[modifiers_take_one_of(m, counts) + 1];
  const int type = modifiers_take_one_of(m, types), bound = modifiers_take_one_of(m, bounds);
  if (type < 0) return decode_error(d, in, "one of .b8, .b16, .b32 and .b64 is wanted");
  plan->element_bytes = 1u << type;
  plan->bounds = bound < 0 ? SURFACE_TRAP : (enum surface_bounds)bound;
  if (!modifiers_all_taken(d, m)) return false;
  if (in->operand_count != 2 || plan->count * plan->element_bytes > 16)
    return decode_error(d, in, "it takes 2 operands, and 16 bytes at most");
  const struct ptx_operand *values = &in->operands[load ? 0 : 1];
  const bool vector = values->kind == PTX_OPERAND_VECTOR;
  if ((vector ? values->count : 1) != plan->count)
    return decode_error(d, in, "it takes %u elements", plan->count);
  for (uint32_t i = 0; i < plan->count; i++) {
    const struct ptx_operand *element = vector ? &values->elements[i] : values;
    plan->elements[i] =
        load ? decode_destination(d, element, stored[type]) : decode_source(d, element, stored[type]);
  }
  return !decode_failed(d) && take_place(d, in, &in->operands[load ? 1 : 0], &plan->object, plan->axes,
                                         plan->layered, PTX_S32, &plan->layer, plan->coordinates);
}

bool decode_texture(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  if (async_refuse(d, in, refusals)) return false;
  return in->opcode[0] == 't' ? decode_fetch(d, in, &m, op) : decode_surface(d, in, &m, op);
}
