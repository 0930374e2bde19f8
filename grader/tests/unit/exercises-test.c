// The exercises' references against the formulas of lab9.h, which are written out naively here. Also the
// exercises' cases and inputs.
#include "exercises/exercise.h"
#include "referee/stages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct exercise *exercise(unsigned number) {
  size_t count;
  const struct exercise *const *exercises = exercises_of("lab9", &count);
  assert_int_equal(count, 4);
  return exercises[number - 1];
}

struct sheet {
  struct exercise_instance instance;
  void *input, *expected;
};

static struct sheet make_sheet(unsigned number, struct exercise_case the_case, uint64_t seed) {
  struct sheet sheet;
  assert_null(exercise_instantiate(exercise(number), &the_case, seed, &sheet.instance));
  sheet.input = calloc(1, matrix_bytes(&sheet.instance.input));
  sheet.expected = calloc(1, matrix_bytes(&sheet.instance.output));
  size_t elements = matrix_elements(&sheet.instance.input), results = matrix_elements(&sheet.instance.output);
  // Generated in two parts, because callers spread the work over threads.
  exercise(number)->generate(&sheet.instance, sheet.input, 0, elements / 3);
  exercise(number)->generate(&sheet.instance, sheet.input, elements / 3, elements);
  exercise(number)->reference(&sheet.instance, sheet.input, sheet.expected, 0, results / 3);
  exercise(number)->reference(&sheet.instance, sheet.input, sheet.expected, results / 3, results);
  return sheet;
}

static void free_sheet(struct sheet *sheet) {
  free(sheet->input);
  free(sheet->expected);
}

static void test_bulk_copy_1d(void **state) {
  (void)state;
  struct sheet sheet = make_sheet(1, (struct exercise_case){"", {1028}}, 5);
  const int32_t *data = sheet.input, *expected = sheet.expected;
  for (size_t i = 0; i < 1028; i++)
    assert_int_equal((uint32_t)expected[i], (uint32_t)data[i] + 1);
  free_sheet(&sheet);
}

static float at(const float *matrix, long row, long column) {
  return row < 0 || column < 0 || row >= 9 || column >= 13 ? 0.0f : matrix[row * 16 + column];
}

static void test_tiles_2d(void **state) {
  (void)state;
  struct sheet sheet = make_sheet(2, (struct exercise_case){"", {13, 9, 64}}, 5);
  const float *in = sheet.input, *out = sheet.expected;
  for (long y = 0; y < 9; y++) {
    for (long x = 0; x < 13; x++) {
      float wanted =
          0.25f * (at(in, y - 1, x) + at(in, y + 1, x) + at(in, y, x - 1) + at(in, y, x + 1)) - at(in, y, x);
      assert_true(out[y * 16 + x] == wanted);
    }
    // between the rows nothing is written
    for (long x = 13; x < 16; x++)
      assert_true(in[y * 16 + x] == 0 && out[y * 16 + x] == 0);
  }
  free_sheet(&sheet);
}

static void test_phase_reuse(void **state) {
  (void)state;
  struct sheet sheet = make_sheet(3, (struct exercise_case){"", {301, 36}}, 5);
  const int32_t *matrix = sheet.input, *sums = sheet.expected;
  unsigned wrapped = 0;
  for (size_t column = 0; column < 36; column++) {
    int64_t sum = 0;
    for (size_t row = 0; row < 301; row++)
      sum += matrix[row * 36 + column];
    assert_int_equal((uint32_t)sum, (uint32_t)sums[column]);
    wrapped += sum != sums[column];
  }
  assert_true(wrapped > 10); // else a kernel that doesn't wrap around would be right
  free_sheet(&sheet);
}

static void test_store_commit_groups(void **state) {
  (void)state;
  struct sheet sheet = make_sheet(4, (struct exercise_case){"", {1028}}, 5);
  const float *in = sheet.input, *out = sheet.expected;
  float a, b;
  uint32_t a_bits = (uint32_t)sheet.instance.scalars[1], b_bits = (uint32_t)sheet.instance.scalars[2];
  memcpy(&a, &a_bits, sizeof a);
  memcpy(&b, &b_bits, sizeof b);
  for (size_t i = 0; i < 1028; i++) {
    const double right = (double)a * (double)in[i] + (double)b;
    assert_true(result_is_right(right, out[i], 1e-7 * fabs(right)));
  }
  free_sheet(&sheet);
}

