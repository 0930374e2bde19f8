// cp.async and its groups. In: the instructions of PTX ISA 9.7.9.25.3 and cp.async.mbarrier.arrive
// (9.7.13.15.15). Out: ops of execute/cp-async.h.
#include "virtual-hopper/execute/cp-async.h"

#include "virtual-hopper/decode/async-operand.h"

static bool decode_arrive(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          struct modifiers *m, struct cp_async_extra *x) {
  op->execute = execute_cp_async_arrive;
  modifiers_take(m, "arrive");
  x->noinc = modifiers_take(m, "noinc");
  enum ptx_space space = async_take_shared(m);
  modifiers_take(m, "b64");
  return modifiers_all_taken(d, m) && async_operand_count(d, in, 1) &&
         async_address_decode(d, in, &in->operands[0], space, &x->barrier);
}

static bool decode_group(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                         struct modifiers *m) {
  if (modifiers_take(m, "commit_group")) {
    op->execute = execute_cp_async_commit;
    return modifiers_all_taken(d, m) && async_operand_count(d, in, 0);
  }
  op->execute = execute_cp_async_wait;
  if (modifiers_take(m, "wait_all")) {
    op->immediate = (int64_t)UINT32_MAX;
    return modifiers_all_taken(d, m) && async_operand_count(d, in, 0);
  }
  modifiers_take(m, "wait_group");
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, 1)) return false;
  if (in->operands[0].kind != PTX_OPERAND_INTEGER || in->operands[0].integer < 0)
    return decode_error(d, in, "the number of groups must be an integer constant");
  op->immediate = in->operands[0].integer;
  return true;
}

static bool decode_copy(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                        struct modifiers *m, struct cp_async_extra *x) {
  static const char *const prefetches[] = {"L2::64B", "L2::128B", "L2::256B", NULL};
  op->execute = execute_cp_async_copy;
  if (!modifiers_take(m, "ca") && !modifiers_take(m, "cg"))
    return decode_error(d, in, "one of .ca and .cg is wanted");
  bool hint = modifiers_take(m, "L2::cache_hint");
  modifiers_take_one_of(m, prefetches);
  if (async_take_shared(m) != PTX_SHARED || !modifiers_take(m, "global"))
    return decode_error(d, in, "cp.async goes from .global to .shared");
  if (!modifiers_all_taken(d, m)) return false;
  // the optional operand: src-size or ignore-src
  uint32_t extras = in->operand_count - 3u - hint;
  if (in->operand_count < 3u + hint || extras > 1) return decode_error(d, in, "wrong number of operands");
  if (in->operands[2].kind != PTX_OPERAND_INTEGER)
    return decode_error(d, in, "the size must be an integer constant");
  int64_t bytes = in->operands[2].integer;
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return decode_error(d, in, "the size must be 4, 8 or 16 bytes");
  x->bytes = (uint32_t)bytes;
  if (!async_address_decode(d, in, &in->operands[0], PTX_SHARED, &x->destination) ||
      !async_address_decode(d, in, &in->operands[1], PTX_GLOBAL, &x->source))
    return false;
  if (extras == 1) {
    const struct ptx_operand *operand = &in->operands[3];
    bool predicate = operand->kind == PTX_OPERAND_NOT || decode_register_type(d, operand) == PTX_PRED;
    if (predicate)
      x->ignore = decode_predicate(d, operand, &x->ignore_negated);
    else
      x->source_bytes = decode_source(d, operand, PTX_U32);
  }
  return !decode_failed(d);
}

// cp.async..., cp.async.commit_group, cp.async.wait_group, cp.async.wait_all, cp.async.mbarrier.arrive
bool decode_cp_async(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  struct cp_async_extra *x = decode_allocate(d, sizeof *x);
  x->source_bytes = x->ignore = OP_NO_REGISTER;
  op->extra = x;
  modifiers_take(&m, "async");
  if (modifiers_take(&m, "mbarrier")) return decode_arrive(d, in, op, &m, x);
  if (ptx_has_modifier(in, "commit_group") || ptx_has_modifier(in, "wait_group") ||
      ptx_has_modifier(in, "wait_all"))
    return decode_group(d, in, op, &m);
  return decode_copy(d, in, op, &m, x);
}
