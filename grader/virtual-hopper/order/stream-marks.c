// Calls that are kept until something before them has ended (shim/client-later.h), and made then. In: marks,
// set when the program makes such a call. Out: what the host had waited for by then. One idea: what a call
// comes after is settled when the program calls, not when a thread of the library's gets to it.
#include "virtual-hopper/order/streams-internal.h"

#include <string.h>

static const struct stream_mark *find(const struct stream_order *s, uint64_t number) {
  for (uint32_t i = 0; number && i < s->mark_count; i++)
    if (s->marks[i].number == number) return &s->marks[i];
  return NULL;
}

// Where there is no room, such calls come after what the host waits for until they are made.
void stream_order_mark(struct stream_order *s, uint64_t number) {
  if (!number || find(s, number) || s->mark_count == MOST_MARKS) return;
  s->marks[s->mark_count++] = (struct stream_mark){number, s->host};
}

void stream_order_forget_marks(struct stream_order *s, uint64_t number) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->mark_count; i++)
    if (s->marks[i].number >= number) s->marks[kept++] = s->marks[i];
  s->mark_count = kept;
  stream_drop_done(s);
}

void stream_order_as_of(struct stream_order *s, uint32_t stream, uint64_t number) {
  s->streams[stream_place_of(s, stream)].as_of = number;
}

const struct stream_clock *stream_host_of(const struct stream_order *s, const struct stream *me) {
  const struct stream_mark *mark = find(s, me->as_of);
  return mark ? &mark->host : &s->host;
}

const struct stream_clock *stream_host_at(const struct stream_order *s, uint64_t number) {
  const struct stream_mark *mark = find(s, number);
  return mark ? &mark->host : &s->host;
}

void stream_clock_of_all(const struct stream_order *s, struct stream_clock *seen) {
  *seen = s->host;
  for (uint32_t i = 0; i < s->mark_count; i++)
    for (int k = 0; k < MOST_STREAMS; k++)
      if (s->marks[i].host.seen[k] < seen->seen[k]) seen->seen[k] = s->marks[i].host.seen[k];
}
