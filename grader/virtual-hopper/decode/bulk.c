// Bulk copies without a tensor map. In: cp.async.bulk, cp.reduce.async.bulk, their groups and prefetch,
// st.async and red.async. Out: ops of execute/bulk.h. PTX ISA 9.7.9.25.4, 9.7.9.12, 9.7.13.7.
#include "virtual-hopper/execute/bulk.h"

#include <string.h>

#include "virtual-hopper/decode/async-operand.h"

static const struct async_refusal bulk_refusals[] = {
    {"cp_mask", "needs compute capability 10.0; this is 9.0"},
    {"ignore_oob", "came with PTX ISA 9.2, and this device doesn't know it"},
    {NULL, NULL},
};

static bool decode_group(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                         struct modifiers *m) {
  if (modifiers_take(m, "commit_group")) {
    op->execute = execute_bulk_commit;
    return modifiers_all_taken(d, m) && async_operand_count(d, in, 0);
  }
  modifiers_take(m, "wait_group");
  op->execute = execute_bulk_wait;
  op->kind = modifiers_take(m, "read");
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, 1)) return false;
  if (in->operands[0].kind != PTX_OPERAND_INTEGER)
    return decode_error(d, in, "the number of groups must be an integer constant");
  op->immediate = (int64_t)(uint32_t)in->operands[0].integer;
  return true;
}

static bool decode_prefetch(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                            struct modifiers *m, struct bulk_extra *x) {
  op->execute = execute_bulk_prefetch;
  bool hint = modifiers_take(m, "L2::cache_hint");
  if (!modifiers_take(m, "L2") || !modifiers_take(m, "global"))
    return decode_error(d, in, "a prefetch goes from .global to .L2");
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, hint ? 3 : 2)) return false;
  if (!async_address_decode(d, in, &in->operands[0], PTX_GLOBAL, &x->source)) return false;
  x->size = decode_source(d, &in->operands[1], PTX_U32);
  return !decode_failed(d);
}

// Takes the destination space and the source space, in the order written: ".shared::cluster.global" and so
// on.
static bool take_direction(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                           struct bulk_extra *x) {
  bool reduces = x->operation != ASYNC_STORE, to_group = modifiers_take(m, "bulk_group"),
       to_barrier = modifiers_take(m, "mbarrier::complete_tx::bytes");
  bool global = modifiers_take(m, "global"), cluster = modifiers_take(m, "shared::cluster"),
       cta = modifiers_take(m, "shared::cta");
  if (to_group && global && cta && !cluster)
    x->kind = reduces ? ASYNC_BULK_REDUCE : ASYNC_BULK_STORE;
  else if (to_barrier && global && cluster != cta && !reduces)
    x->kind = ASYNC_BULK_LOAD;
  else if (to_barrier && cluster && cta && !global)
    x->kind = reduces ? ASYNC_BULK_CLUSTER_REDUCE : ASYNC_BULK_CLUSTER;
  else
    return decode_error(d, in, "this direction with this way of completing is no bulk copy");
  return true;
}

static bool check_reduction(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                            struct bulk_extra *x) {
  bool noftz = modifiers_take(m, "noftz");
  x->element = (uint8_t)modifiers_take_type(m);
  bool half = x->element == PTX_F16 || x->element == PTX_BF16;
  if (!async_reduce_known((enum async_operation)x->operation, (enum ptx_type)x->element))
    return decode_error(d, in, "this operation doesn't exist for .%s",
                        ptx_type_name((enum ptx_type)x->element));
  if (noftz != (half && x->operation == ASYNC_ADD))
    return decode_error(d, in, ".noftz goes with .add of .f16 and .bf16, and only with it");
  return true;
}

