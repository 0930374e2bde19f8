// Values that streams write and wait for (cuStreamWriteValue32, cuStreamWaitValue32). In: what they have
// written, what a wait has found. Out: order: who waits comes after who has written. One idea: a wait may go
// on as soon as memory holds such a value, so it comes after the first write that suffices, of those that may
// not have been done before it.
// CUDA Driver API, "Stream Memory Operations": a write comes after all that is before it in its stream.
#include <string.h>

#include "virtual-hopper/base/stream-value.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/streams-internal.h"

static void drop(struct stream_order *s, uint32_t at) {
  memmove(s->values + at, s->values + at + 1, (--s->value_count - at) * sizeof *s->values);
}

static const struct stream_value *find_last(const struct stream_order *s, uint64_t address) {
  for (uint32_t i = s->value_count; i > 0; i--)
    if (s->values[i - 1].address == address) return &s->values[i - 1];
  return NULL;
}

// Somebody else has written there since: what streams have written before is no longer there.
static void forget(struct stream_order *s, uint64_t address) {
  for (uint32_t i = s->value_count; i > 0; i--)
    if (s->values[i - 1].address == address) drop(s, i - 1);
}

// ---- launches that may wait for a value -------------------------------------------------------------------

void stream_order_judge_later(struct stream_order *s) {
  s->judges_later = true;
}

bool stream_delays(struct stream_order *s, const struct stream_deed *launch) {
  const bool delays = s->judges_later && !s->has_delayed && touched_is_ordered(launch->touched);
  s->judges_later = false;
  if (delays) s->delayed = *launch;
  s->has_delayed |= delays;
  return delays;
}

void stream_order_settle(struct stream_order *s) {
  if (!s->has_delayed) return;
  s->has_delayed = false;
  stream_judge(s, &s->delayed);
  stream_keep(s, &s->delayed);
}

// The launch has looked at the word while the stream wrote it.
static void tell_delayed(struct stream_order *s, const struct stream_value *written) {
  const struct stream_region word = {written->address, 1, 1, 1};
  struct touch_conflict found;
  if (s->has_delayed && touched_meet_region(s->delayed.touched, &word, true, false, &found))
    stream_clock_join(&s->streams[s->delayed.stream].clock, &written->clock);
}

// ---- values -----------------------------------------------------------------------------------------------

void stream_order_value_written(struct stream_order *s, uint32_t stream, uint64_t address, unsigned how,
                                uint64_t value, uint64_t before) {
  const struct stream *me = stream_next_operation(s, stream);
  const struct stream_value *last = find_last(s, address);
  if (!(how & STREAM_VALUE_WIDE)) value = (uint32_t)value;
  if (last && last->value != before) forget(s, address);
  if (s->value_count == MOST_VALUES) drop(s, 0);
  s->values[s->value_count++] = (struct stream_value){.address = address,
                                                      .value = value,
                                                      .before = before,
                                                      .stream = (uint32_t)(me - s->streams),
                                                      .operation = me->operations,
                                                      .clock = me->clock};
  tell_delayed(s, &s->values[s->value_count - 1]);
}

static bool is_in_page(const struct stream_value *v, uint64_t address) {
  enum { PAGE = 4096 };
  return v->address / PAGE == address / PAGE;
}

bool stream_has_value(const struct stream_order *s, uint64_t address) {
  for (uint32_t i = 0; i < s->value_count; i++)
    if (is_in_page(&s->values[i], address)) return true;
  return false;
}

void stream_order_host_looks(struct stream_order *s, uint64_t address) {
  for (uint32_t i = 0; i < s->value_count; i++)
    if (is_in_page(&s->values[i], address)) stream_clock_join(&s->host, &s->values[i].clock);
  stream_drop_done(s);
}

// A kernel, a copy or the host has written the value: what may have done so comes before; of the host, what
// it had waited for when the value was there. Where nothing is known of it, all does.
static void join_writers(struct stream_order *s, struct stream *me, uint64_t address, uint64_t bytes) {
  const struct stream_region word = {address, bytes, bytes, 1};
  struct stream_deed wait = {.facts = {.actor = STREAM_HOST}};
  bool is_known = memory_is_the_hosts(s->memory, address);
  if (is_known) stream_clock_join(&me->clock, stream_host_at(s, s->found.mark));
  stream_add_region(&wait, &word, false);
  for (uint32_t i = 0; i < s->deed_count; i++) {
    const struct stream_deed *d = &s->deeds[i];
    struct touch_conflict found;
    if (!stream_deeds_meet(d, &wait, &found)) continue;
    stream_clock_join(&me->clock, d->clock);
    is_known = true;
  }
  if (!is_known || s->deed_count == MOST_DEEDS) stream_join_all(s, &me->clock);
}

void stream_order_value_found(struct stream_order *s, uint64_t mark, bool was_missing) {
  s->found.mark = mark;
  s->found.was_missing = was_missing;
}

void stream_order_value_awaited(struct stream_order *s, uint32_t stream, uint64_t address, unsigned how,
                                uint64_t wanted, uint64_t now) {
  struct stream *me = stream_catch_up(s, stream);
  const struct stream_value *last = find_last(s, address), *first = NULL;
  bool there = false, is_known = false; // is_known: what memory holds, at the latest, when the wait begins
  const bool is_gone = !last || last->value != now; // somebody else has written it
  bool was_missing = false;
  for (uint32_t i = 0; i < s->value_count; i++) {
    const struct stream_value *v = &s->values[i];
    if (v->address != address) continue;
    if (!is_known) there = stream_value_meets(how, v->before, wanted);
    is_known = true;
    if (me->clock.seen[v->stream] >= v->operation) {
      there = stream_value_meets(how, v->value, wanted);
      first = NULL;
      was_missing = false;
    } else if (!first && stream_value_meets(how, v->value, wanted)) {
      first = v;
    } else {
      was_missing |= !stream_value_meets(how, v->value, wanted);
    }
  }
  if (is_gone) forget(s, address);
  if (is_gone || (there && s->found.was_missing && !was_missing)) { // in between, or so it must be
    join_writers(s, me, address, how & STREAM_VALUE_WIDE ? sizeof(uint64_t) : sizeof(uint32_t));
  } else if (!there && first) {
    stream_clock_join(&me->clock, &first->clock);
  }
  stream_order_value_found(s, 0, false);
}

void stream_order_value_hangs(const struct stream_order *s, uint64_t address,
                              struct stream_hang_facts *facts) {
  for (uint32_t i = 0; i < s->value_count; i++) {
    const struct stream_value *v = &s->values[i];
    if (v->address != address) continue;
    facts->has_writes = true;
    facts->written = v->value;
    facts->was_awaited_late |= stream_value_meets(facts->how, v->value, facts->wanted);
  }
  for (int i = 0; i < MOST_STREAMS; i++)
    if (s->streams[i].number == facts->stream) facts->non_blocking = s->streams[i].non_blocking;
  memory_describe(s->memory, address, facts->place, sizeof facts->place);
}
