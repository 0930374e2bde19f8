// Comparison and its patterns. The test spoils a matrix in a known way, and the message must name that way.
#include "referee/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct board {
  struct exercise_instance instance;
  uint32_t *input, *expected, *got;
  size_t bytes;
};

static struct board make_board_of(const char *lab, const char *name, struct exercise_case the_case) {
  size_t count;
  const struct exercise *const *exercises = exercises_of(lab, &count);
  struct board board = {0};
  for (size_t i = 0; i < count; i++)
    if (strcmp(exercises[i]->name, name) == 0)
      assert_null(exercise_instantiate(exercises[i], &the_case, 7, &board.instance));
  const struct exercise *exercise = board.instance.exercise;
  if (!exercise) {
    fail_msg("there is no exercise %s", name);
    abort();
  }
  board.bytes = matrix_bytes(&board.instance.output);
  board.input = calloc(1, matrix_bytes(&board.instance.input));
  board.expected = calloc(1, board.bytes);
  board.got = malloc(board.bytes);
  exercise->generate(&board.instance, board.input, 0, matrix_elements(&board.instance.input));
  exercise->reference(&board.instance, board.input, board.expected, 0,
                      matrix_elements(&board.instance.output));
  memcpy(board.got, board.expected, board.bytes);
  return board;
}

static struct board make_board(const char *name, struct exercise_case the_case) {
  return make_board_of("lab9", name, the_case);
}

static struct comparison compare_and_free(struct board *board) {
  struct comparison comparison;
  compare_output(&board->instance, board->input, board->expected, board->got, &comparison);
  free(board->input);
  free(board->expected);
  free(board->got);
  return comparison;
}

// Rows are looked through piece by piece, and each element counts all the same: a single wrong one, beside
// the ends of pieces and of rows.
static void test_single_elements(void **state) {
  (void)state;
  static const size_t columns[] = {0, 1, 254, 255, 256, 257, 511, 512, 697, 698, 699};
  for (size_t i = 0; i < 3 * sizeof columns / sizeof *columns; i++) {
    const size_t index = i % 3 * 700 + columns[i / 3];
    struct board board = make_board("2-tiles-2d", (struct exercise_case){"", {700, 3, 2816}});
    board.got[matrix_offset(&board.instance.output, index) / 4] ^= 0x400000;
    const struct comparison comparison = compare_and_free(&board);
    assert_int_equal(comparison.wrong, 1);
    assert_int_equal(comparison.first, index);
  }
}

enum spoil { NOTHING, POISON, ZERO, INPUT, SHIFT, ONE_MORE, CLEARED_NOT, NOT_A_NUMBER, CONSTANT };

struct spoiling {
  const char *name, *exercise;
  struct exercise_case the_case;
  enum spoil spoil;
  size_t first, last; // elements that are spoiled
  size_t wrong;
  const char *says;
};

static const struct spoiling spoilings[] = {
    {"right", "1-bulk-copy-1d", {"", {4096}}, NOTHING, 0, 0, 0, ""},
    {"unchanged",
     "1-bulk-copy-1d",
     {"", {4096}},
     INPUT,
     0,
     4096,
     4096,
     "No element is right. All of them hold the input, unchanged."},
    {"tail",
     "1-bulk-copy-1d",
     {"", {4100}},
     INPUT,
     4096,
     4100,
     4,
     "only the tail, the last 4 elements, is wrong."},
    {"head",
     "1-bulk-copy-1d",
     {"", {4096}},
     ZERO,
     0,
     16,
     16,
     "Everything after the first 16 elements is right. All of them are zero."},
    {"middle",
     "1-bulk-copy-1d",
     {"", {4096}},
     ZERO,
     8,
     16,
     8,
     "They lie side by side, 8 of them; all around is right."},
    {"tile ahead",
     "1-bulk-copy-1d",
     {"", {4096}},
     SHIFT,
     0,
     3072,
     3072,
     "They hold what belongs 1024 elements further on: is that a whole tile?"},
    {"one more", "1-bulk-copy-1d", {"", {4096}}, ONE_MORE, 0, 4096, 4096, "All of them are too large by 1."},
    {"never written",
     "4-store-commit-groups",
     {"", {4096}},
     POISON,
     0,
     4096,
     4096,
     "All of them still hold the poison"},
    {"NaN",
     "4-store-commit-groups",
     {"", {4096}},
     NOT_A_NUMBER,
     100,
     200,
     100,
     "All of them are not a number (NaN)"},
    {"constant",
     "4-store-commit-groups",
     {"", {4096}},
     CONSTANT,
     0,
     4096,
     4096,
     "All of them hold the same number, 1."},
    {"not cleared", "3-phase-reuse", {"", {100, 64}}, CLEARED_NOT, 0, 64, 64, "it has to be cleared first"},
    {"row", "2-tiles-2d", {"", {64, 32, 256}}, ZERO, 31 * 64 + 1, 31 * 64 + 9, 8, "They lie side by side"},
    {"all of a row",
     "2-tiles-2d",
     {"", {64, 32, 256}},
     ZERO,
     19 * 64,
     20 * 64,
     64,
     "Row 19 is wrong, all of it; all other rows are right."},
};

