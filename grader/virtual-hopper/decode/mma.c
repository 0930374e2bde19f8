// Decodes mma.sync, PTX ISA 9.7.14.5.14, and mma.sp.sync, 9.7.14.6.3. Only the shapes of sm_90 are decoded.
// The shape m8n8k4 for .f16 is not, because only sm_70 has it in hardware.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/matrix.h"

struct mma_form {
  const char *types[3]; // types of a and b
  const char *sums[3];  // types of the sums
  uint32_t small_depth; // depth k of m8n8; 0: m8n8 does not exist
  uint32_t depths[4];   // depths k of m16n8
  // mixed: a and b may have different types of this form
  bool mixed, double_precision;
};

// with a sparse a; the shape is m16n8
static const struct mma_form sparse_forms[] = {
    {{"f16"}, {"f32", "f16"}, 0, {16, 32}, false, false}, {{"bf16"}, {"f32"}, 0, {16, 32}, false, false},
    {{"tf32"}, {"f32"}, 0, {8, 16}, false, false},        {{"e4m3", "e5m2"}, {"f32"}, 0, {64}, true, false},
    {{"s8", "u8"}, {"s32"}, 0, {32, 64}, true, false},    {{"s4", "u4"}, {"s32"}, 0, {64, 128}, true, false},
};

static const struct mma_form forms[] = {
    {{"f16"}, {"f32", "f16"}, 0, {8, 16}, false, false},
    {{"bf16"}, {"f32"}, 0, {8, 16}, false, false},
    {{"tf32"}, {"f32"}, 0, {4, 8}, false, false},
    {{"e4m3", "e5m2"}, {"f32", "f16"}, 0, {16, 32}, true, false},
    {{"f64"}, {"f64"}, 4, {4, 8, 16}, false, true},
    {{"s8", "u8"}, {"s32"}, 16, {16, 32}, true, false},
    {{"s4", "u4"}, {"s32"}, 32, {32, 64}, true, false},
    {{"b1"}, {"s32"}, 128, {128, 256}, false, false},
};

static bool is_one_of(const char *name, const char *const names[3]) {
  for (int i = 0; i < 3 && names[i]; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static bool has_shape(const struct mma_form *f, const struct mma_plan *plan) {
  if (plan->rows == MMA_COLUMNS) return f->small_depth && f->small_depth == plan->depth;
  for (size_t i = 0; i < sizeof f->depths / sizeof *f->depths; i++)
    if (f->depths[i] == plan->depth) return true;
  return false;
}

// Returns the form with these types and this shape; NULL: sm_90 has no such form.
static const struct mma_form *find_form(const struct mma_plan *plan) {
  const char *a = matrix_element_names[plan->a_type], *b = matrix_element_names[plan->b_type],
             *sum = matrix_element_names[plan->sum_type];
  const struct mma_form *all = plan->sparse.is_sparse ? sparse_forms : forms;
  const size_t count =
      plan->sparse.is_sparse ? sizeof sparse_forms / sizeof *forms : sizeof forms / sizeof *forms;
  for (size_t i = 0; i < count; i++) {
    const struct mma_form *f = &all[i];
    bool types =
        is_one_of(a, f->types) && is_one_of(b, f->types) && (f->mixed || plan->a_type == plan->b_type);
    if (types && is_one_of(sum, f->sums) && has_shape(f, plan)) return f;
  }
  return NULL;
}

static bool take_shape(struct modifiers *m, struct mma_plan *plan) {
  static const char *const shapes[] = {"m8n8k4",   "m8n8k16",   "m8n8k32",   "m8n8k128",
                                       "m16n8k4",  "m16n8k8",   "m16n8k16",  "m16n8k32",
                                       "m16n8k64", "m16n8k128", "m16n8k256", NULL};
  int shape = modifiers_take_one_of(m, shapes);
  return shape >= 0 && sscanf(shapes[shape], "m%un8k%u", &plan->rows, &plan->depth) == 2;
}

// .dtype.atype.btype.ctype
static bool take_types(struct modifiers *m, struct mma_plan *plan) {
  int types[4];
  for (int i = 0; i < 4; i++)
    if ((types[i] = modifiers_take_one_of(m, matrix_element_names)) < 0) return false;
  plan->sum_type = (enum mma_element)types[0];
  plan->a_type = (enum mma_element)types[1];
  plan->b_type = (enum mma_element)types[2];
  return types[3] == types[0]; // required for every shape except m8n8k4
}

static bool take_bit_operation(struct decoder *d, struct modifiers *m, struct mma_plan *plan) {
  if (plan->a_type != MMA_B1) return true;
  plan->exclusive_or = modifiers_take(m, "xor");
  return ((plan->exclusive_or || modifiers_take(m, "and")) && modifiers_take(m, "popc")) ||
         decode_error(d, m->in, "one of .xor.popc and .and.popc is wanted");
}

static bool take_operands(struct decoder *d, const struct ptx_instruction *in, struct mma_plan *plan,
                          bool wide) {
  const uint32_t in_register = wide ? 1 : 32 / mma_element_bits(plan->a_type);
  const uint32_t steps = plan->depth / (4 * in_register), halves = plan->rows / MMA_COLUMNS;
  const uint32_t sums = plan->sum_type == MMA_F16 ? halves : 2 * halves;
  const bool sparse = plan->sparse.is_sparse;
  const uint32_t operands = sparse ? 6 : 4;
  return (in->operand_count == operands || decode_error(d, in, "it takes %u operands", operands)) &&
         matrix_registers(d, in, &in->operands[0], sums, wide, true, plan->d) &&
         matrix_registers(d, in, &in->operands[1], (sparse ? steps / 2 : steps) * halves, wide, false,
                          plan->a) &&
         matrix_registers(d, in, &in->operands[2], steps, wide, false, plan->b) &&
         matrix_registers(d, in, &in->operands[3], sums, wide, false, plan->c) &&
         (!sparse ||
          matrix_sparse_operands(d, in, &in->operands[4], plan->a_type, plan->depth, &plan->sparse));
}

bool decode_mma(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  struct mma_plan *plan = decode_allocate(d, sizeof *plan);
  op->extra = plan;
  op->execute = mma_multiply;
  plan->sparse.ordered = modifiers_take(&m, "sp::ordered_metadata");
  plan->sparse.is_sparse = plan->sparse.ordered || modifiers_take(&m, "sp");
  if (!matrix_take_whole_warp(d, &m, op)) return false;
  const struct mma_form *form = take_shape(&m, plan) && take_types(&m, plan) ? find_form(plan) : NULL;
  if (!form) return decode_error(d, in, "this device knows no mma of this shape and these types");
  if (!modifiers_take(&m, "row") || !modifiers_take(&m, "col"))
    return decode_error(d, in, "mma of this shape needs .row.col");
  if (form->double_precision) plan->rounding = matrix_take_rounding(&m);
  plan->saturates = plan->sum_type == MMA_S32 && modifiers_take(&m, "satfinite");
  return take_bit_operation(d, &m, plan) && modifiers_all_taken(d, &m) &&
         take_operands(d, in, plan, form->double_precision);
}
