// What all exercises share: shapes, the comparison of values, and words for sizes and elements.
#include "exercises/exercise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *exercise_code(const struct exercise *exercise) {
  return exercise && exercise->needs_sm_90a ? "arch=compute_90a,code=[sm_90a,compute_90a]"
                                            : "arch=compute_90,code=[sm_90,compute_90]";
}

size_t matrix_bytes(const struct matrix_shape *shape) {
  return shape->rows * shape->pitch_bytes;
}

size_t matrix_elements(const struct matrix_shape *shape) {
  return shape->rows * shape->columns;
}

size_t matrix_offset(const struct matrix_shape *shape, size_t index) {
  return index / shape->columns * shape->pitch_bytes + index % shape->columns * matrix_element_bytes(shape);
}

size_t exercise_output_bytes(const struct exercise_instance *instance) {
  size_t bytes = 0;
  if (instance->part_count == 0)
    return matrix_elements(&instance->output) * matrix_element_bytes(&instance->output);
  for (unsigned i = 0; i < instance->part_count; i++)
    bytes += instance->parts[i].rows * instance->parts[i].columns * part_element_bytes(&instance->parts[i]);
  return bytes;
}

FOR_EACH_MACHINE static void make_words(struct exercise_key key, uint64_t first,
                                        uint32_t words[RANDOM_WORDS]) {
  for (size_t i = 0; i < RANDOM_WORDS; i++)
    words[i] = exercise_random(key, first + i);
}

FOR_EACH_MACHINE bool exercise_are_ordinary(const uint32_t words[RANDOM_WORDS]) {
  uint32_t rare = 0;
  for (size_t i = 0; i < RANDOM_WORDS; i++)
    rare |= is_zero_input(words[i]);
  return !rare;
}

size_t exercise_random_words(const struct exercise_instance *instance, size_t first, size_t last,
                             uint32_t words[RANDOM_WORDS]) {
  make_words(exercise_key_of(instance->seed), instance->origin + first, words);
  return last - first < RANDOM_WORDS ? last - first : RANDOM_WORDS;
}

float float_of_bits(uint32_t word) {
  return float_with_bits(word);
}

bool exercise_value_is_right(const struct exercise_instance *instance, uint32_t expected, uint32_t got) {
  if (instance->output.type == ELEMENT_INT32) return expected == got;
  const double wanted = float_of_bits(expected);
  const double tolerance = instance->tolerance + instance->relative_tolerance * fabs(wanted);
  return result_is_right(wanted, float_of_bits(got), tolerance);
}

const char *exercise_instantiate(const struct exercise *exercise, const struct exercise_case *the_case,
                                 uint64_t seed, struct exercise_instance *instance) {
  const char *reason = exercise->reject(the_case->size);
  if (reason) return reason;
  *instance =
      (struct exercise_instance){.exercise = exercise, .the_case = *the_case, .seed = seed, .launches = 1};
  exercise->prepare(instance);
  return NULL;
}

struct exercise_case exercise_rules_case(const struct exercise *exercise, size_t which, uint64_t seed) {
  struct exercise_case drawn = exercise->rules_cases[which];
  const struct exercise_key key = exercise_key_of(seed);
  for (unsigned i = 0; which + 1 == exercise->rules_case_count && i < exercise->size_count; i++)
    drawn.size[i] += exercise->growth[i].step * (exercise_random(key, i) % (exercise->growth[i].most + 1));
  return drawn;
}

size_t exercise_tiny_count(const struct exercise *exercise) {
  size_t most = 0;
  for (unsigned i = 0; i < exercise->size_count; i++)
    if (exercise->tiny[i].count > most) most = exercise->tiny[i].count;
  return most;
}