static void spoil(struct board *board, const struct spoiling *how) {
  const struct matrix_shape *shape = &board->instance.output;
  for (size_t i = how->first; i < how->last; i++) {
    uint32_t *element = &board->got[matrix_offset(shape, i) / 4], expected = *element;
    switch (how->spoil) {
    case NOTHING: break;
    case POISON: *element = OUTPUT_POISON; break;
    case ZERO: *element = 0; break;
    case INPUT: *element = board->input[i]; break;
    case SHIFT: *element = board->expected[i + 1024]; break;
    case ONE_MORE: *element = expected + 1; break;
    case CLEARED_NOT: *element = expected + OUTPUT_POISON; break;
    case NOT_A_NUMBER: *element = 0x7fc00000; break;
    case CONSTANT: *element = 0x3f800000; break;
    }
  }
}

static void test_patterns(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof spoilings / sizeof *spoilings; i++) {
    const struct spoiling *how = &spoilings[i];
    struct board board = make_board(how->exercise, how->the_case);
    spoil(&board, how);
    struct comparison comparison = compare_and_free(&board);
    if (comparison.wrong != how->wrong)
      fail_msg("%s: %zu wrong, not %zu", how->name, comparison.wrong, how->wrong);
    if (how->wrong && comparison.first != how->first)
      fail_msg("%s: first is %zu", how->name, comparison.first);
    if (!strstr(comparison.pattern.text, how->says))
      fail_msg("%s: got \"%s\"\nexpected \"%s\"", how->name, comparison.pattern.text, how->says);
  }
}

static void test_columns(void **state) {
  (void)state;
  struct board board = make_board("2-tiles-2d", (struct exercise_case){"", {65, 33, 272}});
  for (size_t row = 0; row < 33; row++)
    board.got[row * 68 + 64] = 0;
  struct comparison comparison = compare_and_free(&board);
  assert_int_equal(comparison.wrong, 33);
  assert_non_null(
      strstr(comparison.pattern.text, "All are in column 64, the last one. All of them are zero."));
}

static void test_shift_in_two_dimensions(void **state) {
  (void)state;
  struct board board = make_board("2-tiles-2d", (struct exercise_case){"", {64, 64, 256}});
  for (size_t row = 0; row < 48; row++)
    for (size_t column = 0; column < 48; column++)
      board.got[row * 64 + column] = board.expected[(row + 2) * 64 + column + 3];
  struct comparison comparison = compare_and_free(&board);
  if (!strstr(comparison.pattern.text,
              "They hold what belongs 2 rows further down and 3 columns to the right."))
    fail_msg("got \"%s\"", comparison.pattern.text);
}

static void expect_picture(const struct comparison *comparison, const char *says, const char *picture) {
  if (!strstr(comparison->pattern.text, says))
    fail_msg("got \"%s\"\nexpected \"%s\"", comparison->pattern.text, says);
  if (strcmp(comparison->pattern.picture, picture) != 0)
    fail_msg("got \"%s\"\nexpected \"%s\"", comparison->pattern.picture, picture);
}

