// The host's own code beside streams. In: what it touches of page-locked and managed memory, and which pages
// it asks about. Out: faults, and what operations that may still run do there.
#include "virtual-hopper/order/streams-internal.h"

enum { PAGE = 4096 };

// A launch that touches memory of the host's by other than plain accesses: the host may wait for a flag.
bool stream_tells_host(const struct stream_deed *d) {
  return d->touched && touched_is_ordered(d->touched);
}

static bool may_still_run(const struct stream_order *s, const struct stream_deed *d) {
  return s->host.seen[d->stream] < d->operation && !stream_tells_host(d);
}

static unsigned use_of_page(const struct stream_order *s, uint64_t page) {
  const struct stream_region whole = {page * PAGE, PAGE, PAGE, 1};
  unsigned use = 0;
  for (uint32_t i = 0; i < s->deed_count; i++) {
    const struct stream_deed *d = &s->deeds[i];
    uint64_t first;
    if (!may_still_run(s, d)) continue;
    if (d->touched) use |= touched_page_use(d->touched, page);
    for (uint32_t k = 0; !d->touched && k < d->region_count; k++)
      if (regions_meet(&d->regions[k].region, &whole, &first))
        use |= d->regions[k].writes ? TOUCH_WRITES : TOUCH_READS;
  }
  return use;
}

struct stream_touched stream_order_touched(const struct stream_order *s, uint64_t address, uint64_t bytes) {
  enum { MOST_PAGES = 1 << 16 };
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

void stream_order_host_touches(struct stream_order *s, const struct stream_region *region, bool writes) {
  struct stream_deed deed = {.facts = {.actor = STREAM_HOST}};
  stream_add_region(&deed, region, writes);
  for (uint32_t i = 0; i < s->deed_count && !s->gave_up; i++) {
    struct touch_conflict found;
    const struct stream_deed *earlier = &s->deeds[i];
    if (!may_still_run(s, earlier) || !stream_deeds_meet(earlier, &deed, &found)) continue;
    stream_report(s, earlier, &deed, &found);
    return;
  }
}
