// In: what was done by each cluster's end. Out: what whole turns of all places did.
#include "virtual-hopper/time/turns.h"

bool turns_of(const struct progress *ends, uint64_t count, uint64_t places, struct progress *turns) {
  if (count < 4 * places) return false; // the first, two, and the end
  const uint64_t ahead = (count - 3 * places + 1) / places * places;
  *turns = (struct progress){0};
  for (uint64_t i = places - 1; i < 2 * places - 1; i++) {
    const struct progress *from = &ends[i], *to = &ends[i + ahead];
    turns->when += to->when - from->when;
    turns->bytes += to->bytes - from->bytes;
    turns->slots += to->slots - from->slots;
    turns->memory += to->memory - from->memory;
    turns->draws += to->draws - from->draws;
  }
  return true;
}
