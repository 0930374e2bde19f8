// In: column sums that are wrong. Out: which rows they lack, or count more than once. The idea: a mistake in
// a ring of tiles counts the same rows wrongly in each column. So the numbers of one column say which rows
// those may be, and the other columns whether it is so.
#include <stdio.h>
#include <stdlib.h>

#include "exercises/column-sums.h"

// MOST_ROWS: of a matrix that is searched. MOST_TILE: rows of a tile that is looked for. Of WITNESSES columns
// at most it is asked whether the rows are the right ones; of FEWEST at least.
enum { MOST_ROWS = 4096, MOST_TILE = 512, WITNESSES = 24, FEWEST = 3, MOST_PANELS = 8 };

enum kind {
  LACKS_RUN,
  COUNTS_RUN_TWICE,
  LACKS_LAST_OF_TILE,
  LACKS_FIRST_OF_TILE,
  LACKS_ODD,
  LACKS_EVEN,
  FIRST_TILE_AGAIN,
  COUNTS_ONE_OF_TILE,
  BEGINS_BY_QUADS,
  BEGINS_BY_PANEL
};

// Which rows are counted wrongly: rows first to end - 1, or something in each tile of `tile` rows.
struct slip {
  enum kind kind;
  uint32_t first, end, tile;
  size_t panel; // BEGINS_BY_PANEL: its columns
};

struct witness {
  const uint32_t *input; // the column's first number
  uint32_t got;
};

// How often a row counts in the result.
static uint32_t weight_of(const struct slip *slip, uint32_t row, uint32_t rows) {
  const uint32_t tile = slip->tile, place = tile ? row % tile : 0;
  switch (slip->kind) {
  case LACKS_RUN: return row < slip->first || row >= slip->end;
  case COUNTS_RUN_TWICE: return row < slip->first || row >= slip->end ? 1 : 2;
  case LACKS_LAST_OF_TILE: return place != tile - 1 && row != rows - 1;
  case LACKS_FIRST_OF_TILE: return place != 0;
  case LACKS_ODD: return row / tile % 2 == 0;
  case LACKS_EVEN: return row / tile % 2 == 1;
  case FIRST_TILE_AGAIN: return row < tile ? rows / tile + (row < rows % tile) : 0;
  case COUNTS_ONE_OF_TILE: return place == 0;
  default: return 1;
  }
}

static bool fits(const struct slip *slip, const struct witness *witness, uint32_t rows, size_t columns) {
  uint32_t sum = 0;
  for (uint32_t row = 0; row < rows; row++) {
    // A tile begins as many quads behind the first one as it has rows above it, or as many panels.
    const size_t apart = slip->kind == BEGINS_BY_QUADS   ? 4
                         : slip->kind == BEGINS_BY_PANEL ? slip->panel
                                                         : columns;
    const size_t back = apart < columns ? (row - row % slip->tile) * (columns - apart) : 0;
    sum += weight_of(slip, row, rows) * witness->input[row * columns - back];
  }
  return sum == witness->got;
}

static bool fits_all(const struct slip *slip, const struct witness *witnesses, size_t count, uint32_t rows,
                     size_t columns) {
  for (size_t i = 0; i < count; i++)
    if (!fits(slip, &witnesses[i], rows, columns)) return false;
  return true;
}

// Rows side by side. `sums[row]`: of all rows before it, in the first witness's column.
static bool find_run(const uint32_t *sums, const struct witness *witnesses, size_t count, uint32_t rows,
                     size_t columns, struct slip *slip) {
  const uint32_t lack = sums[rows] - witnesses[0].got;
  for (uint32_t first = 0; first < rows; first++) {
    for (uint32_t end = first + 1; end <= rows; end++) {
      const uint32_t run = sums[end] - sums[first];
      if ((run != lack && run != 0u - lack) || (first == 0 && end == rows)) continue;
      *slip = (struct slip){run == lack ? LACKS_RUN : COUNTS_RUN_TWICE, first, end, 0, 0};
      if (fits_all(slip, witnesses, count, rows, columns)) return true;
    }
  }
  return false;
}

