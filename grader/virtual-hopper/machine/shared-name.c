// In: mangled names and offsets. Out: names as the source has them.
// One idea: an offset lies in the last variable that begins at or before it.
#include "virtual-hopper/machine/shared-name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/program.h"

enum {
  BARRIER_SIZE = 8,
  MOST_BARRIERS = 64
}; // a larger variable is a struct with barriers in it, or a buffer

// One <length><name> at `at`: its name and what comes behind; NULL when there is none.
static const char *source_name(const char *at, const char **name, size_t *length) {
  char *end;
  if (*at < '1' || *at > '9') return NULL;
  *length = strtoul(at, &end, 10);
  *name = end;
  return strlen(end) < *length ? NULL : end + *length;
}

void shared_variable_name(const char *mangled, char *text, size_t size) {
  const char *name = mangled, *last = mangled, *end;
  size_t length = strlen(mangled), found;
  if (strncmp(mangled, "_ZZ", 3) == 0) { // of a function: E, the name, perhaps _ and a number
    for (const char *at = strchr(mangled, 'E'); at; at = strchr(at + 1, 'E')) {
      end = source_name(at + 1, &last, &found);
      if (end && (!*end || *end == '_')) name = last, length = found;
    }
    // of a namespace: one name after the other, the last is its own
  } else if (strncmp(mangled, "_ZN", 3) == 0) {
    for (const char *at = mangled + 3; (end = source_name(at, &last, &found)); at = end)
      name = last, length = found;
  } else if (strncmp(mangled, "_Z", 2) == 0) {
    const char *at = mangled + 2 + (mangled[2] == 'L');
    if (source_name(at, &last, &found)) name = last, length = found;
  }
  snprintf(text, size, "%.*s", (int)length, name);
}

static const struct shared_symbol *symbol_at(const struct launch *l, uint32_t offset, uint32_t *next) {
  const struct shared_symbol *best = NULL;
  *next = UINT32_MAX;
  for (uint32_t i = 0; l->program && i < l->program->shared_count; i++) {
    const struct shared_symbol *s = &l->program->shared[i];
    if (s->offset <= offset && (!best || s->offset >= best->offset)) best = s;
    if (s->offset > offset && s->offset < *next) *next = s->offset;
  }
  return best;
}

const char *shared_variable_at(const struct launch *l, uint32_t offset, uint32_t *begin, uint32_t *next) {
  const struct shared_symbol *best = symbol_at(l, offset, next);
  *begin = best ? best->offset : 0;
  return best ? best->name : NULL;
}

bool shared_is_dynamic(const struct launch *l, uint32_t offset) {
  uint32_t next;
  const struct shared_symbol *s = symbol_at(l, offset, &next);
  return s && s->bytes == 0 && offset - s->offset < SHARED_MAX_BYTES;
}

uint32_t shared_room_at(const struct launch *l, uint32_t offset) {
  uint32_t next, end = SHARED_FIRST_OFFSET + l->shared_bytes;
  const struct shared_symbol *s = symbol_at(l, offset, &next);
  if (s && s->bytes > 0) end = s->offset + s->bytes;
  return offset < end ? end - offset : 0;
}

void shared_name_place(const struct launch *l, uint32_t offset, char *text, size_t size) {
  uint32_t next;
  const struct shared_symbol *s = symbol_at(l, offset, &next);
  uint32_t inside = s ? offset - s->offset : 0;
  char name[96];
  if (s) shared_variable_name(s->name, name, sizeof name);
  if (!s)
    snprintf(text, size, "shared offset 0x%x", offset);
  else if (s->bytes > 0 && inside == s->bytes)
    snprintf(text, size, "the end of `%s` (shared offset 0x%x)", name, offset);
  else if (s->bytes > 0 && inside >= s->bytes) // 0: an extern array, which goes on to the end
    snprintf(text, size, "the place %u bytes past the end of `%s` (shared offset 0x%x)", inside - s->bytes,
             name, offset);
  else
    snprintf(text, size, "`%s` + %u (shared offset 0x%x)", name, inside, offset);
}

void shared_name_barrier(const struct launch *l, uint32_t offset, char *text, size_t size) {
  uint32_t next;
  const struct shared_symbol *s = symbol_at(l, offset, &next);
  uint32_t inside = s ? offset - s->offset : 0;
  char name[96];
  if (s) shared_variable_name(s->name, name, sizeof name);
  bool array = s && s->alignment <= BARRIER_SIZE && s->bytes <= BARRIER_SIZE * MOST_BARRIERS;
  if (s && inside < s->bytes && !array)
    snprintf(text, size, "barrier at `%s` + %u", name, inside);
  else if (!s || inside >= s->bytes || inside % BARRIER_SIZE)
    snprintf(text, size, "barrier at shared offset 0x%x", offset);
  else if (s->bytes == BARRIER_SIZE)
    snprintf(text, size, "barrier `%s`", name);
  else
    snprintf(text, size, "barrier `%s[%u]`", name, inside / BARRIER_SIZE);
}
