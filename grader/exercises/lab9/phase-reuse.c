// 3-phase-reuse: column sums of a tall matrix of int32. The more rows, the smaller the values, so that no sum
// overflows.
#include "exercises/exercise.h"

#include <string.h>

static const struct exercise_case public_cases[] = {
    {"smallest", {1, 4}},
    {"one row", {1, 1024}},
    {"a few rows", {3, 32}},
    {"rows without a tile", {1037, 4}},
    {"odd rows, odd columns", {997, 100}},
    {"wide", {65, 2052}},
};
static const struct exercise_case rules_cases[] = {
    {"a short ring", {5, 36}}, {"many rounds", {8195, 32}}, {"large", {400003, 32}}};

static const char *reject(const size_t *size) {
  if (!(size[0] > 0 && size[1] > 0 && size[1] % 4 == 0))
    return "rows must be at least 1, columns a positive multiple of 4";
  return size[0] <= SIZE_MAX / 4 / size[1] ? NULL : "rows and columns are too large";
}

static struct exercise_case bandwidth_case(size_t bytes) {
  enum { COLUMNS = 1024 };
  return (struct exercise_case){"bandwidth", {bytes / 4 / COLUMNS, COLUMNS}};
}

static void prepare(struct exercise_instance *instance) {
  const size_t *size = instance->the_case.size;
  instance->input = (struct matrix_shape){"matrix", ELEMENT_INT32, size[0], size[1], size[1] * 4};
  instance->output = (struct matrix_shape){"sums", ELEMENT_INT32, 1, size[1], size[1] * 4};
  instance->scalars[0] = size[0];
  instance->scalars[1] = size[1];
  instance->scalar_count = 2;
  instance->bytes_moved = ((uint64_t)size[0] + 1) * size[1] * 4;
}

static void trust(const struct exercise_instance *instance, struct trusted_case *the_case) {
  the_case->bits = phase_reuse_bits(instance->input.rows);
}

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  int32_t *matrix = input;
  const struct exercise_key key = exercise_key_of(instance->seed);
  unsigned bits = phase_reuse_bits(instance->input.rows);
  for (size_t i = first; i < last; i++)
    matrix[i] = phase_reuse_input(exercise_random(key, i), bits);
}

static void reference(const struct exercise_instance *instance, const void *input, void *expected,
                      size_t first, size_t last) {
  const int32_t *matrix = input;
  int32_t *sums = expected;
  memset(sums + first, 0, (last - first) * sizeof *sums);
  for (size_t row = 0; row < instance->input.rows; row++)
    for (size_t column = first; column < last; column++)
      sums[column] += matrix[row * instance->input.columns + column];
}

const struct exercise lab9_phase_reuse = {
    .lab = "lab9",
    .name = "3-phase-reuse",
    .trusted = "phase_reuse",
    .traffic = TRAFFIC_READ,
    .trust = trust,
    .size_names = {"rows", "columns"},
    .size_count = 2,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .growth = {{.step = 1, .most = 20000}},
    .tiny = {{.step = 1, .count = 40}, {.step = 4, .count = 39}},
    .reject = reject,
    .bandwidth_case = bandwidth_case,
    .prepare = prepare,
    .generate = generate,
    .reference = reference,
};
