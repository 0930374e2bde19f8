// Decodes ld, ldu, st and the instructions that are only hints for the caches: PTX ISA 9.7.9.8 to 9.7.9.18.
#include <string.h>

#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/decode/access.h"
#include "virtual-hopper/execute/discard.h"
#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/execute/special.h"

// Hints. They change only the speed.
static const char *const hints[] = {"ca",
                                    "cg",
                                    "cs",
                                    "lu",
                                    "cv",
                                    "wb",
                                    "wt",
                                    "nc",
                                    "unified",
                                    "L1::evict_normal",
                                    "L1::evict_unchanged",
                                    "L1::evict_first",
                                    "L1::evict_last",
                                    "L1::no_allocate",
                                    "L2::evict_normal",
                                    "L2::evict_first",
                                    "L2::evict_last",
                                    "L2::cache_hint",
                                    "L2::64B",
                                    "L2::128B",
                                    "L2::256B",
                                    NULL};

bool access_is_hint(const char *modifier) {
  for (const char *const *hint = hints; *hint; hint++)
    if (strcmp(modifier, *hint) == 0) return true;
  return false;
}

enum ptx_space access_space(const struct ptx_instruction *in) {
  for (uint32_t i = 0; i < in->modifier_count; i++) {
    const char *m = in->modifiers[i];
    if (strcmp(m, "global") == 0) return PTX_GLOBAL;
    if (strncmp(m, "shared", 6) == 0) return PTX_SHARED;
    if (strcmp(m, "local") == 0) return PTX_LOCAL;
    if (strncmp(m, "param", 5) == 0) return PTX_PARAM;
    if (strcmp(m, "const") == 0) return PTX_CONST;
  }
  return PTX_SPACE_NONE;
}

static bool is_space(const char *m) {
  static const char *const names[] = {"global", "shared",       "shared::cta", "shared::cluster", "local",
                                      "param",  "param::entry", "param::func", "const",           NULL};
  for (const char *const *name = names; *name; name++)
    if (strcmp(m, *name) == 0) return true;
  return false;
}

// Every scope counts as the widest scope. So the device may assume more order than the program has asked for.
bool access_ordering(const char *modifier, enum order_strength *strength) {
  static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
  static const struct {
    const char *name;
    enum order_strength strength;
  } table[] = {{"weak", ORDER_WEAK},       {"relaxed", ORDER_RELAXED}, {"acquire", ORDER_ACQUIRE},
               {"release", ORDER_RELEASE}, {"acq_rel", ORDER_ACQ_REL}, {"volatile", ORDER_RELAXED},
               {"mmio", ORDER_RELAXED}};
  for (const char *const *scope = scopes; *scope; scope++)
    if (strcmp(modifier, *scope) == 0) return true;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(modifier, table[i].name) != 0) continue;
    *strength = table[i].strength;
    return true;
  }
  return false;
}

static bool read_modifiers(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                           struct access_plan *plan) {
  op->count = 1;
  for (uint32_t i = 0; i < in->modifier_count; i++) {
    const char *m = in->modifiers[i];
    if (ptx_type_from_name(m) != PTX_TYPE_NONE || is_space(m) || access_is_hint(m)) continue;
    if (access_ordering(m, &plan->strength)) continue;
    if (strcmp(m, "v2") == 0 || strcmp(m, "v4") == 0 || strcmp(m, "v8") == 0) {
      op->count = (uint8_t)(m[1] - '0');
      continue;
    }
    return decode_error(d, in, "the modifier .%s isn't supported here", m);
  }
  return true;
}

bool access_address(struct decoder *d, const struct ptx_operand *operand, struct op *op,
                    struct access_plan *plan) {
  return decode_address(d, operand, (enum ptx_space)op->space, op, &op->a, &op->immediate, &plan->narrow);
}

// A .param variable of a call or of a device function is a slot of the frame, not memory with an address.
static bool try_call_slot(struct decoder *d, const struct ptx_instruction *in,
                          const struct ptx_operand *operand, struct op *op, struct access_plan *plan,
                          bool *done) {
  *done = false;
  if (op->space != PTX_PARAM || !operand->count || operand->elements[0].kind != PTX_OPERAND_SYMBOL)
    return true;
  uint32_t offset, bytes;
  if (!decode_call_slot(d, operand->elements[0].name, &offset, &bytes)) return true;
  int64_t inside = wrapping_add(operand->integer, operand->elements[0].integer);
  if (!checked_inside(inside, plan->bytes, bytes))
    return decode_error(d, in, "it reaches outside the parameter of %u bytes", bytes);
  op->immediate = offset + inside;
  plan->is_call_slot = *done = true;
  return true;
}

// A parameter of the kernel whose offset is known at decode time.
static bool try_kernel_parameter(struct decoder *d, const struct ptx_instruction *in,
                                 const struct ptx_operand *operand, struct op *op, struct access_plan *plan,
                                 bool *done) {
  *done = false;
  if (op->space != PTX_PARAM || !d->function->is_entry || !operand->count ||
      operand->elements[0].kind != PTX_OPERAND_SYMBOL)
    return true;
  const struct ptx_function *f = d->source;
  uint32_t i;
  if (!name_index_find(&d->parameter_names, operand->elements[0].name, &i)) return true;
  int64_t inside = wrapping_add(operand->integer, operand->elements[0].integer);
  if (!checked_inside(inside, plan->bytes, f->parameters[i].size))
    return decode_error(d, in, "it reaches outside the parameter of %zu bytes", f->parameters[i].size);
  op->immediate = d->function->parameter_offsets[i] + inside;
  op->execute = memory_load_parameter;
  *done = true;
  return true;
}

