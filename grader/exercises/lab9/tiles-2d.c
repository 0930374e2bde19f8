// 2-tiles-2d: a five-point stencil over a pitched matrix, zero outside. Inputs are whole numbers of 20 bits
// and a sign, so that float arithmetic is exact in any order and the answer can be compared without a
// tolerance.
#include "exercises/exercise.h"
#include "exercises/stencil-input.h"

#include <string.h>

static const struct exercise_case public_cases[] = {
    {"one element", {1, 1, 16}},
    {"one tile", {64, 32, 256}},
    {"one column", {1, 70, 32}},
    {"one row, odd width", {133, 1, 544}},
    {"one more than a tile", {65, 33, 272}},
    {"wide pitch", {61, 40, 512}},
    {"odd in all", {331, 203, 1344}},
};
static const struct exercise_case rules_cases[] = {
    {"one short tile", {13, 7, 64}}, {"several, odd", {97, 67, 400}}, {"large", {997, 1003, 4400}}};

static const char *reject(const size_t *size) {
  if (!(size[0] > 0 && size[1] > 0)) return "width and height must be at least 1";
  if (size[0] > SIZE_MAX / 4 || size[2] > SIZE_MAX / size[1]) return "width, height and pitch are too large";
  return size[2] % 16 == 0 && size[2] >= size[0] * 4
             ? NULL
             : "pitch must be a multiple of 16 and hold a row of width floats";
}

// A drawn pitch is what a row has beside its elements: one more step, so that the shortest has no gap.
static void fit(size_t *size) {
  size[2] += (size[0] * 4 + 15) / 16 * 16 - 16;
}

static struct exercise_case bandwidth_case(size_t bytes) {
  enum { WIDTH = 16384 };
  return (struct exercise_case){"timed", {WIDTH, bytes / 4 / WIDTH, (size_t)WIDTH * 4}};
}

static void prepare(struct exercise_instance *instance) {
  const size_t *size = instance->the_case.size;
  instance->input = (struct matrix_shape){"in", ELEMENT_FLOAT32, size[1], size[0], size[2]};
  instance->output = (struct matrix_shape){"out", ELEMENT_FLOAT32, size[1], size[0], size[2]};
  for (unsigned i = 0; i < 3; i++)
    instance->scalars[i] = size[i];
  instance->scalar_count = 3;
  instance->bytes_moved = 2 * (uint64_t)size[0] * size[1] * 4;
}

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  stencil_generate(instance, 2, input, first, last);
}

static float element(const struct matrix_shape *shape, const void *input, size_t row, size_t column) {
  // Row or column -1 has wrapped around to the largest number.
  if (!(row < shape->rows && column < shape->columns)) return 0.0f;
  const void *start = (const char *)input + row * shape->pitch_bytes;
  return ((const float *)start)[column];
}

static float result_at(const struct matrix_shape *shape, const void *input, size_t y, size_t x) {
  return tiles_2d_result(element(shape, input, y - 1, x), element(shape, input, y + 1, x),
                         element(shape, input, y, x - 1), element(shape, input, y, x + 1),
                         element(shape, input, y, x));
}

// Of elements that have all four neighbours; `row` begins with the one on the left of the first.
FOR_EACH_MACHINE static void make_inner(float *restrict results, const float *restrict above,
                                        const float *restrict row, const float *restrict below,
                                        size_t count) {
  for (size_t i = 0; i < count; i++)
    results[i] = tiles_2d_result(above[i], below[i], row[i], row[i + 2], row[i + 1]);
}

static void reference(const struct exercise_instance *instance, const void *input, void *expected,
                      size_t first, size_t last) {
  const struct matrix_shape *shape = &instance->input;
  struct matrix_piece piece;
  for (size_t i = first; i < last; i += piece.count) {
    piece = matrix_piece_at(shape, i, last);
    float *results = stencil_place(&instance->output, expected, &piece);
    const size_t y = piece.row, x = piece.column, end = x + piece.count, from = x > 0 ? x : 1,
                 to = end < shape->columns ? end : shape->columns - 1;
    const bool inner = y > 0 && y + 1 < shape->rows && from < to;
    if (inner) {
      const char *row = (const char *)input + y * shape->pitch_bytes;
      make_inner(results + (from - x), (const float *)(const void *)(row - shape->pitch_bytes) + from,
                 (const float *)(const void *)row + from - 1,
                 (const float *)(const void *)(row + shape->pitch_bytes) + from, to - from);
    }
    for (size_t j = 0; j < piece.count; j++)
      if (!inner || x + j < from || x + j >= to) results[j] = result_at(shape, input, y, x + j);
  }
}

// ---- slips ----

// What of a result is wrong: the number itself, one of the four neighbours, or all of it by the margin that a
// box has above and on the left (MARGIN is that of the skeleton).
enum {
  NOT_LESS,
  MORE,
  NOT_DIVIDED,
  ALONE,
  WITHOUT,
  TWICE = WITHOUT + 4,
  BEGINS_AT_TILE = TWICE + 4,
  BEGINS_AT_COLUMN,
  BEGINS_AT_ROW,
  BEGINS_RIGHT, // the margin is added, not subtracted
  BEGINS_BELOW,
  ITSELF,
  BOX_STORED = ITSELF + 4,
  MARGIN = 8,
  // of the skeleton, too
  TILE_WIDTH = 240,
  TILE_HEIGHT = 20,
  BOX_WIDTH = TILE_WIDTH + 2 * MARGIN
};

