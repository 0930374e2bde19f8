// Comparison and selection, PTX ISA 9.7.6. Comparisons make masks with one bit per lane; selections read
// these masks.
#include "virtual-hopper/execute/compare.h"

static void write_predicate(struct warp *w, uint32_t offset, uint32_t mask) {
  if (offset == OP_NO_REGISTER) return;
  uint32_t *d = warp_predicate(w, offset);
  *d = (*d & ~w->lanes) | (mask & w->lanes);
}

static uint32_t combine(const struct op *op, uint32_t mask, uint32_t other) {
  switch ((enum compare_combine)op->kind) {
  case COMBINE_AND: return mask & other;
  case COMBINE_OR: return mask | other;
  case COMBINE_XOR: return mask ^ other;
  default: return mask;
  }
}

// Both results are computed before the first is written, since c may be the same register as p.
void compare_results(struct warp *w, const struct op *op, uint32_t p_mask, uint32_t q_mask) {
  uint32_t other = op->c == OP_NO_REGISTER ? 0 : *warp_predicate(w, op->c);
  if (op->flags & 1) other = ~other;
  uint32_t p = combine(op, p_mask, other), q = combine(op, q_mask, other);
  write_predicate(w, op->d, p);
  write_predicate(w, op->target, q);
}

void compare_result(struct warp *w, const struct op *op, uint32_t mask) {
  compare_results(w, op, mask, ~mask);
}

// The usual setp has one result, and combines it with nothing.
static inline void compare_result_quickly(struct warp *w, const struct op *op, uint32_t mask) {
  if (op->kind == COMBINE_NONE && op->target == OP_NO_REGISTER)
    write_predicate(w, op->d, mask);
  else
    compare_result(w, op, mask);
}

// All lanes are compared, also those that don't run: that is faster. compare_results writes only the lanes
// that run.
#define COMPARE(name, T, expression)                                             \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {          \
    const SLOT_##T *sa = LANE_REGISTER(T, op->a), *sb = LANE_REGISTER(T, op->b); \
    uint32_t mask = 0;                                                           \
    for (int i = 0; i < WARP_LANES; i++) {                                       \
      VALUE_##T a = LOAD_##T(sa[i]), b = LOAD_##T(sb[i]);                        \
      mask |= (expression) ? lane_bit[i] : 0;                                    \
    }                                                                            \
    compare_result_quickly(w, op, mask);                                         \
  }

