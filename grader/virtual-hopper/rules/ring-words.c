// The words for what a pipeline's other faults come of: a ring that a warp begins anew, and a thread that
// gives a stage back without a wait. In: the facts. Out: the message.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/rules/culprit-words.h"

static const char *named(const char *barrier) {
  return *barrier ? barrier : "barrier"; // one that has no name
}

// The parities that it has asked for, one wait after the other, and those that a ring of so many barriers
// has.
static void tell_parities(const struct conflict_facts *k, char *text, size_t size) {
  enum { MOST_TOLD = 12 };
  const uint32_t count = k->ring.count, known = k->ring.known, told = count < MOST_TOLD ? count : MOST_TOLD;
  if (!known || count <= known || count > 64) return;
  for (uint32_t right = 0; right < 2; right++) {
    size_t used = strlen(text);
    if (right)
      snprintf(text + used, size - used, "; with %u barriers they should be ", known);
    else
      snprintf(text + used, size - used, " The parities of its %s%u waits in this line were ",
               told < count ? "last " : "", told);
    for (uint32_t i = count - told; i < count; i++) {
      used = strlen(text);
      const uint32_t parity =
          right ? k->ring.first_parity ^ (i / known & 1) : (uint32_t)(k->ring.asked >> (count - 1 - i) & 1);
      snprintf(text + used, size - used, "%s%u", i > count - told ? ", " : "", parity);
    }
  }
  const size_t used = strlen(text);
  snprintf(text + used, size - used, ".");
}

static void anew_message(const struct conflict_facts *k, char *text, size_t size) {
  int used = snprintf(
      text, size,
      "Thread %u has waited in this line %u times, for one barrier of a ring after the other. Then it comes "
      "back to the first one, the %s, and asks for parity %u, as at its very first turn: %s. But the "
      "barriers are those of before, and their phases go on. So when it asks the %s for parity %u once "
      "more, ",
      k->later_thread, k->ring.waits, named(k->other_barrier), k->ring.first_parity,
      k->ring.flips
          ? "its stage or its phase has been set back, or the parity flips more than once in a round"
          : "the parity has not been flipped, or stage and phase have been set back",
      named(k->barrier), k->ring.parity);
  if (used < 0 || (size_t)used >= size) return;
  snprintf(text + used, size - (size_t)used, "%s",
           k->ring.refused ? "that means a phase that is one too far on, and it may wait for ever."
                           : "that means a phase which was over before: the wait returns at once, and what "
                             "follows comes too early.");
  tell_parities(k, text, size);
}

void ring_message(const struct conflict_facts *k, char *text, size_t size) {
  if (k->kind == CONFLICT_RING_BEGUN_ANEW) {
    anew_message(k, text, size);
    return;
  }
  snprintf(
      text, size,
      "Thread %u arrives on the %s in its phase %u, and has waited for no barrier since it arrived there "
      "in phase %u. So it can't know what has happened in between: whether the stage holds its next "
      "tile, or is empty again. It hands over what it has not waited for.",
      k->later_thread, named(k->barrier), k->arrival_phases[1], k->arrival_phases[0]);
}