// The whole result is shifted; what comes from outside is zero.
static void test_shifted_matrix(void **state) {
  (void)state;
  struct board board = make_board("2-tiles-2d", (struct exercise_case){"", {128, 128, 512}});
  for (size_t row = 0; row < 128; row++)
    for (size_t column = 0; column < 128; column++)
      board.got[row * 128 + column] =
          row + 8 < 128 && column + 1 < 128 ? board.expected[(row + 8) * 128 + column + 1] : 0;
  struct comparison comparison = compare_and_free(&board);
  expect_picture(&comparison, "The result equals the expected matrix, shifted by (8, 1): rows, columns.", "");
  assert_null(strstr(comparison.pattern.text, "No element is right"));
}

static void test_rows_of_tile_0(void **state) {
  (void)state;
  struct board board = make_board("2-tiles-2d", (struct exercise_case){"", {64, 80, 256}});
  memcpy(board.got + 20 * 64, board.expected, sizeof *board.got * 20 * 64);
  struct comparison comparison = compare_and_free(&board);
  expect_picture(&comparison, "Rows 20 to 39 are those of tile 0, rows 0 to 19.",
                 "Tiles of 20 rows by 64 columns, # wrong, . right:\n  .\n  #\n  .\n  .\n");
}

static void test_second_tiles(void **state) {
  (void)state;
  struct board board = make_board("4-store-commit-groups", (struct exercise_case){"", {4000}});
  for (size_t i = 0; i < 4000; i++)
    if (i / 512 % 2 == 1) board.got[i] = OUTPUT_POISON;
  struct comparison comparison = compare_and_free(&board);
  expect_picture(&comparison, "Every second tile is missing, from tile 1 on, if a tile is 512 elements.",
                 "Tiles of 512 elements, # wrong, . right:\n  .#.#.#.#\n");
}

// A tile of a matrix is shown where it lies; a few right elements in it are chance. What no grid fits is not
// drawn.
static void test_tiles_of_a_matrix(void **state) {
  (void)state;
  struct board board = make_board("2-tiles-2d", (struct exercise_case){"", {96, 64, 384}});
  for (size_t row = 16; row < 32; row++)
    for (size_t column = 32; column < 64; column++)
      if (column != 40) board.got[row * 96 + column] = 0;
  struct comparison comparison = compare_and_free(&board);
  expect_picture(&comparison, "All of them are zero.",
                 "Tiles of 16 rows by 32 columns, # wrong, . right:\n  ...\n  .#.\n  ...\n  ...\n");
  board = make_board("2-tiles-2d", (struct exercise_case){"", {96, 64, 384}});
  for (size_t i = 0; i < (size_t)96 * 64; i += 101)
    board.got[i] = 0;
  comparison = compare_and_free(&board);
  expect_picture(&comparison, "", "");
}

