// Decodes wgmma.fence, wgmma.commit_group and wgmma.wait_group, PTX ISA 9.1, section 9.7.15.7.
// wgmma.mma_async, which computes the products, is an error.
#include "virtual-hopper/execute/wgmma.h"

#include "virtual-hopper/decode/matrix.h"
#include "virtual-hopper/decode/modifiers.h"

// wgmma.{fence, commit_group}.sync.aligned;    wgmma.wait_group.sync.aligned N;
bool decode_wgmma(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const forms[] = {"fence", "commit_group", "wait_group", NULL};
  struct modifiers m = modifiers_of(in);
  const int form = modifiers_take_one_of(&m, forms);
  if (form < 0) return decode_error(d, in, "the tensor cores are not modelled by this device");
  op->execute = wgmma_meet;
  if (!matrix_take_whole_warp(d, &m, op) || !modifiers_all_taken(d, &m)) return false;
  const uint32_t wanted = form == 2;
  if (in->operand_count != wanted)
    return decode_error(d, in, "%u operands, where %u are wanted", in->operand_count, wanted);
  // The operand is the number of groups that may be pending: an integer constant, at least 0.
  if (wanted && (in->operands[0].kind != PTX_OPERAND_INTEGER || in->operands[0].integer < 0))
    return decode_error(d, in, "the number of groups must be an integer constant, 0 or more");
  return true;
}
