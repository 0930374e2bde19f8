// Puts the pattern of wrong elements into words. In: a tally, counted by compare.c. Out: one or two sentences
// that say what the wrong elements hold, and where they are.
#ifndef REFEREE_PATTERN_H
#define REFEREE_PATTERN_H

#include "exercises/exercise.h"

struct tally {
  const struct exercise_instance *instance;
  const char *input, *expected, *got;
  size_t total, wrong, first, last;
  // the smallest box that holds all wrong elements:
  size_t first_row, last_row, first_column, last_column;
  // how many of the wrong elements hold poison, zero, a NaN, the value from before the launch, that value
  // plus the right one:
  size_t poison, zero, not_a_number, as_before, plus_before;
  uint32_t value;    // of the first wrong element
  size_t same_value; // wrong elements that hold the first one's value
  // int32 only: got - expected of the first wrong element, and how many wrong elements have that difference:
  int32_t difference;
  size_t same_difference;
  // runs of wrong elements: how many, where the first two start, how long the first one is:
  size_t runs, run_start[2], run_length;
};

struct pattern {
  char text[512];     // "" if the wrong elements have no known pattern
  char picture[1280]; // lines that show which tiles are wrong; "": there is no picture
  bool explains;      // it says what the wrong elements hold, or which tiles they are
  unsigned step;      // the TODO where the mistake is; 0: unknown
};

void pattern_describe(const struct tally *tally, struct pattern *pattern);

#endif
