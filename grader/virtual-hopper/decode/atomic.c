// Decodes atom and red: PTX ISA 9.7.13.5, 9.7.13.6.
#include "virtual-hopper/execute/atomic.h"

#include <string.h>

#include "virtual-hopper/async/reduce.h"
#include "virtual-hopper/decode/access.h"
#include "virtual-hopper/execute/fence.h"

static int operation_named(const char *name) {
  static const struct {
    const char *name;
    int operation;
  } table[] = {{"add", ASYNC_ADD},        {"min", ASYNC_MIN},
               {"max", ASYNC_MAX},        {"inc", ASYNC_INC},
               {"dec", ASYNC_DEC},        {"and", ASYNC_AND},
               {"or", ASYNC_OR},          {"xor", ASYNC_XOR},
               {"exch", ATOMIC_EXCHANGE}, {"cas", ATOMIC_COMPARE_AND_SWAP}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(name, table[i].name) == 0) return table[i].operation;
  return -1;
}

static bool read_modifiers(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                           struct atomic_plan *plan) {
  int operation = -1;
  op->count = 1;
  plan->access.strength = ORDER_RELAXED;
  for (uint32_t i = 0; i < in->modifier_count; i++) {
    const char *m = in->modifiers[i];
    if (ptx_type_from_name(m) != PTX_TYPE_NONE || access_is_hint(m) || strcmp(m, "noftz") == 0) continue;
    if (strcmp(m, "global") == 0 || strncmp(m, "shared", 6) == 0) continue;
    if (access_ordering(m, &plan->access.strength)) continue;
    if (strcmp(m, "v2") == 0 || strcmp(m, "v4") == 0 || strcmp(m, "v8") == 0) {
      op->count = (uint8_t)(m[1] - '0');
      continue;
    }
    int named = operation_named(m);
    if (named < 0 || operation >= 0) return decode_error(d, in, "the modifier .%s isn't supported here", m);
    operation = named;
  }
  plan->operation = (uint8_t)operation;
  return operation >= 0 || decode_error(d, in, "the operation is missing");
}

// A packed type is reduced one half at a time. Bit types are reduced as unsigned numbers.
static enum ptx_type element_type(enum ptx_type type) {
  switch (type) {
  case PTX_F16X2: return PTX_F16;
  case PTX_BF16X2: return PTX_BF16;
  case PTX_B32: return PTX_U32;
  case PTX_B64: return PTX_U64;
  default: return type;
  }
}

static bool check_type(struct decoder *d, const struct ptx_instruction *in, const struct atomic_plan *plan,
                       enum ptx_type type) {
  size_t bytes = ptx_type_size(type);
  bool known;
  if (plan->operation == ATOMIC_COMPARE_AND_SWAP)
    known = bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  else if (plan->operation == ATOMIC_EXCHANGE)
    known = bytes == 4 || bytes == 8 || bytes == 16;
  else
    known = async_reduce_known((enum async_operation)plan->operation, plan->type);
  return known || decode_error(d, in, "there is no such operation on .%s", ptx_type_name(type));
}

// True when some instruction reads the old value. nvcc emits atom even when no instruction reads it.
static bool tells(const struct decoder *d, const struct ptx_operand *result) {
  if (result->kind == PTX_OPERAND_REGISTER) return d->register_uses[result->register_index].reads > 0;
  bool read = false;
  for (uint32_t n = 0; n < result->count; n++)
    read = read || tells(d, &result->elements[n]);
  return read;
}

static bool read_elements(struct decoder *d, const struct ptx_instruction *in,
                          const struct ptx_operand *operand, enum ptx_type type, uint32_t count,
                          uint32_t registers[], bool destination) {
  bool vector = operand->kind == PTX_OPERAND_VECTOR;
  if (vector ? operand->count != count : count != 1 && operand->kind != PTX_OPERAND_SINK)
    return decode_error(d, in, "the number of registers isn't that of the vector");
  for (uint32_t n = 0; n < count; n++) {
    const struct ptx_operand *element = vector ? &operand->elements[n] : operand;
    registers[n] = destination ? decode_destination(d, element, type) : decode_source(d, element, type);
  }
  return !decode_failed(d);
}

// A fence for other clusters stands in the text right before.
static bool follows_fence(const struct decoder *d) {
  enum { MOST_BETWEEN = 6 };
  for (uint32_t i = 0; i < MOST_BETWEEN && i < d->op_count; i++) {
    const struct op *before = &d->ops[d->op_count - 1 - i];
    if (before->execute == fence_run && before->kind == FENCE_MEMORY && !(before->flags & FENCE_NARROW))
      return true;
  }
  return false;
}

bool decode_atomic(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  bool atom = strcmp(in->opcode, "atom") == 0, hinted = ptx_has_modifier(in, "L2::cache_hint");
  struct atomic_plan *plan = decode_allocate(d, sizeof *plan);
  enum ptx_type type = decode_type(in, 0);
  if (type == PTX_TYPE_NONE || type == PTX_PRED) return decode_error(d, in, "a type is missing");
  if (!read_modifiers(d, in, op, plan)) return false;
  bool cas = plan->operation == ATOMIC_COMPARE_AND_SWAP;
  if (in->operand_count != 2u + atom + cas + hinted) return decode_error(d, in, "wrong number of operands");
  plan->type = element_type(type);
  if (!check_type(d, in, plan, type)) return false;
  // operands: address, b, c
  const struct ptx_operand *operands = in->operands + atom;
  op->space = (uint8_t)access_space(in);
  op->width = (uint8_t)ptx_type_size(type);
  plan->access.bytes = (uint32_t)op->width * op->count;
  plan->access.storage = (uint8_t)decode_storage(type);
  if (plan->access.bytes > 16) return decode_error(d, in, "a vector of more than 16 bytes");
  if (atom && !read_elements(d, in, &in->operands[0], type, op->count, plan->destinations, true))
    return false;
  if (!read_elements(d, in, &operands[1], type, op->count, plan->access.registers, false)) return false;
  if (cas) plan->swap = decode_source(d, &operands[2], type);
  plan->has_result = atom && in->operands[0].kind != PTX_OPERAND_SINK;
  plan->tells = plan->has_result && tells(d, &in->operands[0]);
  // An exchange that nobody reads may be a lock whose answer is ignored: the others must get a chance, too.
  plan->signals = !plan->tells &&
                  (cas || plan->operation == ATOMIC_EXCHANGE || ptx_has_modifier(in, "release") ||
                   ptx_has_modifier(in, "acquire") || ptx_has_modifier(in, "acq_rel") || follows_fence(d));
  if (cas || plan->operation == ATOMIC_EXCHANGE || plan->signals) plan->ordered = true;
  if (!plan->ordered)
    plan->ordered =
        plan->has_result || async_reduce_ordered((enum async_operation)plan->operation, plan->type);
  op->extra = plan;
  op->execute = atomic_run;
  return access_address(d, &operands[0], op, &plan->access);
}