static uint32_t bits(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

static void test_tolerance(void **state) {
  (void)state;
  struct exercise_instance instance = {
      .output = {.type = ELEMENT_FLOAT32}, .tolerance = 0.5, .relative_tolerance = 0.125};
  static const struct {
    float expected, got;
    bool right;
  } table[] = {{0, 0.5f, true},
               {0, 0.75f, false},
               {8, 9.5f, true},
               {8, 9.75f, false},
               {-8, -6.5f, true},
               {-8, -6, false},
               {8, NAN, false},
               {8, INFINITY, false},
               {8, -INFINITY, false},
               {NAN, NAN, true},
               {NAN, 8, false},
               {NAN, INFINITY, false},
               {INFINITY, INFINITY, true},
               {INFINITY, -INFINITY, false},
               {INFINITY, 3e38f, false},
               {-INFINITY, NAN, false},
               {0, -0.0f, true}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (exercise_value_is_right(&instance, bits(table[i].expected), bits(table[i].got)) != table[i].right)
      fail_msg("expected %g, got %g: judged %s", (double)table[i].expected, (double)table[i].got,
               table[i].right ? "wrong" : "right");
}

// The quick way says that all is right exactly where the slow one finds nothing wrong.
static void test_near(void **state) {
  (void)state;
  enum { COUNT = 9000 };
  static const size_t places[] = {0, 255, 256, 8191, COUNT - 1};
  struct board board = make_board("4-store-commit-groups", (struct exercise_case){"", {COUNT}});
  assert_true(compare_is_near(&board.instance, board.expected, board.got));
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    uint32_t *word = &board.got[places[i]], *wanted = &board.expected[places[i]];
    const uint32_t right = *word;
    const float specials[] = {NAN, INFINITY, -INFINITY, 0, -0.0f};
    for (uint32_t away = 0; away < 16; away++) { // units in the last place
      *word = right + away;
      assert_int_equal(compare_is_near(&board.instance, board.expected, board.got),
                       exercise_value_is_right(&board.instance, *wanted, *word));
    }
    for (size_t j = 0; j < 25; j++) {
      *word = bits(specials[j % 5]);
      *wanted = bits(specials[j / 5]);
      assert_int_equal(compare_is_near(&board.instance, board.expected, board.got),
                       exercise_value_is_right(&board.instance, *wanted, *word));
    }
    *word = *wanted = right;
  }
  free(board.input);
  free(board.expected);
  free(board.got);
}

// Elements of two bytes: what is around a wrong one is right, and either half of the poison is known.
static void test_bf16(void **state) {
  (void)state;
  enum { COLUMNS = 256, PLACE = 3 * COLUMNS + 6 };
  const struct exercise_case the_case = {"", {128, COLUMNS, 128}};
  static const uint32_t poison = OUTPUT_POISON;
  static const struct {
    size_t first, count;
    bool poisoned;
    const char *says;
  } table[] = {{PLACE, 2, true, "All of them still hold the poison"},
               {PLACE + 1, 1, true, "still hold the poison"},
               {PLACE, 256, false, "All of them are zero"}};
  struct board board = make_board_of("lab10", "5-matmul", the_case);
  assert_int_equal(compare_and_free(&board).wrong, 0);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    board = make_board_of("lab10", "5-matmul", the_case);
    uint16_t *got = (uint16_t *)board.got;
    size_t changed = 0;
    for (size_t at = table[i].first; at < table[i].first + table[i].count; at++) {
      changed += table[i].poisoned || got[at] != 0; // some results are zero
      got[at] = table[i].poisoned ? (uint16_t)(poison >> (at % 2 ? 16 : 0)) : 0;
    }
    const struct comparison comparison = compare_and_free(&board);
    assert_int_equal(comparison.wrong, changed);
    assert_int_equal(comparison.first, table[i].first);
    if (!strstr(comparison.pattern.text, table[i].says)) fail_msg("it says: %s", comparison.pattern.text);
    assert_int_equal(strstr(comparison.got, "the poison that lay there") != NULL, table[i].poisoned);
  }
  board = make_board_of("lab10", "5-matmul", the_case);
  ((uint16_t *)board.got)[PLACE] ^= 1; // the neighbour: rounded the other way
  assert_int_equal(compare_and_free(&board).wrong, 0);
  board = make_board_of("lab10", "5-matmul", the_case);
  ((uint16_t *)board.got)[PLACE] ^= 4;
  assert_int_equal(compare_and_free(&board).wrong, 1);
}

