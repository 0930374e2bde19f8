// Tensor copies. In: cp.async.bulk.tensor, its reductions and prefetches. Out: ops of execute/tensor.h.
// PTX ISA 9.7.9.27.1. Tile mode, and loads and prefetches of im2col mode. The errors for other modes name
// them.
#include "virtual-hopper/execute/tensor.h"

#include "virtual-hopper/decode/async-operand.h"

static const struct async_refusal tensor_refusals[] = {
    {"cta_group::1", "needs compute capability 10.0; this is 9.0"},
    {"cta_group::2", "needs compute capability 10.0; this is 9.0"},
    {"tile::gather4", "needs compute capability 10.0; this is 9.0"},
    {"tile::scatter4", "needs compute capability 10.0; this is 9.0"},
    {"im2col_no_offs", "mode isn't modelled by this device: store by a tiled map, with .tile"},
    {"im2col::w", "needs compute capability 10.0; this is 9.0"},
    {"im2col::w::128", "needs compute capability 10.0; this is 9.0"},
    {NULL, NULL},
};

static bool decode_tensor_operand(struct decoder *d, const struct ptx_instruction *in,
                                  const struct ptx_operand *operand, struct tensor_extra *x) {
  if (operand->kind != PTX_OPERAND_TENSOR || operand->count < 2)
    return decode_error(d, in, "[map, {coordinates}] is wanted");
  if (!async_address_decode(d, in, operand, PTX_SPACE_NONE, &x->map)) return false;
  const struct ptx_operand *coordinates = &operand->elements[1];
  bool vector = coordinates->kind == PTX_OPERAND_VECTOR;
  if ((vector ? coordinates->count : 1) != x->rank)
    return decode_error(d, in, "%u coordinates are wanted", x->rank);
  for (uint32_t i = 0; i < x->rank; i++)
    x->coordinates[i] = decode_source(d, vector ? &coordinates->elements[i] : coordinates, PTX_S32);
  return !decode_failed(d);
}

// {W}, {W, H} or {W, H, D}: offsets of 16 bits from the filter's base.
static bool decode_offsets(struct decoder *d, const struct ptx_instruction *in,
                           const struct ptx_operand *operand, struct tensor_extra *x) {
  const bool vector = operand->kind == PTX_OPERAND_VECTOR;
  if ((vector ? operand->count : 1) != x->rank - 2)
    return decode_error(d, in, "%u im2col offsets are wanted", x->rank - 2);
  for (uint32_t i = 0; i + 2 < x->rank; i++)
    x->offsets[i] = decode_source(d, vector ? &operand->elements[i] : operand, PTX_U16);
  return !decode_failed(d);
}

static bool take_direction(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                           struct tensor_extra *x) {
  bool to_group = modifiers_take(m, "bulk_group"),
       to_barrier = modifiers_take(m, "mbarrier::complete_tx::bytes"), global = modifiers_take(m, "global");
  bool cluster = modifiers_take(m, "shared::cluster"), cta = modifiers_take(m, "shared::cta");
  if (to_group && global && cta && !cluster)
    x->kind = x->operation != ASYNC_STORE ? ASYNC_TENSOR_REDUCE : ASYNC_TENSOR_STORE;
  else if (to_barrier && global && cluster != cta && x->operation == ASYNC_STORE)
    x->kind = ASYNC_TENSOR_LOAD;
  else
    return decode_error(d, in, "this direction with this way of completing is no tensor copy");
  return true;
}

static bool decode_load(struct decoder *d, const struct ptx_instruction *in, struct tensor_extra *x,
                        bool multicast, bool hint) {
  if (!async_operand_count(d, in, 3u + x->im2col + multicast + hint)) return false;
  if (!async_address_decode(d, in, &in->operands[0], PTX_SHARED, &x->tile) ||
      !decode_tensor_operand(d, in, &in->operands[1], x) ||
      !async_address_decode(d, in, &in->operands[2], PTX_SHARED, &x->barrier))
    return false;
  if (x->im2col && !decode_offsets(d, in, &in->operands[3], x)) return false;
  if (multicast) x->mask = decode_source(d, &in->operands[x->im2col ? 4 : 3], PTX_U16);
  return !decode_failed(d);
}

// cp.async.bulk.tensor..., cp.reduce.async.bulk.tensor..., cp.async.bulk.prefetch.tensor...
bool decode_tensor(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d", NULL};
  struct modifiers m = modifiers_of(in);
  struct tensor_extra *x = decode_allocate(d, sizeof *x);
  x->mask = OP_NO_REGISTER;
  op->extra = x;
  if (async_refuse(d, in, tensor_refusals)) return false;
  modifiers_take(&m, "async");
  modifiers_take(&m, "bulk");
  modifiers_take(&m, "tensor");
  x->im2col = modifiers_take(&m, "im2col");
  if (!x->im2col) modifiers_take(&m, "tile");
  x->rank = (uint32_t)(modifiers_take_one_of(&m, ranks) + 1);
  if (x->rank == 0) return decode_error(d, in, "one of .1d to .5d is wanted");
  if (x->im2col && x->rank < 3) return decode_error(d, in, ".im2col goes with .3d, .4d and .5d alone");
  bool prefetch = modifiers_take(&m, "prefetch"), hint = modifiers_take(&m, "L2::cache_hint"),
       multicast = modifiers_take(&m, "multicast::cluster");
  if (prefetch) {
    op->execute = execute_tensor_prefetch;
    modifiers_take(&m, "L2");
    modifiers_take(&m, "global");
    return modifiers_all_taken(d, &m) && async_operand_count(d, in, 1u + x->im2col + hint) &&
           decode_tensor_operand(d, in, &in->operands[0], x) &&
           (!x->im2col || decode_offsets(d, in, &in->operands[1], x));
  }
  op->execute = execute_tensor_copy;
  if (modifiers_take(&m, "reduce")) {
    x->operation = (uint8_t)async_take_operation(&m);
    if (x->operation == ASYNC_STORE) return decode_error(d, in, "a reduction needs an operation");
  }
  if (!take_direction(d, in, &m, x) || !modifiers_all_taken(d, &m)) return false;
  if (x->im2col && x->kind != ASYNC_TENSOR_LOAD)
    return decode_error(d, in, ".im2col goes with copies from global to shared memory alone");
  if (multicast && x->kind != ASYNC_TENSOR_LOAD)
    return decode_error(d, in, ".multicast::cluster goes with copies from global to shared memory alone");
  if (x->kind == ASYNC_TENSOR_LOAD) return decode_load(d, in, x, multicast, hint);
  return async_operand_count(d, in, 2u + hint) && decode_tensor_operand(d, in, &in->operands[0], x) &&
         async_address_decode(d, in, &in->operands[1], PTX_SHARED, &x->tile);
}
