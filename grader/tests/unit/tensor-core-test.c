// The sums of a tensor core, the quick way against the slow one. In: random factors and accumulators of all
// ranges. The slow way is taken when a factor is said to hold an infinity or a NaN, be it true or not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/execute/tensor-core.h"

enum { ROUNDS = 20000, BYTES_DEEP = 32 };

static uint64_t random_state = 12345;
static uint32_t random_bits(void) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(random_state >> 32);
}

static const enum mma_element types[] = {MMA_F16, MMA_BF16, MMA_TF32, MMA_E4M3, MMA_E5M2};

// A whole number up to `most`, as the type has it.
static uint32_t whole(enum mma_element type, uint32_t most) {
  const uint32_t number = random_bits() % (most + 1);
  float value = (float)number;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const int32_t exponent = (int32_t)(bits >> 23) - 127;
  switch (number ? type : MMA_B1) {
  case MMA_F16: return (uint32_t)(exponent + 15) << 10 | (bits >> 13 & 0x3ff);
  case MMA_BF16: return bits >> 16;
  case MMA_TF32: return bits;
  case MMA_E4M3: return (uint32_t)(exponent + 7) << 3 | (bits >> 20 & 7);
  case MMA_E5M2: return (uint32_t)(exponent + 15) << 2 | (bits >> 21 & 3);
  default: return 0;
  }
}

enum { ANY, CLOSE, SPARSE, LEAST, WHOLE, KINDS, LARGE_WHOLE };

// Any bits; or exponents close together, so that terms cancel; or mostly zeros; or the least numbers; or
// whole ones, up to what each type's significand has.
static uint32_t element(enum mma_element type, uint32_t kind) {
  const uint32_t bits = random_bits();
  const uint32_t one = type == MMA_F16    ? 0x3c00
                       : type == MMA_BF16 ? 0x3f80
                       : type == MMA_TF32 ? 0x3f800000
                                          : 0x38;
  const uint32_t sign = 1u << (mma_element_bits(type) - 1);
  switch (kind) {
  case WHOLE:
    return whole(type, type == MMA_TF32 || type == MMA_F16 ? 1500
                       : type == MMA_BF16                  ? 255
                                                           : 7) ^
           (bits >> 30 & 1 ? sign : 0);
  case ANY: return bits;
  case CLOSE: return one ^ (bits & (one >> 4)) ^ (bits >> 30 & 1 ? sign : 0);
  case SPARSE: return bits % 8 ? 0 : random_bits();
  default: return (bits & (one >> 4)) ^ (bits >> 30 & 1 ? sign : 0);
  }
}

// A whole number: any below 2^20, or one close to 2^24, where float ends to have them all, and now and then a
// half.
static uint32_t whole_sum(uint32_t bits, bool large) {
  const int32_t near = (1 << 24) - (int32_t)(bits >> 8 & 0xffff);
  const float half = bits % 16 == 1 ? 0.5F : 0;
  const float value = large ? (float)near + half : (float)(bits >> (12 + bits / 2 % 16));
  uint32_t of_value;
  memcpy(&of_value, &value, sizeof of_value);
  return of_value | (bits & 0x40 ? 0x80000000 : 0);
}

static uint32_t sum(uint32_t kind) {
  const uint32_t bits = random_bits();
  switch (kind) {
  case WHOLE:
  case LARGE_WHOLE: return whole_sum(bits, kind == LARGE_WHOLE);
  case ANY: return bits;
  case CLOSE: return 0x3f800000 ^ (bits & 0x80ffffff);
  case SPARSE: return bits % 4 ? 0 : 0x80000000;
  default: return bits & 0x80ffffff; // subnormal, or nearly
  }
}

static struct tensor_factor random_factor(uint32_t lines, uint32_t depth, enum mma_element type,
                                          uint32_t kind) {
  struct tensor_factor f = tensor_factor_create(lines, depth);
  for (uint32_t line = 0; line < lines; line++)
    for (uint32_t k = 0; k < depth; k++)
      tensor_unpack(&f, line, k, type, element(type, kind), random_bits() & 1);
  return f;
}

