// cp.async and its groups: takes the statements of PTX ISA 9.7.9.25.3 and cp.async.mbarrier.arrive (9.7.13.15.15), leaves ops that put one
// small copy per thread under way.
#include "virtual-hopper/decode/bulk.h"
#include "virtual-hopper/order/order.h"

struct cp_extra {
  struct async_address destination, source, barrier;
  uint32_t bytes;
  uint32_t source_bytes; // register, or OP_NO_REGISTER: all
  uint32_t ignore;       // predicate, or OP_NO_REGISTER
  bool ignore_negated, noinc;
};

// ---- execution ------------------------------------------------------------------------------------------------------------------

static bool issue(struct warp *w, const struct op *op, uint32_t lane, const struct cp_extra *x) {
  struct async_shared to;
  uint32_t read = x->bytes;
  uint8_t *host = NULL;
  if (x->source_bytes != OP_NO_REGISTER) read = async_value32(w, x->source_bytes, lane);
  if (x->ignore != OP_NO_REGISTER && ((*warp_predicate(w, x->ignore) >> lane & 1) != 0) != x->ignore_negated)
    read = 0;
  if (read > x->bytes) {
    async_faultf(w, op, lane, "illegal-instruction", ERROR_INSTRUCTION, "copies with cp.async",
                 "The source size of %u bytes is larger than the copy's %u.", read, x->bytes);
    return false;
  }
  uint64_t address = async_address_of(w, &x->source, lane);
  if (!async_shared_at(w, op, lane, &x->destination, x->bytes, x->bytes, "The destination of the copy", &to))
    return false;
  if (read > 0 && !(host = async_global_at(w, op, lane, address, read, x->bytes, "The source of the copy")))
    return false;
  if (mbarrier_may_overlap(to.owner, to.offset, x->bytes))
    mbarrier_overwritten(w, op, lane, to.owner, to.offset, x->bytes);
  struct async_copy *copy = async_new(w, op, lane, ASYNC_CP_ASYNC);
  copy->bytes = copy->footprint = x->bytes;
  copy->source_bytes = read;
  copy->global_address = address;
  copy->shared_offset = to.offset;
  async_issue(w, lane, copy, host, NULL);
  return true;
}

static void execute_copy(struct warp *w, const struct op *op) {
  for (uint32_t left = w->lanes; left; left &= left - 1)
    if (!issue(w, op, (uint32_t)__builtin_ctz(left), op->extra)) return;
}

static void execute_commit(struct warp *w, const struct op *op) {
  (void)op;
  async_cp_commit(w);
}

static void execute_wait(struct warp *w, const struct op *op) {
  async_cp_wait(w, (uint32_t)op->immediate);
}

static void execute_arrive(struct warp *w, const struct op *op) {
  const struct cp_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    struct async_shared at;
    if (!async_barrier_at(w, op, lane, &x->barrier, true, &at)) return;
    struct mbarrier *m = mbarrier_use(w, op, lane, at.owner, at.offset);
    if (!m || (!x->noinc && !mbarrier_owe_arrival(w, op, lane, at.owner, at.offset))) return;
    if (w->launch->check) order_cp_async_mbarrier_arrive(w, op, lane, at.owner, m);
    async_cp_arrive(w, op, lane, at.offset);
  }
}

// ---- decoding -------------------------------------------------------------------------------------------------------------------

static bool decode_arrive(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          struct modifiers *m, struct cp_extra *x) {
  op->execute = execute_arrive;
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
    op->execute = execute_commit;
    return modifiers_all_taken(d, m) && async_operand_count(d, in, 0);
  }
  op->execute = execute_wait;
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
                        struct modifiers *m, struct cp_extra *x) {
  static const char *const prefetches[] = {"L2::64B", "L2::128B", "L2::256B", NULL};
  op->execute = execute_copy;
  if (!modifiers_take(m, "ca") && !modifiers_take(m, "cg"))
    return decode_error(d, in, "one of .ca and .cg is wanted");
  bool hint = modifiers_take(m, "L2::cache_hint");
  modifiers_take_one_of(m, prefetches);
  if (async_take_shared(m) != PTX_SHARED || !modifiers_take(m, "global"))
    return decode_error(d, in, "cp.async goes from .global to .shared");
  if (!modifiers_all_taken(d, m)) return false;
  uint32_t extras = in->operand_count - 3u - hint; // src-size or ignore-src
  if (in->operand_count < 3u + hint || extras > 1) return decode_error(d, in, "wrong number of operands");
  if (in->operands[2].kind != PTX_OPERAND_INTEGER)
    return decode_error(d, in, "the size must be an integer constant");
  x->bytes = (uint32_t)in->operands[2].integer;
  if (x->bytes != 4 && x->bytes != 8 && x->bytes != 16)
    return decode_error(d, in, "the size must be 4, 8 or 16 bytes");
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
  struct cp_extra *x = decode_allocate(d, sizeof *x);
  x->source_bytes = x->ignore = OP_NO_REGISTER;
  op->extra = x;
  modifiers_take(&m, "async");
  if (modifiers_take(&m, "mbarrier")) return decode_arrive(d, in, op, &m, x);
  if (ptx_has_modifier(in, "commit_group") || ptx_has_modifier(in, "wait_group") ||
      ptx_has_modifier(in, "wait_all"))
    return decode_group(d, in, op, &m);
  return decode_copy(d, in, op, &m, x);
}
