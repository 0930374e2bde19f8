// Comparisons of f16, bf16 and pairs of them, PTX ISA 9.7.7. The comparison of a pair makes two predicates.
#include "virtual-hopper/execute/compare.h"

#define COMPARE(name, T, expression)                                               \
  NUMBERS_INLINE bool name##_holds(uint32_t x, uint32_t y) {                       \
    VALUE_##T a = LOAD_##T(x), b = LOAD_##T(y);                                    \
    return expression;                                                             \
  }                                                                                \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {            \
    const uint32_t *a = LANE_REGISTER(u32, op->a), *b = LANE_REGISTER(u32, op->b); \
    uint32_t mask = 0;                                                             \
    for (int i = 0; i < WARP_LANES; i++)                                           \
      mask |= name##_holds(a[i] & 0xffffu, b[i] & 0xffffu) ? lane_bit[i] : 0;      \
    compare_result(w, op, mask);                                                   \
  }                                                                                \
  LANES_HANDLER static void name##_pairs(struct warp *w, const struct op *op) {    \
    const uint32_t *a = LANE_REGISTER(u32, op->a), *b = LANE_REGISTER(u32, op->b); \
    uint32_t low = 0, high = 0;                                                    \
    for (int i = 0; i < WARP_LANES; i++) {                                         \
      low |= name##_holds(a[i] & 0xffffu, b[i] & 0xffffu) ? lane_bit[i] : 0;       \
      high |= name##_holds(a[i] >> 16, b[i] >> 16) ? lane_bit[i] : 0;              \
    }                                                                              \
    compare_results(w, op, low, high);                                             \
  }

#define COMPARISONS(T)                   \
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
#define SLOT_bf16f    uint32_t
#define VALUE_bf16f   float
#define LOAD_bf16f(x) bfloat_to_float(x)
COMPARISONS(f16)
COMPARISONS(f16z)
COMPARISONS(bf16f)

// clang-format off
#define ROW(name) \
    {#name, PTX_F16, "", name##_f16}, {#name, PTX_F16X2, "", name##_f16_pairs}, \
    {#name ".ftz", PTX_F16, "", name##_f16z}, {#name ".ftz", PTX_F16X2, "", name##_f16z_pairs}, \
    {#name, PTX_BF16, "", name##_bf16f}, {#name, PTX_BF16X2, "", name##_bf16f_pairs}
const struct arithmetic_handler warp_compare_half_handlers[] = {
    ROW(eq), ROW(ne), ROW(lt), ROW(le), ROW(gt), ROW(ge),
    ROW(equ), ROW(neu), ROW(ltu), ROW(leu), ROW(gtu), ROW(geu), ROW(num), ROW(nan), {0},
};
// clang-format on
