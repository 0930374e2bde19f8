// Host functions that were tried before they begin (shim/client-probe.h). In: whether one waits, and what it
// would touch. Out: how sure a report is, and faults beside copies to pageable memory. One idea: the host
// waits for something and then gives a function its word. A function that waits until then comes after it
// all; one that would go on at once doesn't, and one of which nothing is known may.
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/streams-internal.h"

enum { PAGE = 4096 };

static struct stream_function *find(struct stream_order *s, uint32_t stream, uint64_t operation) {
  for (int i = 0; i < MOST_FUNCTIONS && stream; i++)
    if (s->functions[i].stream == stream && s->functions[i].operation == operation) return &s->functions[i];
  return NULL;
}

bool stream_function_would(const struct stream_function *f, const struct stream_deed *deed,
                           uint64_t address) {
  if (!deed->by_host && f->told_before.seen[deed->stream] >= deed->operation) return false;
  for (uint32_t i = 0; i < f->would_count; i++)
    if (f->would[i] == address / PAGE) return true;
  return false;
}

uint32_t stream_functions_that_wait(const struct stream_order *s) {
  uint32_t bits = 0;
  for (int i = 0; i < MOST_FUNCTIONS; i++)
    bits |= (uint32_t)(s->functions[i].waits && !s->functions[i].would_count) << i;
  return bits;
}

static bool is_the_hosts(const struct stream_order *s, const struct stream_deed *d) {
  bool any = d->touched != NULL;
  for (uint32_t i = 0; i < d->region_count; i++)
    any = any || memory_is_the_hosts(s->memory, d->regions[i].region.address);
  return any;
}

bool stream_order_wants_try(const struct stream_order *s, uint32_t stream, uint64_t operation) {
  for (int i = 0; i < MOST_FUNCTIONS && !s->gave_up; i++) {
    const struct stream_function *f = &s->functions[i];
    if (f->stream != stream || f->operation != operation || f->runs || f->is_told) continue;
    for (uint32_t k = 0; k < s->deed_count; k++) {
      const struct stream_deed *d = &s->deeds[k];
      const bool beside = f->clock.seen[d->stream] < d->operation && s->host.seen[d->stream] < d->operation;
      if (beside && is_the_hosts(s, d)) return true;
    }
  }
  return false;
}

void stream_order_function_waits(struct stream_order *s, uint32_t stream, uint64_t operation, bool waits) {
  struct stream_function *f = find(s, stream, operation);
  if (!f || f->runs) return;
  f->waits = waits;
  f->would_count = 0;
  f->told_before = f->told;
}

void stream_order_function_would(struct stream_order *s, uint32_t stream, uint64_t operation,
                                 uint64_t address) {
  struct stream_function *f = find(s, stream, operation);
  if (f && !f->runs && f->would_count < MOST_WOULD) f->would[f->would_count++] = address / PAGE;
}

void stream_order_function_meets(struct stream_order *s, uint32_t stream, uint64_t operation,
                                 uint64_t address, bool writes) {
  const struct stream_region byte = {address, 1, 1, 1};
  const struct stream *other = &s->streams[s->copied_in];
  struct stream_function *f = find(s, stream, operation);
  if (!f || f->is_told || s->gave_up || f->clock.seen[s->copied_in] >= other->operations) return;
  struct stream_deed copy = stream_new_deed(s, other, STREAM_COPY_TO_HOST);
  struct stream_deed function =
      stream_new_deed(s, &s->streams[stream_place_of(s, stream)], STREAM_HOST_FUNCTION);
  const struct touch_conflict found = {.address = address, .earlier_writes = writes, .later_writes = true};
  copy.facts.pageable = true;
  stream_add_region(&copy, &byte, true);
  stream_add_region(&function, &byte, writes);
  stream_report(s, &function, &copy, &found);
  f->is_told = true;
}
