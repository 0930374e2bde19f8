// lab8's ten exercises. In: cases. Out: inputs and right answers. The idea: each kernel does something small
// to whole tiles of 128 numbers, so that only the one step it is about can go wrong. Nothing is timed.
#include "exercises/exercise.h"

enum {
  TILE = 128,       // elements
  BLOCK = 4 * TILE, // what one block of 2-parity and 10-ring works on
  BOX_WIDTH = 32,   // of 8-tensor-map and 9-over-the-edge
  BOX_HEIGHT = 8,
  BOX_SHIFT = 4, // 9-over-the-edge reads this many columns to the right
};

// ---- exercises 1 to 7 and 10: a line of numbers ----

static const struct exercise_case line_cases[] = {{"four tiles", {BLOCK}}, {"twelve tiles", {3 * BLOCK}}};
static const struct exercise_case line_rules[] = {
    {"four tiles", {BLOCK}}, {"eight tiles", {2 * BLOCK}}, {"160 tiles", {40 * BLOCK}}};

static const char *reject_line(const size_t *size) {
  return size[0] > 0 && size[0] % BLOCK == 0 ? NULL : "count must be a positive multiple of 512";
}

static void prepare_results(struct exercise_instance *instance, size_t results) {
  const size_t count = instance->the_case.size[0];
  instance->input = (struct matrix_shape){"in", ELEMENT_INT32, 1, count, count * 4};
  instance->output = (struct matrix_shape){"out", ELEMENT_INT32, 1, results, results * 4};
  instance->scalars[0] = count;
  instance->scalar_count = 1;
  instance->bytes_moved = 4 * ((uint64_t)count + results);
}

static void prepare_line(struct exercise_instance *instance) {
  prepare_results(instance, instance->the_case.size[0]);
}

static void prepare_twice(struct exercise_instance *instance) {
  prepare_results(instance, 2 * instance->the_case.size[0]);
}

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  uint32_t *in = input;
  const struct exercise_key key = exercise_key_of(instance->seed);
  for (size_t i = first; i < last; i++)
    in[i] = transpose_input(exercise_random(key, i));
}

static void reverse_tiles(const struct exercise_instance *instance, const void *input, void *expected,
                          size_t first, size_t last) {
  (void)instance;
  const uint32_t *in = input;
  uint32_t *out = expected;
  for (size_t i = first; i < last; i++)
    out[i] = in[i - i % TILE + (TILE - 1 - i % TILE)];
}

static void add_one(const struct exercise_instance *instance, const void *input, void *expected, size_t first,
                    size_t last) {
  (void)instance;
  const uint32_t *in = input;
  uint32_t *out = expected;
  for (size_t i = first; i < last; i++)
    out[i] = in[i] + 1;
}

// The first half: in + 1. The second: that, once more plus 1.
static void add_twice(const struct exercise_instance *instance, const void *input, void *expected,
                      size_t first, size_t last) {
  const uint32_t *in = input;
  uint32_t *out = expected;
  const size_t count = instance->the_case.size[0];
  for (size_t i = first; i < last; i++)
    out[i] = i < count ? in[i] + 1 : in[i - count] + 2;
}

// ---- exercises 8 and 9: a matrix ----

static const struct exercise_case matrix_cases[] = {{"one box", {BOX_WIDTH, BOX_HEIGHT}},
                                                    {"higher than wide", {2 * BOX_WIDTH, 9 * BOX_HEIGHT}}};
static const struct exercise_case matrix_rules[] = {{"one box", {BOX_WIDTH, BOX_HEIGHT}},
                                                    {"two by two", {2 * BOX_WIDTH, 2 * BOX_HEIGHT}},
                                                    {"many", {8 * BOX_WIDTH, 10 * BOX_HEIGHT}}};
static const struct exercise_case edge_cases[] = {
    {"less than a box", {20, 5}}, {"one box", {BOX_WIDTH, BOX_HEIGHT}}, {"a box and a bit", {36, 9}}};
static const struct exercise_case edge_rules[] = {
    {"less than a box", {12, 3}}, {"some boxes", {76, 20}}, {"many", {260, 84}}};