static int by_value(const void *a, const void *b) {
  uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

// A wrong index must have an effect: no two elements of the input are the same but zeros, and another seed
// yields other values.
static void test_distinct_inputs(void **state) {
  (void)state;
  static const struct exercise_case cases[] = {
      {"", {16384}}, {"", {128, 128, 512}}, {"", {1, 16384}}, {"", {16384}}};
  for (unsigned number = 1; number <= 4; number++) {
    struct sheet sheet = make_sheet(number, cases[number - 1], 1),
                 other = make_sheet(number, cases[number - 1], 2);
    uint32_t *values = sheet.input;
    assert_memory_not_equal(sheet.input, other.input, 64);
    qsort(values, 16384, sizeof *values, by_value);
    size_t same = 0;
    for (size_t i = 1; i < 16384; i++)
      same += values[i] == values[i - 1] && values[i] != 0;
    // Exercises 2 and 4 draw from fewer values than there are elements: a few elements may be equal.
    if (same > 200) fail_msg("exercise %u: %zu of 16384 elements equal another one", number, same);
    free_sheet(&sheet);
    free_sheet(&other);
  }
}

// Zeros and numbers of both signs are among the inputs: a program may take a shortcut at them. Of exercise 4
// each case has one sign, but under some seeds this one and under others that.
static void test_special_inputs(void **state) {
  (void)state;
  static const struct exercise_case cases[] = {
      {"", {16384}}, {"", {128, 128, 512}}, {"", {0}}, {"", {16384}}};
  for (unsigned number = 1; number <= 4; number++) {
    size_t zeros = 0, negative = 0, positive = 0;
    if (number == 3) continue; // sums: a zero changes nothing, and test_phase_reuse has the signs
    for (uint64_t seed = 0; seed < 20; seed++) {
      struct sheet sheet = make_sheet(number, cases[number - 1], seed);
      const uint32_t *words = sheet.input;
      for (size_t i = 0; i < 16384; i++) {
        zeros += words[i] == 0;
        negative += words[i] >> 31;
        positive += words[i] != 0 && !(words[i] >> 31);
      }
      free_sheet(&sheet);
    }
    assert_in_range(zeros, 160, 480); // about one in 1024
    assert_true(negative > 20 * 16384 / 8 && positive > 20 * 16384 / 8);
  }
}

// A product has results that nobody meets among sums of random numbers alone: far from zero on both sides,
// zero, and beside zero. A kernel that limits its sums, or takes small ones for zero, is found out by each.
static void test_results_of_products(void **state) {
  (void)state;
  size_t count;
  struct exercise_instance instance;
  const struct exercise *matmul = exercises_of("lab10", &count)[4];
  const struct exercise_case deep = {"", {128, 256, 640}};
  size_t zeros = 0, small = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    size_t low = 0, high = 0;
    assert_null(exercise_instantiate(matmul, &deep, seed, &instance));
    const size_t results = matrix_elements(&instance.output);
    uint16_t *input = calloc(1, matrix_bytes(&instance.input)), *c = calloc(results, sizeof *c);
    matmul->generate(&instance, input, 0, 12345); // in two parts, in the middle of a row
    matmul->generate(&instance, input, 12345, matrix_elements(&instance.input));
    matmul->reference(&instance, input, c, 0, results);
    for (size_t i = 0; i < results; i++) {
      const float result = float_of_bf16(c[i]);
      low += result < -2.5e6f;
      high += result > 2.5e6f;
      zeros += result == 0;
      small += result != 0 && fabsf(result) < 32;
    }
    assert_true(low > 0 && high > 0);
    free(input);
    free(c);
  }
  assert_true(zeros > 200 && small > 20);
}

// The sizes of the last case are drawn, and every drawn size is allowed. The sizes of the other cases are
// fixed.
static void check_rules_cases(const struct exercise *subject) {
  struct exercise_instance instance;
  for (size_t i = 0; i < subject->rules_case_count; i++) {
    const bool last = i + 1 == subject->rules_case_count;
    unsigned different = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
      const struct exercise_case drawn = exercise_rules_case(subject, i, seed);
      assert_null(exercise_instantiate(subject, &drawn, seed, &instance));
      assert_true(drawn.size[0] >= subject->rules_cases[i].size[0]);
      different += drawn.size[0] != subject->rules_cases[i].size[0];
    }
    assert_true(last ? different > 90 : different == 0);
  }
}

