// The host's own code and its functions in streams, beside what streams do (streams.h).
#include "virtual-hopper/order/streams-internal.h"

// ---- the host's own code ----------------------------------------------------------------------------------

// And touches memory of the host's by no other way than plain accesses: else the host may wait for a flag.
static bool may_still_run(const struct stream_order *s, const struct stream_deed *d) {
  return s->host.seen[d->stream] < d->operation && !(d->touched && touched_is_ordered(d->touched));
}

static unsigned use_of_page(const struct stream_order *s, uint64_t page) {
  unsigned use = 0;
  for (uint32_t i = 0; i < s->deed_count; i++)
    if (s->deeds[i].touched && may_still_run(s, &s->deeds[i]))
      use |= touched_page_use(s->deeds[i].touched, page);
  return use;
}

struct stream_touched stream_order_touched(const struct stream_order *s, uint64_t address, uint64_t bytes) {
  enum { PAGE = 4096, MOST_PAGES = 1 << 16 };
  struct stream_touched run = {0};
  const uint64_t pages = bytes / PAGE < MOST_PAGES ? (bytes + PAGE - 1) / PAGE : MOST_PAGES;
  for (uint64_t i = 0; i < pages && !s->gave_up && s->deed_count; i++) {
    const unsigned use = use_of_page(s, address / PAGE + i);
    const bool written = use & TOUCH_WRITES;
    if (run.count && (!use || written != run.written)) break;
    if (!use) continue;
    if (!run.count) run = (struct stream_touched){.first = i, .written = written};
    run.count++;
  }
  return run;
}

void stream_order_host_touches(struct stream_order *s, uint64_t address, bool writes) {
  const struct stream_region byte = {address, 1, 1, 1};
  struct stream_deed deed = {.facts = {.actor = STREAM_HOST}};
  if (s->function) deed = stream_deed_in(s, &s->streams[stream_place(s, s->function)], STREAM_HOST_FUNCTION);
  stream_deed_add(&deed, &byte, writes);
  for (uint32_t i = 0; i < s->deed_count && !s->gave_up; i++) {
    struct touch_conflict found;
    const struct stream_deed *earlier = &s->deeds[i];
    if (!may_still_run(s, earlier) || !stream_meet(earlier, &deed, &found)) continue;
    stream_report(s, earlier, &deed, &found);
    return;
  }
}

// ---- host functions ---------------------------------------------------------------------------------------

uint64_t stream_order_function(struct stream_order *s, uint32_t stream) {
  return stream_next(s, stream)->operations;
}

void stream_order_function_runs(struct stream_order *s, uint32_t stream, uint64_t operation) {
  const uint32_t at = stream_place(s, stream);
  struct stream_clock before = s->streams[at].clock;
  if (operation && before.seen[at] >= operation) before.seen[at] = operation - 1;
  s->function = stream;
  stream_join(&s->host, &before);
  stream_drop_done(s);
}

void stream_order_function_writes(struct stream_order *s, uint32_t stream,
                                  const struct stream_region *region) {
  const struct stream *me = &s->streams[stream_place(s, stream)];
  struct stream_deed deed = stream_deed_in(s, me, STREAM_HOST_FUNCTION);
  if (!stream_has_others(s)) return;
  stream_deed_add(&deed, region, true);
  stream_judge(s, &deed);
  stream_keep(s, &deed);
}

bool stream_order_is_after(struct stream_order *s, uint32_t later, uint32_t stream, uint64_t operation) {
  const uint32_t at = stream_place(s, stream);
  return s->gave_up || stream_catch_up(s, later)->clock.seen[at] >= operation;
}

bool stream_order_event_is_after(struct stream_order *s, uint64_t event, uint32_t stream,
                                 uint64_t operation) {
  struct stream_clock seen = s->host;
  stream_join_event(s, &seen, event);
  return s->gave_up || seen.seen[stream_place(s, stream)] >= operation;
}

void stream_order_host_function(struct stream_order *s, uint32_t stream, uint32_t copy, uint64_t address,
                                bool writes) {
  if (!s->judges || !stream || !copy) return;
  const uint32_t first = stream_place(s, stream), second = stream_place(s, copy);
  if (s->gave_up || first == second) return;
  const struct stream_deed earlier = stream_deed_in(s, &s->streams[first], STREAM_HOST_FUNCTION),
                           later = stream_deed_in(s, &s->streams[second],
                                                  writes ? STREAM_COPY_TO_HOST : STREAM_COPY_TO_DEVICE);
  const struct touch_conflict found = {.address = address, .earlier_writes = true, .later_writes = writes};
  stream_report(s, &earlier, &later, &found);
}
