// Comparison, selection, moves, vectors in registers and addresses.
#include "arithmetic-harness.h"

#include <math.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define I32          KIND_INTEGER32
#define I64          KIND_INTEGER64
#define F            KIND_FLOAT
#define D            KIND_DOUBLE
#define H            KIND_HALF

static float f32(uint64_t bits) {
  uint32_t narrow = (uint32_t)bits;
  float value;
  memcpy(&value, &narrow, 4);
  return value;
}
static double f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}
static double f16(uint64_t bits) {
  unsigned magnitude = bits & 0x7fff, exponent = magnitude >> 10, fraction = magnitude & 0x3ff;
  double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? ldexp(fraction + 1024.0, (int)exponent - 25)
                                : ldexp(fraction, -24);
  return bits & 0x8000 ? -value : value;
}
static float flushed(uint64_t bits) {
  return fpclassify(f32(bits)) == FP_SUBNORMAL ? 0 : f32(bits);
}

#define FORMULA(name, load, expression)                       \
  static uint64_t name(const uint64_t in[4]) {                \
    __typeof__(load(in[0])) a = load(in[0]), b = load(in[1]); \
    bool c = in[2] & 1;                                       \
    (void)a, (void)b, (void)c;                                \
    return expression;                                        \
  }
#define S32(x) ((int32_t)(x))
#define S64(x) ((int64_t)(x))
#define U16(x) ((uint16_t)(x))
#define U64(x) ((uint64_t)(x))
#define U32(x) ((uint32_t)(x))
FORMULA(lt_s32, S32, a < b)
FORMULA(ls_u64, U64, a <= b)
FORMULA(gt_s64, S64, a > b)
FORMULA(hi_u16, U16, a > b)
FORMULA(ne_b32, U32, a != b)
FORMULA(ge_and, S32, a >= b && c)
FORMULA(eq_or_not, S32, a == b || !c)
FORMULA(lt_xor, U32, (a < b) != c)
FORMULA(eq_f32, f32, a == b)
FORMULA(ne_f32, f32, !isnan(a) && !isnan(b) && a != b)
FORMULA(lt_f32_ftz, flushed, a < b)
FORMULA(geu_f32, f32, isnan(a) || isnan(b) || a >= b)
FORMULA(equ_f64, f64, isnan(a) || isnan(b) || a == b)
FORMULA(neu_f64, f64, isnan(a) || isnan(b) || a != b)
FORMULA(num_f64, f64, !isnan(a) && !isnan(b))
FORMULA(nan_f32, f32, isnan(a) || isnan(b))
FORMULA(le_f16, f16, a <= b)
FORMULA(gtu_f16, f16, isnan(a) || isnan(b) || a > b)
FORMULA(set_u32, S32, a < b ? 0xffffffff : 0)
FORMULA(set_f32, f32, a >= b ? 0x3f800000 : 0)
FORMULA(set_f16, f16, isnan(a) || isnan(b) ? 0x3c00 : 0)
FORMULA(set_and, S32, a < b && c ? 0xffffffff : 0)
FORMULA(select, U32, c ? a : b)
FORMULA(select64, U64, c ? b : a)
static uint64_t set_pair(const uint64_t in[4]) {
  uint64_t low = f16(in[0] & 0xffff) < f16(in[1] & 0xffff), high = f16(in[0] >> 16) < f16(in[1] >> 16);
  return low * 0xffff | high * 0xffff0000;
}
static uint64_t slct_s32(const uint64_t in[4]) {
  return (int32_t)in[2] >= 0 ? in[0] : in[1];
}
static uint64_t slct_f32(const uint64_t in[4]) {
  return f32(in[2]) >= 0 ? in[0] : in[1];
}

