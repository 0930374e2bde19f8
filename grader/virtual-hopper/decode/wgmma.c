// Decodes wgmma.mma_async{.sp}, wgmma.fence, wgmma.commit_group and wgmma.wait_group, PTX ISA 9.1, 9.7.15.
#include "virtual-hopper/execute/wgmma.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/decode/matrix.h"
#include "virtual-hopper/decode/modifiers.h"
#include "virtual-hopper/execute/move.h"
#include "virtual-hopper/execute/wgmma-moved.h"

struct wgmma_form {
  enum mma_element types[2]; // of A and B
  enum mma_element sums[2];
  uint32_t depth; // of a dense product
  bool mixed, floating, transposable;
};
static const struct wgmma_form forms[] = {
    {{MMA_F16, MMA_F16}, {MMA_F32, MMA_F16}, 16, false, true, true},
    {{MMA_BF16, MMA_BF16}, {MMA_F32, MMA_F32}, 16, false, true, true},
    {{MMA_TF32, MMA_TF32}, {MMA_F32, MMA_F32}, 8, false, true, false},
    {{MMA_E4M3, MMA_E5M2}, {MMA_F32, MMA_F16}, 32, true, true, false},
    {{MMA_S8, MMA_U8}, {MMA_S32, MMA_S32}, 32, true, false, false},
    {{MMA_B1, MMA_B1}, {MMA_S32, MMA_S32}, 256, false, false, false},
};

static bool is_either(enum mma_element type, const enum mma_element types[2]) {
  return type == types[0] || type == types[1];
}

static bool has_shape(const struct wgmma_form *f, const struct wgmma_plan *p) {
  const bool columns = p->columns >= 8 && p->columns <= 256 && p->columns % 8 == 0;
  // whole numbers and bits: n is 8, 16, 24, or a multiple of 16
  const bool whole = f->floating || p->columns % 16 == 0 || p->columns <= 24;
  const uint32_t depth = p->sparse.is_sparse ? 2 * f->depth : f->depth;
  return columns && whole && p->depth == depth && !(p->sparse.is_sparse && p->a_type == MMA_B1);
}

static const struct wgmma_form *find_form(const struct wgmma_plan *p) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const struct wgmma_form *f = &forms[i];
    const bool types = is_either(p->a_type, f->types) && is_either(p->b_type, f->types) &&
                       is_either(p->sum_type, f->sums) && (f->mixed || p->a_type == p->b_type);
    if (types) return has_shape(f, p) ? f : NULL;
  }
  return NULL;
}

// .m64nNkK
static bool take_shape(struct modifiers *m, struct wgmma_plan *p) {
  for (uint32_t i = 0; i < m->in->modifier_count; i++) {
    char rest;
    if (sscanf(m->in->modifiers[i], "m64n%3uk%3u%c", &p->columns, &p->depth, &rest) == 2)
      return modifiers_take(m, m->in->modifiers[i]);
  }
  return false;
}

// .dtype.atype.btype
static bool take_types(struct modifiers *m, struct wgmma_plan *p) {
  enum mma_element *const types[] = {&p->sum_type, &p->a_type, &p->b_type};
  for (int i = 0; i < 3; i++) {
    const int type = modifiers_take_one_of(m, matrix_element_names);
    if (type < 0) return false;
    *types[i] = (enum mma_element)type;
  }
  return true;
}

static bool take_form(struct decoder *d, struct modifiers *m, struct wgmma_plan *p,
                      const struct wgmma_form **form) {
  p->sparse.is_sparse = modifiers_take(m, "sp");
  if (!take_shape(m, p) || !take_types(m, p) || !(*form = find_form(p)))
    return decode_error(d, m->in, "sm_90a knows no wgmma of this shape and these types");
  p->saturates = p->sum_type == MMA_S32 && p->a_type != MMA_B1 && modifiers_take(m, "satfinite");
  if (p->a_type == MMA_B1 && !(modifiers_take(m, "and") && modifiers_take(m, "popc")))
    return decode_error(d, m->in, "products of single bits need .and.popc");
  return modifiers_all_taken(d, m);
}

// An operand that is an integer constant: one of two values.
static bool take_constant(struct decoder *d, const struct ptx_instruction *in, uint32_t *at, int64_t no,
                          int64_t yes, bool *is_yes) {
  if (*at >= in->operand_count) return decode_error(d, in, "operand %u is missing", *at + 1);
  const struct ptx_operand *o = &in->operands[(*at)++];
  if (o->kind != PTX_OPERAND_INTEGER || ((int64_t)o->integer != no && (int64_t)o->integer != yes))
    return decode_error(d, in, "operand %u must be the constant %d or %d", *at, (int)no, (int)yes);
  *is_yes = (int64_t)o->integer == yes;
  return true;
}

// scale-d: a predicate, or a constant.
static bool take_scale(struct decoder *d, const struct ptx_operand *o, struct op *op) {
  if (o->kind == PTX_OPERAND_INTEGER)
    op->b = decode_constant(d, o->integer ? UINT32_MAX : 0, 0);
  else
    op->b = decode_predicate(d, o, NULL);
  return !decode_failed(d);
}

static bool take_constants(struct decoder *d, const struct ptx_instruction *in, uint32_t *at,
                           const struct wgmma_form *form, struct wgmma_plan *p) {
  if (form->floating &&
      !(take_constant(d, in, at, 1, -1, &p->a_negated) && take_constant(d, in, at, 1, -1, &p->b_negated)))
    return false;
  if (form->transposable && !p->a_in_registers && !take_constant(d, in, at, 0, 1, &p->a_transposed))
    return false;
  return !form->transposable || take_constant(d, in, at, 0, 1, &p->b_transposed);
}

