// Names of kernels. In: a name as in PTX. Out: the name as a person wrote it, where that is cheap to tell.
#include <string.h>

#include "virtual-hopper/rules/fault.h"

// One <length><name> of an Itanium-mangled name; NULL when there is none.
static const char *source_name(const char *at, char *text, size_t size, size_t *used) {
  size_t length = 0;
  if (*at < '1' || *at > '9') return NULL;
  for (; *at >= '0' && *at <= '9' && length < 1000; at++)
    length = length * 10 + (size_t)(*at - '0');
  if (strlen(at) < length || *used + length + 3 > size) return NULL;
  if (*used) {
    memcpy(text + *used, "::", 2);
    *used += 2;
  }
  memcpy(text + *used, at, length);
  *used += length;
  text[*used] = '\0';
  return at + length;
}

void fault_demangle(const char *name, char *text, size_t size) {
  char found[256];
  size_t used = 0;
  const char *at = strncmp(name, "_ZN", 3) == 0 ? name + 3 : strncmp(name, "_Z", 2) == 0 ? name + 2 : NULL;
  bool nested = at == name + 3;
  while (at) {
    const char *next = source_name(at, found, sizeof found, &used);
    if (!next || !nested) break;
    at = next;
  }
  if (used > 0) name = found;
  size_t length = strlen(name);
  if (length >= size) length = size - 1;
  memmove(text, name, length);
  text[length] = '\0';
}
