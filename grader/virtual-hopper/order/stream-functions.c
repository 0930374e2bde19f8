// Host functions in streams (cudaLaunchHostFunc). In: their calls, and what they touch of memory that the
// device shares, when they run. Out: faults. One idea: a function runs as late as its stream allows: what has
// been done before, and is not in its clock, may run beside it. Functions are not judged against each other:
// they may share a lock.
#include <string.h>

#include "virtual-hopper/order/streams-internal.h"

// The one that runs, or else the oldest: the functions of a stream run one after the other.
static struct stream_function *find(struct stream_order *s, uint32_t stream) {
  struct stream_function *found = NULL;
  for (int i = 0; i < MOST_FUNCTIONS && stream; i++) {
    struct stream_function *f = &s->functions[i];
    if (f->stream == stream && (!found || f->runs || (!found->runs && f->operation < found->operation)))
      found = f;
  }
  return found;
}

static struct stream_function *find_room(struct stream_order *s) {
  for (int i = 0; i < MOST_FUNCTIONS; i++)
    if (!s->functions[i].stream) return &s->functions[i];
  return NULL;
}

static uint32_t bit_of(const struct stream_order *s, const struct stream_function *f) {
  return 1u << (f - s->functions);
}

static bool is_beside(const struct stream_order *s, const struct stream_function *f,
                      const struct stream_deed *deed) {
  if (deed->by_host && !f->runs) return (deed->called & bit_of(s, f)) != 0;
  return f->runs ? (deed->beside & bit_of(s, f)) != 0 : f->clock.seen[deed->stream] < deed->operation;
}

bool stream_function_beside(const struct stream_order *s, const struct stream_deed *deed) {
  for (int i = 0; i < MOST_FUNCTIONS; i++)
    if (s->functions[i].stream && is_beside(s, &s->functions[i], deed)) return true;
  return false;
}

uint32_t stream_functions_called(const struct stream_order *s) {
  uint32_t bits = 0;
  for (int i = 0; i < MOST_FUNCTIONS; i++)
    bits |= (uint32_t)(s->functions[i].stream != 0) << i;
  return bits;
}

void stream_functions_passed(struct stream_order *s) {
  for (int i = 0; i < MOST_FUNCTIONS; i++) {
    struct stream_function *f = &s->functions[i];
    if (!f->stream) continue;
    const bool passed = s->host.seen[stream_place_of(s, f->stream)] < f->operation;
    if (passed) f->awaited = s->host;
    if (f->runs || (passed && f->waits)) stream_clock_join(&f->told, &s->host);
  }
}

uint64_t stream_order_function_called(struct stream_order *s, uint32_t stream) {
  struct stream_function *f = find_room(s);
  if (!s->judges || s->gave_up || !f) return 0;
  const struct stream *me = stream_next_operation(s, stream);
  if (s->gave_up) return 0;
  *f = (struct stream_function){.stream = stream, .operation = me->operations, .clock = me->clock};
  return f->operation;
}

bool stream_order_comes_after(struct stream_order *s, uint32_t stream, uint32_t other, uint64_t operation) {
  struct stream_clock now;
  stream_clock_now(s, stream, &now);
  return s->gave_up || now.seen[stream_place_of(s, other)] >= operation;
}

bool stream_order_function_runs(struct stream_order *s, uint32_t stream) {
  struct stream_function *f = find(s, stream);
  bool any = false;
  if (!f) return false;
  for (uint32_t i = 0; i < s->deed_count; i++) {
    const bool beside = is_beside(s, f, &s->deeds[i]);
    if (beside) s->deeds[i].beside |= bit_of(s, f);
    any |= beside;
  }
  f->runs = true;
  struct stream_clock before = f->clock;
  before.seen[stream_place_of(s, stream)] = f->operation - 1;
  stream_clock_join(&s->host, &before);
  stream_drop_done(s);
  return any && !s->gave_up;
}

