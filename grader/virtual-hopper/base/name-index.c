// In: names, by their addresses. Out: their values. The one idea: a hash table with open addressing, at most
// half full. An untrusted program can't choose addresses, so it can't make them collide.
#include "virtual-hopper/base/name-index.h"

enum { FIRST_CAPACITY = 16 };

static struct name_place *place_of(struct name_place *places, uint32_t capacity, const char *name) {
  uint32_t at = (uint32_t)((uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15ull >> 32) & (capacity - 1);
  while (places[at].name && places[at].name != name)
    at = (at + 1) & (capacity - 1);
  return &places[at];
}

static void grow(struct name_index *index, struct arena *arena) {
  uint32_t capacity = index->capacity ? 2 * index->capacity : FIRST_CAPACITY;
  struct name_place *places = arena_allocate_array(arena, capacity, sizeof *places);
  for (uint32_t i = 0; i < index->capacity; i++)
    if (index->places[i].name) *place_of(places, capacity, index->places[i].name) = index->places[i];
  index->places = places;
  index->capacity = capacity;
}

void name_index_add(struct name_index *index, struct arena *arena, const char *name, uint32_t value) {
  if (2 * index->count >= index->capacity) grow(index, arena);
  struct name_place *place = place_of(index->places, index->capacity, name);
  if (place->name) return;
  *place = (struct name_place){name, value};
  index->count++;
}

bool name_index_find(const struct name_index *index, const char *name, uint32_t *value) {
  if (!index->count) return false;
  const struct name_place *place = place_of(index->places, index->capacity, name);
  if (!place->name) return false;
  *value = place->value;
  return true;
}
