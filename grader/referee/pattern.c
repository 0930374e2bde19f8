// In: a tally of wrong elements. Out: one or two sentences: what they hold, and where they are. The idea:
// each known pattern is the fingerprint of a mistake, and a sentence is only written if it holds for nearly
// all wrong elements.
#include "referee/pattern.h"

#include "referee/tiling.h"

#include <stdio.h>
#include <string.h>

enum { SEARCH = 1 << 18, SAMPLE = 512, SUSPECT_SAMPLE = 64, MANY_ELEMENTS = 1 << 14, FEW = 4 };

// "all of them", "nearly all of them", or NULL when it holds for fewer than nine in ten.
static const char *share(size_t count, size_t wrong) {
  if (count == wrong) return "All of them";
  return count >= wrong - wrong / 10 ? "Nearly all of them" : NULL;
}

static bool say(char *text, size_t size, const char *quantity, const char *what) {
  if (!quantity) return false;
  snprintf(text, size, "%s %s.", quantity, what);
  return true;
}

struct shift {
  ptrdiff_t rows, columns;
};

static bool word_at(const struct matrix_shape *shape, const char *matrix, ptrdiff_t row, ptrdiff_t column,
                    uint32_t *word) {
  if (row < 0 || column < 0 || !((size_t)row < shape->rows && (size_t)column < shape->columns)) return false;
  *word = matrix_word(shape, matrix, (size_t)row, (size_t)column);
  return true;
}

// Whether nearly all wrong elements (of a sample) hold the value that belongs `shift` away from them. Where
// that lies outside, nothing is known; but for most of them something must be. More misses than a tenth
// of the whole sample are too many, whatever its rest holds: nearly every shift that is tried ends there.
static bool shift_holds(const struct tally *tally, struct shift shift) {
  const struct matrix_shape *shape = &tally->instance->output;
  size_t seen = 0, fitting = 0, outside = 0;
  for (size_t index = tally->first; index <= tally->last && seen < SAMPLE; index++) {
    if (seen - fitting > SAMPLE / 10 || outside > SAMPLE) return false;
    size_t row = index / shape->columns, column = index % shape->columns;
    uint32_t got = matrix_word(shape, tally->got, row, column), there;
    if (exercise_value_is_right(tally->instance, matrix_word(shape, tally->expected, row, column), got))
      continue;
    if (!word_at(shape, tally->expected, (ptrdiff_t)row + shift.rows, (ptrdiff_t)column + shift.columns,
                 &there)) {
      outside++;
      continue;
    }
    seen++;
    fitting += exercise_value_is_right(tally->instance, there, got);
  }
  return seen >= 2 && seen >= outside && fitting * 10 >= seen * 9;
}

// Looks for an element that should hold the value of wrong element `from`, the nearest elements first.
static bool find_shift_from(const struct tally *tally, size_t from, struct shift *shift) {
  const struct matrix_shape *shape = &tally->instance->output;
  size_t row = from / shape->columns, column = from % shape->columns;
  uint32_t got = matrix_word(shape, tally->got, row, column), there;
  for (ptrdiff_t distance = 1; distance < SEARCH && (size_t)distance < tally->total; distance++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      ptrdiff_t index = (ptrdiff_t)from + sign * distance;
      if (index < 0 || !((size_t)index < tally->total)) continue;
      size_t other_row = (size_t)index / shape->columns, other_column = (size_t)index % shape->columns;
      if (!word_at(shape, tally->expected, (ptrdiff_t)other_row, (ptrdiff_t)other_column, &there) ||
          !exercise_value_is_right(tally->instance, there, got))
        continue;
      *shift =
          (struct shift){(ptrdiff_t)other_row - (ptrdiff_t)row, (ptrdiff_t)other_column - (ptrdiff_t)column};
      if (shift_holds(tally, *shift)) return true;
    }
  }
  return false;
}

// At an edge the first wrong element may hold what lies outside, which is nowhere else: then the one in the
// middle is asked.
static bool find_shift(const struct tally *tally, struct shift *shift) {
  const struct matrix_shape *shape = &tally->instance->output;
  if (find_shift_from(tally, tally->first, shift)) return true;
  for (size_t index = tally->first + (tally->last - tally->first) / 2; index <= tally->last; index++) {
    const size_t row = index / shape->columns, column = index % shape->columns;
    const uint32_t got = matrix_word(shape, tally->got, row, column);
    if (got != 0 &&
        !exercise_value_is_right(tally->instance, matrix_word(shape, tally->expected, row, column), got))
      return find_shift_from(tally, index, shift);
  }
  return false;
}

// (rows, columns): the result's element (0, 0) is the expected one there.
static void say_shifted_matrix(const struct shift *shift, char *text, size_t size) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used,
           " The result equals the expected matrix, shifted by (%td, %td): rows, "
           "columns.",
           shift->rows, shift->columns);
}

