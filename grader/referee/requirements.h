// Compares what a run did with what the exercise asks for. In: the device's counters. Out: the first
// requirement that isn't met.
#ifndef REFEREE_REQUIREMENTS_H
#define REFEREE_REQUIREMENTS_H

#include "exercises/exercise.h"
#include "referee/lab-config.h"
#include "virtual-hopper/rules/observed.h"

struct fault_report;

// Whether struct observed has a counter of this name.
bool requirement_counter_exists(const char *name);

// A requirement that isn't met, with the number that was seen and the one that is asked for.
struct unmet {
  const struct requirement *requirement; // NULL: all are met
  double value, anywhere, bound; // anywhere: counted in all blocks, even those that do little of the work
  bool too_much;                 // the value exceeds at_most; else it is below at_least
  // Of the accesses by threads that most likely made it so, the worst; weight 0: none is known.
  enum observed_access_kind kind;
  struct observed_access access;
};

// The first of the exercise's requirements that the reported run doesn't meet. Requirements in bytes of input
// or output are checked for any case; those that are plain numbers only if the case is `large` enough.
struct unmet requirements_unmet(const struct exercise_config *config, const struct fault_report *report,
                                const struct exercise_instance *instance, bool large);

// Such as "bytes stored by bulk copies: 5120 seen, 256 times the output, at most 30 asked for".
void requirement_numbers(const struct unmet *unmet, char *text, size_t size);

#endif
