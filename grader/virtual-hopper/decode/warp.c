// Decodes the instructions that the lanes of a warp execute together: bar.warp.sync, shfl, vote, match,
// redux, elect, activemask. Forms without .sync are errors, because sm_70 and later don't have them.
#include <string.h>

#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/execute/collective.h"

static int one_of(const struct ptx_instruction *in, const char *const names[]) {
  for (int i = 0; names[i]; i++)
    if (ptx_has_modifier(in, names[i])) return i;
  return -1;
}

// Decodes d or d|p: the register into op->d, the predicate into op->immediate (-1: there is no predicate).
static bool split_destination(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type,
                              struct op *op) {
  const struct ptx_operand *first = operand->kind == PTX_OPERAND_PAIR ? &operand->elements[0] : operand;
  op->d = decode_destination(d, first, type);
  op->immediate = -1;
  if (operand->kind == PTX_OPERAND_PAIR && operand->elements[1].kind != PTX_OPERAND_SINK)
    op->immediate = decode_destination(d, &operand->elements[1], PTX_PRED);
  return !decode_failed(d);
}

static bool want_operands(struct decoder *d, const struct ptx_instruction *in, uint32_t count) {
  return in->operand_count == count || decode_error(d, in, "it takes %u operands", count);
}

static bool decode_shuffle(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const modes[] = {"up", "down", "bfly", "idx", NULL};
  int mode = one_of(in, modes);
  if (mode < 0) return decode_error(d, in, "the mode is missing");
  if (!want_operands(d, in, 5) || !split_destination(d, &in->operands[0], PTX_B32, op)) return false;
  op->kind = (uint8_t)mode;
  op->a = decode_source(d, &in->operands[1], PTX_B32);
  op->b = decode_source(d, &in->operands[2], PTX_U32);
  op->c = decode_source(d, &in->operands[3], PTX_U32);
  op->target = decode_source(d, &in->operands[4], PTX_B32);
  op->execute = collective_shuffle;
  return true;
}

static bool decode_vote(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const modes[] = {"all", "any", "uni", "ballot", NULL};
  int mode = one_of(in, modes);
  if (mode < 0) return decode_error(d, in, "the mode is missing");
  if (!want_operands(d, in, 3)) return false;
  bool negated = false;
  op->kind = (uint8_t)mode;
  op->d = decode_destination(d, &in->operands[0], mode == VOTE_BALLOT ? PTX_B32 : PTX_PRED);
  op->a = decode_predicate(d, &in->operands[1], &negated);
  op->flags = negated;
  op->target = decode_source(d, &in->operands[2], PTX_B32);
  op->execute = collective_vote;
  return true;
}

static bool decode_match(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  enum ptx_type type = decode_type(in, 0);
  if (type != PTX_B32 && type != PTX_B64) return decode_error(d, in, "its type must be .b32 or .b64");
  if (!want_operands(d, in, 3) || !split_destination(d, &in->operands[0], PTX_B32, op)) return false;
  op->kind = ptx_has_modifier(in, "all");
  op->width = (uint8_t)ptx_type_size(type);
  op->a = decode_source(d, &in->operands[1], type);
  op->target = decode_source(d, &in->operands[2], PTX_B32);
  op->execute = collective_match;
  return true;
}

static bool decode_reduce(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const modes[] = {"add", "min", "max", "and", "or", "xor", NULL};
  enum ptx_type type = decode_type(in, 0);
  int mode = one_of(in, modes);
  if (mode < 0 || (type != PTX_U32 && type != PTX_S32 && type != PTX_B32))
    return decode_error(d, in, "this form of redux needs a later GPU than sm_90");
  if (!want_operands(d, in, 3)) return false;
  op->kind = (uint8_t)mode;
  op->flags = type == PTX_S32;
  op->d = decode_destination(d, &in->operands[0], PTX_B32);
  op->a = decode_source(d, &in->operands[1], PTX_B32);
  op->target = decode_source(d, &in->operands[2], PTX_B32);
  op->execute = collective_reduce;
  return true;
}

// elect.sync d|p, membermask;
static bool decode_elect(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (!want_operands(d, in, 2)) return false;
  if (in->operands[0].kind != PTX_OPERAND_PAIR) return decode_error(d, in, "the destination is a pair d|p");
  if (!split_destination(d, &in->operands[0], PTX_B32, op)) return false;
  op->target = decode_source(d, &in->operands[1], PTX_B32);
  op->execute = collective_elect;
  return true;
}

bool decode_warp(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  if (strcmp(in->opcode, "activemask") == 0) {
    if (!want_operands(d, in, 1)) return false;
    op->d = decode_destination(d, &in->operands[0], PTX_B32);
    op->execute = collective_active_mask;
    return true;
  }
  if (!ptx_has_modifier(in, "sync"))
    return decode_error(d, in, "the form without .sync doesn't exist on sm_70 and later");
  if (strcmp(in->opcode, "shfl") == 0) return decode_shuffle(d, in, op);
  if (strcmp(in->opcode, "vote") == 0) return decode_vote(d, in, op);
  if (strcmp(in->opcode, "match") == 0) return decode_match(d, in, op);
  if (strcmp(in->opcode, "redux") == 0) return decode_reduce(d, in, op);
  if (strcmp(in->opcode, "elect") == 0) return decode_elect(d, in, op);
  // bar.warp.sync membermask;
  if (!want_operands(d, in, 1)) return false;
  op->target = decode_source(d, &in->operands[0], PTX_B32);
  op->execute = collective_sync;
  return true;
}
