// 2-transpose: a pitched matrix of int32 transposed. Any 32 bits are an input, so that hardly any wrong place
// holds the right number.
#include "exercises/exercise.h"

#include <string.h>

static const struct exercise_case public_cases[] = {
    {"one number", {1, 1, 0}},
    {"one tile", {64, 64, 0}},
    {"one column", {1, 70, 16}},
    {"one row, odd width", {133, 1, 0}},
    {"one more than a tile", {65, 65, 0}},
    {"rows far apart", {61, 40, 256}},
    {"odd in all", {331, 203, 48}},
};
static const struct exercise_case rules_cases[] = {
    {"one short tile", {13, 7, 16}}, {"several, odd", {97, 67, 32}}, {"large", {421, 403, 16}}};

static const char *reject(const size_t *size) {
  if (!(size[0] > 0 && size[1] > 0)) return "width and height must be at least 1";
  if (size[2] % 16 != 0) return "the gap must be a multiple of 16";
  if (size[2] > SIZE_MAX / 16) return "the gap is too large";
  const size_t most = SIZE_MAX / 16 / (4 + size[2] / 4);
  return size[0] <= most / size[1] ? NULL : "width, height and gap are too large";
}

// The gap of the output's rows is another one in two cases of three. Only for large matrices, which are
// timed, both are the same: there the referee's own kernel expects that.
static size_t output_gap(const struct exercise_instance *instance) {
  enum { MOST_ELEMENTS = 1 << 24 };
  const size_t *size = instance->the_case.size;
  if (size[0] * size[1] > MOST_ELEMENTS) return size[2];
  return size[2] + 16 * (exercise_mix(size[0] + 3 * size[1]) % 3);
}

// A drawn gap is one step less: the first is none.
static void fit(size_t *size) {
  size[2] -= 16;
}

static struct exercise_case bandwidth_case(size_t bytes) {
  enum { WIDTH = 16384 };
  return (struct exercise_case){"timed", {WIDTH, bytes / 4 / WIDTH / 4 * 4, 0}};
}

static void prepare(struct exercise_instance *instance) {
  const size_t width = instance->the_case.size[0], height = instance->the_case.size[1],
               gap = instance->the_case.size[2];
  instance->input = (struct matrix_shape){"in", ELEMENT_INT32, height, width, transpose_pitch(width, gap)};
  instance->output = (struct matrix_shape){"out", ELEMENT_INT32, width, height,
                                           transpose_pitch(height, output_gap(instance))};
  instance->scalars[0] = width;
  instance->scalars[1] = height;
  instance->scalars[2] = instance->input.pitch_bytes;
  instance->scalars[3] = instance->output.pitch_bytes;
  instance->scalar_count = 4;
  instance->bytes_moved = 2 * (uint64_t)width * height * 4;
}

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  const struct exercise_key key = exercise_key_of(instance->seed);
  struct matrix_piece piece;
  for (size_t i = first; i < last; i += piece.count) {
    piece = matrix_piece_at(&instance->input, i, last);
    char *words = (char *)input + matrix_offset(&instance->input, i);
    for (size_t j = 0; j < piece.count; j++) {
      const uint32_t word = transpose_input(exercise_random(key, i + j));
      memcpy(words + j * sizeof word, &word, sizeof word);
    }
  }
}

static void reference(const struct exercise_instance *instance, const void *input, void *expected,
                      size_t first, size_t last) {
  const struct matrix_shape *in = &instance->input, *out = &instance->output;
  struct matrix_piece piece;
  for (size_t i = first; i < last; i += piece.count) {
    piece = matrix_piece_at(out, i, last);
    char *words = (char *)expected + matrix_offset(out, i);
    for (size_t j = 0; j < piece.count; j++) {
      const uint32_t word = matrix_word(in, input, piece.column + j, piece.row);
      memcpy(words + j * sizeof word, &word, sizeof word);
    }
  }
}

// ---- slips ----

// The solution's tile, its halves, and the atoms of a row of a half.
enum { SIDE = 64, HALF = 32, ATOM = 4, ATOMS = HALF / ATOM };
enum { SWIZZLED_ONCE, NOT_TURNED, AT_OWN_PLACE, SAME_HALF, NEXT_TILES_HALF };

static uint32_t slip(const struct exercise_instance *instance, const void *input, size_t index,
                     unsigned kind) {
  const struct matrix_shape *in = &instance->input, *out = &instance->output;
  const size_t row = index / out->columns, column = index % out->columns;
  size_t x = row, y = column;
  if (kind == SWIZZLED_ONCE) x = row ^ column % ATOMS * ATOM;
  if (kind == SAME_HALF) x = row - row % SIDE + row % HALF;
  if (kind == NEXT_TILES_HALF && row % SIDE >= HALF) x = row + HALF;
  if (kind == NOT_TURNED) x = row - row % SIDE + column % SIDE, y = column - column % SIDE + row % SIDE;
  if (kind == AT_OWN_PLACE) x = column - column % SIDE + row % SIDE, y = row - row % SIDE + column % SIDE;
  if (x < in->columns && y < in->rows) return matrix_word(in, input, y, x);
  // The box brings zeros; a tile that is not there is stored nowhere.
  const bool stored = kind == NEXT_TILES_HALF || (x - x % SIDE < in->columns && y - y % SIDE < in->rows);
  return stored ? 0 : output_poison_at(instance, row, column);
}

static const struct exercise_suspect suspects[] = {
    {"the tile is swizzled and is read as if it were not, or the other way round: its map (step 1) and the "
     "places that are read have to fit",
     3, slip, SWIZZLED_ONCE},
    {"the numbers of each tile keep their places in it: rows have to become columns", 4, slip, NOT_TURNED},
    {"each tile is turned, but stored at the place that it came from", 5, slip, AT_OWN_PLACE},
    {"both halves of a tile are loaded from the same place", 2, slip, SAME_HALF},
    {"the second half of a tile is loaded from where the next tile begins, SIDE columns further and not HALF",
     2, slip, NEXT_TILES_HALF},
};

const struct exercise lab10_transpose = {
    .lab = "lab10",
    .name = "2-transpose",
    .trusted = "transpose",
    .traffic = TRAFFIC_COPY,
    .size_names = {"width", "height", "gap_bytes"},
    .size_count = 3,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .between = {{.step = 1, .least = 41, .most = 700},
                {.step = 1, .least = 41, .most = 500},
                {.step = 16, .least = 16, .most = 80}},
    .between_count = 16,
    .growth = {{.step = 1, .most = 100}, {.step = 1, .most = 200}},
    .tiny = {{.step = 1, .count = 40}, {.step = 1, .count = 39}, {.step = 16, .count = 4}},
    .fit = fit,
    .reject = reject,
    .bandwidth_case = bandwidth_case,
    .prepare = prepare,
    .generate = generate,
    .reference = reference,
    .suspects = suspects,
    .suspect_count = sizeof suspects / sizeof *suspects,
};