// Every drawn size in between is allowed, and the sizes are spread over their range under every seed. A size
// is rounded down to a step, so it may lie just below its part: one of three neighbouring parts has a size.
static void check_between_cases(const struct exercise *subject) {
  struct exercise_instance instance;
  const size_t count = subject->between_count, least = subject->between[0].least;
  const double ratio = pow((double)subject->between[0].most / (double)least, 1.0 / (double)count);
  assert_true(count > 0);
  for (uint64_t seed = 0; seed < 50; seed++) {
    uint64_t parts = 0;
    for (size_t i = 0; i < count; i++) {
      const struct exercise_case drawn = exercise_between_case(subject, i, seed);
      const size_t size = drawn.size[0];
      assert_null(exercise_instantiate(subject, &drawn, seed, &instance));
      assert_in_range(size, least, subject->between[0].most);
      parts |= UINT64_C(1) << (size_t)(log((double)size / (double)least) / log(ratio));
    }
    for (size_t i = 0; i + 2 < count; i++)
      assert_true(parts >> i & 7);
  }
}

// Every drawn tiny size is allowed, and each size comes once. For an array, the sizes are all multiples of 4.
static void check_tiny_cases(const struct exercise *subject) {
  struct exercise_instance instance;
  const size_t count = exercise_tiny_count(subject);
  assert_true(count > 0);
  for (uint64_t seed = 0; seed < 50; seed++) {
    bool seen[256] = {false};
    for (size_t i = 0; i < count; i++) {
      const struct exercise_case drawn = exercise_tiny_case(subject, i, seed);
      assert_null(exercise_instantiate(subject, &drawn, seed, &instance));
      const size_t place = drawn.size[0] / subject->tiny[0].step;
      assert_true(place >= 1 && place <= count && !seen[place]);
      seen[place] = true;
    }
  }
}

static void test_cases_are_accepted(void **state) {
  (void)state;
  for (unsigned number = 1; number <= 4; number++) {
    const struct exercise *subject = exercise(number);
    struct exercise_instance instance;
    assert_true(subject->case_count >= 4 && subject->rules_case_count >= 1);
    for (size_t i = 0; i < subject->case_count; i++)
      assert_null(exercise_instantiate(subject, &subject->cases[i], 1, &instance));
    check_rules_cases(subject);
    check_tiny_cases(subject);
    check_between_cases(subject);
    assert_true(subject->case_count <= EXERCISE_MAX_CASES);
    struct exercise_case large = subject->bandwidth_case((size_t)1 << 30);
    assert_null(exercise_instantiate(subject, &large, 1, &instance));
    assert_true(matrix_bytes(&instance.input) <= (size_t)1 << 30 &&
                matrix_bytes(&instance.output) <= (size_t)1 << 30);
    assert_true(matrix_bytes(&instance.input) >= (size_t)1 << 29);
  }
}

static void test_bad_sizes_are_rejected(void **state) {
  (void)state;
  static const struct {
    unsigned number;
    struct exercise_case the_case;
  } table[] = {{1, {"", {0}}},        {1, {"", {6}}},        {2, {"", {0, 1, 16}}},
               {2, {"", {1, 0, 16}}}, {2, {"", {5, 1, 16}}}, {2, {"", {4, 1, 24}}},
               {3, {"", {0, 4}}},     {3, {"", {1, 6}}},     {3, {"", {1, 0}}},
               {4, {"", {0}}},        {4, {"", {1}}},        {2, {"", {SIZE_MAX, 1, 16}}}};
  struct exercise_instance instance;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!exercise_instantiate(exercise(table[i].number), &table[i].the_case, 1, &instance))
      fail_msg("row %zu was accepted", i);
}

// An exercise of six sizes, as a convolution may have: all of them are drawn, described and read.
static void prepare_six(struct exercise_instance *instance) {
  const size_t *size = instance->the_case.size;
  instance->input = (struct matrix_shape){"in", ELEMENT_INT32, size[0] * size[1], size[2], size[2] * 4};
  instance->output = (struct matrix_shape){"out", ELEMENT_INT32, size[3] * size[4], size[5], size[5] * 4};
}