static void quick_and_slow_agree(void **state) {
  (void)state;
  uint32_t quick_ones = 0, whole_ones = 0, others = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const enum mma_element type = types[round % (sizeof types / sizeof *types)];
    const uint32_t depth = BYTES_DEEP * 8 / (type == MMA_TF32 ? 32 : mma_element_bits(type));
    const struct tensor_sums sums = tensor_sums_of_wgmma(type, type, MMA_F32);
    const uint32_t kind = random_bits() % KINDS, of_sum = kind != WHOLE       ? random_bits() % WHOLE
                                                          : random_bits() % 2 ? WHOLE
                                                                              : LARGE_WHOLE;
    struct tensor_factor a = random_factor(TENSOR_LANES, depth, type, kind),
                         b = random_factor(TENSOR_LANES, depth, type,
                                           kind == WHOLE ? WHOLE : random_bits() % WHOLE);
    uint32_t quick[TENSOR_LANES], slow[TENSOR_LANES];
    for (uint32_t n = 0; n < TENSOR_LANES; n++)
      quick[n] = slow[n] = sum(of_sum);
    tensor_look_for_whole(&a, TENSOR_LANES, type);
    tensor_look_for_whole(&b, TENSOR_LANES, type);
    assert_true(kind != WHOLE || (a.is_whole && b.is_whole));
    uint32_t tried[TENSOR_LANES];
    memcpy(tried, quick, sizeof tried);
    const bool soon = tensor_multiply_whole(&sums, &a, round % TENSOR_LANES, &b, 0, tried);
    whole_ones += soon;
    others += kind == WHOLE && !soon;
    quick_ones += !a.has_special && !b.has_special;
    tensor_multiply(&sums, &a, round % TENSOR_LANES, &b, 0, quick);
    a.has_special = true;
    tensor_multiply(&sums, &a, round % TENSOR_LANES, &b, 0, slow);
    assert_memory_equal(quick, slow, sizeof slow);
    tensor_factor_free(&a);
    tensor_factor_free(&b);
  }
  assert_true(quick_ones > ROUNDS / 4);
  assert_true(whole_ones > ROUNDS / 50 && others > ROUNDS / 50);
}

static void expect_same_factors(struct tensor_factor *whole, struct tensor_factor *single, size_t count) {
  assert_memory_equal(whole->significand, single->significand, count * sizeof(int32_t));
  assert_memory_equal(whole->exponent, single->exponent, count * sizeof(int32_t));
  assert_memory_equal(whole->sign, single->sign, count * sizeof(int32_t));
  assert_memory_equal(whole->special, single->special, count);
  assert_int_equal(whole->has_special, single->has_special);
  tensor_factor_free(whole);
  tensor_factor_free(single);
}

// A matrix is its elements one by one, as its lines lie in memory, or its columns.
static void matrices_are_their_elements(void **state) {
  (void)state;
  static const enum mma_element all[] = {MMA_F16, MMA_BF16, MMA_TF32};
  static const uint32_t shapes[][2] = {{8, 16}, {16, 16}, {32, 16}, {16, 8}, {8, 4}};
  for (uint32_t round = 0; round < 3000; round++) {
    const enum mma_element type = all[round % 3];
    const uint32_t width = mma_element_bits(type) / 8, *shape = shapes[round % 5];
    const uint32_t lines = shape[0], depth = shape[1];
    const bool along_k = round / 8 % 2, specials = round / 16 % 2;
    uint32_t words[TENSOR_MOST_MATRIX];
    for (uint32_t i = 0; i < TENSOR_MOST_MATRIX; i++) // few or no infinities, NaN, zeros, subnormals
      words[i] = (specials && random_bits() % 8 == 0 ? 0x7f80ffff : random_bits() & 0x3fff3fff) &
                 (random_bits() % 4 ? UINT32_MAX : 0x807f83ff);
    struct tensor_factor whole = tensor_factor_create(lines, depth);
    struct tensor_factor single = tensor_factor_create(lines, depth);
    tensor_unpack_matrix(&whole, lines, type, words, along_k);
    for (uint32_t line = 0; line < lines; line++) {
      for (uint32_t k = 0; k < depth; k++) {
        uint32_t bits = 0;
        memcpy(&bits, (uint8_t *)words + (size_t)(along_k ? line * depth + k : k * lines + line) * width,
               width);
        tensor_unpack(&single, line, k, type, bits, false);
      }
    }
    expect_same_factors(&whole, &single, (size_t)lines * depth);
  }
}

// A run of 16 bytes is its elements one by one, along k and along lines.
static void runs_are_their_elements(void **state) {
  (void)state;
  static const enum mma_element all[] = {MMA_F16,  MMA_BF16, MMA_TF32, MMA_E4M3,
                                         MMA_E5M2, MMA_S8,   MMA_U8,   MMA_B1};
  for (uint32_t round = 0; round < 4000; round++) {
    const enum mma_element type = all[round % (sizeof all / sizeof *all)];
    const uint32_t width = mma_element_bits(type) < 8 ? 4 : mma_element_bits(type) / 8;
    struct tensor_run run = {.line = 16, .k = 16, .along_lines = round / 8 % 2};
    const bool negate = round / 16 % 2;
    for (uint32_t i = 0; i < TENSOR_RUN_BYTES; i++)
      run.bytes[i] = (uint8_t)(random_bits() % 4 ? random_bits() : 255);
    struct tensor_factor whole = tensor_factor_create(64, 64), single = tensor_factor_create(64, 64);
    tensor_unpack_run(&whole, &run, type, negate);
    for (uint32_t i = 0; i < TENSOR_RUN_BYTES / width; i++) {
      uint32_t bits = 0;
      memcpy(&bits, run.bytes + i * width, width);
      tensor_unpack(&single, run.line + (run.along_lines ? i : 0), run.k + (run.along_lines ? 0 : i), type,
                    bits, negate);
    }
    expect_same_factors(&whole, &single, 64 * 64);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quick_and_slow_agree),
      cmocka_unit_test(runs_are_their_elements),
      cmocka_unit_test(matrices_are_their_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
