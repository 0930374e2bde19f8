// Sums, differences and products with carry in and out, PTX ISA 9.7.2. The warp keeps one bit of the
// condition code CC.CF per lane; only the bits of the running lanes change. A difference is a + ~b + 1, so
// CC.CF is set when nothing was borrowed. The manual doesn't say this, but the compiler's 128-bit division
// relies on it: that division uses addc after sub.cc.
#include "virtual-hopper/execute/lanes.h"

// The carry in comes from CC.CF (WITH), or is 0 (WITHOUT) or 1 (ONE). The carry out is kept (KEEP) or not
// (DROP).
#define WITH(i)      (w->carry >> (i)&1)
#define WITHOUT(i)   0u
#define ONE(i)       1u
#define KEEP(i, out) w->carry = (w->carry & ~lane_bit[i]) | ((out) ? lane_bit[i] : 0)
#define DROP(i, out) (void)(out)

// `first` and `second` are expressions of a, b, c.
#define CARRY(name, T, sources, first, second, in, out)                                    \
  static void name(struct warp *w, const struct op *op) {                                  \
    SLOT_##T *d = LANE_REGISTER(T, op->d);                                                 \
    const SLOT_##T *sa = LANE_REGISTER(T, op->a);                                          \
    const SLOT_##T *sb = LANE_REGISTER(T, op->b);                                          \
    const SLOT_##T *sc = LANE_REGISTER(T, sources == 3 ? op->c : op->b);                   \
    for (uint32_t left = w->lanes; left; left &= left - 1) {                               \
      unsigned i = (unsigned)__builtin_ctz(left);                                          \
      VALUE_##T a = LOAD_##T(sa[i]), b = LOAD_##T(sb[i]), c = LOAD_##T(sc[i]);             \
      BITS_##T partial, result;                                                            \
      (void)c;                                                                             \
      bool once = __builtin_add_overflow((BITS_##T)(first), (BITS_##T)(second), &partial); \
      bool twice = __builtin_add_overflow(partial, (BITS_##T)in(i), &result);              \
      out(i, once || twice);                                                               \
      d[i] = result;                                                                       \
    }                                                                                      \
  }

#define HIGH_u32(a, b) ((uint64_t)(a) * (b) >> 32)
#define HIGH_s32(a, b) ((int64_t)(a) * (b) >> 32)
#define HIGH_u64(a, b) ((unsigned __int128)(a) * (b) >> 64)
#define HIGH_s64(a, b) ((__int128)(a) * (b) >> 64)

#define OPERATIONS(T)                                                    \
  CARRY(add_cc_##T, T, 2, a, b, WITHOUT, KEEP)                           \
  CARRY(addc_##T, T, 2, a, b, WITH, DROP)                                \
  CARRY(addc_cc_##T, T, 2, a, b, WITH, KEEP)                             \
  CARRY(sub_cc_##T, T, 2, a, ~b, ONE, KEEP)                              \
  CARRY(subc_##T, T, 2, a, ~b, WITH, DROP)                               \
  CARRY(subc_cc_##T, T, 2, a, ~b, WITH, KEEP)                            \
  CARRY(mad_lo_cc_##T, T, 3, (BITS_##T)a *(BITS_##T)b, c, WITHOUT, KEEP) \
  CARRY(mad_hi_cc_##T, T, 3, HIGH_##T(a, b), c, WITHOUT, KEEP)           \
  CARRY(madc_lo_##T, T, 3, (BITS_##T)a *(BITS_##T)b, c, WITH, DROP)      \
  CARRY(madc_hi_##T, T, 3, HIGH_##T(a, b), c, WITH, DROP)                \
  CARRY(madc_lo_cc_##T, T, 3, (BITS_##T)a *(BITS_##T)b, c, WITH, KEEP)   \
  CARRY(madc_hi_cc_##T, T, 3, HIGH_##T(a, b), c, WITH, KEEP)
OPERATIONS(u32)
OPERATIONS(s32)
OPERATIONS(u64)
OPERATIONS(s64)

// clang-format off
#define ROWS(name, shape, function) \
    {name, PTX_U32, shape, function##_u32}, {name, PTX_S32, shape, function##_s32}, \
    {name, PTX_U64, shape, function##_u64}, {name, PTX_S64, shape, function##_s64}
const struct arithmetic_handler warp_integer_carry_handlers[] = {
    ROWS("add.cc", "ttt", add_cc), ROWS("addc", "ttt", addc), ROWS("addc.cc", "ttt", addc_cc),
    ROWS("sub.cc", "ttt", sub_cc), ROWS("subc", "ttt", subc), ROWS("subc.cc", "ttt", subc_cc),
    ROWS("mad.lo.cc", "tttt", mad_lo_cc), ROWS("mad.hi.cc", "tttt", mad_hi_cc),
    ROWS("madc.lo", "tttt", madc_lo), ROWS("madc.hi", "tttt", madc_hi),
    ROWS("madc.lo.cc", "tttt", madc_lo_cc), ROWS("madc.hi.cc", "tttt", madc_hi_cc),
    {0},
};
// clang-format on
