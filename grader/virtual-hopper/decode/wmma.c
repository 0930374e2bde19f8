// Decodes wmma.load, wmma.store and wmma.mma, PTX ISA 9.1, 9.7.15.3 and .4. A load becomes a meeting of the
// warp's lanes, and for each register the computation of an address and an ordinary load; a store likewise.
#include "virtual-hopper/execute/wmma.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/access.h"
#include "virtual-hopper/decode/matrix.h"
#include "virtual-hopper/decode/modifiers.h"
#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/execute/move.h"

struct wmma_form {
  enum mma_element types[2]; // of A and B, which are of one type
  enum mma_element sums[2];
  uint32_t shapes[3][3]; // m, n, k
};
#define THREE_SHAPES             \
  {                              \
    {16, 16, 16}, {8, 32, 16}, { \
      32, 8, 16                  \
    }                            \
  }
static const struct wmma_form forms[] = {
    {{MMA_F16, MMA_F16}, {MMA_F32, MMA_F16}, THREE_SHAPES},
    {{MMA_BF16, MMA_BF16}, {MMA_F32, MMA_F32}, THREE_SHAPES},
    {{MMA_TF32, MMA_TF32}, {MMA_F32, MMA_F32}, {{16, 16, 8}}},
    {{MMA_F64, MMA_F64}, {MMA_F64, MMA_F64}, {{8, 8, 4}}},
    {{MMA_S8, MMA_U8}, {MMA_S32, MMA_S32}, THREE_SHAPES},
    {{MMA_S4, MMA_U4}, {MMA_S32, MMA_S32}, {{8, 8, 32}}},
    {{MMA_B1, MMA_B1}, {MMA_S32, MMA_S32}, {{8, 8, 128}}},
};
#undef THREE_SHAPES

static bool has_shape(const struct wmma_form *f, const struct wmma_plan *p) {
  for (int i = 0; i < 3; i++)
    if (f->shapes[i][0] == p->m && f->shapes[i][1] == p->n && f->shapes[i][2] == p->k) return true;
  return false;
}

static bool is_either(enum mma_element type, const enum mma_element types[2]) {
  return type == types[0] || type == types[1];
}

// .mXnYkZ
static bool take_shape(struct modifiers *m, struct wmma_plan *p) {
  for (uint32_t i = 0; i < m->in->modifier_count; i++) {
    char rest;
    if (sscanf(m->in->modifiers[i], "m%3un%3uk%3u%c", &p->m, &p->n, &p->k, &rest) == 3)
      return modifiers_take(m, m->in->modifiers[i]);
  }
  return false;
}

static uint32_t units(uint32_t elements, enum mma_element type) {
  return elements / wmma_neighbours(type) / WARP_LANES;
}

// Registers of a fragment: f16 has eight for A and B, whatever the shape.
static uint32_t factor_registers(uint32_t elements, enum mma_element type) {
  return type == MMA_F16 ? WMMA_MOST_REGISTERS : units(elements, type);
}

static bool take_type(struct modifiers *m, enum mma_element *type) {
  const int found = modifiers_take_one_of(m, matrix_element_names);
  if (found >= 0) *type = (enum mma_element)found;
  return found >= 0;
}

// ---- loads and stores -------------------------------------------------------------------------------------

struct fragment {
  char matrix; // a, b, c, d
  enum mma_element type;
  bool by_columns;
  uint32_t lines, length; // as its units are counted
  uint32_t count, units;  // of registers; of different ones
};

static bool has_load(const struct wmma_plan *p, const struct fragment *f) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const bool sums = f->matrix == 'c' || f->matrix == 'd';
    if (is_either(f->type, sums ? forms[i].sums : forms[i].types) && has_shape(&forms[i], p)) return true;
  }
  return false;
}

static void find_lines(const struct wmma_plan *p, struct fragment *f) {
  const uint32_t rows = f->matrix == 'b' ? p->k : p->m, columns = f->matrix == 'a' ? p->k : p->n;
  const bool sums = f->matrix == 'c' || f->matrix == 'd';
  const bool turned = f->by_columns && !sums; // sums are counted by rows always
  f->lines = turned ? columns : rows;
  f->length = turned ? rows : columns;
  f->units = units(f->lines * f->length, f->type);
  f->count = sums ? f->units : factor_registers(f->lines * f->length, f->type);
}

static bool take_fragment(struct decoder *d, struct modifiers *m, struct fragment *f) {
  static const char *const matrices[] = {"a", "b", "c", "d", NULL}, *const layouts[] = {"row", "col", NULL};
  struct wmma_plan shape = {0};
  const int matrix = modifiers_take_one_of(m, matrices), layout = modifiers_take_one_of(m, layouts);
  if (matrix < 0 || layout < 0 || !take_shape(m, &shape) || !take_type(m, &f->type))
    return decode_error(d, m->in, "a matrix (.a, .b, .c, .d), a layout, a shape and a type are wanted");
  f->matrix = (char)('a' + matrix);
  f->by_columns = layout == 1;
  find_lines(&shape, f);
  if (!has_load(&shape, f)) return decode_error(d, m->in, "sm_90 knows no wmma of this shape and type");
  const uint32_t along = f->matrix == 'b' ? f->by_columns : !f->by_columns;
  return (mma_element_bits(f->type) >= 8 || along || f->matrix > 'b') ||
         decode_error(d, m->in, "elements of less than 8 bits lie along k");
}