// A tile that was meant for (x, y) and comes from (y, x).
static void say_swapped(const struct shift *shift, char *text, size_t size) {
  const size_t used = strlen(text);
  if (shift->rows + shift->columns != 0) return;
  snprintf(text + used, size - used,
           " Are two coordinates the wrong way round? The first is x, the column; the second is y, the row.");
}

static bool say_shift(const struct tally *tally, char *text, size_t size) {
  struct shift shift;
  // A constant output (all zero, say) would match anywhere.
  if (tally->wrong < 2 || tally->zero + tally->poison + tally->not_a_number > tally->wrong / 2 ||
      !find_shift(tally, &shift))
    return false;
  size_t right = (size_t)(shift.columns < 0 ? -shift.columns : shift.columns);
  size_t down = (size_t)(shift.rows < 0 ? -shift.rows : shift.rows);
  if (tally->instance->output.rows == 1) {
    bool tile = right >= 32 && (right & (right - 1)) == 0;
    snprintf(text, size, "They hold what belongs %zu element%s further %s%s", right, right == 1 ? "" : "s",
             shift.columns > 0 ? "on" : "back", tile ? ": is that a whole tile?" : ".");
  } else if (down == 0 || right == 0) {
    snprintf(text, size, "They hold what belongs %zu %s%s further %s.", down + right, down ? "row" : "column",
             down + right == 1 ? "" : "s",
             shift.rows > 0      ? "down"
             : shift.rows < 0    ? "up"
             : shift.columns > 0 ? "to the right"
                                 : "to the left");
  } else {
    snprintf(text, size, "They hold what belongs %zu row%s further %s and %zu column%s to the %s.", down,
             down == 1 ? "" : "s", shift.rows > 0 ? "down" : "up", right, right == 1 ? "" : "s",
             shift.columns > 0 ? "right" : "left");
    say_swapped(&shift, text, size);
  }
  if (tally->instance->output.rows > 1 && tally->wrong >= tally->total - tally->total / 10)
    say_shifted_matrix(&shift, text, size);
  return true;
}

static uint32_t times(const struct tally *tally, uint32_t word, float factor) {
  if (tally->instance->output.type != ELEMENT_FLOAT32) return word * (uint32_t)(int32_t)factor;
  const float value = float_of_bits(word) * factor;
  memcpy(&word, &value, sizeof word);
  return word;
}

// Whether all wrong elements (of a sample) are that many times what is right.
static bool factor_holds(const struct tally *tally, float factor) {
  const struct matrix_shape *shape = &tally->instance->output;
  size_t seen = 0;
  for (size_t index = tally->first; index <= tally->last && seen < SAMPLE; index++) {
    const size_t row = index / shape->columns, column = index % shape->columns;
    const uint32_t got = matrix_word(shape, tally->got, row, column),
                   right = matrix_word(shape, tally->expected, row, column);
    if (exercise_value_is_right(tally->instance, right, got)) continue;
    if (!exercise_value_is_right(tally->instance, times(tally, right, factor), got)) return false;
    seen++;
  }
  return seen >= FEW;
}

static bool say_factor(const struct tally *tally, char *text, size_t size) {
  static const struct {
    float factor;
    const char *words;
  } factors[] = {{2, "twice"},           {4, "four times"},        {8, "eight times"}, {0.5f, "half of"},
                 {0.25f, "a fourth of"}, {0.125f, "an eighth of"}, {-1, "minus"}};
  const enum element_type type = tally->instance->output.type;
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
    const bool whole = factors[i].factor >= 1 || factors[i].factor < 0;
    if ((type != ELEMENT_FLOAT32 && !(type == ELEMENT_INT32 && whole)) ||
        !factor_holds(tally, factors[i].factor))
      continue;
    snprintf(text, size, "They are %s what is right.", factors[i].words);
    return true;
  }
  return false;
}

// No input gives a result that is one number everywhere.
static bool say_constant(const struct tally *tally, char *text, size_t size) {
  char what[120];
  if (tally->wrong < 4 || tally->value == output_poison(tally->instance)) return false;
  if (tally->instance->output.type == ELEMENT_INT32) {
    snprintf(what, sizeof what, "hold the same number, %d%s", (int32_t)tally->value,
             tally->value == UINT32_MAX ? ": so does shared memory that nobody has filled" : "");
  } else {
    snprintf(what, sizeof what, "hold the same number, %.9g", (double)float_of_bits(tally->value));
  }
  return say(text, size, share(tally->same_value, tally->wrong), what);
}