// Number `which` of a permutation of 0 .. count - 1, which `seed` draws: a start and a stride that has no
// factor in common with the count.
static size_t permuted(size_t which, size_t count, uint64_t seed) {
  size_t stride = seed % count, a, b;
  do {
    stride = stride + 1 < count ? stride + 1 : 1;
    for (a = count, b = stride; b != 0;) {
      const size_t rest = a % b;
      a = b;
      b = rest;
    }
  } while (a != 1);
  return (seed / count % count + which % count * stride) % count;
}

struct exercise_case exercise_tiny_case(const struct exercise *exercise, size_t which, uint64_t seed) {
  struct exercise_case drawn = {.name = "tiny"};
  const struct exercise_key key = exercise_key_of(seed);
  for (unsigned i = 0; i < exercise->size_count; i++) {
    const size_t step = exercise->tiny[i].step, count = exercise->tiny[i].count;
    if (count > 0) drawn.size[i] = step * (1 + permuted(which, count, exercise_random(key, i)));
  }
  if (exercise->fit) exercise->fit(drawn.size);
  return drawn;
}

struct exercise_case exercise_between_case(const struct exercise *exercise, size_t which, uint64_t seed) {
  struct exercise_case drawn = {.name = "between"};
  const struct exercise_key key = exercise_key_of(seed);
  const size_t count = exercise->between_count;
  for (unsigned i = 0; i < exercise->size_count && exercise->between[i].least > 0; i++) {
    const size_t step = exercise->between[i].step, least = exercise->between[i].least;
    const double ratio = (double)exercise->between[i].most / (double)least;
    const uint64_t place = (1 + which) * 4 + i % 4 + ((uint64_t)(i / 4) << 32); // one of its own
    const double inside = exercise_random(key, place) * 0x1p-32;
    const double part = (double)permuted(which, count, exercise_random(key, i)) + inside;
    drawn.size[i] = (size_t)((double)least * pow(ratio, part / (double)count)) / step * step;
  }
  if (exercise->fit) exercise->fit(drawn.size);
  return drawn;
}

// By the borders of all beginnings, as Knuth, Morris and Pratt find them: the longest border of the whole
// leaves its shortest period.
static size_t period_of(const uint32_t *words, size_t count, size_t *border) {
  border[0] = 0;
  for (size_t i = 1; i < count; i++) {
    size_t length = border[i - 1];
    while (length > 0 && words[i] != words[length])
      length = border[length - 1];
    border[i] = length + (words[i] == words[length]);
  }
  const size_t period = count - border[count - 1];
  return period <= count / 4 ? period : 0;
}

size_t exercise_input_period(const struct exercise *exercise, const struct exercise_case *the_case) {
  struct exercise_instance instance;
  if (exercise_instantiate(exercise, the_case, 1, &instance)) return 0;
  const struct matrix_shape *shape = &instance.input;
  size_t count = matrix_elements(shape), period = 0;
  if (count > 65536) count = 65536;
  char *input = calloc(1, matrix_bytes(shape));
  uint32_t *words = calloc(count ? count : 1, sizeof *words);
  size_t *border = calloc(count ? count : 1, sizeof *border);
  if (input && words && border && count >= 8) {
    exercise->generate(&instance, input, 0, count);
    for (size_t i = 0; i < count; i++)
      words[i] = matrix_word(shape, input, i / shape->columns, i % shape->columns);
    period = period_of(words, count, border);
  }
  free(input);
  free(words);
  free(border);
  return period;
}

void exercise_describe_sizes(const struct exercise_instance *instance, char *text, size_t size) {
  const struct exercise *exercise = instance->exercise;
  size_t length = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < exercise->size_count && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, "%s%s %zu", i ? ", " : "",
                               exercise->size_names[i], instance->the_case.size[i]);
}

void exercise_describe_element(const struct matrix_shape *shape, size_t index, char *text, size_t size) {
  if (shape->rows == 1) {
    snprintf(text, size, "%s[%zu]", shape->name, index);
  } else {
    snprintf(text, size, "%s[%zu][%zu]", shape->name, index / shape->columns, index % shape->columns);
  }
}
