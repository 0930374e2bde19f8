// The counters of struct observed by name, and how they are put together: bytes add up over kernels. Of events and levels
// ("most at once") the kernels that bear the work are asked: else a small kernel beside them could do for show what is required.
#include "referee/requirements.h"

#include "virtual-hopper/fault.h"

#include <math.h>
#include <string.h>

enum counter_kind { SUM_64, EVENTS_64, MOST_64, MOST_32, LESSER_64 };

struct counter {
  const char *name;
  enum counter_kind kind;
  size_t place;
  size_t other; // LESSER_64: the lesser one of two sums counts
};

#define COUNTER(kind, member) \
  { #member, kind, offsetof(struct observed, member), 0 }
#define LESSER(name, member, other) \
  { #name, LESSER_64, offsetof(struct observed, member), offsetof(struct observed, other) }
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
    COUNTER(MOST_64, max_phases),
    COUNTER(MOST_32, max_loads_in_flight),
    COUNTER(MOST_32, max_stores_in_flight),
    COUNTER(MOST_32, max_groups_pending),
    COUNTER(MOST_64, max_load_bytes_in_flight),
    COUNTER(EVENTS_64, waits_leaving_groups),
    COUNTER(EVENTS_64, read_waits_leaving_groups),
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

static uint64_t copied(const struct observed *o) {
  return o->bulk_load_bytes + o->bulk_store_bytes + o->bulk_reduce_bytes + o->tensor_load_bytes +
         o->tensor_store_bytes + o->tensor_reduce_bytes;
}

// The least number of bytes that a kernel's copies have moved for the kernel to bear the work: half of the busiest's.
static uint64_t least_share(const struct fault_report *report) {
  uint64_t most = 0;
  for (size_t i = 0; i < observed_count(report); i++)
    if (copied(observed_at(report, i)) > most) most = copied(observed_at(report, i));
  return most / 2;
}

// Does what this kernel, or the host, has done count? Too much counts wherever it was.
static bool concerns(enum counter_kind kind, const struct requirement *requirement,
                     const struct observed *who, uint64_t share) {
  return kind == SUM_64 || kind == LESSER_64 || requirement->at_least == 0 || copied(who) >= share;
}

static bool is_most(enum counter_kind kind) {
  return kind == MOST_64 || kind == MOST_32;
}

// One number of struct observed over the kernels of the report, and the host's calls.
static double over_kernels(enum counter_kind kind, size_t offset, const struct requirement *requirement,
                           const struct fault_report *report) {
  const uint64_t share = least_share(report);
  double value = 0;
  for (size_t kernel = 0; kernel <= observed_count(report); kernel++) {
    const struct observed *who =
        kernel < observed_count(report) ? observed_at(report, kernel) : observed_by_host(report);
    if (!concerns(kind, requirement, who, share)) continue;
    double here = of_kernel(kind, offset, who);
    if (!is_most(kind)) {
      value += here;
    } else if (here > value) {
      value = here;
    }
  }
  return value;
}

static double value_of(const struct requirement *requirement, const struct fault_report *report) {
  double value = 0;
  for (unsigned i = 0; i < requirement->counter_count; i++) {
    const struct counter *counter = find(requirement->counters[i]);
    if (!counter) continue;
    double here = over_kernels(counter->kind, counter->place, requirement, report);
    if (counter->kind == LESSER_64)
      here = fmin(here, over_kernels(counter->kind, counter->other, requirement, report));
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
    double value = value_of(requirement, report), unit = unit_of(requirement, instance);
    if (!(value >= requirement->at_least * unit))
      return (struct unmet){requirement, value, requirement->at_least * unit, false};
    if (!(value <= requirement->at_most * unit))
      return (struct unmet){requirement, value, requirement->at_most * unit, true};
  }
  return (struct unmet){0};
}