// Of a sample of wrong elements, `stride` apart: whether nearly all hold what comes out by that mistake.
static bool suspect_fits(const struct tally *tally, const struct exercise_suspect *suspect, size_t stride,
                         size_t least) {
  const struct matrix_shape *shape = &tally->instance->output;
  size_t seen = 0, fitting = 0;
  for (size_t index = tally->first; index <= tally->last && seen < SUSPECT_SAMPLE; index += stride) {
    const size_t row = index / shape->columns, column = index % shape->columns;
    const uint32_t got = matrix_word(shape, tally->got, row, column);
    if (exercise_value_is_right(tally->instance, matrix_word(shape, tally->expected, row, column), got))
      continue;
    const uint32_t word = suspect->word(tally->instance, tally->input, index, suspect->kind);
    fitting += exercise_value_is_right(tally->instance, word, got);
    if (++seen == FEW && fitting == 0) return false;
  }
  return seen >= least && fitting * 10 >= seen * 9;
}

// The first wrong elements may all lie at an edge, where several mistakes come to the same.
static bool suspect_holds(const struct tally *tally, const struct exercise_suspect *suspect) {
  const size_t apart = (tally->last - tally->first) / SUSPECT_SAMPLE;
  return suspect_fits(tally, suspect, 1, FEW) && suspect_fits(tally, suspect, apart | 1, 1);
}

// Whether what is right comes out by that mistake, too: each of many elements, spread over the whole result.
static bool suspect_fits_all(const struct tally *tally, const struct exercise_suspect *suspect) {
  const struct matrix_shape *shape = &tally->instance->output;
  for (size_t index = 0; index < tally->total; index += tally->total / MANY_ELEMENTS | 1) {
    const uint32_t got = matrix_word(shape, tally->got, index / shape->columns, index % shape->columns);
    const uint32_t word = suspect->word(tally->instance, tally->input, index, suspect->kind);
    if (!exercise_value_is_right(tally->instance, word, got)) return false;
  }
  return true;
}

// The step where the mistake is; 0: none of the known mistakes fits. Zeros say little by themselves, so
// what is right has to fit as well.
static unsigned say_suspect(const struct tally *tally, bool zeros, char *text, size_t size) {
  const struct exercise *exercise = tally->instance->exercise;
  for (size_t i = 0; i < exercise->suspect_count; i++) {
    if (!suspect_holds(tally, &exercise->suspects[i])) continue;
    if (zeros && !suspect_fits_all(tally, &exercise->suspects[i])) continue;
    snprintf(text, size, "They are what comes out if %s.", exercise->suspects[i].slip);
    return exercise->suspects[i].step;
  }
  return 0;
}

// The step where the mistake is; 0: unknown.
static unsigned describe_values(const struct tally *tally, const struct tiling *tiling, char *text,
                                size_t size) {
  const struct exercise_instance *instance = tally->instance;
  size_t wrong = tally->wrong;
  char difference[96];
  snprintf(difference, sizeof difference, "are %s by %lld", tally->difference < 0 ? "too small" : "too large",
           tally->difference < 0 ? -(long long)tally->difference : (long long)tally->difference);
  if (instance->in_place && say(text, size, share(tally->as_before, wrong), "hold the input, unchanged"))
    return 0;
  if (!instance->in_place &&
      say(text, size, share(tally->poison, wrong),
          "still hold the poison that the output was filled with: nothing was written there, or what was "
          "written was read from the output"))
    return 0;
  // Zeros may be what lies beyond an edge.
  const bool partly_zero = tally->zero == wrong && wrong < tally->total;
  const unsigned beyond = partly_zero ? say_suspect(tally, true, text, size) : 0;
  if (beyond) return beyond;
  if (say(text, size, share(tally->zero, wrong), "are zero")) return 0;
  if (say(text, size, share(tally->not_a_number, wrong),
          "are not a number (NaN): they come from memory that holds no input: past a row's end, the output, "
          "or "
          "shared memory that nobody filled"))
    return 0;
  if (!instance->in_place && instance->output.type == ELEMENT_INT32 &&
      say(text, size, share(tally->plus_before, wrong),
          "are the right sum plus what lay in the output before: it has to be cleared first"))
    return 0;
  if (say_factor(tally, text, size) || say_constant(tally, text, size)) return 0;
  const struct exercise *exercise = instance->exercise;
  const unsigned step = say_suspect(tally, false, text, size);
  if (step) return step;
  if (exercise->recognise &&
      exercise->recognise(instance, tally->input, tally->expected, tally->got, text, size))
    return exercise->recognised_step;
  if (tiling_say(tally, tiling, text, size) || say_shift(tally, text, size)) return 0;
  if (instance->output.type == ELEMENT_INT32 && wrong > 1 &&
      say(text, size, share(tally->same_difference, wrong), difference))
    return 0;
  if (!instance->in_place && tally->poison > 0)
    snprintf(text, size, "%zu of them still hold the poison that the output was filled with.", tally->poison);
  return 0;
}

