// mbarrier.*. In: the instructions of PTX ISA 9.7.13.15. Out: ops of execute/mbarrier.h.
#include "virtual-hopper/execute/mbarrier.h"

#include "virtual-hopper/decode/async-operand.h"
#include "virtual-hopper/decode/decoder.h"

static void take_order(struct modifiers *m, struct mbarrier_extra *x) {
  bool relaxed = modifiers_take(m, "relaxed");
  modifiers_take(m, "release");
  modifiers_take(m, "acquire");
  x->release = x->acquire = !relaxed;
  modifiers_take(m, "cta");
  modifiers_take(m, "cluster");
}

static bool wants_operands(struct decoder *d, const struct ptx_instruction *in, uint32_t least,
                           uint32_t most) {
  if (in->operand_count >= least && in->operand_count <= most) return true;
  return decode_error(d, in, "%u operands, where %u to %u are wanted", in->operand_count, least, most);
}

static bool decode_barrier_address(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                                   uint32_t operand, struct mbarrier_extra *x) {
  enum ptx_space space = async_take_shared(m);
  modifiers_take(m, "b64");
  if (!modifiers_all_taken(d, m)) return false;
  return async_address_decode(d, in, &in->operands[operand], space, &x->address);
}

static bool decode_simple(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          struct modifiers *m, struct mbarrier_extra *x, op_execute *execute,
                          bool has_count) {
  op->execute = execute;
  take_order(m, x);
  if (!wants_operands(d, in, has_count ? 2 : 1, has_count ? 2 : 1) || !decode_barrier_address(d, in, m, 0, x))
    return false;
  if (has_count) x->count = decode_source(d, &in->operands[1], PTX_U32);
  return !decode_failed(d);
}

static bool decode_arrive(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          struct modifiers *m, struct mbarrier_extra *x) {
  op->execute = execute_mbarrier_arrive;
  x->no_complete = modifiers_take(m, "noComplete");
  bool expect = modifiers_take(m, "expect_tx");
  take_order(m, x);
  if (!wants_operands(d, in, expect || x->no_complete ? 3 : 2, 3) || !decode_barrier_address(d, in, m, 1, x))
    return false;
  op->d = decode_destination(d, &in->operands[0], PTX_B64);
  if (in->operand_count == 3)
    *(expect ? &x->expect : &x->count) = decode_source(d, &in->operands[2], PTX_U32);
  return !decode_failed(d);
}

static bool decode_wait(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                        struct modifiers *m, struct mbarrier_extra *x) {
  op->execute = execute_mbarrier_wait;
  x->parity = modifiers_take(m, "parity");
  d->program->waits_by_parity |= x->parity;
  d->program->waits_by_token |= !x->parity;
  take_order(m, x);
  if (!wants_operands(d, in, 3, x->is_try ? 4 : 3) || !decode_barrier_address(d, in, m, 1, x)) return false;
  op->d = decode_destination(d, &in->operands[0], PTX_PRED);
  if (!decode_failed(d) && op->d == OP_NO_REGISTER) op->d = decode_temporary(d, 0);
  op->b = decode_source(d, &in->operands[2], x->parity ? PTX_U32 : PTX_B64);
  if (in->operand_count == 4) x->limit = decode_source(d, &in->operands[3], PTX_U32);
  return !decode_failed(d);
}

static bool decode_pending_count(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                                 struct modifiers *m) {
  op->execute = execute_mbarrier_pending_count;
  modifiers_take(m, "b64");
  if (!wants_operands(d, in, 2, 2) || !modifiers_all_taken(d, m)) return false;
  op->d = decode_destination(d, &in->operands[0], PTX_U32);
  op->a = decode_source(d, &in->operands[1], PTX_B64);
  if (!decode_failed(d) && op->d == OP_NO_REGISTER) op->d = decode_temporary(d, 4);
  return !decode_failed(d);
}

// mbarrier.{init, inval, expect_tx, complete_tx, arrive, arrive_drop, test_wait, try_wait, pending_count}
bool decode_mbarrier(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  struct mbarrier_extra *x = decode_allocate(d, sizeof *x);
  *x = (struct mbarrier_extra){.count = OP_NO_REGISTER, .expect = OP_NO_REGISTER, .limit = OP_NO_REGISTER};
  op->extra = x;
  if (modifiers_take(&m, "init")) return decode_simple(d, in, op, &m, x, execute_mbarrier_init, true);
  if (modifiers_take(&m, "inval")) return decode_simple(d, in, op, &m, x, execute_mbarrier_inval, false);
  if (modifiers_take(&m, "arrive")) return decode_arrive(d, in, op, &m, x);
  if (modifiers_take(&m, "arrive_drop")) {
    x->drop = true;
    return decode_arrive(d, in, op, &m, x);
  }
  if (modifiers_take(&m, "test_wait")) return decode_wait(d, in, op, &m, x);
  if (modifiers_take(&m, "try_wait")) {
    x->is_try = true;
    return decode_wait(d, in, op, &m, x);
  }
  if (modifiers_take(&m, "pending_count")) return decode_pending_count(d, in, op, &m);
  if (modifiers_take(&m, "expect_tx")) return decode_simple(d, in, op, &m, x, execute_mbarrier_tx, true);
  if (modifiers_take(&m, "complete_tx")) {
    op->kind = 1;
    return decode_simple(d, in, op, &m, x, execute_mbarrier_tx, true);
  }
  return decode_error(d, in, "this device doesn't know mbarrier.%s",
                      in->modifier_count ? in->modifiers[0] : "");
}
