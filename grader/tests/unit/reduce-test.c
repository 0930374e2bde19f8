// Element-wise reductions, checked against slower arithmetic: wide integers, and long double for floating
// point.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/async/reduce.h"

static uint64_t random_state = 99;
static uint64_t random_bits(void) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  uint64_t bits = random_state ^ random_state >> 29;
  switch (bits >> 61) { // returns a special value often
  case 0: return 0;
  case 1: return ~0ull;
  case 2: return 0x8000000080000000ull;
  case 3: return bits & 7;
  default: return bits * 0x9e3779b97f4a7c15ull;
  }
}

static __int128 as_integer(enum ptx_type type, uint64_t bits) {
  switch (type) {
  case PTX_U32: return (uint32_t)bits;
  case PTX_S32: return (int32_t)bits;
  case PTX_S64: return (int64_t)bits;
  default: return bits;
  }
}

static uint64_t integer_model(enum async_operation operation, enum ptx_type type, uint64_t a, uint64_t b) {
  __int128 x = as_integer(type, a), y = as_integer(type, b), r;
  switch (operation) {
  case ASYNC_ADD: r = x + y; break;
  case ASYNC_MIN: r = x < y ? x : y; break;
  case ASYNC_MAX: r = x < y ? y : x; break;
  case ASYNC_INC: r = x >= y ? 0 : x + 1; break;
  case ASYNC_DEC: r = x == 0 || x > y ? y : x - 1; break;
  case ASYNC_AND: r = x & y; break;
  case ASYNC_OR: r = x | y; break;
  default: r = x ^ y; break;
  }
  uint64_t bits = (uint64_t)r;
  return ptx_type_size(type) == 4 ? (uint32_t)bits : bits;
}

static void integers(void **state) {
  (void)state;
  static const enum ptx_type types[] = {PTX_U32, PTX_S32, PTX_U64, PTX_S64};
  for (int t = 0; t < 4; t++) {
    for (int operation = ASYNC_ADD; operation <= ASYNC_XOR; operation++) {
      if (!async_reduce_known((enum async_operation)operation, types[t])) continue;
      uint32_t size = (uint32_t)ptx_type_size(types[t]);
      _Alignas(16) uint8_t destination[2048], source[2048], before[2048];
      for (uint32_t i = 0; i < 2048; i += 8) {
        uint64_t x = random_bits(), y = random_bits();
        memcpy(destination + i, &x, 8);
        memcpy(source + i, &y, 8);
      }
      memcpy(before, destination, sizeof before);
      async_reduce((enum async_operation)operation, types[t], destination, source, 2048 - 16);
      for (uint32_t i = 0; i < 2048; i += size) {
        uint64_t a = 0, b = 0, got = 0;
        memcpy(&a, before + i, size);
        memcpy(&b, source + i, size);
        memcpy(&got, destination + i, size);
        uint64_t expected =
            i < 2048 - 16 ? integer_model((enum async_operation)operation, types[t], a, b) : a;
        assert_int_equal(got, expected);
      }
    }
  }
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

static float flushed(float value, bool flush) {
  return flush && fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value;
}

// Like an H100: subnormals are kept, except for tensors of the type with FTZ in its name.
static void float_sums(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    bool flush = i % 2;
    uint32_t a = (uint32_t)random_bits(), b = (uint32_t)random_bits(), got = a;
    if (i % 3 == 0) b = (a & 0x7fffffff) | (~a & 0x80000000); // a and b cancel
    if (i % 3 == 1) b = (a & 0xff800000) | (b & 0x007fffff);
    async_reduce(flush ? ASYNC_ADD_FTZ : ASYNC_ADD, PTX_F32, (uint8_t *)&got, (uint8_t *)&b, 4);
    long double x = flushed(float_of(a), flush), y = flushed(float_of(b), flush);
    float sum = flushed((float)(x + y), flush);
    if (isnan(sum))
      assert_int_equal(got, 0x7fffffff);
    else
      assert_int_equal(got, bits_of(sum));
  }
}

static double half_value(uint16_t bits, int exponent_bits, int mantissa_bits) {
  int bias = (1 << (exponent_bits - 1)) - 1, exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1),
      mantissa = bits & ((1 << mantissa_bits) - 1);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

static void half_extremes_and_sums(void **state) {
  (void)state;
  static const struct {
    enum ptx_type type;
    int exponent, mantissa;
  } kinds[] = {{PTX_F16, 5, 10}, {PTX_BF16, 8, 7}};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 60000; i++) {
      uint16_t a = (uint16_t)(random_bits() >> 3), b = (uint16_t)(random_bits() >> 5), least = a, most = a,
               sum = a;
      double x = half_value(a, kinds[k].exponent, kinds[k].mantissa),
             y = half_value(b, kinds[k].exponent, kinds[k].mantissa);
      async_reduce(ASYNC_MIN, kinds[k].type, (uint8_t *)&least, (uint8_t *)&b, 2);
      async_reduce(ASYNC_MAX, kinds[k].type, (uint8_t *)&most, (uint8_t *)&b, 2);
      async_reduce(ASYNC_ADD, kinds[k].type, (uint8_t *)&sum, (uint8_t *)&b, 2);
      double low = half_value(least, kinds[k].exponent, kinds[k].mantissa),
             high = half_value(most, kinds[k].exponent, kinds[k].mantissa);
      if (isnan(x) && isnan(y)) {
        assert_true(isnan(low) && isnan(high));
        continue;
      }
      assert_true(low == fmin(x, y) && high == fmax(x, y));
      double exact = x + y, got = half_value(sum, kinds[k].exponent, kinds[k].mantissa);
      if (isnan(exact)) {
        assert_true(isnan(got));
        continue;
      }
      // The sum is nearest: neither neighbour is closer.
      double above = half_value((uint16_t)(sum + 1), kinds[k].exponent, kinds[k].mantissa),
             below = half_value((uint16_t)(sum - 1), kinds[k].exponent, kinds[k].mantissa);
      if (isfinite(got) && isfinite(above)) assert_true(fabs(got - exact) <= fabs(above - exact));
      if (isfinite(got) && isfinite(below) && (sum & 0x7fff))
        assert_true(fabs(got - exact) <= fabs(below - exact));
    }
  }
}

static void knows_its_table(void **state) {
  (void)state;
  assert_true(async_reduce_known(ASYNC_ADD, PTX_F64));
  assert_false(async_reduce_known(ASYNC_MIN, PTX_F32));
  assert_false(async_reduce_known(ASYNC_INC, PTX_S32));
  assert_false(async_reduce_known(ASYNC_XOR, PTX_F32));
  assert_true(async_reduce_known(ASYNC_XOR, PTX_B64));
  assert_false(async_reduce_known(ASYNC_STORE, PTX_U32));
  assert_true(async_reduce_ordered(ASYNC_ADD, PTX_BF16));
  assert_false(async_reduce_ordered(ASYNC_ADD, PTX_U64));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers),
      cmocka_unit_test(float_sums),
      cmocka_unit_test(half_extremes_and_sums),
      cmocka_unit_test(knows_its_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
