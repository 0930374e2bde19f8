// Records of what kernels did. In: the counters of one cluster or launch. Out: sums over a kernel, and JSON.
// One idea: whatever is done with every counter is done over one table, made from observed.def.
#include "virtual-hopper/rules/observed.h"

static const struct observed_counter counters[] = {
#define OBSERVED(type, combine, name, asked, words) \
  {#name, words, offsetof(struct observed, name), sizeof(type), OBSERVED_##combine, asked},
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

static double mean_of(uint64_t parts, uint64_t bytes, double without_bytes) {
  return bytes ? (double)parts / MEAN_PARTS / (double)bytes : without_bytes;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

// Without a barrier a record says nothing about the fewest phases of one.
static uint64_t fewest(const struct observed *a, uint64_t of_a, const struct observed *b, uint64_t of_b) {
  if (a->barriers_initialised == 0) return of_b;
  if (b->barriers_initialised == 0) return of_a;
  return of_a < of_b ? of_a : of_b;
}

static int compare_index(const uint32_t a[3], const uint32_t b[3]) {
  for (int i = 2; i >= 0; i--)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

bool observed_access_before(const struct observed_access *a, const struct observed_access *b) {
  if (a->weight != b->weight) return a->weight > b->weight;
  if (a->ptx_line != b->ptx_line) return a->ptx_line < b->ptx_line;
  const int block = compare_index(a->block, b->block);
  return block ? block < 0 : compare_index(a->thread, b->thread) < 0;
}

void observed_add(struct observed *sum, const struct observed *part) {
  const struct observed before = *sum;
  sum->load_parts += part->load_parts;
  sum->store_parts += part->store_parts;
  sum->mean_loads_in_flight = mean_of(sum->load_parts, loaded(&before) + loaded(part),
                                      larger(before.mean_loads_in_flight, part->mean_loads_in_flight));
  sum->mean_stores_in_flight = mean_of(sum->store_parts, stored(&before) + stored(part),
                                       larger(before.mean_stores_in_flight, part->mean_stores_in_flight));
  for (size_t i = 0; i < COUNTER_COUNT; i++) {
    const uint64_t old = observed_value(&before, &counters[i]), more = observed_value(part, &counters[i]);
    switch (counters[i].combine) {
    case OBSERVED_SUM: set_value(sum, &counters[i], old + more); break;
    case OBSERVED_MOST: set_value(sum, &counters[i], old > more ? old : more); break;
    case OBSERVED_FEWEST: set_value(sum, &counters[i], fewest(&before, old, part, more)); break;
    }
  }
  for (size_t kind = 0; kind < WORST_KINDS; kind++)
    if (observed_access_before(&part->worst[kind], &sum->worst[kind])) sum->worst[kind] = part->worst[kind];
  for (size_t kind = 0; kind < LEVEL_KINDS; kind++)
    for (size_t level = 0; level < LEVEL_MOST; level++)
      sum->bytes_at_level[kind][level] += part->bytes_at_level[kind][level];
}

static void note_means(struct observed *o) {
  o->load_parts = (uint64_t)(o->mean_loads_in_flight * (double)loaded(o) * MEAN_PARTS);
  o->store_parts = (uint64_t)(o->mean_stores_in_flight * (double)stored(o) * MEAN_PARTS);
  o->mean_loads_in_flight = mean_of(o->load_parts, loaded(o), o->mean_loads_in_flight);
  o->mean_stores_in_flight = mean_of(o->store_parts, stored(o), o->mean_stores_in_flight);
}

// Whether a cluster does what a counter of events or bytes is about. Of bytes a crumb isn't enough: it must
// be a part of all that the cluster loads or stores. The parts are far below what working kernels reach.
static bool does_so(const struct observed *o, enum observed_level kind, uint64_t value) {
  if (value == 0) return false;
  switch (kind) {
  case LEVEL_RING: return value >= loaded(o) / 16;
  case LEVEL_MULTICAST: return value >= loaded(o) / 4;
  case LEVEL_BESIDE: return value >= stored(o) / 32;
  default: return true;
  }
}

void observed_note_levels(struct observed *observed) {
  const uint64_t bytes = observed_copied(observed);
  note_means(observed);
  for (size_t i = 0; i < COUNTER_COUNT; i++) {
    if (counters[i].asked >= LEVEL_KINDS) continue;
    const uint64_t value = observed_value(observed, &counters[i]);
    const uint64_t reached =
        counters[i].combine == OBSERVED_MOST ? value : does_so(observed, counters[i].asked, value);
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