static bool element_registers(struct decoder *d, const struct ptx_instruction *in,
                              const struct ptx_operand *operand, enum ptx_type type, struct op *op,
                              struct access_plan *plan, bool load) {
  bool vector = operand->kind == PTX_OPERAND_VECTOR;
  if (vector ? operand->count != op->count : op->count != 1)
    return decode_error(d, in, "the number of registers isn't that of the vector");
  plan->storage = 0;
  for (uint32_t n = 0; n < op->count; n++) {
    const struct ptx_operand *element = vector ? &operand->elements[n] : operand;
    plan->registers[n] = OP_NO_REGISTER;
    if (load && element->kind == PTX_OPERAND_SINK) continue;
    enum ptx_type declared = load ? decode_register_type(d, element) : type;
    if (load && (declared == PTX_TYPE_NONE || declared == PTX_PRED))
      return decode_error(d, in, "the destination isn't a register");
    if (load && ptx_type_size(declared) < ptx_type_size(type))
      return decode_error(d, in, "register %s is narrower than .%s", element->name, ptx_type_name(type));
    plan->registers[n] =
        load ? d->register_offsets[element->register_index] : decode_source(d, element, type);
    size_t storage = decode_storage(declared);
    if ((storage == 16) != (op->width == 16))
      return decode_error(d, in, "register %s of 128 bits needs an access of 128 bits",
                          element->name ? element->name : "_");
    if (plan->storage && plan->storage != storage)
      return decode_error(d, in, "the registers of the vector differ in size");
    plan->storage = (uint8_t)storage;
    plan->register_bytes = (uint8_t)ptx_type_size(declared);
  }
  if (!plan->storage) plan->storage = (uint8_t)decode_storage(type);
  return !decode_failed(d);
}

static bool decode_access(struct decoder *d, const struct ptx_instruction *in, struct op *op, bool load) {
  struct access_plan *plan = decode_allocate(d, sizeof *plan);
  enum ptx_type type = decode_type(in, 0);
  if (type == PTX_TYPE_NONE || type == PTX_PRED) return decode_error(d, in, "a type is missing");
  if (!read_modifiers(d, in, op, plan)) return false;
  bool hinted = ptx_has_modifier(in, "L2::cache_hint");
  if (in->operand_count != 2u + hinted) return decode_error(d, in, "wrong number of operands");
  op->space = (uint8_t)access_space(in);
  op->width = (uint8_t)ptx_type_size(type);
  op->extra = plan;
  op->execute = load ? memory_load : memory_store;
  plan->bytes = (uint32_t)op->width * op->count;
  plan->is_signed = type == PTX_S8 || type == PTX_S16 || type == PTX_S32;
  if (plan->bytes > 16) return decode_error(d, in, "accesses of %u bytes need sm_100", plan->bytes);
  if (hinted) decode_source(d, &in->operands[2], PTX_B64);
  if (!element_registers(d, in, &in->operands[load ? 0 : 1], type, op, plan, load)) return false;
  const struct ptx_operand *address = &in->operands[load ? 1 : 0];
  bool done;
  if (!try_call_slot(d, in, address, op, plan, &done)) return false;
  if (!done && load && !try_kernel_parameter(d, in, address, op, plan, &done)) return false;
  if (!done && load && op->space != PTX_PARAM) decode_early_load(d, in, plan);
  if (!done && !access_address(d, address, op, plan)) return false;
  plan->is_words = !done && plan->narrow && op->space == PTX_SHARED && plan->strength == ORDER_WEAK &&
                   op->width == 4 && plan->storage == 4;
  return true;
}

// discard{.global}.L2 [a], 128
static bool decode_discard(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct access_plan *plan = decode_allocate(d, sizeof *plan);
  for (uint32_t i = 0; i < in->modifier_count; i++)
    if (strcmp(in->modifiers[i], "global") != 0 && strcmp(in->modifiers[i], "L2") != 0)
      return decode_error(d, in, "the modifier .%s isn't supported here", in->modifiers[i]);
  if (in->operand_count != 2) return decode_error(d, in, "wrong number of operands");
  const struct ptx_operand *size = &in->operands[1];
  if (size->kind != PTX_OPERAND_INTEGER || size->integer != DISCARD_BYTES)
    return decode_error(d, in, "its size is not %d", DISCARD_BYTES);
  op->space = (uint8_t)access_space(in);
  op->extra = plan;
  op->execute = memory_discard;
  plan->bytes = DISCARD_BYTES;
  return access_address(d, &in->operands[0], op, plan);
}

bool decode_memory(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (strcmp(in->opcode, "ld") == 0 || strcmp(in->opcode, "ldu") == 0) return decode_access(d, in, op, true);
  if (strcmp(in->opcode, "st") == 0) return decode_access(d, in, op, false);
  if (strcmp(in->opcode, "discard") == 0) return decode_discard(d, in, op);
  op->execute = special_nothing; // prefetch, prefetchu, applypriority
  return true;
}
