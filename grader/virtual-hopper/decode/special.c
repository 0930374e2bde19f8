// Decodes special registers (PTX ISA 10) and the instructions that affect only time and resources: nanosleep,
// pmevent, setmaxnreg, griddepcontrol; multimem.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/execute/register-pool.h"
#include "virtual-hopper/execute/special.h"

enum { MULTIMEM_TEXT = 256 };

static const char *const names[SPECIAL_COUNT] = {
    [SPECIAL_TID_X] = "%tid.x",
    [SPECIAL_TID_Y] = "%tid.y",
    [SPECIAL_TID_Z] = "%tid.z",
    [SPECIAL_NTID_X] = "%ntid.x",
    [SPECIAL_NTID_Y] = "%ntid.y",
    [SPECIAL_NTID_Z] = "%ntid.z",
    [SPECIAL_CTAID_X] = "%ctaid.x",
    [SPECIAL_CTAID_Y] = "%ctaid.y",
    [SPECIAL_CTAID_Z] = "%ctaid.z",
    [SPECIAL_NCTAID_X] = "%nctaid.x",
    [SPECIAL_NCTAID_Y] = "%nctaid.y",
    [SPECIAL_NCTAID_Z] = "%nctaid.z",
    [SPECIAL_LANEID] = "%laneid",
    [SPECIAL_WARPID] = "%warpid",
    [SPECIAL_NWARPID] = "%nwarpid",
    [SPECIAL_SMID] = "%smid",
    [SPECIAL_NSMID] = "%nsmid",
    [SPECIAL_GRIDID] = "%gridid",
    [SPECIAL_LANEMASK_EQ] = "%lanemask_eq",
    [SPECIAL_LANEMASK_LE] = "%lanemask_le",
    [SPECIAL_LANEMASK_LT] = "%lanemask_lt",
    [SPECIAL_LANEMASK_GE] = "%lanemask_ge",
    [SPECIAL_LANEMASK_GT] = "%lanemask_gt",
    [SPECIAL_CLOCK] = "%clock",
    [SPECIAL_CLOCK_HI] = "%clock_hi",
    [SPECIAL_CLOCK64] = "%clock64",
    [SPECIAL_GLOBALTIMER] = "%globaltimer",
    [SPECIAL_GLOBALTIMER_LO] = "%globaltimer_lo",
    [SPECIAL_GLOBALTIMER_HI] = "%globaltimer_hi",
    [SPECIAL_IS_EXPLICIT_CLUSTER] = "%is_explicit_cluster",
    [SPECIAL_CLUSTERID_X] = "%clusterid.x",
    [SPECIAL_CLUSTERID_Y] = "%clusterid.y",
    [SPECIAL_CLUSTERID_Z] = "%clusterid.z",
    [SPECIAL_NCLUSTERID_X] = "%nclusterid.x",
    [SPECIAL_NCLUSTERID_Y] = "%nclusterid.y",
    [SPECIAL_NCLUSTERID_Z] = "%nclusterid.z",
    [SPECIAL_CLUSTER_CTAID_X] = "%cluster_ctaid.x",
    [SPECIAL_CLUSTER_CTAID_Y] = "%cluster_ctaid.y",
    [SPECIAL_CLUSTER_CTAID_Z] = "%cluster_ctaid.z",
    [SPECIAL_CLUSTER_NCTAID_X] = "%cluster_nctaid.x",
    [SPECIAL_CLUSTER_NCTAID_Y] = "%cluster_nctaid.y",
    [SPECIAL_CLUSTER_NCTAID_Z] = "%cluster_nctaid.z",
    [SPECIAL_CLUSTER_CTARANK] = "%cluster_ctarank",
    [SPECIAL_CLUSTER_NCTARANK] = "%cluster_nctarank",
    [SPECIAL_TOTAL_SMEM_SIZE] = "%total_smem_size",
    [SPECIAL_AGGR_SMEM_SIZE] = "%aggr_smem_size",
    [SPECIAL_DYNAMIC_SMEM_SIZE] = "%dynamic_smem_size",
    [SPECIAL_GRID_WORKSPACE_HI] = "%envreg1",
    [SPECIAL_GRID_WORKSPACE_LO] = "%envreg2", // as CUDA's cooperative groups read them
    [SPECIAL_SHARED_OF_GROUPS] = "%reserved_smem_offset_1",
    [SPECIAL_SHARED_BEGIN] = "%reserved_smem_offset_end",
    [SPECIAL_ZERO] = "%reserved_smem_offset_begin",
};

