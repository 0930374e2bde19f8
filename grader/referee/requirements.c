// The counters of struct observed by name, and how they are put together: bytes add up over kernels. Events and levels ("most at
// once") count where the blocks that have come to them bear the work: else a few blocks could do for show what is required.
#include "referee/requirements.h"

#include "virtual-hopper/fault.h"

#include <math.h>
#include <string.h>

enum counter_kind { SUM_64, EVENTS_64, MOST_64, MOST_32, LESSER_64 };

struct counter {
  const char *name;
  enum counter_kind kind;
  size_t place;
  size_t other;              // LESSER_64: the lesser one of two sums counts
  enum observed_level level; // LEVEL_KINDS: nobody knows who bore it
};

#define LEVEL(kind, member, level) \
  { #member, kind, offsetof(struct observed, member), 0, level }
#define COUNTER(kind, member) LEVEL(kind, member, LEVEL_KINDS)
#define LESSER(name, member, other) \
  { #name, LESSER_64, offsetof(struct observed, member), offsetof(struct observed, other), LEVEL_KINDS }
static const struct counter counters[] = {
    COUNTER(SUM_64, launches),
    COUNTER(SUM_64, blocks),
    COUNTER(SUM_64, threads),
    COUNTER(SUM_64, bulk_load_bytes),
    COUNTER(SUM_64, bulk_store_bytes),
    COUNTER(SUM_64, bulk_reduce_bytes),
    COUNTER(SUM_64, tensor_load_bytes),
    COUNTER(SUM_64, tensor_store_bytes),
    COUNTER(SUM_64, tensor_reduce_bytes),
    COUNTER(SUM_64, cluster_copy_bytes),
    COUNTER(SUM_64, prefetch_bytes),
    COUNTER(SUM_64, cp_async_bytes),
    COUNTER(SUM_64, plain_global_load_bytes),
    COUNTER(SUM_64, plain_global_store_bytes),
    COUNTER(SUM_64, atomic_global_bytes),
    COUNTER(SUM_64, handed_load_bytes),
    COUNTER(SUM_64, handed_store_bytes),
    COUNTER(SUM_64, own_load_bytes),
    COUNTER(SUM_64, own_store_bytes),
    // What has gone by the program's own memory has been written there and read there. Reading alone is looking at arguments and
    // flags, writing alone is keeping a record.
    LESSER(detour_bytes, own_load_bytes, own_store_bytes),
    COUNTER(SUM_64, shared_load_bytes),
    COUNTER(SUM_64, shared_store_bytes),
    COUNTER(SUM_64, proxy_fences),
    COUNTER(SUM_64, waits_read),
    COUNTER(SUM_64, waits_full),
    COUNTER(SUM_64, barriers_initialised),
    LEVEL(MOST_64, max_phases, LEVEL_PHASES),
    LEVEL(MOST_32, max_loads_in_flight, LEVEL_LOADS),
    LEVEL(MOST_32, max_stores_in_flight, LEVEL_STORES),
    LEVEL(MOST_32, max_groups_pending, LEVEL_GROUPS),
    COUNTER(MOST_64, max_load_bytes_in_flight),
    LEVEL(EVENTS_64, waits_leaving_groups, LEVEL_LEAVING),
    LEVEL(EVENTS_64, read_waits_leaving_groups, LEVEL_READ_LEAVING),
};

static const struct counter *find(const char *name) {
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
    if (strcmp(counters[i].name, name) == 0) return &counters[i];
  return NULL;
}

bool requirement_counter_exists(const char *name) {
  return find(name) != NULL;
}

static double of_kernel(enum counter_kind kind, size_t offset, const struct observed *observed) {
  const char *place = (const char *)observed + offset;
  return kind == MOST_32 ? (double)*(const uint32_t *)place : (double)*(const uint64_t *)place;
}

// Have the blocks that came to this level, 1 or more, moved at least a quarter of all that copies moved?
static bool is_borne(const struct fault_report *report, enum observed_level kind, unsigned level) {
  uint64_t all = 0, there = 0;
  for (size_t i = 0; i < observed_count(report); i++) {
    all += observed_copied(observed_at(report, i));
    there += observed_at(report, i)->bytes_at_level[kind][level - 1];
  }
  return there >= all / 4;
}

static bool is_most(enum counter_kind kind) {
  return kind == MOST_64 || kind == MOST_32;
}

// One number of struct observed over the kernels of the report, and the host's calls.
static double over_kernels(enum counter_kind kind, size_t offset, const struct fault_report *report) {
  double value = of_kernel(kind, offset, observed_by_host(report));
  for (size_t i = 0; i < observed_count(report); i++) {
    double here = of_kernel(kind, offset, observed_at(report, i));
    value = is_most(kind) ? fmax(value, here) : value + here;
  }
  return value;
}

// What is left of a level, or of events, when only those count that bear the work.
static double borne(const struct counter *counter, double value, const struct fault_report *report) {
  if (counter->level == LEVEL_KINDS) return value;
  const unsigned reached = (unsigned)fmin(value, is_most(counter->kind) ? LEVEL_MOST : 1);
  unsigned level = reached;
  while (level > 0 && !is_borne(report, counter->level, level))
    level--;
  return level == reached ? value : level;
}

static double value_of(const struct requirement *requirement, const struct fault_report *report, bool bears) {
  double value = 0;
  for (unsigned i = 0; i < requirement->counter_count; i++) {
    const struct counter *counter = find(requirement->counters[i]);
    if (!counter) continue;
    double here = over_kernels(counter->kind, counter->place, report);
    if (counter->kind == LESSER_64) here = fmin(here, over_kernels(counter->kind, counter->other, report));
    if (bears) here = borne(counter, here, report);
    value = is_most(counter->kind) ? fmax(value, here) : value + here;
  }
  return value;
}

static double unit_of(const struct requirement *requirement, const struct exercise_instance *instance) {
  const struct matrix_shape *shape =
      requirement->unit == REQUIREMENT_INPUT_BYTES ? &instance->input : &instance->output;
  return requirement->unit == REQUIREMENT_NUMBER ? 1.0 : 4.0 * (double)matrix_elements(shape);
}

struct unmet requirements_unmet(const struct exercise_config *config, const struct fault_report *report,
                                const struct exercise_instance *instance, bool large) {
  for (unsigned i = 0; i < config->requirement_count; i++) {
    const struct requirement *requirement = &config->requirements[i];
    if (requirement->unit == REQUIREMENT_NUMBER && !large) continue;
    const double unit = unit_of(requirement, instance);
    const double anywhere = value_of(requirement, report, false), value = value_of(requirement, report, true);
    if (!(value >= requirement->at_least * unit))
      return (struct unmet){requirement, value, anywhere, requirement->at_least * unit, false};
    if (!(anywhere <= requirement->at_most * unit)) // too much counts wherever it was
      return (struct unmet){requirement, anywhere, anywhere, requirement->at_most * unit, true};
  }
  return (struct unmet){0};
}
