// In: two matrices. Out: which elements differ. The idea: one pass counts everything that a pattern may be
// recognised by.
#include "referee/compare.h"

#include "referee/pattern.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALIKE = 256 };

static void describe_value(const struct tally *tally, const char *matrix, char *text, size_t size) {
  const struct exercise_instance *instance = tally->instance;
  const size_t row = tally->first / instance->output.columns,
               column = tally->first % instance->output.columns;
  const uint32_t word = matrix_word(&instance->output, matrix, row, column);
  const char *note = word == output_poison_at(instance, row, column) && !instance->in_place
                         ? " (the poison that lay there before)"
                         : "";
  if (instance->output.type == ELEMENT_INT32) {
    snprintf(text, size, "%d%s", (int32_t)word, note);
  } else {
    float value = float_of_bits(word);
    if (isnan(value))
      snprintf(text, size, "NaN%s", note); // printf would show the NaN's sign, which means nothing
    else
      snprintf(text, size, "%.9g%s", (double)value, note);
  }
}

static void count_wrong(struct tally *tally, size_t row, size_t column, uint32_t expected, uint32_t got,
                        bool after_right) {
  const struct matrix_shape *shape = &tally->instance->output;
  size_t index = row * shape->columns + column;
  const uint32_t poison = output_poison_at(tally->instance, row, column);
  uint32_t before = tally->instance->in_place ? matrix_word(shape, tally->input, row, column) : poison;
  if (tally->wrong++ == 0) {
    tally->first = index;
    tally->first_row = row;
    tally->first_column = tally->last_column = column;
    tally->difference = (int32_t)(got - expected);
    tally->value = got;
  }
  tally->last = index;
  tally->last_row = row;
  if (column < tally->first_column) tally->first_column = column;
  if (column > tally->last_column) tally->last_column = column;
  tally->poison += got == poison;
  tally->zero += got == 0;
  tally->same_value += got == tally->value;
  tally->not_a_number += shape->type != ELEMENT_INT32 && isnan(float_of_bits(got));
  tally->as_before += got == before;
  tally->plus_before += got == expected + before;
  tally->same_difference += (int32_t)(got - expected) == tally->difference;
  if (after_right) {
    if (tally->runs < 2) tally->run_start[tally->runs] = index;
    tally->runs++;
  }
  tally->run_length += tally->runs == 1;
}

// Whether ALIKE elements from here on, all of one row, have the bits expected: then each is right.
static bool are_alike(const struct matrix_shape *shape, const char *expected, const char *got, size_t row,
                      size_t column) {
  const size_t element = matrix_element_bytes(shape), at = row * shape->pitch_bytes + column * element;
  return column + ALIKE <= shape->columns && memcmp(expected + at, got + at, ALIKE * element) == 0;
}

// Whether ALIKE floats are finite and near enough. No early way out: the loop becomes vector instructions.
FOR_EACH_MACHINE static bool are_near(const struct exercise_instance *instance, const float expected[ALIKE],
                                      const float got[ALIKE]) {
  const double tolerance = instance->tolerance, relative = instance->relative_tolerance;
  unsigned wrong = 0;
  for (size_t i = 0; i < ALIKE; i++) {
    const double wanted = fabs((double)expected[i]), difference = fabs((double)got[i] - (double)expected[i]);
    wrong |= !(wanted <= (double)FLT_MAX) | !(difference <= tolerance + relative * wanted);
  }
  return wrong == 0;
}

static bool are_right(const struct exercise_instance *instance, const float expected[ALIKE],
                      const float got[ALIKE]) {
  uint32_t wanted[ALIKE], found[ALIKE];
  bool right = true;
  memcpy(wanted, expected, sizeof wanted);
  memcpy(found, got, sizeof found);
  for (size_t i = 0; i < ALIKE && right; i++)
    right = exercise_value_is_right(instance, wanted[i], found[i]);
  return right;
}

bool compare_is_near(const struct exercise_instance *instance, const void *expected, const void *got) {
  const struct matrix_shape *shape = &instance->output;
  const size_t count = matrix_elements(shape);
  if (instance->part_count > 0 || shape->type != ELEMENT_FLOAT32 || matrix_bytes(shape) != 4 * count)
    return false;
  bool right = true;
  for (size_t first = 0; first < count && right; first += ALIKE) {
    const size_t length = count - first < ALIKE ? count - first : ALIKE;
    float wanted[ALIKE] = {0}, found[ALIKE] = {0}; // what is missing at the end is right
    memcpy(wanted, (const float *)expected + first, length * sizeof *wanted);
    memcpy(found, (const float *)got + first, length * sizeof *found);
    right = are_near(instance, wanted, found) || are_right(instance, wanted, found);
  }
  return right;
}

void compare_output(const struct exercise_instance *instance, const void *input, const void *expected,
                    const void *got, struct comparison *comparison) {
  const struct matrix_shape *shape = &instance->output;
  if (instance->part_count > 0) {
    compare_parts(instance, expected, got, comparison);
    return;
  }
  struct tally tally = {.instance = instance,
                        .input = input,
                        .expected = expected,
                        .got = got,
                        .total = matrix_elements(shape)};
  bool right_before = true;
  for (size_t row = 0; row < shape->rows; row++) {
    for (size_t column = 0; column < shape->columns; column++) {
      if (column % ALIKE == 0 && are_alike(shape, expected, got, row, column)) {
        column += ALIKE - 1;
        right_before = true;
        continue;
      }
      uint32_t wanted = matrix_word(shape, expected, row, column),
               found = matrix_word(shape, got, row, column);
      bool right = exercise_value_is_right(instance, wanted, found);
      if (!right) count_wrong(&tally, row, column, wanted, found, right_before);
      right_before = right;
    }
  }
  *comparison = (struct comparison){.total = tally.total, .wrong = tally.wrong, .first = tally.first};
  if (tally.wrong == 0) return;
  exercise_describe_element(shape, tally.first, comparison->element, sizeof comparison->element);
  describe_value(&tally, tally.expected, comparison->expected, sizeof comparison->expected);
  describe_value(&tally, tally.got, comparison->got, sizeof comparison->got);
  pattern_describe(&tally, &comparison->pattern);
}

size_t compare_unchanged(const struct matrix_shape *shape, const void *before, const void *after, bool whole,
                         char *where, size_t size) {
  const unsigned char *old = before, *new = after;
  // On an H100 a tensor store's row ends at a multiple of 16 bytes (docs/measurements.md): up to there
  // nothing is asked.
  const size_t element = matrix_element_bytes(shape), row_bytes = shape->columns * element;
  size_t changed = 0, start = whole ? 0 : (row_bytes + 15) / 16 * 16;
  if (start > shape->pitch_bytes) start = shape->pitch_bytes;
  for (size_t row = 0; row < shape->rows; row++) {
    size_t base = row * shape->pitch_bytes;
    if (memcmp(old + base + start, new + base + start, shape->pitch_bytes - start) == 0) continue;
    for (size_t byte = start; byte < shape->pitch_bytes; byte++) {
      if (old[base + byte] == new[base + byte]) continue;
      if (changed++ > 0) continue;
      if (shape->rows == 1 && byte < row_bytes) {
        snprintf(where, size, "`%s`, element %zu", shape->name, byte / element);
      } else if (byte < row_bytes) {
        snprintf(where, size, "`%s`, row %zu, column %zu", shape->name, row, byte / element);
      } else {
        snprintf(where, size, "`%s`, row %zu, %zu bytes past its last element", shape->name, row,
                 byte - row_bytes);
      }
    }
  }
  return changed;
}
