// Large cases judged by slices: right ones pass, and one byte that differs, wherever it lies, doesn't. What
// slices say is compared with arrays that were made as a whole.
#include "referee/slices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEED = 7 };

struct arrays {
  struct exercise_instance instance;
  size_t input_bytes, output_bytes;
  char *input, *output; // as after a launch that was right
};

static const struct exercise *find(const char *lab, size_t number) {
  size_t count;
  return exercises_of(lab, &count)[number - 1];
}

static char *poisoned(const struct exercise_instance *instance, size_t bytes) {
  uint32_t *words = malloc(bytes);
  assert_non_null(words);
  for (size_t i = 0; i < bytes / sizeof *words; i++)
    words[i] = output_poison(instance);
  return (char *)words;
}

static struct arrays make(const struct exercise *exercise, const size_t size[3]) {
  struct exercise_case the_case = {"", {size[0], size[1], size[2]}};
  struct arrays arrays;
  assert_null(exercise_instantiate(exercise, &the_case, SEED, &arrays.instance));
  const struct exercise_instance *instance = &arrays.instance;
  arrays.input_bytes = matrix_bytes(&instance->input);
  arrays.output_bytes = matrix_bytes(&instance->output);
  arrays.input = poisoned(instance, arrays.input_bytes);
  arrays.output = poisoned(instance, arrays.output_bytes);
  exercise->generate(instance, arrays.input, 0, matrix_elements(&instance->input));
  exercise->reference(instance, arrays.input, arrays.output, 0, matrix_elements(&instance->output));
  return arrays;
}

static void unmake(struct arrays *arrays) {
  free(arrays->input);
  free(arrays->output);
}

static bool are_right(const struct arrays *arrays) {
  return slices_are_right(&arrays->instance, arrays->instance.in_place ? NULL : arrays->input,
                          arrays->output);
}

// Whether a byte that changes, and no other, is noticed.
static bool is_noticed(const struct arrays *arrays, char *place) {
  *place ^= 0x40; // of a float's exponent, if it is its last byte
  const bool noticed = !are_right(arrays);
  *place ^= 0x40;
  return noticed;
}

static const struct {
  const char *lab;
  size_t number, size[3];
} cases[] = {
    {"lab9", 1, {131072}},            // just large enough
    {"lab9", 1, {1000012}},           // not a whole number of slices
    {"lab9", 2, {997, 1003, 4400}},   // gaps between rows
    {"lab9", 2, {8, 66001, 32}},      // many rows of a slice
    {"lab9", 2, {5, 20011, 64}},      // more gap than row
    {"lab9", 2, {60000, 9, 240000}},  // one row of a slice
    {"lab9", 2, {200001, 1, 800016}}, // one row in all: longer than a slice, so it doesn't suit
    {"lab9", 3, {40003, 32}},         //
    {"lab9", 3, {11, 40000}},         // one row of a slice
    {"lab9", 4, {300012}},            //
    {"lab10", 1, {66003, 132}},       //
};

static bool suits(size_t i) {
  return cases[i].size[2] != 800016;
}

static void right_is_right(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct arrays arrays = make(find(cases[i].lab, cases[i].number), cases[i].size);
    assert_int_equal(slices_suit(&arrays.instance), suits(i));
    if (suits(i)) assert_true(are_right(&arrays));
    unmake(&arrays);
  }
}

static void any_byte_counts(void **state) {
  enum { PLACES = 12 };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (!suits(i)) continue;
    struct arrays arrays = make(find(cases[i].lab, cases[i].number), cases[i].size);
    for (size_t place = 0; place <= PLACES; place++) { // the first and the last word, and some between
      const size_t out = (arrays.output_bytes - 1) / 4 * place / PLACES * 4 + 3,
                   in = (arrays.input_bytes - 1) / 4 * place / PLACES * 4 + 3;
      assert_true(is_noticed(&arrays, arrays.output + out));
      if (!arrays.instance.in_place) assert_true(is_noticed(&arrays, arrays.input + in));
    }
    unmake(&arrays);
  }
}

// What lies between rows, and the elements on both sides of where one slice ends and the next one begins.
static void gaps_and_ends_count(void **state) {
  (void)state;
  struct arrays arrays = make(find("lab9", 2), (size_t[3]){5, 20011, 64});
  for (size_t row = 4090; row < 4102; row++)
    for (size_t byte = 3; byte < 64; byte += 4) {
      assert_true(is_noticed(&arrays, arrays.output + row * 64 + byte));
      assert_true(is_noticed(&arrays, arrays.input + row * 64 + byte));
    }
  unmake(&arrays);
}

static void near_is_right(void **state) {
  (void)state;
  struct arrays arrays = make(find("lab9", 4), (size_t[3]){300012});
  for (size_t i = 0; i < arrays.output_bytes; i += 4) {
    const float number = float_of_bits(matrix_word(&arrays.instance.output, arrays.output, 0, i / 4));
    if (number > 1 && number < 1e6f) arrays.output[i] ^= 1; // the last bit
  }
  assert_true(are_right(&arrays));
  arrays.output[arrays.output_bytes - 2] ^= 0x20;
  assert_false(are_right(&arrays));
  unmake(&arrays);
}

static void others_do_not_suit(void **state) {
  struct exercise_instance instance;
  (void)state;
  const struct exercise *transpose = find("lab10", 2), *bulk = find("lab9", 1);
  const struct exercise_case large = {"", {1000, 1000, 0}}, small = {"", {1000}};
  assert_null(exercise_instantiate(transpose, &large, SEED, &instance));
  assert_false(slices_suit(&instance));
  assert_null(exercise_instantiate(bulk, &small, SEED, &instance));
  assert_false(slices_suit(&instance));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_is_right),      cmocka_unit_test(any_byte_counts),
      cmocka_unit_test(gaps_and_ends_count), cmocka_unit_test(near_is_right),
      cmocka_unit_test(others_do_not_suit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
