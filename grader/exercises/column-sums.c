// Column sums, for the CPU. Most of them wrap around.
#include "exercises/column-sums.h"

#include <string.h>

const char *column_sums_reject(const size_t *size) {
  if (!(size[0] > 0 && size[1] > 0 && size[1] % 4 == 0))
    return "rows must be at least 1, columns a positive multiple of 4";
  return size[0] <= SIZE_MAX / 4 / size[1] ? NULL : "rows and columns are too large";
}

struct exercise_case column_sums_bandwidth_case(size_t bytes) {
  enum { COLUMNS = 1024 };
  return (struct exercise_case){"timed", {bytes / 4 / COLUMNS, COLUMNS}};
}

void column_sums_prepare(struct exercise_instance *instance) {
  const size_t *size = instance->the_case.size;
  instance->input = (struct matrix_shape){"matrix", ELEMENT_INT32, size[0], size[1], size[1] * 4};
  instance->output = (struct matrix_shape){"sums", ELEMENT_INT32, 1, size[1], size[1] * 4};
  instance->scalars[0] = size[0];
  instance->scalars[1] = size[1];
  instance->scalar_count = 2;
  instance->bytes_moved = ((uint64_t)size[0] + 1) * size[1] * 4;
}

void column_sums_generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  uint32_t *matrix = input, words[RANDOM_WORDS];
  for (size_t i = first, count; i < last; i += count) {
    count = exercise_random_words(instance, i, last, words);
    if (!exercise_are_ordinary(words)) // an ordinary word is the number itself
      for (size_t j = 0; j < count; j++)
        words[j] = column_sums_input(words[j]);
    memcpy(matrix + i, words, count * sizeof *matrix);
  }
}

FOR_EACH_MACHINE static void add_row(uint32_t *restrict sums, const uint32_t *restrict row, size_t count) {
  for (size_t i = 0; i < count; i++)
    sums[i] += row[i];
}

void column_sums_reference(const struct exercise_instance *instance, const void *input, void *expected,
                           size_t first, size_t last) {
  const uint32_t *matrix = input;
  uint32_t *sums = expected;
  memset(sums + first, 0, (last - first) * sizeof *sums);
  for (size_t row = 0; row < instance->input.rows; row++)
    add_row(sums + first, matrix + row * instance->input.columns + first, last - first);
}
