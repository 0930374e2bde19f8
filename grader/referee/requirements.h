// What a run did against what the exercise asks for. In: the device's counters. Out: the first requirement that isn't met.
#ifndef REFEREE_REQUIREMENTS_H
#define REFEREE_REQUIREMENTS_H

#include "exercises/exercise.h"
#include "referee/lab-config.h"

struct fault_report;

// Whether struct observed has a counter of this name.
bool requirement_counter_exists(const char *name);

// A requirement that isn't met: what was seen, and what was asked for, in numbers.
struct unmet {
  const struct requirement *requirement; // NULL: all are met
  double value, anywhere, bound;         // anywhere: also in blocks that don't bear the work
  bool too_much;                         // the bound is the most, else the least
};

// The first of the exercise's requirements that the run of the report doesn't meet. large: the case is large enough for those that are plain
// numbers; those in bytes of the input or output hold for any.
struct unmet requirements_unmet(const struct exercise_config *config, const struct fault_report *report,
                                const struct exercise_instance *instance, bool large);

#endif
