// Flags that order nothing: strong writes that release nothing, and who has read them since. In: strong
// accesses of threads. Out: for two threads that race, the write by which the earlier one meant to tell the
// later one. One idea: the last few such flags of a cluster are enough to name one; they judge nothing.
#include "virtual-hopper/order/internal.h"

static void set(struct actor by, uint64_t key) {
  struct order_cluster *c = by.w->block->order->cluster;
  const uint32_t agent = order_agent_of(by.w, by.lane);
  struct relaxed_flag *flag = NULL;
  for (uint32_t i = 0; i < c->flag_count && i < MOST_FLAGS && !flag; i++)
    if (c->flags[i].key == key && c->flags[i].writer == agent) flag = &c->flags[i];
  if (!flag) flag = &c->flags[c->flag_count++ % MOST_FLAGS];
  *flag = (struct relaxed_flag){by.op, key, agent, order_view_of(by.w, by.lane)->epoch, NO_AGENT};
}

// A flag is set by one thread; it may be read by many.
void order_flag_access(struct warp *w, const struct op *op, uint32_t lanes, uint64_t key,
                       enum order_kind kind, enum order_strength strength) {
  struct order_cluster *c = w->block->order->cluster;
  const struct actor by = actor_of(w, op, (uint32_t)__builtin_ctz(lanes));
  const uint32_t agent = order_agent_of(w, by.lane);
  for (uint32_t i = 0; kind != ORDER_WRITE && i < c->flag_count && i < MOST_FLAGS; i++)
    if (c->flags[i].key == key && c->flags[i].writer != agent) c->flags[i].reader = agent;
  const struct order_thread *t = order_view_of(w, by.lane);
  const bool tells_all = strength == ORDER_RELEASE || strength == ORDER_ACQ_REL ||
                         (t->has_fenced && !t->dirty && !t->strong); // nothing came since the fence
  if (kind != ORDER_READ && !tells_all && !(lanes & (lanes - 1))) set(by, key);
}

static bool same_warp(uint32_t agent, uint32_t other) {
  return (agent - 1) / WARP_LANES == (other - 1) / WARP_LANES;
}

const struct relaxed_flag *order_flag_between(const struct order_cluster *c, uint32_t writer, uint32_t epoch,
                                              uint32_t reader) {
  for (uint32_t i = 0; i < c->flag_count && i < MOST_FLAGS; i++) {
    const struct relaxed_flag *f = &c->flags[i];
    if (f->reader != NO_AGENT && same_warp(f->reader, reader) && same_warp(f->writer, writer) &&
        (f->writer != writer || f->epoch >= epoch))
      return f;
  }
  return NULL;
}