static const char *reject_six(const size_t *size) {
  for (unsigned i = 0; i < 6; i++)
    if (size[i] == 0) return "no size may be 0";
  return NULL;
}

static void test_six_sizes(void **state) {
  (void)state;
  static const struct exercise_case rules = {"all", {2, 3, 4, 5, 6, 7}};
  static const struct exercise six = {
      .size_names = {"batch", "height", "width", "filters", "rows", "columns"},
      .size_count = 6,
      .rules_cases = &rules,
      .rules_case_count = 1,
      .growth = {{1, 9}, {1, 9}, {1, 9}, {1, 9}, {1, 9}, {1, 9}},
      .tiny = {{1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}},
      .between = {{1, 8, 800}, {1, 8, 800}, {1, 8, 800}, {1, 8, 800}, {1, 8, 800}, {1, 8, 800}},
      .between_count = 4,
      .reject = reject_six,
      .prepare = prepare_six,
  };
  struct exercise_instance instance;
  unsigned grown = 0, apart = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    const struct exercise_case large = exercise_rules_case(&six, 0, seed),
                               tiny = exercise_tiny_case(&six, seed % 3, seed),
                               between = exercise_between_case(&six, seed % 4, seed);
    for (unsigned i = 0; i < 6; i++) {
      assert_in_range(large.size[i], rules.size[i], rules.size[i] + 9);
      assert_in_range(tiny.size[i], 1, 3);
      assert_in_range(between.size[i], 7, 800);
    }
    grown += large.size[5] > rules.size[5];
    apart += between.size[4] != between.size[0] && between.size[5] != between.size[1];
  }
  assert_true(grown > 10 && apart > 10);
  assert_null(exercise_instantiate(&six, &rules, 1, &instance));
  char text[160];
  exercise_describe_sizes(&instance, text, sizeof text);
  assert_string_equal(text, "batch 2, height 3, width 4, filters 5, rows 6, columns 7");
  const struct exercise_case empty = {"empty", {2, 3, 4, 5, 6, 0}};
  assert_string_equal(exercise_instantiate(&six, &empty, 1, &instance), "no size may be 0");
}

static int read_hidden(const char *text, char *error, size_t size) {
  char path[] = "/tmp/hidden-test-XXXXXX";
  struct exercise_case cases[HIDDEN_MAX_CASES];
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  int count = hidden_cases_read(path, exercise(2), cases, error, size);
  unlink(path);
  return count;
}

static void test_hidden_cases(void **state) {
  (void)state;
  char error[400] = "";
  struct exercise_case cases[HIDDEN_MAX_CASES];
  assert_int_equal(hidden_cases_read("/nowhere/at-all.cfg", exercise(2), cases, error, sizeof error), 0);
  assert_int_equal(
      read_hidden("cases = ( { name = \"a\"; sizes = [5, 3, 32]; }, { name = \"b\"; sizes = [1, 1, 16]; } );",
                  error, sizeof error),
      2);
  // lab-config-test.c tests every mistake in such a file.
}

static void test_words(void **state) {
  (void)state;
  struct sheet sheet = make_sheet(2, (struct exercise_case){"", {13, 9, 64}}, 5);
  char text[160];
  exercise_describe_sizes(&sheet.instance, text, sizeof text);
  assert_string_equal(text, "width 13, height 9, pitch_bytes 64");
  exercise_describe_element(&sheet.instance.output, 13 + 4, text, sizeof text);
  assert_string_equal(text, "out[1][4]");
  free_sheet(&sheet);
  size_t count;
  assert_null(exercises_of("lab1", &count));
  assert_int_equal(count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bulk_copy_1d),        cmocka_unit_test(test_tiles_2d),
      cmocka_unit_test(test_phase_reuse),         cmocka_unit_test(test_store_commit_groups),
      cmocka_unit_test(test_distinct_inputs),     cmocka_unit_test(test_special_inputs),
      cmocka_unit_test(test_cases_are_accepted),  cmocka_unit_test(test_bad_sizes_are_rejected),
      cmocka_unit_test(test_hidden_cases),        cmocka_unit_test(test_words),
      cmocka_unit_test(test_results_of_products), cmocka_unit_test(test_six_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
