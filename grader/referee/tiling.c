// In: a tally of wrong elements. Out: their tiles, in words and as a picture. The idea: the tile's width
// divides all places where wrong runs begin and end, its height the numbers of rows that differ from the
// row above.
#include "referee/tiling.h"

#include <stdio.h>
#include <string.h>

// CHANCE: so few right elements within a tile are right by chance. SAMPLE: elements of a tile that are looked
// at. SMALLEST: elements of what is called a tile.
enum { CHANCE = 2, SAMPLE = 256, SMALLEST = 8, PICTURE_COLUMNS = 64, PICTURE_ROWS = 16 };

static size_t divisor(size_t a, size_t b) {
  while (b) {
    const size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static bool is_wrong(const struct tally *tally, size_t row, size_t column) {
  const struct matrix_shape *shape = &tally->instance->output;
  return !exercise_value_is_right(tally->instance, matrix_word(shape, tally->expected, row, column),
                                  matrix_word(shape, tally->got, row, column));
}

// ---- the grid ---------------------------------------------------------------------------------------------

// The runs of wrong elements of a row: a hash of where they begin and end, which the width has to divide.
static uint64_t runs_of_row(const struct tally *tally, size_t row, size_t *width) {
  const size_t columns = tally->instance->output.columns;
  uint64_t hash = 0xcbf29ce484222325u;
  size_t column = 0;
  while (column < columns) {
    while (column < columns && !is_wrong(tally, row, column))
      column++;
    if (column == columns) break;
    const size_t begin = column;
    size_t end = column + 1;
    for (column = end; column < columns && column <= end + CHANCE; column++)
      if (is_wrong(tally, row, column)) end = column + 1;
    column = end;
    *width = divisor(*width, begin);
    if (end < columns) *width = divisor(*width, end);
    hash = (hash ^ begin) * 0x100000001b3u;
    hash = (hash ^ end) * 0x100000001b3u;
  }
  return hash;
}

static bool tile_is_wrong(const struct tally *tally, const struct tiling *t, size_t row, size_t column) {
  const struct matrix_shape *shape = &tally->instance->output;
  for (size_t r = row * t->height; r < (row + 1) * t->height && r < shape->rows; r++)
    for (size_t c = column * t->width; c < (column + 1) * t->width && c < shape->columns; c++)
      if (is_wrong(tally, r, c)) return true;
  return false;
}

void tiling_find(const struct tally *tally, struct tiling *t) {
  const struct matrix_shape *shape = &tally->instance->output;
  size_t width = 0, height = 0;
  uint64_t above = 0;
  *t = (struct tiling){0};
  for (size_t row = 0; row < shape->rows; row++) {
    const uint64_t runs = runs_of_row(tally, row, &width);
    if (row > 0 && runs != above) height = divisor(height, row);
    above = runs;
  }
  if (width == 0) width = shape->columns;
  if (height == 0) height = shape->rows;
  if (width * height < SMALLEST) return;
  t->columns = (shape->columns + width - 1) / width;
  t->rows = (shape->rows + height - 1) / height;
  if (t->columns * t->rows < 2) return;
  t->width = width;
  t->height = height;
  for (size_t i = 0; i < t->columns * t->rows; i++) {
    if (!tile_is_wrong(tally, t, i / t->columns, i % t->columns)) continue;
    if (t->wrong++ == 0) t->first = i;
    if (t->wrong == 2) t->stride = i - t->first;
  }
}

// ---- what they hold ---------------------------------------------------------------------------------------

// Whether tile `to` of the result holds what belongs into tile `from`.
static bool holds(const struct tally *tally, const struct tiling *t, size_t to, size_t from) {
  const struct matrix_shape *shape = &tally->instance->output;
  size_t seen = 0;
  for (size_t r = 0; r < t->height; r++) {
    for (size_t c = 0; c < t->width && seen < SAMPLE; c++) {
      const size_t row = to / t->columns * t->height + r, column = to % t->columns * t->width + c;
      const size_t other_row = from / t->columns * t->height + r,
                   other_column = from % t->columns * t->width + c;
      if (row >= shape->rows || column >= shape->columns) continue;
      if (other_row >= shape->rows || other_column >= shape->columns) return false;
      if (matrix_word(shape, tally->got, row, column) !=
          matrix_word(shape, tally->expected, other_row, other_column))
        return false;
      seen++;
    }
  }
  return seen >= SMALLEST;
}

static bool is_constant(const struct tally *tally) {
  return tally->same_value >= tally->wrong - tally->wrong / 10;
}

// The tile whose values all wrong tiles hold.
static bool find_source(const struct tally *tally, const struct tiling *t, size_t *source) {
  const size_t tiles = t->columns * t->rows;
  for (size_t from = 0; from < tiles; from++) {
    if (!holds(tally, t, t->first, from)) continue;
    for (size_t to = t->first + 1; to < tiles; to++)
      if (tile_is_wrong(tally, t, to / t->columns, to % t->columns) && !holds(tally, t, to, from))
        return false;
    *source = from;
    return true;
  }
  return false;
}

static void name_tile(const struct tally *tally, const struct tiling *t, size_t tile, char *text,
                      size_t size) {
  const struct matrix_shape *shape = &tally->instance->output;
  const size_t row = tile / t->columns * t->height, column = tile % t->columns * t->width;
  const size_t last_row = row + t->height < shape->rows ? row + t->height - 1 : shape->rows - 1;
  const size_t last_column = column + t->width < shape->columns ? column + t->width - 1 : shape->columns - 1;
  if (shape->rows == 1)
    snprintf(text, size, "elements %zu to %zu", column, last_column);
  else if (t->columns == 1)
    snprintf(text, size, "rows %zu to %zu", row, last_row);
  else
    snprintf(text, size, "rows %zu to %zu of columns %zu to %zu", row, last_row, column, last_column);
}

static bool say_source(const struct tally *tally, const struct tiling *t, char *text, size_t size) {
  char to[96], from[96];
  size_t source;
  if (is_constant(tally) || !find_source(tally, t, &source)) return false;
  name_tile(tally, t, t->first, to, sizeof to);
  name_tile(tally, t, source, from, sizeof from);
  to[0] = (char)(to[0] - 'a' + 'A');
  if (t->wrong == 1)
    snprintf(text, size, "%s are those of tile %zu, %s.", to, source, from);
  else
    snprintf(text, size, "All %zu wrong tiles hold the values of tile %zu, %s.", t->wrong, source, from);
  return true;
}

// Every stride-th tile, in the order of rows, from the first wrong one on.
static bool is_regular(const struct tally *tally, const struct tiling *t) {
  const size_t tiles = t->columns * t->rows;
  if (t->wrong < 2 || t->stride < 2 || t->first >= t->stride) return false;
  for (size_t i = 0; i < tiles; i++)
    if (tile_is_wrong(tally, t, i / t->columns, i % t->columns) != (i % t->stride == t->first)) return false;
  return true;
}

static bool say_regular(const struct tally *tally, const struct tiling *t, char *text, size_t size) {
  static const char *const ordinals[] = {"", "", "second", "third", "fourth"};
  const size_t missing = tally->instance->in_place ? tally->as_before : tally->poison;
  char which[32], shape[64];
  if (!is_regular(tally, t)) return false;
  if (t->stride < sizeof ordinals / sizeof *ordinals)
    snprintf(which, sizeof which, "%s", ordinals[t->stride]);
  else
    snprintf(which, sizeof which, "%zuth", t->stride);
  if (tally->instance->output.rows == 1)
    snprintf(shape, sizeof shape, "%zu elements", t->width);
  else
    snprintf(shape, sizeof shape, "%zu row%s by %zu columns", t->height, t->height == 1 ? "" : "s", t->width);
  snprintf(text, size, "Every %s tile %s, from tile %zu on, if a tile is %s.", which,
           missing == tally->wrong ? "is missing" : "is wrong", t->first, shape);
  return true;
}

bool tiling_say(const struct tally *tally, const struct tiling *t, char *text, size_t size) {
  if (!t->width || t->wrong == t->columns * t->rows) return false;
  return say_source(tally, t, text, size) || say_regular(tally, t, text, size);
}

// ---- the picture ------------------------------------------------------------------------------------------

void tiling_draw(const struct tally *tally, const struct tiling *t, char *text, size_t size) {
  const size_t tiles = t->columns * t->rows;
  const bool in_rows = tally->instance->output.rows == 1;
  const size_t columns = in_rows && t->columns > PICTURE_COLUMNS ? PICTURE_COLUMNS : t->columns;
  const size_t rows = (tiles + columns - 1) / (columns ? columns : 1);
  size_t used;
  text[0] = '\0';
  if (!t->width || tiles < 3 || t->wrong == tiles || columns > PICTURE_COLUMNS || rows > PICTURE_ROWS) return;
  if (in_rows)
    used = (size_t)snprintf(text, size, "Tiles of %zu elements, # wrong, . right:\n", t->width);
  else
    used = (size_t)snprintf(text, size, "Tiles of %zu row%s by %zu column%s, # wrong, . right:\n", t->height,
                            t->height == 1 ? "" : "s", t->width, t->width == 1 ? "" : "s");
  for (size_t i = 0; i < tiles && used + 4 < size; i++) {
    if (i % columns == 0) used += (size_t)snprintf(text + used, size - used, "%s", i ? "\n  " : "  ");
    text[used++] = tile_is_wrong(tally, t, i / t->columns, i % t->columns) ? '#' : '.';
    text[used] = '\0';
  }
  snprintf(text + used, size - used, "\n");
}
