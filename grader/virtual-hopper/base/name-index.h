// A table from a module's names to their values. A look-up takes one step for any number of names, so a
// program's time does not grow with the square of its size. Names are compared by address, because the parser
// stores each spelling once (lex.h).
#ifndef VIRTUAL_HOPPER_BASE_NAME_INDEX_H
#define VIRTUAL_HOPPER_BASE_NAME_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "virtual-hopper/base/arena.h"

struct name_place {
  const char *name; // NULL: free
  uint32_t value;
};
struct name_index { // zeroed: empty
  struct name_place *places;
  uint32_t capacity, count; // capacity: a power of two
};

// Adds a name. A name that is already there keeps its first value. Memory comes from the arena.
void name_index_add(struct name_index *index, struct arena *arena, const char *name, uint32_t value);
// Returns false, and leaves *value unchanged, when there is no such name.
bool name_index_find(const struct name_index *index, const char *name, uint32_t *value);

#endif
