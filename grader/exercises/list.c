// In: a lab's name. Out: its exercises. This isn't part of exercise.c, since the exercises call exercise.c.
#include "exercises/exercise.h"

#include <string.h>

#define EXERCISE(name) extern const struct exercise name;
#include "exercises/list.h"
#undef EXERCISE

#define EXERCISE(name) &name,
static const struct exercise *const all[] = {
#include "exercises/list.h"
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
