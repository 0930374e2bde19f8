// What came out against what should have. In: expected, got, and what lay there before. Out: the first wrong element, how many
// there are, and the pattern they make, since the pattern tells a student more than any single number.
#ifndef REFEREE_COMPARE_H
#define REFEREE_COMPARE_H

#include "exercises/exercise.h"

// Every byte of an output before the launch, as 32-bit words: a NaN as float, an unlikely number as int.
#define COMPARE_POISON 0xffb0150dU

struct comparison {
  size_t total, wrong;
  size_t first;               // index of the first wrong element, row by row; meaningless if wrong == 0
  char expected[64], got[64]; // its values
  char pattern[512];          // whole sentences; "" if there is nothing to say
};

// `input` is the input as it was; `before` the poison, or the input's own values when in place.
void compare_output(const struct exercise_instance *instance, const void *input, const void *expected,
                    const void *got, struct comparison *comparison);
// Whether a buffer that must not change in its padding (from the next multiple of 16 bytes on), or anywhere (whole), has
// changed. Returns the number of changed
// bytes and describes the first, as a clause: "row 3, byte 264".
size_t compare_unchanged(const struct matrix_shape *shape, const void *before, const void *after, bool whole,
                         char *where, size_t size);
// Whether a value is right: |got - expected| <= tolerance + relative * |expected|; a NaN never is.
bool compare_right(const struct exercise_instance *instance, uint32_t expected, uint32_t got);

// --- between compare.c and pattern.c ---
struct tally {
  const struct exercise_instance *instance;
  const char *input, *expected, *got;
  size_t total, wrong, first, last;
  size_t first_row, last_row, first_column, last_column; // the box around the wrong ones
  size_t poison, zero, not_a_number, as_before, plus_before;
  size_t same_value;      // as the first one
  uint32_t value;         // of the first one
  size_t same_difference; // int: wrong by as much as the first one
  int32_t difference;     // int: got - expected of the first one
  size_t runs, run_start[2],
      run_length; // how many runs of wrong elements, where the first two start, how long the first is
};
void pattern_describe(const struct tally *tally, char *text, size_t size);

static inline uint32_t compare_word(const struct matrix_shape *shape, const char *matrix, size_t row,
                                    size_t column) {
  return *(const uint32_t *)(matrix + row * shape->pitch_bytes + column * 4);
}

#endif