// What lies at the place of a tile's result if the box is stored: a store reads rows of the tile's width.
static float in_box(const struct matrix_shape *shape, const void *input, size_t y, size_t x) {
  const size_t at = y % TILE_HEIGHT * TILE_WIDTH + x % TILE_WIDTH;
  return element(shape, input, y - y % TILE_HEIGHT + at / BOX_WIDTH - 1,
                 x - x % TILE_WIDTH + at % BOX_WIDTH - MARGIN);
}

static uint32_t slip(const struct exercise_instance *instance, const void *input, size_t index,
                     unsigned kind) {
  const struct matrix_shape *shape = &instance->input;
  const bool right = kind == BEGINS_AT_TILE || kind == BEGINS_AT_COLUMN,
             down = kind == BEGINS_AT_TILE || kind == BEGINS_AT_ROW;
  const size_t y = index / shape->columns + (kind == BEGINS_BELOW ? 2 : down),
               x = index % shape->columns + (kind == BEGINS_RIGHT ? 2 * MARGIN
                                             : right              ? MARGIN
                                                                  : 0);
  // opposite ones side by side
  const float around[] = {element(shape, input, y - 1, x), element(shape, input, y + 1, x),
                          element(shape, input, y, x - 1), element(shape, input, y, x + 1)};
  float sum = 0, middle = element(shape, input, y, x);
  for (unsigned i = 0; i < 4; i++) {
    if (kind == WITHOUT + i) continue;
    sum += kind == TWICE + i ? around[i ^ 1] : kind == ITSELF + i ? middle : around[i];
  }
  if (kind == NOT_LESS) middle = 0;
  if (kind == MORE) middle = -middle;
  if (kind == ALONE) sum = 0;
  const float result = kind == BOX_STORED    ? in_box(shape, input, y, x)
                       : kind == NOT_DIVIDED ? sum - middle
                                             : 0.25f * sum - middle;
  uint32_t word;
  memcpy(&word, &result, sizeof word);
  return word;
}

static const struct exercise_suspect suspects[] = {
    {"the number itself is not subtracted", 4, slip, NOT_LESS},
    {"the number itself is added, not subtracted", 4, slip, MORE},
    {"the sum is not divided by 4", 4, slip, NOT_DIVIDED},
    {"the neighbours count nothing (between whole numbers, 1 / 4 is 0)", 4, slip, ALONE},
    {"the neighbour above is left out", 4, slip, WITHOUT},
    {"the neighbour below is left out", 4, slip, WITHOUT + 1},
    {"the neighbour on the left is left out", 4, slip, WITHOUT + 2},
    {"the neighbour on the right is left out", 4, slip, WITHOUT + 3},
    {"the neighbour below is taken twice, and the one above is not", 4, slip, TWICE},
    {"the neighbour above is taken twice, and the one below is not", 4, slip, TWICE + 1},
    {"the neighbour on the right is taken twice, and the one on the left is not", 4, slip, TWICE + 2},
    {"the neighbour on the left is taken twice, and the one on the right is not", 4, slip, TWICE + 3},
    {"the box that is loaded begins at the tile's own corner, without a margin", 2, slip, BEGINS_AT_TILE},
    {"the box that is loaded begins in the tile's first column, without a margin on the left", 2, slip,
     BEGINS_AT_COLUMN},
    {"the box that is loaded begins in the tile's first row, and not in the row above", 2, slip,
     BEGINS_AT_ROW},
    {"the box that is loaded begins MARGIN columns to the right of the tile, and not to its left", 2, slip,
     BEGINS_RIGHT},
    {"the box that is loaded begins a row below the tile's first one, and not a row above", 2, slip,
     BEGINS_BELOW},
    {"the number itself is taken in place of the neighbour above", 4, slip, ITSELF},
    {"the number itself is taken in place of the neighbour below", 4, slip, ITSELF + 1},
    {"the number itself is taken in place of the neighbour on the left", 4, slip, ITSELF + 2},
    {"the number itself is taken in place of the neighbour on the right", 4, slip, ITSELF + 3},
    {"the box is stored, and not the result", 5, slip, BOX_STORED},
};

const struct exercise lab9_tiles_2d = {
    .lab = "lab9",
    .name = "2-tiles-2d",
    .trusted = "tiles_2d",
    .traffic = TRAFFIC_COPY,
    .size_names = {"width", "height", "pitch_bytes"},
    .size_count = 3,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .between = {{.step = 1, .least = 41, .most = 1300},
                {.step = 1, .least = 16, .most = 160},
                {.step = 16, .least = 16, .most = 80}},
    .between_count = 16,
    .growth = {{.step = 1, .most = 100}, {.step = 1, .most = 200}},
    .tiny = {{.step = 1, .count = 40}, {.step = 1, .count = 40}, {.step = 16, .count = 4}},
    .fit = fit,
    .reject = reject,
    .bandwidth_case = bandwidth_case,
    .prepare = prepare,
    .generate = generate,
    .slicing = SLICES_NEIGHBOURS,
    .reference = reference,
    .suspects = suspects,
    .suspect_count = sizeof suspects / sizeof *suspects,
};