#define INTEGER_COMPARISONS(T) \
  COMPARE(eq_##T, T, a == b)   \
  COMPARE(ne_##T, T, a != b)   \
  COMPARE(lt_##T, T, a < b)    \
  COMPARE(le_##T, T, a <= b)   \
  COMPARE(gt_##T, T, a > b)    \
  COMPARE(ge_##T, T, a >= b)
INTEGER_COMPARISONS(u16)
INTEGER_COMPARISONS(s16)
INTEGER_COMPARISONS(u32)
INTEGER_COMPARISONS(s32)
INTEGER_COMPARISONS(u64)
INTEGER_COMPARISONS(s64)

// With a NaN, ordered comparisons are false and unordered comparisons are true (9.3.1.2).
#define FLOAT_COMPARISONS(T)             \
  COMPARE(eq_##T, T, a == b)             \
  COMPARE(ne_##T, T, a<b || a> b)        \
  COMPARE(lt_##T, T, a < b)              \
  COMPARE(le_##T, T, a <= b)             \
  COMPARE(gt_##T, T, a > b)              \
  COMPARE(ge_##T, T, a >= b)             \
  COMPARE(equ_##T, T, !(a < b || a > b)) \
  COMPARE(neu_##T, T, a != b)            \
  COMPARE(ltu_##T, T, !(a >= b))         \
  COMPARE(leu_##T, T, !(a > b))          \
  COMPARE(gtu_##T, T, !(a <= b))         \
  COMPARE(geu_##T, T, !(a < b))          \
  COMPARE(num_##T, T, a == a && b == b)  \
  COMPARE(nan_##T, T, a != a || b != b)
FLOAT_COMPARISONS(f32)
FLOAT_COMPARISONS(f32z)
FLOAT_COMPARISONS(f64)

// selp: a where c is true.
#define SELECT(name, T)                                                                                     \
  LANES_HANDLER void name(struct warp *w, const struct op *op) {                                            \
    T *d = (T *)(void *)(w->registers + op->d);                                                             \
    const T *a = (const T *)(void *)(w->registers + op->a), *b = (const T *)(void *)(w->registers + op->b); \
    uint32_t chosen = *warp_predicate(w, op->c) ^ ((op->flags & 1) ? UINT32_MAX : 0);                       \
    FOR_LANES(d[i] = (chosen & lane_bit[i]) ? a[i] : b[i];)                                                 \
  }
SELECT(warp_select32, uint32_t)
SELECT(warp_select64, uint64_t)

LANES_HANDLER void warp_set(struct warp *w, const struct op *op) {
  uint32_t *d = LANE_REGISTER(u32, op->d), chosen = *warp_predicate(w, op->a),
           truth = (uint32_t)op->immediate;
  FOR_LANES(d[i] = (chosen & lane_bit[i]) ? truth : 0;)
}

LANES_HANDLER void warp_set_pair(struct warp *w, const struct op *op) {
  uint32_t *d = LANE_REGISTER(u32, op->d), low = *warp_predicate(w, op->a), high = *warp_predicate(w, op->b);
  uint32_t truth = (uint32_t)op->immediate;
  FOR_LANES(d[i] = ((low & lane_bit[i]) ? truth : 0) | ((high & lane_bit[i]) ? truth << 16 : 0);)
}

// slct: a where c >= 0, else b. A NaN in c selects b. 9.7.6.4
#define SLCT(name, D, C)                                                       \
  LANES_HANDLER void name(struct warp *w, const struct op *op) {               \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                     \
    const SLOT_##D *a = LANE_REGISTER(D, op->a), *b = LANE_REGISTER(D, op->b); \
    const SLOT_##C *sc = LANE_REGISTER(C, op->c);                              \
    FOR_LANES(VALUE_##C c = LOAD_##C(sc[i]); d[i] = c >= 0 ? a[i] : b[i];)     \
  }
SLCT(warp_slct32_s32, u32, s32)
SLCT(warp_slct64_s32, u64, s32)
SLCT(warp_slct32_f32, u32, f32)
SLCT(warp_slct64_f32, u64, f32)
SLCT(warp_slct32_f32_ftz, u32, f32z)
SLCT(warp_slct64_f32_ftz, u64, f32z)

// clang-format off
#define INTEGER_ROW(name) \
    {#name, PTX_U16, "", name##_u16}, {#name, PTX_S16, "", name##_s16}, {#name, PTX_U32, "", name##_u32}, \
    {#name, PTX_S32, "", name##_s32}, {#name, PTX_U64, "", name##_u64}, {#name, PTX_S64, "", name##_s64}
#define FLOAT_ROW(name) \
    {#name, PTX_F32, "", name##_f32}, {#name ".ftz", PTX_F32, "", name##_f32z}, \
    {#name, PTX_F64, "", name##_f64}
const struct arithmetic_handler warp_compare_handlers[] = {
    INTEGER_ROW(eq), INTEGER_ROW(ne), INTEGER_ROW(lt), INTEGER_ROW(le), INTEGER_ROW(gt), INTEGER_ROW(ge),
    FLOAT_ROW(eq), FLOAT_ROW(ne), FLOAT_ROW(lt), FLOAT_ROW(le), FLOAT_ROW(gt), FLOAT_ROW(ge),
    FLOAT_ROW(equ), FLOAT_ROW(neu), FLOAT_ROW(ltu), FLOAT_ROW(leu), FLOAT_ROW(gtu), FLOAT_ROW(geu),
    FLOAT_ROW(num), FLOAT_ROW(nan),
    {0},
};
// clang-format on