// The op of a family is emitted last; the others have its guard.
static struct op *emit(struct decoder *d, const struct op *like) {
  struct op *op = decode_emit(d);
  op->guard = like->guard;
  op->guard_negated = like->guard_negated;
  return op;
}

struct transfer {
  const struct fragment *fragment;
  const struct op *like; // the instruction's own op
  struct op address;     // a, immediate: of the matrix
  bool narrow, load;
  uint32_t stride, at; // places: the stride; the address of a lane's elements
  enum ptx_space space;
};

static void emit_address(struct decoder *d, const struct transfer *t, uint32_t which, uint32_t half) {
  const struct fragment *f = t->fragment;
  const bool sums = f->matrix == 'c' || f->matrix == 'd';
  const uint32_t neighbours = wmma_neighbours(f->type);
  struct wmma_element *e = decode_allocate(d, sizeof *e);
  *e = (struct wmma_element){.unit = which % f->units * WARP_LANES,
                             .in_line = f->length / neighbours,
                             .neighbours = neighbours,
                             .bits = mma_element_bits(f->type),
                             .across = sums && f->by_columns,
                             .half = half,
                             .narrow = t->narrow};
  struct op *op = emit(d, t->like);
  op->execute = wmma_address;
  op->extra = e;
  op->a = t->address.a;
  op->immediate = t->address.immediate;
  op->b = t->stride;
  op->d = t->at;
}

static struct op access_op(struct decoder *d, const struct transfer *t, uint32_t place, uint32_t bytes) {
  struct access_plan *plan = decode_allocate(d, sizeof *plan);
  *plan = (struct access_plan){.bytes = bytes,
                               .registers = {place},
                               .storage = bytes == 8 ? 8 : 4,
                               .register_bytes = (uint8_t)(bytes == 8 ? 8 : 4)};
  struct op op = *t->like;
  op.execute = t->load ? memory_load : memory_store;
  op.extra = plan;
  op.a = t->at;
  op.immediate = 0;
  op.space = (uint8_t)t->space;
  op.width = (uint8_t)bytes;
  op.count = 1;
  return op;
}

static void emit_access(struct decoder *d, const struct transfer *t, uint32_t place, uint32_t bytes) {
  const struct op op = access_op(d, t, place, bytes);
  *decode_emit(d) = op;
}

// Sums of 16 bits by columns: the two elements of a register are no neighbours in memory.
static void emit_halves(struct decoder *d, const struct transfer *t, uint32_t which, uint32_t place) {
  const uint32_t halves[] = {decode_temporary(d, 4), decode_temporary(d, 4)};
  for (uint32_t half = 0; half < 2; half++) {
    if (!t->load) {
      struct op *part = emit(d, t->like);
      part->execute = wmma_part;
      part->kind = (uint8_t)half;
      part->a = place;
      part->d = halves[half];
    }
    emit_address(d, t, which, half);
    emit_access(d, t, halves[half], 2);
  }
  if (!t->load || place == OP_NO_REGISTER) return;
  struct op *join = emit(d, t->like);
  join->execute = wmma_join;
  join->a = halves[0];
  join->b = halves[1];
  join->d = place;
}

// A register with the units of an earlier one.
static void emit_copy(struct decoder *d, const struct transfer *t, uint32_t from, uint32_t to) {
  struct op *copy = emit(d, t->like);
  copy->execute = warp_move32;
  copy->a = from;
  copy->d = to;
}

static void emit_all(struct decoder *d, const struct transfer *t, const uint32_t *registers) {
  const struct fragment *f = t->fragment;
  const bool sums = f->matrix == 'c' || f->matrix == 'd';
  for (uint32_t i = 0; i < f->count && !decode_failed(d); i++) {
    if (sums && f->by_columns && f->type == MMA_F16) {
      emit_halves(d, t, i, registers[i]);
    } else if (t->load && i >= f->units && registers[i - f->units] != OP_NO_REGISTER) {
      if (registers[i] != OP_NO_REGISTER) emit_copy(d, t, registers[i - f->units], registers[i]);
    } else {
      emit_address(d, t, i, 0);
      emit_access(d, t, registers[i], f->type == MMA_F64 ? 8 : 4);
    }
  }
}

