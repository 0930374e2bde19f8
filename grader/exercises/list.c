// In: a lab's name. Out: its exercises. This isn't part of exercise.c, since the exercises call exercise.c.
#include "exercises/exercise.h"

#include <string.h>

// build/exercise-list.h is made from the adapters' names: EXERCISE(lab9_bulk_copy_1d) and so on, lab by lab
// and in order. So an archive without a lab is complete without it.
#define EXERCISE(name) extern const struct exercise name;
#include "exercise-list.h"
#undef EXERCISE

#define EXERCISE(name) &name,
static const struct exercise *const all[] = {
#include "exercise-list.h"
};
#undef EXERCISE

const struct exercise *const *exercises_of(const char *lab, size_t *count) {
  const struct exercise *const *first = NULL;
  *count = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(all[i]->lab, lab) != 0) continue;
    if (!first) first = &all[i];
    ++*count;
  }
  return first;
}
