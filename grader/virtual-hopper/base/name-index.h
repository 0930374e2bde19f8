// Names of a module and what they stand for, found in one step however many there are: a program's time must not grow with the square of its size.
// Names are compared by address: the parser keeps each spelling once (lex.h).
#ifndef VIRTUAL_HOPPER_NAME_INDEX_H
#define VIRTUAL_HOPPER_NAME_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "virtual-hopper/arena.h"

struct name_place {
  const char *name; // NULL: free
  uint32_t value;
};
struct name_index { // zeroed: empty
  struct name_place *places;
  uint32_t capacity, count; // capacity: a power of two
};

// The first value of a name stays. Memory comes from the arena.
void name_index_add(struct name_index *index, struct arena *arena, const char *name, uint32_t value);
// False, and *value as it was: there is no such name.
bool name_index_find(const struct name_index *index, const char *name, uint32_t *value);

#endif
