// The counters of struct observed by name, and how they are put together: bytes and events add up over kernels, of levels
// ("most at once") the highest counts.
#include "referee/requirements.h"

#include "virtual-hopper/fault.h"

#include <string.h>

enum counter_kind { SUM_64, MOST_64, MOST_32 };

struct counter {
  const char *name;
  enum counter_kind kind;
  size_t place;
};

#define COUNTER(kind, member) \
  { #member, kind, offsetof(struct observed, member) }
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
    COUNTER(SUM_64, shared_load_bytes),
    COUNTER(SUM_64, shared_store_bytes),
    COUNTER(SUM_64, proxy_fences),
    COUNTER(SUM_64, waits_read),
    COUNTER(SUM_64, waits_full),
    COUNTER(SUM_64, barriers_initialised),
    COUNTER(MOST_64, max_phases),
    COUNTER(MOST_32, max_loads_in_flight),
    COUNTER(MOST_32, max_stores_in_flight),
    COUNTER(MOST_32, max_groups_pending),
    COUNTER(MOST_64, max_load_bytes_in_flight),
    COUNTER(SUM_64, waits_leaving_groups),
    COUNTER(SUM_64, read_waits_leaving_groups),
};

static const struct counter *find(const char *name) {
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
    if (strcmp(counters[i].name, name) == 0) return &counters[i];
  return NULL;
}

bool requirement_counter_exists(const char *name) {
  return find(name) != NULL;
}

static double of_kernel(const struct counter *counter, const struct observed *observed) {
  const char *place = (const char *)observed + counter->place;
  return counter->kind == MOST_32 ? (double)*(const uint32_t *)place : (double)*(const uint64_t *)place;
}

// The counters' value over all kernels of the report, and the host's calls.
static double value_of(const struct requirement *requirement, const struct fault_report *report) {
  double value = 0;
  for (unsigned i = 0; i < requirement->counter_count; i++) {
    const struct counter *counter = find(requirement->counters[i]);
    for (size_t kernel = 0; counter && kernel <= observed_count(report); kernel++) {
      const struct observed *who =
          kernel < observed_count(report) ? observed_at(report, kernel) : observed_by_host(report);
      double here = of_kernel(counter, who);
      if (counter->kind == SUM_64) {
        value += here;
      } else if (here > value) {
        value = here;
      }
    }
  }
  return value;
}

static double unit_of(const struct requirement *requirement, const struct exercise_instance *instance) {
  const struct matrix_shape *shape =
      requirement->unit == REQUIREMENT_INPUT_BYTES ? &instance->input : &instance->output;
  return requirement->unit == REQUIREMENT_NUMBER ? 1.0 : 4.0 * (double)matrix_elements(shape);
}

struct unmet requirements_unmet(const struct exercise_config *config, const struct fault_report *report,
                                const struct exercise_instance *instance) {
  for (unsigned i = 0; i < config->requirement_count; i++) {
    const struct requirement *requirement = &config->requirements[i];
    double value = value_of(requirement, report), unit = unit_of(requirement, instance);
    if (!(value >= requirement->at_least * unit))
      return (struct unmet){requirement, value, requirement->at_least * unit, false};
    if (!(value <= requirement->at_most * unit))
      return (struct unmet){requirement, value, requirement->at_most * unit, true};
  }
  return (struct unmet){0};
}