// Results as each known mistake makes them: its name is said, and no other.
static void test_suspects(void **state) {
  (void)state;
  static const struct {
    const char *lab, *exercise;
    struct exercise_case the_case;
  } table[] = {{"lab9", "2-tiles-2d", {"", {81, 23, 384}}},
               {"lab10", "2-transpose", {"", {150, 97, 16}}},
               {"lab10", "3-halo-3d", {"", {81, 23, 7, 48}}},
               {"lab10", "4-multicast", {"", {52, 60, 3}}},
               {"lab10", "5-matmul", {"", {256, 512, 128}}}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct board board = make_board_of(table[i].lab, table[i].exercise, table[i].the_case);
    const struct exercise *exercise = board.instance.exercise;
    assert_true(exercise->suspect_count > 0);
    compare_and_free(&board);
    for (size_t k = 0; k < exercise->suspect_count; k++) {
      const struct exercise_suspect *suspect = &exercise->suspects[k];
      board = make_board_of(table[i].lab, table[i].exercise, table[i].the_case);
      for (size_t at = 0; at < matrix_elements(&board.instance.output); at++) {
        const uint32_t word = suspect->word(&board.instance, board.input, at, suspect->kind);
        char *place = (char *)board.got + matrix_offset(&board.instance.output, at);
        const uint16_t half = (uint16_t)(word >> 16);
        if (board.instance.output.type == ELEMENT_BF16)
          memcpy(place, &half, sizeof half);
        else
          memcpy(place, &word, sizeof word);
      }
      const struct comparison comparison = compare_and_free(&board);
      if (!strstr(comparison.pattern.text, suspect->slip) || comparison.pattern.step != suspect->step)
        fail_msg("%s, %s: it says %s", exercise->name, suspect->slip, comparison.pattern.text);
      assert_true(comparison.pattern.explains);
    }
  }
}

// Column sums in which some rows count otherwise than once.
static void test_rows_of_sums(void **state) {
  (void)state;
  enum { ROWS = 41, COLUMNS = 12 };
  static const struct {
    size_t first, end, apart, times; // rows first to end - 1, then those `apart` further on, and so on
    const char *says;
  } table[] = {{7, 12, ROWS, 0, "They lack rows 7 to 11 of the matrix."},
               {36, 41, ROWS, 0, "They lack rows 36 to 40 of the matrix, its last ones."},
               {40, 41, ROWS, 0, "They lack row 40 of the matrix."},
               {8, 16, ROWS, 2, "They count rows 8 to 15 of the matrix twice."},
               {7, 8, 8, 0, "They lack the last row of each tile, if a tile has 8 rows."},
               {0, 1, 8, 0, "They lack the first row of each tile, if a tile has 8 rows."},
               {1, 4, 4, 0, "They count one row of each 4 only."},
               {8, 16, 16, 0, "They lack every second tile, from the second one on, if a tile has 8 rows."}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct board board = make_board("3-phase-reuse", (struct exercise_case){"", {ROWS, COLUMNS}});
    const uint32_t *matrix = (const uint32_t *)board.input;
    for (size_t row = table[i].first; row < ROWS; row++)
      for (size_t column = 0;
           column < COLUMNS && (row - table[i].first) % table[i].apart < table[i].end - table[i].first;
           column++)
        board.got[column] += (uint32_t)(table[i].times - 1) * matrix[row * COLUMNS + column];
    if (i == 4) // the last tile is short
      for (size_t column = 0; column < COLUMNS; column++)
        board.got[column] -= matrix[(ROWS - 1) * COLUMNS + column];
    const struct comparison comparison = compare_and_free(&board);
    if (!strstr(comparison.pattern.text, table[i].says) || comparison.pattern.step != 3)
      fail_msg("it does not say: %s, but: %s", table[i].says, comparison.pattern.text);
  }
}

// A tile is loaded again and again; each begins too few quads further on; and numbers that no rows make up.
static void test_other_sums(void **state) {
  (void)state;
  enum { ROWS = 41, COLUMNS = 12, TILE = 8 };
  static const char *const says[] = {"They count the first tile again and again",
                                     "begin too early, as many quads"};
  for (size_t i = 0; i < 3; i++) {
    struct board board = make_board("3-phase-reuse", (struct exercise_case){"", {ROWS, COLUMNS}});
    const uint32_t *matrix = (const uint32_t *)board.input;
    memset(board.got, 0, COLUMNS * sizeof *board.got);
    for (size_t row = 0; row < ROWS; row++)
      for (size_t column = 0; column < COLUMNS; column++)
        board.got[column] += i == 1 ? matrix[row % TILE * COLUMNS + row / TILE * TILE * 4 + column]
                                    : matrix[row % TILE * COLUMNS + column] + (i == 2 ? row * row : 0);
    const struct comparison comparison = compare_and_free(&board);
    if (i < 2 ? !strstr(comparison.pattern.text, says[i]) : comparison.pattern.explains)
      fail_msg("it says: %s", comparison.pattern.text);
    assert_int_equal(comparison.pattern.step, i == 2 ? 0 : 3);
  }
}