static bool decode_transfer(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                            struct op *op, bool load) {
  static const char *const spaces[] = {"global", "shared", "shared::cta", NULL};
  struct fragment f = {0};
  struct transfer t = {.fragment = &f, .like = op, .load = load, .space = PTX_SPACE_NONE};
  const int space = modifiers_take_one_of(m, spaces);
  if (space >= 0) t.space = space == 0 ? PTX_GLOBAL : PTX_SHARED;
  if (!take_fragment(d, m, &f) || !modifiers_all_taken(d, m)) return false;
  if (load == (f.matrix == 'd')) return decode_error(d, in, ".d is stored, .a, .b and .c are loaded");
  if (in->operand_count < 2 || in->operand_count > 3) return decode_error(d, in, "it takes 2 or 3 operands");
  uint32_t registers[WMMA_MOST_REGISTERS];
  struct access_plan plan = {0};
  t.address.space = (uint8_t)t.space;
  if (!matrix_registers(d, in, &in->operands[load ? 0 : 1], f.count, f.type == MMA_F64, load, registers) ||
      !access_address(d, &in->operands[load ? 1 : 0], &t.address, &plan))
    return false;
  t.narrow = plan.narrow;
  const uint32_t in_memory = f.matrix > 'b' && f.by_columns ? f.lines : f.length;
  t.stride =
      in->operand_count == 3 ? decode_source(d, &in->operands[2], PTX_U32) : decode_constant(d, in_memory, 4);
  t.at = decode_temporary(d, 8);
  for (uint32_t i = 0; i < f.count; i++)
    if (registers[i] == OP_NO_REGISTER && !load) return decode_error(d, in, "a register is missing");
  if (decode_failed(d)) return false;
  struct op *meet = emit(d, op);
  meet->execute = wmma_meet;
  meet->target = op->target;
  emit_all(d, &t, registers);
  op->execute = wmma_meet; // and go on together
  return !decode_failed(d);
}

// ---- products ---------------------------------------------------------------------------------------------

// .alayout.blayout.shape, then .dtype.ctype for f16, else .dtype.atype.btype.ctype
static bool take_product(struct decoder *d, struct modifiers *m, struct wmma_plan *p) {
  static const char *const layouts[] = {"row", "col", NULL};
  enum mma_element types[4];
  uint32_t count = 0;
  const int a = modifiers_take_one_of(m, layouts);
  // A layout that comes twice is listed twice.
  const int b = a < 0 ? -1 : modifiers_take_one_of(m, layouts);
  if (a < 0 || b < 0 || !take_shape(m, p)) return decode_error(d, m->in, "layouts and a shape are wanted");
  while (count < 4 && take_type(m, &types[count]))
    count++;
  if (count != 2 && count != 4) return decode_error(d, m->in, "two or four types are wanted");
  p->a_by_columns = a == 1;
  p->b_by_rows = b == 0;
  p->sum_type = types[0];
  p->a_type = count == 2 ? MMA_F16 : types[1];
  p->b_type = count == 2 ? MMA_F16 : types[2];
  p->c_type = types[count - 1];
  return true;
}

static bool has_form(const struct wmma_plan *p) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (is_either(p->a_type, forms[i].types) && p->a_type == p->b_type &&
        is_either(p->sum_type, forms[i].sums) && is_either(p->c_type, forms[i].sums) &&
        has_shape(&forms[i], p))
      return true;
  return false;
}

static bool decode_product(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                           struct op *op) {
  struct wmma_plan *p = decode_allocate(d, sizeof *p);
  p->exclusive_or = modifiers_take(m, "xor");
  const bool bits = (p->exclusive_or || modifiers_take(m, "and")) && modifiers_take(m, "popc");
  if (!take_product(d, m, p)) return false;
  if (!has_form(p) || bits != (p->a_type == MMA_B1))
    return decode_error(d, in, "sm_90 knows no wmma of this shape and these types");
  p->saturates = p->sum_type == MMA_S32 && modifiers_take(m, "satfinite");
  if (p->sum_type == MMA_F64) p->rounding = matrix_take_rounding(m);
  op->extra = p;
  op->execute = wmma_multiply;
  if (!modifiers_all_taken(d, m)) return false;
  if (in->operand_count != 4) return decode_error(d, in, "it takes 4 operands");
  const bool wide = p->sum_type == MMA_F64;
  p->a_count = factor_registers(p->m * p->k, p->a_type);
  p->b_count = factor_registers(p->n * p->k, p->b_type);
  p->sum_count = units(p->m * p->n, p->sum_type);
  p->c_count = units(p->m * p->n, p->c_type);
  return matrix_registers(d, in, &in->operands[0], p->sum_count, wide, true, p->d) &&
         matrix_registers(d, in, &in->operands[1], p->a_count, wide, false, p->a) &&
         matrix_registers(d, in, &in->operands[2], p->b_count, wide, false, p->b) &&
         matrix_registers(d, in, &in->operands[3], p->c_count, wide, false, p->c);
}

bool decode_wmma(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const names[] = {"load", "store", "mma", NULL};
  struct modifiers m = modifiers_of(in);
  const int form = modifiers_take_one_of(&m, names);
  if (form < 0) return decode_error(d, in, "sm_90 has no such wmma instruction");
  if (!matrix_take_whole_warp(d, &m, op)) return false;
  return form == 2 ? decode_product(d, in, &m, op) : decode_transfer(d, in, &m, op, form == 0);
}