static const struct {
  const char *code;
  enum arithmetic_kind kinds[4];
  arithmetic_reference *reference;
} formulas[] = {
    {"setp.lt.s32 %p0, %r1, %r2;", {I32, I32}, lt_s32},
    {"setp.ls.u64 %p0, %l1, %l2;", {I64, I64}, ls_u64},
    {"setp.gt.s64 %p0, %l1, %l2;", {I64, I64}, gt_s64},
    {"setp.hi.u16 %p0, %h1, %h2;", {I32, I32}, hi_u16},
    {"setp.ne.b32 %p0, %r1, %r2;", {I32, I32}, ne_b32},
    {"setp.ge.and.s32 %p0, %r1, %r2, %p3;", {I32, I32, I32}, ge_and},
    {"setp.eq.or.s32 %p0, %r1, %r2, !%p3;", {I32, I32, I32}, eq_or_not},
    {"setp.lt.xor.u32 %p0, %r1, %r2, %p3;", {I32, I32, I32}, lt_xor},
    {"setp.eq.f32 %p0, %f1, %f2;", {F, F}, eq_f32},
    {"setp.ne.f32 %p0, %f1, %f2;", {F, F}, ne_f32},
    {"setp.lt.ftz.f32 %p0, %f1, %f2;", {F, F}, lt_f32_ftz},
    {"setp.geu.f32 %p0, %f1, %f2;", {F, F}, geu_f32},
    {"setp.equ.f64 %p0, %d1, %d2;", {D, D}, equ_f64},
    {"setp.neu.f64 %p0, %d1, %d2;", {D, D}, neu_f64},
    {"setp.num.f64 %p0, %d1, %d2;", {D, D}, num_f64},
    {"setp.nan.f32 %p0, %f1, %f2;", {F, F}, nan_f32},
    {"setp.le.f16 %p0, %h1, %h2;", {H, H}, le_f16},
    {"setp.gtu.f16 %p0, %h1, %h2;", {H, H}, gtu_f16},
    {"set.lt.u32.s32 %r0, %r1, %r2;", {I32, I32}, set_u32},
    {"set.ge.f32.f32 %f0, %f1, %f2;", {F, F}, set_f32},
    {"set.nan.f16.f16 %h0, %h1, %h2;", {H, H}, set_f16},
    {"set.lt.and.u32.s32 %r0, %r1, %r2, %p3;", {I32, I32, I32}, set_and},
    {"set.lt.u32.f16x2 %r0, %r1, %r2;", {KIND_HALVES, KIND_HALVES}, set_pair},
    {"selp.b32 %r0, %r1, %r2, %p3;", {I32, I32, I32}, select},
    {"selp.u64 %l0, %l1, %l2, !%p3;", {I64, I64, I32}, select64},
    {"slct.u32.s32 %r0, %r1, %r2, %r3;", {I32, I32, I32}, slct_s32},
    {"slct.u64.f32 %l0, %l1, %l2, %f3;", {I64, I64, F}, slct_f32},
};
static void test_formulas(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(formulas); i++)
    check_reference(formulas[i].code, formulas[i].kinds, formulas[i].reference);
}