static bool are_in_last_row_or_column(const struct tally *tally) {
  const struct matrix_shape *shape = &tally->instance->output;
  bool last_row = false, last_column = false;
  for (size_t index = tally->first; index <= tally->last; index++) {
    const size_t row = index / shape->columns, column = index % shape->columns;
    if (exercise_value_is_right(tally->instance, matrix_word(shape, tally->expected, row, column),
                                matrix_word(shape, tally->got, row, column)))
      continue;
    const bool in_row = row + 1 == shape->rows, in_column = column + 1 == shape->columns;
    if (!in_row && !in_column) return false;
    last_row = last_row || (in_row && !in_column);
    last_column = last_column || (in_column && !in_row);
  }
  return last_row && last_column;
}

static void describe_lines(const struct tally *tally, char *text, size_t size) {
  const struct matrix_shape *shape = &tally->instance->output;
  size_t rows = tally->last_row - tally->first_row + 1,
         columns = tally->last_column - tally->first_column + 1;
  if (tally->first_row == tally->last_row) {
    snprintf(text, size, "All are in row %zu%s.", tally->first_row,
             tally->first_row + 1 == shape->rows ? ", the last one" : "");
  } else if (columns == 1) {
    snprintf(text, size, "All are in column %zu%s.", tally->first_column,
             tally->first_column + 1 == shape->columns ? ", the last one" : "");
  } else if (rows == shape->rows && columns == shape->columns && are_in_last_row_or_column(tally)) {
    snprintf(text, size,
             "All are in the last row and in the last column: is a size one too small somewhere, of a tensor "
             "map, say, or of a loop?");
  } else if (columns < shape->columns && tally->last_column + 1 == shape->columns) {
    snprintf(text, size, "All are in the last %zu columns, from column %zu on.", columns,
             tally->first_column);
  } else if (rows < shape->rows && tally->last_row + 1 == shape->rows) {
    snprintf(text, size, "All are in the last %zu rows, from row %zu on.", rows, tally->first_row);
  } else if (rows < shape->rows || columns < shape->columns) {
    snprintf(text, size, "All are in rows %zu to %zu, columns %zu to %zu.", tally->first_row, tally->last_row,
             tally->first_column, tally->last_column);
  }
}

static void describe_place(const struct tally *tally, char *text, size_t size) {
  if (tally->wrong == tally->total) {
    snprintf(text, size, "No element is right.");
  } else if (tally->wrong == 1) {
    return;
  } else if (tally->runs == 1 && tally->last + 1 == tally->total && tally->wrong > tally->total / 2) {
    snprintf(text, size, "From there to the end all are wrong, %zu elements.", tally->wrong);
  } else if (tally->runs == 1 && tally->last + 1 == tally->total) {
    snprintf(text, size, "Everything before it is right: only the tail, the last %zu elements, is wrong.",
             tally->wrong);
  } else if (tally->runs == 1 && tally->first == 0) {
    snprintf(text, size, "Everything after the first %zu elements is right.", tally->wrong);
  } else if (tally->runs == 1 && tally->wrong == tally->instance->output.columns &&
             tally->first_column == 0 && tally->first_row == tally->last_row) {
    snprintf(text, size, "Row %zu is wrong, all of it; all other rows are right.", tally->first_row);
  } else if (tally->runs == 1) {
    snprintf(text, size, "They lie side by side, %zu of them; all around is right.", tally->wrong);
  } else if (tally->instance->output.rows > 1) {
    describe_lines(tally, text, size);
  } else {
    snprintf(text, size,
             "They come in %zu runs; the first is %zu long, the second starts %zu elements after it started.",
             tally->runs, tally->run_length, tally->run_start[1] - tally->run_start[0]);
  }
}

void pattern_describe(const struct tally *tally, struct pattern *pattern) {
  char values[400] = "", tiles[256] = "", place[256] = "";
  struct tiling tiling;
  *pattern = (struct pattern){0};
  tiling_find(tally, &tiling);
  pattern->step = describe_values(tally, &tiling, values, sizeof values);
  describe_place(tally, place, sizeof place);
  // Tiles that are missing, or all zero, say: what they hold is told, and which they are.
  if (!tiling_say(tally, &tiling, tiles, sizeof tiles) || strcmp(tiles, values) == 0) tiles[0] = '\0';
  if (tiles[0]) place[0] = '\0';
  if (strstr(values, "equals the expected matrix")) place[0] = '\0';
  pattern->explains = values[0] || tiles[0];
  snprintf(pattern->text, sizeof pattern->text, "%s%s%s%s", place, tiles,
           (place[0] || tiles[0]) && values[0] ? " " : "", values);
  tiling_draw(tally, &tiling, pattern->picture, sizeof pattern->picture);
}