// The first wrong element holds what lies outside, and that is nowhere else.
static void test_shift_at_the_edge(void **state) {
  (void)state;
  enum { COLUMNS = 81, BY = 8 };
  struct board board = make_board_of("lab10", "3-halo-3d", (struct exercise_case){"", {COLUMNS, 23, 7, 48}});
  const size_t pitch = board.instance.output.pitch_bytes / 4;
  for (size_t row = 0; row < board.instance.output.rows; row++)
    for (size_t column = 0; column < COLUMNS; column++)
      board.got[row * pitch + column] = column < BY ? 0 : board.expected[row * pitch + column - BY];
  const struct comparison comparison = compare_and_free(&board);
  assert_non_null(strstr(comparison.pattern.text, "They hold what belongs 8 columns further to the left."));
  assert_true(comparison.pattern.explains);
}

// Two elements hold what two others should, by chance. Of the thirteen others nothing fits: what lies as far
// from them is outside.
static void test_shift_of_two_elements(void **state) {
  (void)state;
  struct board board = make_board("2-tiles-2d", (struct exercise_case){"", {38, 14, 192}});
  for (size_t row = 1; row < 14; row++) {
    const float other = float_of_bits(board.expected[row * 48 + 9]) + (float)row;
    memcpy(&board.got[row * 48 + 9], &other, sizeof other);
  }
  size_t from = 13 * 48; // many numbers are zero
  while (board.expected[from] == 0 || board.expected[from + 1] == 0)
    from++;
  memcpy(&board.got[9], &board.expected[from], 2 * sizeof board.got[9]);
  const struct comparison comparison = compare_and_free(&board);
  assert_int_equal(comparison.wrong, 15);
  if (strstr(comparison.pattern.text, "They hold")) fail_msg("%s", comparison.pattern.text);
}

static void test_padding(void **state) {
  (void)state;
  struct matrix_shape shape = {"out", ELEMENT_FLOAT32, 3, 5, 48};
  unsigned char before[144], after[144];
  char where[160] = "";
  memset(before, 0x5a, sizeof before);
  memcpy(after, before, sizeof after);
  assert_int_equal(compare_unchanged(&shape, before, after, false, where, sizeof where), 0);
  after[48 + 19] = 0; // an element of row 1: the program may write it
  assert_int_equal(compare_unchanged(&shape, before, after, false, where, sizeof where), 0);
  assert_int_equal(compare_unchanged(&shape, before, after, true, where, sizeof where), 1);
  assert_string_equal(where, "`out`, row 1, column 4");
  after[48 + 31] = 0; // a tensor store may write up to the next multiple of 16 bytes
  assert_int_equal(compare_unchanged(&shape, before, after, false, where, sizeof where), 0);
  after[96 + 33] = 0;
  assert_int_equal(compare_unchanged(&shape, before, after, false, where, sizeof where), 1);
  assert_string_equal(where, "`out`, row 2, 13 bytes past its last element");
}

// An output of a matrix of doubles with padding, numbers of eight bytes, and bf16, one behind the other.
static struct exercise_instance several_parts(void) {
  struct exercise_instance instance = {
      .launches = 1,
      .poison_salt = POISON_SALT & 0x1234,
      .output = {"outputs", ELEMENT_INT32, 1, 64, 256},
      .parts = {{"means", PART_FLOAT64, 0, 3, 3, 32, .relative_tolerance = 1e-12},
                {"counts", PART_INT64, 112, 1, 5, 40},
                {"rounded", PART_BF16, 160, 1, 7, 14, .tolerance = 0.5},
                {"sums", PART_FLOAT32, 192, 2, 6, 32, .tolerance = 0.25}},
      .part_count = 4};
  return instance;
}