// d, {a, a-desc}, b-desc, {sp-meta, sp-sel,} scale-d, {imm-scale-a, imm-scale-b, {imm-trans-a,}
// {imm-trans-b}}
static bool take_operands(struct decoder *d, const struct ptx_instruction *in, const struct wgmma_form *form,
                          struct wgmma_plan *p, struct op *op) {
  if (in->operand_count < 4) return decode_error(d, in, "it takes 4 operands at least");
  const struct ptx_operand *o = in->operands;
  p->a_in_registers = o[1].kind == PTX_OPERAND_VECTOR;
  // the sums are read as well, so each needs a register
  if (!matrix_registers(d, in, &o[0], wgmma_sum_registers(p), false, true, p->d)) return false;
  for (uint32_t i = 0; i < wgmma_sum_registers(p); i++)
    if (p->d[i] == OP_NO_REGISTER) return decode_error(d, in, "an accumulator can't be a sink");
  if (p->a_in_registers && !matrix_registers(d, in, &o[1], WGMMA_A_REGISTERS, false, false, p->a))
    return false;
  if (!p->a_in_registers) p->a_descriptor = decode_source(d, &o[1], PTX_B64);
  p->b_descriptor = decode_source(d, &o[2], PTX_B64);
  uint32_t at = 3;
  if (decode_failed(d)) return false;
  if (p->sparse.is_sparse) {
    if (in->operand_count < 6) return decode_error(d, in, "it takes 6 operands at least");
    if (!matrix_sparse_operands(d, in, &o[3], p->a_type, p->depth, &p->sparse)) return false;
    at = 5;
  }
  if (at >= in->operand_count) return decode_error(d, in, "scale-d is missing");
  return take_scale(d, &o[at++], op) && take_constants(d, in, &at, form, p) &&
         (at == in->operand_count ||
          decode_error(d, in, "it has %u operands too many", in->operand_count - at));
}

static bool decode_multiply(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                            struct op *op) {
  struct wgmma_plan *p = decode_allocate(d, sizeof *p);
  const struct wgmma_form *form = NULL;
  op->extra = p;
  op->execute = wgmma_multiply;
  d->program->uses_products = true;
  p->a_descriptor = OP_NO_REGISTER;
  return matrix_take_whole_warp(d, m, op) && take_form(d, m, p, &form) && take_operands(d, in, form, p, op);
}

// An op that a compiler has put before the wait for a sum: see struct wgmma_moved.
static void wrap_moved(struct decoder *d, struct function *f, const uint8_t *is_sum) {
  uint32_t last_wait = 0;
  for (uint32_t i = 0; i < f->op_count; i++)
    if (f->ops[i].execute == wgmma_wait) last_wait = i;
  for (uint32_t i = 0; i < (d->module->is_debug ? f->op_count : last_wait); i++) {
    struct op *op = &f->ops[i];
    struct wgmma_moved moved = {0};
    if (!wgmma_is_moved(d->program, f, op, is_sum, &moved)) continue;
    struct wgmma_moved *kept = decode_allocate(d, sizeof *kept);
    *kept = moved;
    kept->op = *op;
    op->execute = wgmma_run_moved;
    op->extra = kept;
  }
}

// A move out of a register that a product of this function adds to: see wgmma_move_sum.
void decode_moves_of_sums(struct decoder *d, struct function *f) {
  uint8_t *is_sum = NULL; // by place
  for (uint32_t i = 0; i < f->op_count; i++) {
    if (f->ops[i].execute != wgmma_multiply) continue;
    const struct wgmma_plan *plan = f->ops[i].extra;
    if (!is_sum) is_sum = arena_allocate_array(d->arena, f->register_bytes + sizeof(uint64_t), 1);
    for (uint32_t k = 0; k < wgmma_sum_registers(plan); k++)
      is_sum[plan->d[k]] = 1;
  }
  if (!is_sum) return;
  for (uint32_t i = 0; i < f->op_count; i++)
    if (f->ops[i].execute == warp_move32 && is_sum[f->ops[i].a]) f->ops[i].execute = wgmma_move_sum;
  wrap_moved(d, f, is_sum);
}

// wgmma.{fence, commit_group}.sync.aligned;    wgmma.wait_group.sync.aligned N;
bool decode_wgmma(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const names[] = {"mma_async", "fence", "commit_group", "wait_group", NULL};
  static op_execute *const executes[] = {NULL, wgmma_fence, wgmma_commit, wgmma_wait};
  struct modifiers m = modifiers_of(in);
  const int form = modifiers_take_one_of(&m, names);
  if (form < 0) return decode_error(d, in, "sm_90a has no such wgmma instruction");
  if (form == 0) return decode_multiply(d, in, &m, op);
  op->execute = executes[form];
  if (!matrix_take_whole_warp(d, &m, op) || !modifiers_all_taken(d, &m)) return false;
  const uint32_t wanted = form == 3;
  if (in->operand_count != wanted)
    return decode_error(d, in, "%u operands, where %u are wanted", in->operand_count, wanted);
  // The operand is the number of groups that may be pending: an integer constant, at least 0.
  if (!wanted) return true;
  const struct ptx_operand *newest = &in->operands[0];
  if (newest->kind != PTX_OPERAND_INTEGER || newest->integer < 0)
    return decode_error(d, in, "the number of groups must be an integer constant, 0 or more");
  op->immediate = (int64_t)newest->integer;
  return true;
}
