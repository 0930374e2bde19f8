// 3-halo-3d: a seven-point stencil over a volume of floats, zero outside. Inputs are whole numbers of 20 bits
// and a sign, so that float arithmetic is exact in any order and the answer can be compared without a
// tolerance.
#include "exercises/exercise.h"
#include "exercises/stencil-input.h"

#include <string.h>

static const struct exercise_case public_cases[] = {
    {"one number", {1, 1, 1, 0}},
    {"one tile of one plane", {176, 14, 1, 0}},
    {"one column of planes", {176, 14, 10, 0}},
    {"one more each way", {177, 15, 21, 0}},
    {"a line along z", {1, 1, 70, 16}},
    {"a thin wall", {133, 1, 5, 32}},
    {"rows far apart", {61, 12, 5, 256}},
    {"odd in all", {81, 43, 11, 48}},
};
static const struct exercise_case rules_cases[] = {
    {"one short tile", {13, 7, 3, 16}}, {"several, odd", {189, 31, 13, 32}}, {"large", {501, 131, 41, 16}}};

static const char *reject(const size_t *size) {
  if (!(size[0] > 0 && size[1] > 0 && size[2] > 0)) return "width, height and depth must be at least 1";
  if (size[3] % 16 != 0) return "the gap must be a multiple of 16";
  if (size[3] > SIZE_MAX / 32 || size[0] > SIZE_MAX / 32) return "width and gap are too large";
  const size_t most = SIZE_MAX / 32 / (size[0] + size[3] / 4);
  return size[1] <= most && size[2] <= most / size[1] ? NULL : "width, height and depth are too large";
}

// A drawn gap is one step less: the first is none.
static void fit(size_t *size) {
  size[3] -= 16;
}

static struct exercise_case bandwidth_case(size_t bytes) {
  enum { SIDE = 512 };
  return (struct exercise_case){"timed", {SIDE, SIDE, bytes / 4 / SIDE / SIDE, 0}};
}

static void prepare(struct exercise_instance *instance) {
  const size_t *size = instance->the_case.size, pitch = halo_3d_pitch(size[0], size[3]);
  instance->input = (struct matrix_shape){"in", ELEMENT_FLOAT32, size[1] * size[2], size[0], pitch};
  instance->output = (struct matrix_shape){"out", ELEMENT_FLOAT32, size[1] * size[2], size[0], pitch};
  for (unsigned i = 0; i < 3; i++)
    instance->scalars[i] = size[i];
  instance->scalars[3] = pitch;
  instance->scalar_count = 4;
  instance->bytes_moved = 2 * (uint64_t)size[0] * size[1] * size[2] * 4;
}

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  stencil_generate(instance, 3, input, first, last);
}

static float number(const struct exercise_instance *instance, const void *input, size_t x, size_t y,
                    size_t z) {
  const size_t *size = instance->the_case.size;
  // -1 has wrapped around to the largest number.
  if (!(x < size[0] && y < size[1] && z < size[2])) return 0.0f;
  return float_of_bits(matrix_word(&instance->input, input, z * size[1] + y, x));
}

static void reference(const struct exercise_instance *instance, const void *input, void *expected,
                      size_t first, size_t last) {
  const size_t height = instance->the_case.size[1];
  struct matrix_piece piece;
  for (size_t i = first; i < last; i += piece.count) {
    piece = matrix_piece_at(&instance->output, i, last);
    float *results = stencil_place(&instance->output, expected, &piece);
    const size_t y = piece.row % height, z = piece.row / height;
    for (size_t j = 0, x = piece.column; j < piece.count; j++, x++) {
      const float sum = number(instance, input, x - 1, y, z) + number(instance, input, x + 1, y, z) +
                        number(instance, input, x, y - 1, z) + number(instance, input, x, y + 1, z) +
                        number(instance, input, x, y, z - 1) + number(instance, input, x, y, z + 1);
      results[j] = halo_3d_result(sum, number(instance, input, x, y, z));
    }
  }
}

// ---- slips ----

