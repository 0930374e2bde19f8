// Compares a result with the expected one. In: expected, got, and what lay there before the launch. Out: the
// first wrong element, how many are wrong, and their pattern, which tells a student more than a single
// number.
#ifndef REFEREE_COMPARE_H
#define REFEREE_COMPARE_H

#include "exercises/exercise.h"
#include "referee/pattern.h"

struct comparison {
  size_t total, wrong;
  size_t first;     // index of the first wrong element, counted row by row; meaningless if wrong == 0
  char element[96]; // its name, such as "out[3][17]"
  char expected[64], got[64]; // its values
  struct pattern pattern;     // of the wrong elements
};

// `input` is the input as it was before the launch.
void compare_output(const struct exercise_instance *instance, const void *input, const void *expected,
                    const void *got, struct comparison *comparison);
// The same for an output of several parts, which compare_output calls.
void compare_parts(const struct exercise_instance *instance, const void *expected, const void *got,
                   struct comparison *comparison);
// Looks for changes in the padding of a buffer's rows (from the next multiple of 16 bytes on) or, if `whole`,
// anywhere in the buffer. Returns the number of changed bytes and describes the first one in `where`, as a
// clause such as "`in`, row 3, column 66".
size_t compare_unchanged(const struct matrix_shape *shape, const void *before, const void *after, bool whole,
                         char *where, size_t size);
// Whether an output of floats, without gaps between them, is right (exercise_value_is_right). `got` may
// belong to somebody else, who changes it meanwhile: each of its bytes is read once. False: something is
// wrong, or this is no such output.
bool compare_is_near(const struct exercise_instance *instance, const void *expected, const void *got);

#endif
