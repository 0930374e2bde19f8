// Why an event has not ordered two operations. In: the last waits of the later one's stream, or of the host.
// Out: a fact for the report. One idea: only a wait that was called after the earlier operation was meant for
// it.
#include "virtual-hopper/order/streams-internal.h"

static enum stream_waited judge(const struct stream_wait *w, const struct stream_deed *earlier,
                                const struct stream_deed *later) {
  if (!w->in) return STREAM_WAITED_NEVER;
  if (w->in == earlier->facts.stream)
    return w->clock.seen[earlier->stream] < earlier->operation ? STREAM_WAITED_EARLY : STREAM_WAITED_NOT;
  return later->facts.actor != STREAM_HOST && w->in == later->facts.stream ? STREAM_WAITED_OWN
                                                                           : STREAM_WAITED_OTHER;
}

// An event of the earlier one's own stream tells most, whichever wait was the last.
void stream_explain(const struct stream_order *s, const struct stream_deed *earlier,
                    const struct stream_deed *later, struct stream_facts *facts) {
  const bool by_host = later->facts.actor == STREAM_HOST;
  const struct stream_waits *waits = by_host ? &s->waits : &s->streams[later->stream].waits;
  if (earlier->by_host || later->facts.actor == STREAM_HOST_FUNCTION ||
      earlier->facts.actor == STREAM_HOST_FUNCTION || earlier->facts.stream >= STREAM_OF_GRAPH ||
      (!by_host && later->facts.stream >= STREAM_OF_GRAPH))
    return;
  for (int i = 0; i < MOST_WAITS; i++) {
    const struct stream_wait *w = &waits->last[i];
    if (w->at <= earlier->begun) continue;
    const enum stream_waited how = judge(w, earlier, later);
    if (how == STREAM_WAITED_NOT || (facts->waited != STREAM_WAITED_NOT && how != STREAM_WAITED_EARLY))
      continue;
    facts->waited = how;
    facts->recorded_in = (struct stream_deed_facts){.stream = w->in, .non_blocking = w->non_blocking};
  }
}
