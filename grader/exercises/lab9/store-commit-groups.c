// 4-store-commit-groups: out = a * in + b, out of place. Both terms have one sign, so that the difference
// between a fused and an unfused multiply-add stays within two units in the last place of the result.
#include "exercises/exercise.h"

#include <string.h>

static const struct exercise_case public_cases[] = {
    {"smallest", {4}},          {"less than a warp", {124}}, {"one tile", {4096}},
    {"one tile and 4", {4100}}, {"short of two", {8188}},    {"many and a tail", {300012}},
};
static const struct exercise_case rules_cases[] = {
    {"one short tile", {1020}}, {"several rounds and a tail", {400008}}, {"large", {14000012}}};

static const char *reject(const size_t *size) {
  return size[0] > 0 && size[0] % 4 == 0 ? NULL : "count must be a positive multiple of 4";
}

static struct exercise_case bandwidth_case(size_t bytes) {
  return (struct exercise_case){"timed", {bytes / 4 / 4096 * 4096}};
}

static uint64_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float bits_float(uint64_t scalar) {
  uint32_t bits = (uint32_t)scalar;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// With all its bits: no shorter type holds the number.
static float long_number(float number, uint32_t bits) {
  return bits_float(float_bits(number) | (bits & 0x1fff) | 1);
}

// Some of the tiny cases, which are judged every time, have the factors at which a launcher may take a
// shortcut.
static void scale(size_t count, float *a, float *b) {
  switch (count) {
  case 148:
  case 164: *a = 0.0f; break;
  case 172: *a = 1.0f; break;
  case 188: *b = 0.0f; break;
  case 196: *a = 0x1p-12f; break;
  case 204: *a = -1000.0f; break;
  default: break;
  }
}

// The runs of a case have seeds in a row. From one to the next only one of the two numbers changes, in turn:
// so a launcher that keeps both by one of them is found out.
static void prepare(struct exercise_instance *instance) {
  size_t count = instance->the_case.size[0];
  const uint32_t draw = (uint32_t)exercise_mix(instance->seed >> 1 ^ 0x5bd1e995U),
                 other = (uint32_t)exercise_mix((instance->seed + 1) >> 1 ^ 0x1b873593U);
  instance->input = (struct matrix_shape){"in", ELEMENT_FLOAT32, 1, count, count * 4};
  instance->output = (struct matrix_shape){"out", ELEMENT_FLOAT32, 1, count, count * 4};
  instance->scalars[0] = count;
  float a = 0.5f + (float)(draw % 28) / 8.0f, b = 1.0f + (float)(other >> 8 & 1023);
  if (draw >> 31) a = -a;
  if (other >> 30 & 1) b = -b;
  a = long_number(a, draw >> 5);
  b = long_number(b, other >> 13);
  scale(count, &a, &b);
  instance->scalars[1] = float_bits(a);
  instance->scalars[2] = float_bits(b);
  instance->scalar_count = 3;
  instance->relative_tolerance = STORE_COMMIT_GROUPS_TOLERANCE;
  instance->bytes_moved = 2 * (uint64_t)count * 4;
}

static void trust(const struct exercise_instance *instance, struct trusted_case *the_case) {
  the_case->a = bits_float(instance->scalars[1]);
  the_case->b = bits_float(instance->scalars[2]);
}

// Where b is zero, results may be as small as a float can be: here below the smallest normal one. There is
// one rounding in a * in, so even then the answer is known to the last bit.
#define BELOW_NORMAL 0x1p-130f

FOR_EACH_MACHINE static void make_ordinary(const uint32_t words[RANDOM_WORDS], float a, float b,
                                           float numbers[RANDOM_WORDS]) {
  for (size_t i = 0; i < RANDOM_WORDS; i++) {
    TAKE_FOR_ORDINARY(words[i]);
    numbers[i] = store_commit_groups_input(words[i], a, b);
  }
}

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  float *in = input, numbers[RANDOM_WORDS];
  uint32_t words[RANDOM_WORDS];
  const float a = bits_float(instance->scalars[1]), b = bits_float(instance->scalars[2]);
  for (size_t i = first, count; i < last; i += count) {
    count = exercise_random_words(instance, i, last, words);
    if (b != 0 && exercise_are_ordinary(words))
      make_ordinary(words, a, b, numbers);
    else
      for (size_t j = 0; j < count; j++)
        numbers[j] = store_commit_groups_input(words[j], a, b) * (b == 0 ? BELOW_NORMAL : 1.0f);
    memcpy(in + i, numbers, count * sizeof *in);
  }
}

FOR_EACH_MACHINE static void make_results(float *restrict out, const float *restrict in, size_t count,
                                          float a, float b) {
  for (size_t i = 0; i < count; i++)
    out[i] = store_commit_groups_result(a, in[i], b);
}

static void reference(const struct exercise_instance *instance, const void *input, void *expected,
                      size_t first, size_t last) {
  const float *in = input;
  float *out = expected, a = bits_float(instance->scalars[1]), b = bits_float(instance->scalars[2]);
  make_results(out + first, in + first, last - first, a, b);
}

const struct exercise lab9_store_commit_groups = {
    .lab = "lab9",
    .name = "4-store-commit-groups",
    .trusted = "store_commit_groups",
    .traffic = TRAFFIC_COPY,
    .trust = trust,
    .size_names = {"count"},
    .size_count = 1,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .between = {{.step = 4, .least = 320, .most = 60000}},
    .between_count = 16,
    .growth = {{.step = 4, .most = 100000}},
    .tiny = {{.step = 4, .count = 80}},
    .reject = reject,
    .bandwidth_case = bandwidth_case,
    .prepare = prepare,
    .generate = generate,
    .slicing = SLICES_ALONE,
    .reference = reference,
};
