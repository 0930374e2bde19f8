// In: the counters of struct observed, by name. Out: the first unmet requirement. Bytes add up over kernels.
// Events and levels ("most at once") only count if the blocks that have reached them do enough of the work;
// else a few blocks could do for show what is required.
#include "referee/requirements.h"

#include "virtual-hopper/rules/fault.h"

#include <math.h>
#include <string.h>

// A counter that lab.cfg may name. With `other`, the smaller of the two sums counts.
struct counter {
  const struct observed_counter *one, *other;
};

static const struct observed_counter *counter_named(const char *name) {
  const struct observed_counter *counter;
  for (size_t i = 0; (counter = observed_counter_at(i)); i++)
    if (counter->asked != LEVEL_NOT_ASKED && strcmp(counter->name, name) == 0) return counter;
  return NULL;
}

// Data that takes a detour through the program's own memory is written there and read there. Reading alone
// may be arguments or flags, writing alone may be a log.
static const char detour[] = "detour_bytes";

static struct counter find(const char *name) {
  if (strcmp(name, detour) == 0)
    return (struct counter){counter_named("own_load_bytes"), counter_named("own_store_bytes")};
  return (struct counter){counter_named(name), NULL};
}

bool requirement_counter_exists(const char *name) {
  return find(name).one != NULL;
}

// Whether the blocks that reached this level (1 or more) have moved at least a quarter of all copied bytes.
static bool is_borne(const struct fault_report *report, enum observed_level kind, unsigned level) {
  uint64_t all = 0, there = 0;
  for (size_t i = 0; i < observed_count(report); i++) {
    all += observed_copied(observed_at(report, i));
    there += observed_at(report, i)->bytes_at_level[kind][level - 1];
  }
  return there >= all / 4;
}

// One counter of struct observed, over all kernels of the report and the host's calls.
static double over_kernels(const struct observed_counter *counter, const struct fault_report *report) {
  double value = (double)observed_value(observed_by_host(report), counter);
  for (size_t i = 0; i < observed_count(report); i++) {
    double here = (double)observed_value(observed_at(report, i), counter);
    value = counter->combine == OBSERVED_MOST ? fmax(value, here) : value + here;
  }
  return value;
}

// The level, or the number of events, that counts if only blocks that do enough of the work are considered.
static double borne(const struct observed_counter *counter, double value, const struct fault_report *report) {
  if (counter->asked == LEVEL_KINDS) return value;
  const unsigned reached = (unsigned)fmin(value, counter->combine == OBSERVED_MOST ? LEVEL_MOST : 1);
  unsigned level = reached;
  while (level > 0 && !is_borne(report, counter->asked, level))
    level--;
  return level == reached ? value : level;
}

static double value_of(const struct requirement *requirement, const struct fault_report *report, bool bears) {
  double value = 0;
  for (unsigned i = 0; i < requirement->counter_count; i++) {
    const struct counter counter = find(requirement->counters[i]);
    if (!counter.one) continue;
    double here = over_kernels(counter.one, report);
    if (counter.other) here = fmin(here, over_kernels(counter.other, report));
    if (bears) here = borne(counter.one, here, report);
    value = counter.one->combine == OBSERVED_MOST ? fmax(value, here) : value + here;
  }
  return value;
}

static double unit_of(const struct requirement *requirement, const struct exercise_instance *instance) {
  const struct matrix_shape *shape =
      requirement->unit == REQUIREMENT_INPUT_BYTES ? &instance->input : &instance->output;
  if (requirement->unit == REQUIREMENT_NUMBER) return 1.0;
  if (requirement->unit == REQUIREMENT_PRODUCTS) return (double)instance->products;
  const size_t spare = shape == &instance->input ? instance->spare_elements : 0;
  return (double)(matrix_element_bytes(shape) * (matrix_elements(shape) - spare));
}

struct unmet requirements_unmet(const struct exercise_config *config, const struct fault_report *report,
                                const struct exercise_instance *instance, bool large) {
  for (unsigned i = 0; i < config->requirement_count; i++) {
    const struct requirement *requirement = &config->requirements[i];
    if ((requirement->large || requirement->unit == REQUIREMENT_NUMBER) && !large) continue;
    const double unit = unit_of(requirement, instance);
    const double anywhere = value_of(requirement, report, false), value = value_of(requirement, report, true);
    if (!(value >= requirement->at_least * unit))
      return (struct unmet){requirement, value, anywhere, requirement->at_least * unit, false};
    if (!(anywhere <= requirement->at_most * unit)) // at_most counts all blocks
      return (struct unmet){requirement, anywhere, anywhere, requirement->at_most * unit, true};
  }
  return (struct unmet){0};
}