static bool find_in_tiles(const struct witness *witnesses, size_t count, uint32_t rows, size_t columns,
                          struct slip *slip) {
  for (uint32_t tile = 1; tile < rows && tile <= MOST_TILE; tile++) {
    for (enum kind kind = LACKS_LAST_OF_TILE; kind <= BEGINS_BY_QUADS; kind++) {
      if (kind == COUNTS_ONE_OF_TILE && tile < 2) continue; // that is all of them
      *slip = (struct slip){kind, 0, 0, tile, 0};
      if (fits_all(slip, witnesses, count, rows, columns)) return true;
    }
  }
  return false;
}

// Panels of a matrix are equally wide, but for the last one; the witnesses are columns of the first.
static bool find_panels(const struct witness *witnesses, size_t count, uint32_t rows, size_t columns,
                        struct slip *slip) {
  for (size_t panels = 2; panels <= MOST_PANELS && panels <= columns / 4; panels++) {
    const size_t panel = (columns / 4 + panels - 1) / panels * 4;
    for (uint32_t tile = 1; tile < rows && tile <= MOST_TILE; tile++) {
      *slip = (struct slip){BEGINS_BY_PANEL, 0, 0, tile, panel};
      if (fits_all(slip, witnesses, count, rows, columns)) return true;
    }
  }
  return false;
}

static void say_run(const struct slip *slip, uint32_t rows, char *text, size_t size) {
  const char *lack = slip->kind == LACKS_RUN ? "lack" : "count",
             *twice = slip->kind == LACKS_RUN ? "" : " twice";
  if (slip->end == slip->first + 1)
    snprintf(text, size, "They %s row %u of the matrix%s.", lack, slip->first, twice);
  else
    snprintf(text, size, "They %s rows %u to %u of the matrix%s%s.", lack, slip->first, slip->end - 1, twice,
             slip->end == rows ? ", its last ones" : "");
}

static void say_slip(const struct slip *slip, uint32_t rows, char *text, size_t size) {
  static const char *const in_tiles[] = {
      [LACKS_LAST_OF_TILE] = "They lack the last row of each tile",
      [LACKS_FIRST_OF_TILE] = "They lack the first row of each tile",
      [LACKS_ODD] = "They lack every second tile, from the second one on",
      [LACKS_EVEN] = "They lack every second tile, from the first one on",
      [BEGINS_BY_QUADS] = "They come of tiles that begin too early, as many quads on as rows lie above",
      [BEGINS_BY_PANEL] =
          "They come of tiles that begin too early, since rows are counted by the panel's width",
      [FIRST_TILE_AGAIN] = "They count the first tile again and again, in place of those that follow it",
  };
  if (!slip->tile)
    say_run(slip, rows, text, size);
  else if (slip->kind == COUNTS_ONE_OF_TILE)
    snprintf(text, size, "They count one row of each %u only.", slip->tile);
  else
    snprintf(text, size, "%s, if a tile has %u row%s.", in_tiles[slip->kind], slip->tile,
             slip->tile == 1 ? "" : "s");
}

bool column_sums_recognise(const struct exercise_instance *instance, const void *input, const void *expected,
                           const void *got, char *text, size_t size) {
  const uint32_t *numbers = input, *right = expected, *found = got;
  const size_t columns = instance->input.columns;
  struct witness witnesses[WITNESSES];
  size_t count = 0;
  struct slip slip;
  if (instance->input.rows < 2 || instance->input.rows > MOST_ROWS) return false;
  const uint32_t rows = (uint32_t)instance->input.rows;
  for (size_t column = 0; column < columns && count < WITNESSES; column++)
    if (found[column] != right[column])
      witnesses[count++] = (struct witness){numbers + column, found[column]};
  uint32_t *sums = count >= FEWEST ? calloc(rows + 1, sizeof *sums) : NULL;
  if (!sums) return false;
  for (uint32_t row = 0; row < rows; row++)
    sums[row + 1] = sums[row] + witnesses[0].input[row * columns];
  const bool known = find_run(sums, witnesses, count, rows, columns, &slip) ||
                     find_in_tiles(witnesses, count, rows, columns, &slip) ||
                     find_panels(witnesses, count, rows, columns, &slip);
  free(sums);
  if (known) say_slip(&slip, rows, text, size);
  return known;
}
