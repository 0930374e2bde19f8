// Which broken rule is the cause of which others. In: two rules. Out: whether the first explains the second.
// One idea: a student mends one thing at a time, so a fault that would vanish with another one is not shown beside it; should it be a
// mistake of its own after all, the next run shows it. The relation has no cycles: something always remains.
#include <string.h>

#include "virtual-hopper/fault.h"

struct causes {
  const char *cause;
  const char *consequences[16];
};

static const struct causes causes[] = {
    {"misaligned-barrier",
     {"barrier-not-initialised", "barrier-overwritten", "deadlock", "bytes-announced", "tile-before-phase"}},
    {"barrier-value", {"barrier-not-initialised", "deadlock", "bytes-announced"}},
    {"barrier-reinit",
     {"barrier-init-visibility", "barrier-not-initialised", "deadlock", "bytes-announced", "arrival-count",
      "unobserved-phase", "tile-before-phase", "parity", "async-race", "buffer-still-read"}},
    {"barrier-init-visibility",
     {"barrier-not-initialised", "deadlock", "bytes-announced", "arrival-count", "unobserved-phase",
      "tile-before-phase", "parity"}},
    {"barrier-overwritten",
     {"deadlock", "bytes-announced", "arrival-count", "barrier-not-initialised", "tile-before-phase"}},
    {"barrier-not-initialised",
     {"deadlock", "bytes-announced", "arrival-count", "unobserved-phase", "tile-before-phase", "parity"}},
    {"parity",
     {"arrival-count", "unobserved-phase", "tile-before-phase", "buffer-still-read", "async-race",
      "bytes-announced", "deadlock", "shared-race"}},
    {"arrival-count",
     {"bytes-announced", "unobserved-phase", "tile-before-phase", "buffer-still-read", "async-race",
      "deadlock"}},
    {"bytes-announced",
     {"unobserved-phase", "tile-before-phase", "buffer-still-read", "async-race", "deadlock"}},
    {"bulk-size", {"bytes-announced", "deadlock"}},
    // Two loads on different barriers meet in one buffer: whoever waits for the one reads bytes of the other.
    {"async-race", {"tile-before-phase", "buffer-still-read", "unobserved-phase", "shared-race", "deadlock"}},
    {"tile-before-phase", {"unobserved-phase", "buffer-still-read", "shared-race", "deadlock"}},
    {"buffer-still-read", {"unobserved-phase", "shared-race", "deadlock"}},
    {"unobserved-phase", {"deadlock"}},
    {"store-not-committed", {"exit-before-read", "buffer-in-flight", "store-not-awaited", "read-wait-only"}},
    {"store-not-awaited", {"exit-before-read", "buffer-in-flight", "read-wait-only"}},
    {"buffer-in-flight", {"exit-before-read"}},
    {"shared-race", {"deadlock", "endless-loop"}}, // a number read too early leads anywhere
    {"divergent-barrier", {"deadlock", "shared-race"}},
    {"warp-sync-mask", {"deadlock", "shared-race"}},
};

bool fault_explains(const char *cause, const char *consequence) {
  for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
    if (strcmp(causes[i].cause, cause) != 0) continue;
    for (size_t k = 0; k < 16 && causes[i].consequences[k]; k++) {
      if (strcmp(causes[i].consequences[k], consequence) == 0) return true;
    }
  }
  return false;
}

// ---- names of kernels -----------------------------------------------------------------------------------------------

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
