// 4-multicast: weighted sums of a matrix's columns, for several sets of weights. The matrix and the weights
// are one input; between them lie numbers that belong to neither. int32 arithmetic wraps around, so the
// answer is exact in any order.
#include "exercises/exercise.h"

enum { UNIT = 4, MOST_SETS = 65536, ALIGNMENT = 256 / sizeof(int32_t), MOST_GAPS = 4 };

static const struct exercise_case public_cases[] = {
    {"smallest", {4, 4, 1}},
    {"one tile, two sets", {48, 256, 2}},
    {"more than the ring holds", {300, 64, 2}},
    {"a set more", {52, 260, 3}},
    {"many of all", {436, 516, 5}},
};
// The large one has so many sets that it matters who loads the matrix how often. It grows to whole tiles of
// the solution, no further, so that little is loaded that lies outside.
static const struct exercise_case rules_cases[] = {
    {"a short tile", {20, 36, 2}}, {"an odd number of sets", {248, 260, 3}}, {"large", {376, 2240, 8}}};

static const char *reject(const size_t *size) {
  if (size[0] == 0 || size[0] % UNIT != 0 || size[1] == 0 || size[1] % UNIT != 0)
    return "rows and columns must be positive multiples of 4";
  if (!(size[2] > 0 && size[2] <= MOST_SETS)) return "sets must be 1 to 65536";
  return size[0] <= SIZE_MAX / 64 / MOST_SETS && size[1] <= SIZE_MAX / 64 / MOST_SETS / size[0]
             ? NULL
             : "rows and columns are too large";
}

// 128 sets: a block for each, so two for each strip of columns on one processor after the other.
static struct exercise_case bandwidth_case(size_t bytes) {
  enum { SETS = 128, COLUMNS = 1024 };
  return (struct exercise_case){"timed",
                                {bytes / sizeof(int32_t) / (COLUMNS + SETS) / UNIT * UNIT, COLUMNS, SETS}};
}

static void prepare(struct exercise_instance *instance) {
  const size_t rows = instance->the_case.size[0], columns = instance->the_case.size[1],
               sets = instance->the_case.size[2],
               draw = exercise_mix(rows + 3 * columns + 5 * sets) % MOST_GAPS,
               weights = (rows * columns / ALIGNMENT + 1 + draw) * ALIGNMENT, all = weights + rows * sets;
  instance->input = (struct matrix_shape){"in", ELEMENT_INT32, 1, all, all * sizeof(int32_t)};
  instance->output = (struct matrix_shape){"sums", ELEMENT_INT32, sets, columns, columns * sizeof(int32_t)};
  for (unsigned i = 0; i < 3; i++)
    instance->scalars[i] = instance->the_case.size[i];
  instance->scalars[3] = weights;
  instance->scalar_count = 4;
  instance->spare_elements = weights - rows * columns;
  instance->bytes_moved = (rows * (columns + sets) + sets * columns) * sizeof(int32_t);
}

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  const struct exercise_key key = exercise_key_of(instance->seed);
  uint32_t *numbers = input;
  for (size_t i = first; i < last; i++)
    numbers[i] = transpose_input(exercise_random(key, i));
}

static void reference(const struct exercise_instance *instance, const void *input, void *expected,
                      size_t first, size_t last) {
  const size_t rows = instance->the_case.size[0], columns = instance->the_case.size[1];
  const uint32_t *matrix = input, *weights = matrix + instance->scalars[3];
  uint32_t *sums = expected;
  for (size_t i = first; i < last; i++) {
    const uint32_t *column = matrix + i % columns, *set = weights + i / columns * rows;
    uint32_t sum = 0;
    for (size_t row = 0; row < rows; row++)
      sum += set[row] * column[row * columns];
    sums[i] = sum;
  }
}

// ---- slips ----

// The tile of the solution, and how its cluster cuts it.
enum { FIRST_SLICE, FIRST_SET, HEIGHT = 48, SLICE = 24 };

static uint32_t slip(const struct exercise_instance *instance, const void *input, size_t index,
                     unsigned kind) {
  const size_t rows = instance->the_case.size[0], columns = instance->the_case.size[1];
  const uint32_t *matrix = input,
                 *set = matrix + instance->scalars[3] + (kind == FIRST_SET ? 0 : index / columns * rows);
  uint32_t sum = 0;
  for (size_t row = 0; row < rows; row++) {
    const size_t loaded = kind == FIRST_SLICE ? row / HEIGHT * HEIGHT + row % SLICE : row;
    sum += set[row] * matrix[loaded * columns + index % columns];
  }
  return sum;
}

static const struct exercise_suspect suspects[] = {
    {"all slices of a tile hold the rows of its first slice: slice `rank` begins `rank * SLICE` rows further",
     2, slip, FIRST_SLICE},
    {"all sets take the weights of the first one", 2, slip, FIRST_SET},
};

const struct exercise lab10_multicast = {
    .lab = "lab10",
    .name = "4-multicast",
    .needs_sm_90a = true, // multicast for plain sm_90 may be slower, says the compiler
    .traffic = TRAFFIC_READ,
    .size_names = {"rows", "columns", "sets"},
    .size_count = 3,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .growth = {{.step = UNIT, .most = 2}, {.step = UNIT, .most = 16}, {.step = 1, .most = 0}},
    .tiny = {{.step = UNIT, .count = 9}, {.step = UNIT, .count = 8}, {.step = 1, .count = 5}},
    .reject = reject,
    .bandwidth_case = bandwidth_case,
    .prepare = prepare,
    .generate = generate,
    .reference = reference,
    .suspects = suspects,
    .suspect_count = sizeof suspects / sizeof *suspects,
};