// What of a result is wrong: one of the terms, or all of it by a plane, or by the margin that a box has above
// and on the left (MARGIN is that of the skeleton).
enum {
  NOT_LESS,
  MORE,
  NOT_DIVIDED,
  ALONE,
  WITHOUT,
  PLANE_LATE = WITHOUT + 6,
  PLANE_EARLY,
  BEGINS_AT_TILE,
  BEGINS_AT_COLUMN,
  BEGINS_AT_ROW,
  MARGIN = 8
};

static uint32_t slip(const struct exercise_instance *instance, const void *input, size_t index,
                     unsigned kind) {
  static const int offsets[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  const size_t width = instance->the_case.size[0], height = instance->the_case.size[1];
  const bool right = kind == BEGINS_AT_TILE || kind == BEGINS_AT_COLUMN,
             down = kind == BEGINS_AT_TILE || kind == BEGINS_AT_ROW;
  const size_t x = index % width + (right ? MARGIN : 0), y = index / width % height + down,
               z = index / width / height + (kind == PLANE_LATE) - (kind == PLANE_EARLY);
  float sum = 0, middle = number(instance, input, x, y, z);
  for (unsigned i = 0; i < 6; i++)
    if (kind != WITHOUT + i)
      sum += number(instance, input, x + (size_t)offsets[i][0], y + (size_t)offsets[i][1],
                    z + (size_t)offsets[i][2]);
  if (kind == NOT_LESS) middle = 0;
  if (kind == MORE) middle = -middle;
  if (kind == ALONE) sum = 0;
  const float result = kind == NOT_DIVIDED ? sum - middle : halo_3d_result(sum, middle);
  uint32_t word;
  memcpy(&word, &result, sizeof word);
  return word;
}

static const struct exercise_suspect suspects[] = {
    {"the number itself is not subtracted", 4, slip, NOT_LESS},
    {"the number itself is added, not subtracted", 4, slip, MORE},
    {"the sum is not divided by 8", 4, slip, NOT_DIVIDED},
    {"the neighbours count nothing (between whole numbers, 1 / 8 is 0)", 4, slip, ALONE},
    {"the neighbour on the left is left out", 4, slip, WITHOUT},
    {"the neighbour on the right is left out", 4, slip, WITHOUT + 1},
    {"the neighbour in the row before is left out", 4, slip, WITHOUT + 2},
    {"the neighbour in the row after is left out", 4, slip, WITHOUT + 3},
    {"the neighbour in the plane above is left out", 4, slip, WITHOUT + 4},
    {"the neighbour in the plane below is left out", 4, slip, WITHOUT + 5},
    {"each load brings the plane after the one that is meant: plane 0 lies above the column, at z - 1", 2,
     slip, PLANE_LATE},
    {"each load brings the plane before the one that is meant: plane 0 lies at z - 1, not at z - 2", 2, slip,
     PLANE_EARLY},
    {"each box begins at the tile's own corner, without a margin", 2, slip, BEGINS_AT_TILE},
    {"each box begins in the tile's first column, without a margin on the left", 2, slip, BEGINS_AT_COLUMN},
    {"each box begins in the tile's first row, and not in the row above", 2, slip, BEGINS_AT_ROW},
};

static void trust(const struct exercise_instance *instance, struct trusted_case *the_case) {
  the_case->plane_rows = instance->the_case.size[1];
}

const struct exercise lab10_halo_3d = {
    .lab = "lab10",
    .name = "3-halo-3d",
    .trusted = "halo_3d",
    .traffic = TRAFFIC_COPY,
    .size_names = {"width", "height", "depth", "gap_bytes"},
    .size_count = 4,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .growth = {{.step = 1, .most = 100}, {.step = 1, .most = 40}, {.step = 1, .most = 10}},
    .tiny = {{.step = 1, .count = 20},
             {.step = 1, .count = 19},
             {.step = 1, .count = 9},
             {.step = 16, .count = 4}},
    .fit = fit,
    .reject = reject,
    .bandwidth_case = bandwidth_case,
    .prepare = prepare,
    .trust = trust,
    .generate = generate,
    .reference = reference,
    .suspects = suspects,
    .suspect_count = sizeof suspects / sizeof *suspects,
};