static const char *reject_boxes(const size_t *size) {
  return size[0] > 0 && size[1] > 0 && size[0] % BOX_WIDTH == 0 && size[1] % BOX_HEIGHT == 0
             ? NULL
             : "width must be a positive multiple of 32, and height of 8";
}

static const char *reject_edges(const size_t *size) {
  return size[0] > 0 && size[1] > 0 && size[0] % 4 == 0 ? NULL : "width must be a positive multiple of 4";
}

static void prepare_matrix(struct exercise_instance *instance) {
  const size_t width = instance->the_case.size[0], height = instance->the_case.size[1];
  instance->input = (struct matrix_shape){"in", ELEMENT_INT32, height, width, width * 4};
  instance->output = (struct matrix_shape){"out", ELEMENT_INT32, height, width, width * 4};
  instance->scalars[0] = width;
  instance->scalars[1] = height;
  instance->scalar_count = 2;
  instance->bytes_moved = 8 * (uint64_t)width * height;
}

// Zero beyond the right edge.
static void shift_left(const struct exercise_instance *instance, const void *input, void *expected,
                       size_t first, size_t last) {
  const uint32_t *in = input;
  uint32_t *out = expected;
  const size_t width = instance->the_case.size[0];
  for (size_t i = first; i < last; i++)
    out[i] = i % width + BOX_SHIFT < width ? in[i + BOX_SHIFT] : 0;
}

// ---- the list ----

#define LINE_STEP(symbol, title, prepared, answer)                \
  const struct exercise symbol = {                                \
      .lab = "lab8",                                              \
      .name = title,                                              \
      .size_names = {"count"},                                    \
      .size_count = 1,                                            \
      .cases = line_cases,                                        \
      .case_count = sizeof line_cases / sizeof *line_cases,       \
      .rules_cases = line_rules,                                  \
      .rules_case_count = sizeof line_rules / sizeof *line_rules, \
      .growth = {{BLOCK, 8}},                                     \
      .tiny = {{BLOCK, 2}},                                       \
      .reject = reject_line,                                      \
      .prepare = prepared,                                        \
      .generate = generate,                                       \
      .reference = answer,                                        \
  }

#define MATRIX_STEP(symbol, title, kind, step_x, step_y, rejected, answer) \
  const struct exercise symbol = {                                         \
      .lab = "lab8",                                                       \
      .name = title,                                                       \
      .size_names = {"width", "height"},                                   \
      .size_count = 2,                                                     \
      .cases = kind##_cases,                                               \
      .case_count = sizeof kind##_cases / sizeof *kind##_cases,            \
      .rules_cases = kind##_rules,                                         \
      .rules_case_count = sizeof kind##_rules / sizeof *kind##_rules,      \
      .growth = {{step_x, 3}, {step_y, 3}},                                \
      .tiny = {{step_x, 2}, {step_y, 2}},                                  \
      .reject = rejected,                                                  \
      .prepare = prepare_matrix,                                           \
      .generate = generate,                                                \
      .reference = answer,                                                 \
  }

LINE_STEP(lab8_barrier, "1-barrier", prepare_line, reverse_tiles);
LINE_STEP(lab8_parity, "2-parity", prepare_line, reverse_tiles);
LINE_STEP(lab8_bytes, "3-bytes", prepare_line, reverse_tiles);
LINE_STEP(lab8_load, "4-load", prepare_line, reverse_tiles);
LINE_STEP(lab8_fence, "5-fence", prepare_line, add_one);
LINE_STEP(lab8_store, "6-store", prepare_line, add_one);
LINE_STEP(lab8_read_or_all, "7-read-or-all", prepare_twice, add_twice);
MATRIX_STEP(lab8_tensor_map, "8-tensor-map", matrix, BOX_WIDTH, BOX_HEIGHT, reject_boxes, add_one);
MATRIX_STEP(lab8_over_the_edge, "9-over-the-edge", edge, 4, 1, reject_edges, shift_left);
LINE_STEP(lab8_ring, "10-ring", prepare_line, reverse_tiles);