static const struct arithmetic_row edges[] = {
    {"setp.lt.s32 _|%p0, %r1, %r2;", {1, 2}, 0},
    {"setp.lt.and.s32 %p5|%p0, %r1, %r2, %p3;", {2, 1, 1}, 1},
    {"setp.lt.and.s32 %p3|%p0, %r1, %r2, %p3;", {2, 1, 1}, 1}, // c is read before p is written
    {"setp.lt.f16x2 %p5|%p0, %r1, %r2;", {0x3c004000, 0x40003c00}, 1},
    {"setp.lt.bf16 %p0, %h1, %h2;", {0x3f80, 0x4000}, 1},
    {"set.eq.bf16.bf16 %h0, %h1, %h2;", {0x3f80, 0x3f80}, 0x3f80},
    {"set.eq.f16x2.f16x2 %r0, %r1, %r2;", {0x3c003c00, 0x3c000000}, 0x3c000000},
    {"set.ne.s16.f16 %h0, %h1, %h2;", {0x3c00, 0}, 0xffff},
    {"slct.b32.f32 %r0, %r1, %r2, %f3;", {1, 2, 0x80000000}, 1},
    {"slct.b32.f32 %r0, %r1, %r2, %f3;", {1, 2, 0x80000001}, 2},
    {"slct.ftz.b32.f32 %r0, %r1, %r2, %f3;", {1, 2, 0x80000001}, 1},
    {"slct.b32.f32 %r0, %r1, %r2, %f3;", {1, 2, 0x7fc00000}, 2},
    {"selp.b16 %h0, %h1, -1, %p2;", {5, 0}, 0xffff},
    {"selp.f32 %f0, 0f3f800000, %f1, 1;", {0}, 0x3f800000},
    // moves
    {"mov.b32 %r0, %f1;", {0x7f812345}, 0x7f812345},
    {"mov.u64 %l0, -2;", {0}, 0xfffffffffffffffe},
    {"mov.f64 %d0, %d1;", {0x7ff0000000000001}, 0x7ff0000000000001},
    {"mov.b16 %h0, %h1;", {0xabcd}, 0xabcd},
    {"mov.b32 %r0, {%h1, %h2};", {0x1111, 0x2222}, 0x22221111},
    {"mov.b64 %l0, {%r1, %r2};", {0x11112222, 0x33334444}, 0x3333444411112222},
    {"mov.b64 %l0, {%h1, %h2, %h3, %h4};", {0x1111, 0x2222, 0x3333, 0x4444}, 0x4444333322221111},
    {"mov.b32 {%h0, %h7}, %r1;", {0x12345678}, 0x5678},
    {"mov.b32 {%h7, %h0}, %r1;", {0x12345678}, 0x1234},
    {"mov.b64 {_, %r0}, %l1;", {0x123456789abcdef0}, 0x12345678},
    {"mov.b64 {%r0, _}, %l1;", {0x123456789abcdef0}, 0x9abcdef0},
    {"mov.b64 {%h7, _, %h0, _}, %l1;", {0x123456789abcdef0}, 0x5678},
    {"mov.b128 %q5, {%l1, %l2}; mov.b128 {%l7, %l0}, %q5;", {1, 2}, 2},
    {"mov.b128 %q5, {%r1, %r2, %r3, %r4}; mov.b128 {%l0, %l7}, %q5;", {1, 2, 3, 4}, 0x200000001},
    {"mov.b128 %q5, %q1; mov.b128 {%l7, %l0}, %q5;", {5}, ~5ull},
    // addresses (the harness runs in block 1 of a cluster of 2)
    {"cvta.shared.u64 %l0, %l1;", {0x01000400}, 0x0000660001000400},
    {"cvta.to.shared.u64 %l0, %l1;", {0x0000660001000400}, 0x01000400},
    {"cvta.to.shared::cluster.u64 %l0, %l1;", {0x0000660000000410}, 0x410},
    {"cvta.local.u64 %l0, %l1;", {16}, 0x0000660100000010},
    {"cvta.to.local.u64 %l0, %l1;", {0x0000660100000010}, 16},
    {"cvta.to.global.u64 %l0, %l1;", {0x00007f0000000100}, 0x00007f0000000100},
    {"cvta.global.u64 %l0, %l1;", {0x00007f0000000100}, 0x00007f0000000100},
    {"cvta.param.u64 %l0, %l1;", {8}, 0x0000660200000008},
    {"isspacep.shared %p0, %l1;", {0x0000660001000400}, 1},
    {"isspacep.shared::cta %p0, %l1;", {0x0000660000000400}, 0},
    {"isspacep.shared::cluster %p0, %l1;", {0x0000660000000400}, 1},
    {"isspacep.shared::cluster %p0, %l1;", {0x0000660002000400}, 0},
    {"isspacep.global %p0, %l1;", {0x00007f0000000100}, 1},
    {"isspacep.global %p0, %l1;", {0x0000660001000400}, 0},
    {"isspacep.local %p0, %l1;", {0x0000660100000010}, 1},
    {"mapa.shared::cluster.u32 %r0, %r1, %r2;", {0x01000400, 3}, 0x03000400},
    {"mapa.shared::cluster.u64 %l0, %l1, %r2;", {0x01000400, 0}, 0x400},
    {"mapa.u64 %l0, %l1, %r2;", {0x0000660001000400, 2}, 0x0000660002000400},
    {"getctarank.shared::cluster.u32 %r0, %r1;", {0x05000400}, 5},
    {"getctarank.u64 %r0, %l1;", {0x0000660005000400}, 5},
    {"createpolicy.fractional.L2::evict_first.b64 %l0, 1.0;", {0}, 0x12f0000000000000},
    {"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %l0;", {0}, 0x14f0000000000000},
    {"createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %l0, 0.5;", {0}, 0x1570000000000000},
    {"createpolicy.range.L2::evict_first.b64 %l0, [%l1], %r2, %r3;", {0x3004, 1, 1}, 0x1a00302000000000},
    {"createpolicy.range.L2::evict_last.L2::evict_first.b64 %l0, [%l1 + 4], %r2, %r3;",
     {0x83000, 0x200000, 0x300000},
     0x1d31082000000000},
    {"createpolicy.range.L2::evict_unchanged.b64 %l0, [%l1], %r2, %r3;",
     {4, 0x80000000, 0x80000000},
     0x18c00fe000000000},
    // the last block's end overflows 32 bits; a whole that is rounded to a power of two; no range, no whole
    {"createpolicy.range.L2::evict_last.b64 %l0, [%l1], %r2, %r3;",
     {0x7f1234003004, 0xfff00000, 0xffffffff},
     0x1cd1a00000000000},
    {"createpolicy.range.L2::evict_first.b64 %l0, [%l1], %r2, %r3;",
     {0x1000000, 0x1000000, 0x80000001},
     0x1ac0102000000000},
    {"createpolicy.range.L2::evict_last.b64 %l0, [%l1], %r2, %r3;",
     {0x7f1234003004, 1, 0x100001},
     0x1c10102000000000},
    {"createpolicy.range.L2::evict_first.b64 %l0, [%l1], %r2, %r3;", {0x3000, 0, 4096}, 0x1a00300000000000},
    {"createpolicy.range.L2::evict_first.b64 %l0, [%l1], %r2, %r3;", {0x3004, 1, 0}, 0x1800000000000000},
    {"createpolicy.cvt.L2.b64 %l0, %l1;", {0x1234}, 0x1234},
};
static void test_edges(void **state) {
  (void)state;
  check_rows(edges, COUNT(edges));
}