static void test_several_parts(void **state) {
  (void)state;
  static const double nearly = 3.0000000000001, far = 3.00000000001, nan = NAN;
  static const int64_t high_half = 7 + ((int64_t)1 << 40);
  static const float close = 3.2F, off = 3.3F;
  static const uint16_t half_close = 0x4060, half_off = 0x4080; // 3.5 and 4
  const struct exercise_instance instance = several_parts();
  const uint32_t poison = output_poison(&instance);
  const struct {
    size_t offset, bytes;
    const void *value;
    const char *element, *got, *says; // NULL: right
  } table[] = {
      {72, 8, &nearly, NULL, NULL, NULL},
      {72, 8, &far, "means[2][1]", "3.00000000001", "Wrong are 1 of 9 in `means`, 0 of 5 in `counts`,"},
      {72, 8, &nan, "means[2][1]", "NaN", "1 of 9"},
      {88, 4, &off, NULL, NULL, NULL}, // the rest of a row's last 16 bytes
      {96, 4, &off, "byte 96 of the output", "0x", "0 of 9"},
      {120, 8, &high_half, "counts[1]", "1099511627783", "1 of 5 in `counts`"},
      {162, 2, &half_close, NULL, NULL, NULL},
      {162, 2, &half_off, "rounded[1]", "4", "1 of 7 in `rounded`"},
      {228, 4, &close, NULL, NULL, NULL},
      {228, 4, &off, "sums[1][1]", "3.29999995", "1 of 12 in `sums`."},
      {228, 4, &poison, "sums[1][1]", "(the poison that lay there before)", "1 of 12"},
      {180, 4, &off, "byte 180 of the output", "0x", "4 bytes between the arrays have changed."},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    uint32_t expected[64], got[64];
    struct comparison comparison;
    for (size_t word = 0; word < 64; word++)
      expected[word] = poison;
    for (size_t e = 0; e < 9; e++)
      memcpy((char *)expected + e / 3 * 32 + e % 3 * 8, &(double){3}, 8);
    for (size_t e = 0; e < 5; e++)
      memcpy((char *)expected + 112 + e * 8, &(int64_t){7}, 8);
    for (size_t e = 0; e < 7; e++)
      memcpy((char *)expected + 160 + e * 2, &(uint16_t){0x4040}, 2);
    for (size_t e = 0; e < 12; e++)
      memcpy((char *)expected + 192 + e / 6 * 32 + e % 6 * 4, &(float){3}, 4);
    memcpy(got, expected, sizeof got);
    memcpy((char *)got + table[i].offset, table[i].value, table[i].bytes);
    compare_output(&instance, NULL, expected, got, &comparison);
    assert_int_equal(comparison.total, 33);
    assert_int_equal(comparison.wrong, table[i].element != NULL);
    if (!table[i].element) continue;
    if (!strstr(comparison.element, table[i].element) || !strstr(comparison.got, table[i].got) ||
        !strstr(comparison.pattern.text, table[i].says))
      fail_msg("row %zu: %s, %s, %s", i, comparison.element, comparison.got, comparison.pattern.text);
  }
  assert_int_equal(exercise_output_bytes(&instance), 72 + 40 + 14 + 48);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_several_parts),     cmocka_unit_test(test_single_elements),
      cmocka_unit_test(test_patterns),          cmocka_unit_test(test_bf16),
      cmocka_unit_test(test_columns),           cmocka_unit_test(test_shift_in_two_dimensions),
      cmocka_unit_test(test_shifted_matrix),    cmocka_unit_test(test_rows_of_tile_0),
      cmocka_unit_test(test_second_tiles),      cmocka_unit_test(test_tiles_of_a_matrix),
      cmocka_unit_test(test_tolerance),         cmocka_unit_test(test_suspects),
      cmocka_unit_test(test_rows_of_sums),      cmocka_unit_test(test_other_sums),
      cmocka_unit_test(test_shift_at_the_edge), cmocka_unit_test(test_shift_of_two_elements),
      cmocka_unit_test(test_padding),           cmocka_unit_test(test_near),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
