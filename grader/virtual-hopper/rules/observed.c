// Records of what kernels did. In: the counters of one cluster or launch. Out: sums over a kernel, and JSON.
// One idea: whatever is done with every counter is done over one table, made from observed.def.
#include "virtual-hopper/rules/observed.h"

static const struct observed_counter counters[] = {
#define OBSERVED(type, combine, name, asked) \
  {#name, offsetof(struct observed, name), sizeof(type), OBSERVED_##combine, asked},
#include "virtual-hopper/rules/observed.def"
};
enum { COUNTER_COUNT = sizeof counters / sizeof counters[0] };

const struct observed_counter *observed_counter_at(size_t index) {
  return index < COUNTER_COUNT ? &counters[index] : NULL;
}

uint64_t observed_value(const struct observed *observed, const struct observed_counter *counter) {
  const char *place = (const char *)observed + counter->offset;
  return counter->size == sizeof(uint32_t) ? *(const uint32_t *)(const void *)place
                                           : *(const uint64_t *)(const void *)place;
}

static void set_value(struct observed *observed, const struct observed_counter *counter, uint64_t value) {
  char *place = (char *)observed + counter->offset;
  if (counter->size == sizeof(uint32_t))
    *(uint32_t *)(void *)place = (uint32_t)value;
  else
    *(uint64_t *)(void *)place = value;
}

static uint64_t loaded(const struct observed *o) {
  return o->bulk_load_bytes + o->tensor_load_bytes;
}

static uint64_t stored(const struct observed *o) {
  return o->bulk_store_bytes + o->tensor_store_bytes + o->bulk_reduce_bytes + o->tensor_reduce_bytes;
}

uint64_t observed_copied(const struct observed *observed) {
  return loaded(observed) + stored(observed);
}

// Two means, each over as many bytes as it is given; `mean` if there are none.
static double mean_of(double mean, uint64_t bytes, double other, uint64_t other_bytes) {
  if (bytes + other_bytes == 0) return mean;
  return (mean * (double)bytes + other * (double)other_bytes) / (double)(bytes + other_bytes);
}

// Without a barrier a record says nothing about the fewest phases of one.
static uint64_t fewest(const struct observed *a, uint64_t of_a, const struct observed *b, uint64_t of_b) {
  if (a->barriers_initialised == 0) return of_b;
  if (b->barriers_initialised == 0) return of_a;
  return of_a < of_b ? of_a : of_b;
}

void observed_add(struct observed *sum, const struct observed *part) {
  const struct observed before = *sum;
  sum->mean_loads_in_flight =
      mean_of(before.mean_loads_in_flight, loaded(&before), part->mean_loads_in_flight, loaded(part));
  sum->mean_stores_in_flight =
      mean_of(before.mean_stores_in_flight, stored(&before), part->mean_stores_in_flight, stored(part));
  for (size_t i = 0; i < COUNTER_COUNT; i++) {
    const uint64_t old = observed_value(&before, &counters[i]), more = observed_value(part, &counters[i]);
    switch (counters[i].combine) {
    case OBSERVED_SUM: set_value(sum, &counters[i], old + more); break;
    case OBSERVED_MOST: set_value(sum, &counters[i], old > more ? old : more); break;
    case OBSERVED_FEWEST: set_value(sum, &counters[i], fewest(&before, old, part, more)); break;
    }
  }
  for (size_t kind = 0; kind < LEVEL_KINDS; kind++)
    for (size_t level = 0; level < LEVEL_MOST; level++)
      sum->bytes_at_level[kind][level] += part->bytes_at_level[kind][level];
}

void observed_note_levels(struct observed *observed) {
  const uint64_t bytes = observed_copied(observed);
  for (size_t i = 0; i < COUNTER_COUNT; i++) {
    if (counters[i].asked >= LEVEL_KINDS) continue;
    const uint64_t value = observed_value(observed, &counters[i]);
    const uint64_t reached = counters[i].combine == OBSERVED_MOST ? value : value > 0;
    for (size_t level = 0; level < LEVEL_MOST && level < reached; level++)
      observed->bytes_at_level[counters[i].asked][level] = bytes;
  }
}

json_t *observed_json(const struct observed *observed) {
  json_t *object = json_object();
  for (size_t i = 0; i < COUNTER_COUNT; i++)
    json_object_set_new(object, counters[i].name,
                        json_integer((json_int_t)observed_value(observed, &counters[i])));
  json_object_set_new(object, "mean_loads_in_flight", json_real(observed->mean_loads_in_flight));
  json_object_set_new(object, "mean_stores_in_flight", json_real(observed->mean_stores_in_flight));
  return object;
}
