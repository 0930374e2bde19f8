// Decodes bar, barrier{.cta} and barrier.cluster: PTX ISA 9.7.13.1, 9.7.13.3. decode/warp.c decodes
// bar.warp.sync.
#include "virtual-hopper/execute/barrier.h"

#include <string.h>

#include "virtual-hopper/decode/decoder.h"

static bool decode_cluster(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const allowed[] = {"cluster", "arrive",  "wait",    "release",
                                        "relaxed", "acquire", "aligned", NULL};
  if (!decode_allowed(d, in, allowed)) return false;
  bool arrive = ptx_has_modifier(in, "arrive");
  op->execute = arrive ? barrier_cluster_arrive : barrier_cluster_wait;
  op->flags = arrive ? !ptx_has_modifier(in, "relaxed") : 1;
  return true;
}

// barrier{.cta}.red.popc.u32 d, a{, b}, {!}c;   barrier{.cta}.red.{and,or}.pred p, a{, b}, {!}c;
static bool decode_reduction(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (in->operand_count < 3 || in->operand_count > 4)
    return decode_error(d, in, "a barrier reduction takes three or four operands");
  bool popc = ptx_has_modifier(in, "popc"), negated = false;
  op->kind = popc ? BARRIER_RED_POPC : ptx_has_modifier(in, "and") ? BARRIER_RED_AND : BARRIER_RED_OR;
  op->d = decode_destination(d, &in->operands[0], popc ? PTX_U32 : PTX_PRED);
  op->a = decode_source(d, &in->operands[1], PTX_U32);
  if (in->operand_count == 4) op->b = decode_source(d, &in->operands[2], PTX_U32);
  op->c = decode_predicate(d, &in->operands[in->operand_count - 1], &negated);
  op->flags = negated;
  op->execute = barrier_cta;
  return true;
}

bool decode_barrier(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (ptx_has_modifier(in, "cluster")) return decode_cluster(d, in, op);
  static const char *const allowed[] = {"cta", "sync", "arrive", "red", "popc", "and", "or", "aligned", NULL};
  if (!decode_allowed(d, in, allowed)) return false;
  if (ptx_has_modifier(in, "red")) return decode_reduction(d, in, op);
  bool arrive = ptx_has_modifier(in, "arrive");
  if (in->operand_count < 1u + arrive || in->operand_count > 2)
    return decode_error(d, in, "wrong number of operands");
  op->kind = arrive ? BARRIER_ARRIVE : BARRIER_SYNC;
  op->width = strcmp(in->opcode, "bar") == 0 || ptx_has_modifier(in, "aligned");
  op->a = decode_source(d, &in->operands[0], PTX_U32);
  if (in->operand_count == 2) op->b = decode_source(d, &in->operands[1], PTX_U32);
  op->execute = barrier_cta;
  return true;
}