// What the program has called first comes first.
static void tell(const struct stream_order *s, const struct stream_function *f,
                 const struct stream_deed *deed, const struct stream_deed *function,
                 const struct touch_conflict *found) {
  struct stream_deed told = *deed;
  const struct stream_deed *other = &told;
  // by its own call: of memory that the copy has read
  const bool awaited =
      deed->by_host ? deed->facts.pageable : f->awaited.seen[deed->stream] >= deed->operation;
  told.facts.is_awaited = awaited && !stream_function_would(f, deed, found->address);
  const struct touch_conflict turned = {.address = found->address,
                                        .earlier_writes = found->later_writes,
                                        .later_writes = found->earlier_writes,
                                        .later = found->earlier,
                                        .later_map = found->earlier_map};
  if (other->called & bit_of(s, f))
    stream_report(s, function, other, &turned);
  else
    stream_report(s, other, function, found);
}

void stream_order_function_touches(struct stream_order *s, uint32_t stream, uint64_t address, uint64_t bytes,
                                   bool writes) {
  const struct stream_region region = {address, bytes, bytes, 1};
  struct stream_function *f = find(s, stream);
  if (!f || f->is_told || s->gave_up) return;
  if (stream_has_value(s, address)) f->is_told = true; // it may wait for a value, and know the rest
  if (f->is_told) return;
  const uint32_t at = stream_place_of(s, stream);
  struct stream_deed deed = stream_new_deed(s, &s->streams[at], STREAM_HOST_FUNCTION);
  stream_add_region(&deed, &region, writes);
  for (uint32_t i = 0; i < s->deed_count; i++) {
    const struct stream_deed *earlier = &s->deeds[i];
    struct touch_conflict found;
    if (earlier->touched && touched_is_ordered(earlier->touched)) continue; // may hand over by a flag
    const bool told = !earlier->by_host && f->told.seen[earlier->stream] >= earlier->operation;
    if (told && !stream_function_would(f, earlier, address)) continue;
    if (!is_beside(s, f, earlier) || !stream_deeds_meet(earlier, &deed, &found)) continue;
    tell(s, f, earlier, &deed, &found);
    f->is_told = true;
    return;
  }
}

// Of streams that wait for the default stream.
static uint32_t functions_that_block(struct stream_order *s) {
  uint32_t bits = 0;
  for (int i = 0; i < MOST_FUNCTIONS; i++) {
    const uint32_t stream = s->functions[i].stream;
    if (!stream || stream == STREAM_DEFAULT || s->functions[i].runs) continue;
    bits |= (uint32_t)!s->streams[stream_place_of(s, stream)].non_blocking << i;
  }
  return bits;
}

bool stream_order_source(struct stream_order *s, uint32_t stream, const struct stream_region *region,
                         bool pageable) {
  const uint32_t called = (pageable                   ? stream_functions_called(s)
                           : stream == STREAM_DEFAULT ? functions_that_block(s)
                                                      : 0) &
                          ~stream_functions_that_wait(s);
  if (!called || !s->judges || s->gave_up) return false;
  struct stream_deed deed =
      stream_new_deed(s, &s->streams[stream_place_of(s, stream)], STREAM_COPY_TO_DEVICE);
  deed.operation = 0; // for other operations it is done
  deed.by_host = true;
  deed.facts.pageable = pageable;
  deed.facts.is_early = !pageable;
  stream_add_region(&deed, region, false);
  stream_keep(s, &deed);
  s->deeds[s->deed_count - 1].called = called;
  return true;
}

// The host may have told the function of what it had waited for: all that comes after the function knows.
static void tell_behind(struct stream_order *s, uint32_t place, uint64_t operation) {
  for (uint32_t i = 0; i < MOST_STREAMS && s->mark_count; i++)
    if (s->streams[i].number && s->streams[i].clock.seen[place] >= operation)
      stream_clock_join(&s->streams[i].clock, &s->host);
  for (uint32_t i = 0; i < s->event_count && s->mark_count; i++)
    if (s->events[i].clock.seen[place] >= operation) stream_clock_join(&s->events[i].clock, &s->host);
}

void stream_order_function_ends(struct stream_order *s, uint32_t stream) {
  struct stream_function *f = find(s, stream);
  if (!f) return;
  stream_clock_join(&s->host, &f->clock);
  tell_behind(s, stream_place_of(s, stream), f->operation);
  for (uint32_t i = 0; i < s->deed_count; i++)
    s->deeds[i].beside &= ~bit_of(s, f), s->deeds[i].called &= ~bit_of(s, f);
  *f = (struct stream_function){0};
  stream_drop_done(s);
}
