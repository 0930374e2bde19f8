// A thread's latest read of shared memory that nobody had written. In: a thread that has just made a bad
// access. Out: that read. One idea: running kernels pay nothing for it; when one has failed, the shadow is
// searched for granules that the thread read and that have no writer.
#include "virtual-hopper/order/internal.h"

// This thread's read of the granule, if that has no writer; else NULL.
static const struct shadow_reader *read_of(struct shadow *s, uint32_t g, uint32_t warp_agent, uint32_t lane) {
  if (s->write_agent[g] != NO_AGENT) return NULL;
  for (uint32_t i = shadow_readers(s, g); i; i = s->pool[i].next) {
    const struct shadow_reader *r = &s->pool[i];
    if (reader_is(r, warp_agent + lane)) return r;
  }
  return NULL;
}

bool order_unwritten_read(const struct warp *w, uint32_t lane, struct order_unwritten *found) {
  *found = (struct order_unwritten){0};
  if (!w->block->order) return false;
  struct shadow *s = &w->block->order->shadow;
  const uint32_t warp_agent = order_agent_of(w, 0);
  uint32_t latest_epoch = 0;
  for (uint32_t line = 0; line < s->line_count; line++) {
    uint32_t first = line * line_granules(s), end = first + line_granules(s);
    if (!s->lines[line].detailed && s->lines[line].reader_count == 0 && !s->lines[line].quick_warps) continue;
    line_spell_out(s, first, 1);
    for (uint32_t g = first; g < end && g < s->granules; g++) {
      const struct shadow_reader *r = read_of(s, g, warp_agent, lane);
      if (!r || r->epoch <= latest_epoch) continue;
      found->read = r->op;
      found->offset = SHARED_FIRST_OFFSET + (g << s->shift);
      latest_epoch = r->epoch;
    }
  }
  const struct order_thread *t = order_thread_of(w, lane);
  if (found->read && t->stale_wait && t->stale_since <= latest_epoch) {
    found->wait = t->stale_wait;
    found->stale = order_stale_wait(w->block->cluster->order, warp_agent + lane - 1);
  }
  return found->read != NULL;
}
