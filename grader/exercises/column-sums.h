// The sum of each column of a matrix of int32: what an exercise about it shares with the others, whatever way
// the kernel is to go.
#ifndef EXERCISES_COLUMN_SUMS_H
#define EXERCISES_COLUMN_SUMS_H

#include "exercises/exercise.h"

const char *column_sums_reject(const size_t *size);
struct exercise_case column_sums_bandwidth_case(size_t bytes);
void column_sums_prepare(struct exercise_instance *instance);
void column_sums_generate(const struct exercise_instance *instance, void *input, size_t first, size_t last);
void column_sums_reference(const struct exercise_instance *instance, const void *input, void *expected,
                           size_t first, size_t last);
bool column_sums_recognise(const struct exercise_instance *instance, const void *input, const void *expected,
                           const void *got, char *text, size_t size);

// The members of struct exercise that are the same in all of them.
#define COLUMN_SUMS                                                                              \
  .traffic = TRAFFIC_READ, .size_names = {"rows", "columns"}, .size_count = 2,                   \
  .tiny = {{.step = 1, .count = 40}, {.step = 4, .count = 39}}, .reject = column_sums_reject,    \
  .bandwidth_case = column_sums_bandwidth_case, .prepare = column_sums_prepare,                  \
  .generate = column_sums_generate, .slicing = SLICES_ADDED, .reference = column_sums_reference, \
  .recognise = column_sums_recognise

#endif