// A driver may write values to the other environment registers. This device writes none. Nor has any index a
// fourth component (PTX ISA 10.1, 10.2, 10.6, 10.7): it reads as 0.
static bool is_zero(const char *name) {
  const size_t length = strlen(name);
  return strncmp(name, "%envreg", 7) == 0 || (length > 2 && strcmp(name + length - 2, ".w") == 0);
}

uint32_t decode_special_register(struct decoder *d, const char *name, size_t bytes) {
  if (strcmp(name, "WARP_SZ") == 0) return decode_constant(d, WARP_LANES, bytes == 8 ? 8 : 4);
  for (int i = 0; i < SPECIAL_COUNT; i++) {
    if (strcmp(names[i], name) != 0 && !(i == SPECIAL_ZERO && is_zero(name))) continue;
    uint32_t to = decode_temporary(d, bytes == 8 ? 8 : 4);
    if (i >= SPECIAL_CLOCK && i <= SPECIAL_GLOBALTIMER_HI) {
      decode_emit(d)->execute = special_settle;
      d->program->reads_clocks = true;
    }
    if (i == SPECIAL_SHARED_OF_GROUPS) d->program->uses_shared_of_groups = true;
    struct op *op = decode_emit(d);
    op->execute = special_read;
    op->d = to;
    op->kind = (uint8_t)i;
    op->width = bytes == 8 ? 8 : 4;
    return to;
  }
  decode_error(d, d->instruction, "this device has no special register %s", name);
  return OP_NO_REGISTER;
}

// PTX ISA 10.11: the only special register that is a predicate.
uint32_t decode_special_predicate(struct decoder *d, const char *name) {
  if (strcmp(name, names[SPECIAL_IS_EXPLICIT_CLUSTER]) != 0) {
    decode_error(d, d->instruction, "a predicate is wanted here");
    return OP_NO_REGISTER;
  }
  uint32_t to = decode_temporary(d, 0);
  struct op *op = decode_emit(d);
  op->execute = special_explicit_cluster;
  op->d = to;
  return to;
}

// 9.7.19.5. A frame is always as large as its function needs: only the counts are kept.
static bool decode_register_pool(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const allowed[] = {"inc", "dec", "sync", "aligned", NULL};
  enum { LEAST = 24, MOST = 256, STEP = 8 };
  if (in->operand_count != 1 || in->operands[0].kind != PTX_OPERAND_INTEGER)
    return decode_error(d, in, "setmaxnreg takes one constant");
  const uint64_t count = in->operands[0].integer;
  if (count < LEAST || count > MOST || count % STEP)
    return decode_error(d, in, "setmaxnreg takes a multiple of 8 from 24 to 256");
  op->execute = register_pool_set;
  op->target = decode_constant(d, UINT32_MAX, 4);
  op->immediate = (int64_t)count;
  op->kind = ptx_has_modifier(in, "inc") ? REGISTER_POOL_INC : REGISTER_POOL_DEC;
  return decode_allowed(d, in, allowed);
}

// 9.7.9.14 to 9.7.9.16, 9.7.9.26: memory of several GPUs. A program asks first whether there is such memory,
// and hears that there is none. So its kernels may have these instructions, where none of them is executed.
static bool decode_multimem(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char words[] =
      "this device is one GPU, and has no memory of several: use ld, st and red instead";
  char *text = decode_allocate(d, MULTIMEM_TEXT);
  snprintf(text, MULTIMEM_TEXT, "`%.120s` (line %u of the PTX): %s", in->text, in->ptx_line, words);
  op->extra = text;
  op->execute = special_not_here;
  return true;
}

bool decode_special(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  op->execute = special_nothing;
  if (strcmp(in->opcode, PTX_MARK) == 0) {
    op->execute = special_mark;
    return true;
  }
  if (strcmp(in->opcode, "nanosleep") == 0) { // 9.7.19.2
    if (in->operand_count != 1) return decode_error(d, in, "nanosleep takes one operand");
    op->a = decode_source(d, &in->operands[0], PTX_U32);
    op->execute = special_nanosleep;
    return true;
  }
  // On this device programmatic launches run one after the other, so griddepcontrol.wait never has to wait
  // (9.7.13.13). The checks in order/ assume that the launches overlap.
  if (strcmp(in->opcode, "griddepcontrol") == 0) {
    static const char *const allowed[] = {"launch_dependents", "wait", NULL};
    op->execute = ptx_has_modifier(in, "wait") ? special_grid_wait : special_launch_dependents;
    return decode_allowed(d, in, allowed);
  }
  if (strcmp(in->opcode, "multimem") == 0) return decode_multimem(d, in, op);
  if (strcmp(in->opcode, "setmaxnreg") == 0) return decode_register_pool(d, in, op);
  return strcmp(in->opcode, "pmevent") == 0 ||
         decode_error(d, in, "this device doesn't know the instruction");
}