static void test_both_predicates_of_some_lanes(void **state) {
  (void)state;
  struct snippet *s = snippet_make("@%p3 setp.lt.u32 %p0|%p7, %r1, %r2;");
  for (unsigned lane = 0; lane < 32; lane++) {
    snippet_input(s, 0, lane, 1);
    snippet_input(s, 7, lane, 1);
    snippet_input(s, 1, lane, lane);
    snippet_input(s, 2, lane, 16);
    snippet_input(s, 3, lane, lane & 1);
  }
  snippet_run(s, 0x00ffffff);
  for (unsigned lane = 0; lane < 32; lane++) {
    bool ran = (lane & 1) && lane < 24;
    assert_int_equal(snippet_output(s, 0, lane), !ran || lane < 16);
    assert_int_equal(snippet_output(s, 7, lane), !ran || lane >= 16);
  }
  snippet_destroy(s);
}

static const struct arithmetic_refusal refusals[] = {
    {"setp.lt.b32 %p0, %r1, %r2;", "b32"},
    {"setp.lo.s32 %p0, %r1, %r2;", "unsigned"},
    {"setp.ltu.s32 %p0, %r1, %r2;", "ltu"},
    {"setp.lt.nor.s32 %p0, %r1, %r2, %p3;", "nor"},
    {"setp.s32 %p0, %r1, %r2;", "no comparison"},
    {"setp.lt.ftz.f64 %p0, %d1, %d2;", "ftz"},
    {"set.lt.u64.s32 %l0, %r1, %r2;", "u64"},
    {"selp.f16 %h0, %h1, %h2, %p3;", "f16"},
    {"slct.b32.u32 %r0, %r1, %r2, %r3;", "u32"},
    {"mov.b32.sat %r0, %r1;", "sat"},
    {"mov.b32 %r0, {%h1, %h2, %h3};", "vector"},
    {"mov.u32 %l0, %r1;", "l0"},
    {"cvta.shared.u32 %r0, %r1;", "64 bits"},
    {"cvta.u64 %l0, %l1;", "no state space"},
    {"isspacep.const %p0, %l1;", "constant"},
    {"mapa.u32 %r0, %r1, %r2;", "u64"},
    {"createpolicy.fractional.L2::evict_never.b64 %l0;", "evict_never"},
    {"tcgen05.fence::before_thread_sync;", "10.0"},
    {"sured.b.1d.add.u32.trap [%l0, {%r1}], %r2;", "surfaces"},
    {"txq.width.b32 %r0, [%l1];", "parameter"},
    {"stacksave.u64 %l0;", "constant size"},
};
static void test_refusals(void **state) {
  (void)state;
  check_refusals(refusals, COUNT(refusals));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formulas),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_both_predicates_of_some_lanes),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