static bool decode_copy(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                        struct modifiers *m, struct bulk_extra *x) {
  op->execute = execute_bulk_copy;
  x->operation = modifiers_take(m, "reduce") ? (uint8_t)async_take_operation(m) : ASYNC_STORE;
  if (!take_direction(d, in, m, x)) return false;
  if (x->operation != ASYNC_STORE && !check_reduction(d, in, m, x)) return false;
  bool multicast = modifiers_take(m, "multicast::cluster"), hint = modifiers_take(m, "L2::cache_hint"),
       to_global = async_is_to_global(x->kind);
  if (!modifiers_all_taken(d, m)) return false;
  if (multicast && x->kind != ASYNC_BULK_LOAD)
    return decode_error(d, in, ".multicast::cluster goes with copies from global to shared memory alone");
  if (!async_operand_count(d, in, 3 + !to_global + multicast + hint)) return false;
  if (!async_address_decode(d, in, &in->operands[0], to_global ? PTX_GLOBAL : PTX_SHARED, &x->destination) ||
      !async_address_decode(d, in, &in->operands[1], x->kind == ASYNC_BULK_LOAD ? PTX_GLOBAL : PTX_SHARED,
                            &x->source))
    return false;
  x->size = decode_source(d, &in->operands[2], PTX_U32);
  if (!to_global && !async_address_decode(d, in, &in->operands[3], PTX_SHARED, &x->barrier)) return false;
  if (multicast) x->mask = decode_source(d, &in->operands[4], PTX_U16);
  return !decode_failed(d);
}

static bool decode_remote(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          struct modifiers *m, struct bulk_extra *x) {
  op->execute = execute_bulk_remote;
  modifiers_take(m, "weak");
  modifiers_take(m, "relaxed");
  modifiers_take(m, "cluster");
  modifiers_take(m, "mbarrier::complete_tx::bytes");
  if (ptx_has_modifier(in, "release") || ptx_has_modifier(in, "mmio") || ptx_has_modifier(in, "global"))
    return decode_error(d, in, "%s.async to global memory needs compute capability 10.0; this is 9.0",
                        in->opcode);
  bool reduces = strcmp(in->opcode, "red") == 0;
  x->operation = reduces ? (uint8_t)async_take_operation(m) : ASYNC_STORE;
  x->value_count = modifiers_take(m, "v4") ? 4 : modifiers_take(m, "v2") ? 2 : 1;
  enum ptx_space space = async_take_shared(m);
  x->element = (uint8_t)modifiers_take_type(m);
  x->value_bytes = (uint32_t)ptx_type_size((enum ptx_type)x->element);
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, 3)) return false;
  if ((x->value_bytes != 4 && x->value_bytes != 8) || x->value_bytes * x->value_count > 16)
    return decode_error(d, in, "values of 4 or 8 bytes, 16 in all at most");
  if (reduces && !async_reduce_known((enum async_operation)x->operation, (enum ptx_type)x->element))
    return decode_error(d, in, "this operation doesn't exist for .%s",
                        ptx_type_name((enum ptx_type)x->element));
  if (!async_address_decode(d, in, &in->operands[0], space, &x->destination) ||
      !async_address_decode(d, in, &in->operands[2], space, &x->barrier))
    return false;
  const struct ptx_operand *value = &in->operands[1];
  bool vector = value->kind == PTX_OPERAND_VECTOR;
  if ((vector ? value->count : 1) != x->value_count)
    return decode_error(d, in, "%u values are wanted", x->value_count);
  for (uint32_t i = 0; i < x->value_count; i++)
    x->values[i] = decode_source(d, vector ? &value->elements[i] : value, (enum ptx_type)x->element);
  return !decode_failed(d);
}

// cp.async.bulk..., cp.reduce.async.bulk..., st.async, red.async
bool decode_bulk(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  struct bulk_extra *x = decode_allocate(d, sizeof *x);
  x->mask = OP_NO_REGISTER;
  op->extra = x;
  if (async_refuse(d, in, bulk_refusals)) return false;
  if (!modifiers_take(&m, "async"))
    return decode_error(d, in, "%s.bulk needs compute capability 10.0; this is 9.0", in->opcode);
  if (strcmp(in->opcode, "cp") != 0) return decode_remote(d, in, op, &m, x);
  modifiers_take(&m, "bulk");
  if (ptx_has_modifier(in, "commit_group") || ptx_has_modifier(in, "wait_group"))
    return decode_group(d, in, op, &m);
  if (modifiers_take(&m, "prefetch")) return decode_prefetch(d, in, op, &m, x);
  return decode_copy(d, in, op, &m, x);
}
