// What all exercises share: the list of them, shapes, and words for sizes and elements.
#include "exercises/exercise.h"

#include <stdio.h>
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

size_t matrix_bytes(const struct matrix_shape *shape) {
  return shape->rows * shape->pitch_bytes;
}

size_t matrix_elements(const struct matrix_shape *shape) {
  return shape->rows * shape->columns;
}

size_t matrix_offset(const struct matrix_shape *shape, size_t index) {
  return index / shape->columns * shape->pitch_bytes + index % shape->columns * 4;
}

const char *exercise_instantiate(const struct exercise *exercise, const struct exercise_case *the_case,
                                 uint64_t seed, struct exercise_instance *instance) {
  const char *reason = exercise->reject(the_case->size);
  if (reason) return reason;
  *instance =
      (struct exercise_instance){.exercise = exercise, .the_case = *the_case, .seed = seed, .launches = 1};
  exercise->prepare(instance);
  return NULL;
}

struct exercise_case exercise_rules_case(const struct exercise *exercise, size_t which, uint64_t seed) {
  struct exercise_case drawn = exercise->rules_cases[which];
  const struct exercise_key key = exercise_key_of(seed);
  for (unsigned i = 0; which + 1 == exercise->rules_case_count && i < exercise->size_count; i++)
    drawn.size[i] += exercise->growth[i].step * (exercise_random(key, i) % (exercise->growth[i].most + 1));
  return drawn;
}

void exercise_describe_sizes(const struct exercise_instance *instance, char *text, size_t size) {
  const struct exercise *exercise = instance->exercise;
  size_t length = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < exercise->size_count && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, "%s%s %zu", i ? ", " : "",
                               exercise->size_names[i], instance->the_case.size[i]);
}

void exercise_describe_element(const struct matrix_shape *shape, size_t index, char *text, size_t size) {
  if (shape->rows == 1) {
    snprintf(text, size, "%s[%zu]", shape->name, index);
  } else {
    snprintf(text, size, "%s[%zu][%zu]", shape->name, index / shape->columns, index % shape->columns);
  }
}
