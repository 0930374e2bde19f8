// What a run did against what the exercise asks for. In: the device's counters. Out: the first requirement that isn't met.
#ifndef REFEREE_REQUIREMENTS_H
#define REFEREE_REQUIREMENTS_H

#include "exercises/exercise.h"
#include "referee/lab-config.h"

struct fault_report;

// Whether struct observed has a counter of this name.
bool requirement_counter_exists(const char *name);
// The counters' value over all kernels of the report.
double requirement_value(const struct requirement *requirement, const struct fault_report *report);
double requirement_needed(const struct requirement *requirement, const struct exercise_instance *instance);
// NULL if all are met; else the first that isn't, with its value.
const struct requirement *requirements_unmet(const struct exercise_config *config,
                                             const struct fault_report *report,
                                             const struct exercise_instance *instance, double *value,
                                             double *needed);

#endif
