// A binary heap (event-queue.h).
#include "virtual-hopper/time/event-queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "virtual-hopper/base/arena.h"

static bool before(const struct queued_event *a, const struct queued_event *b) {
  return a->when < b->when || (a->when == b->when && a->order < b->order);
}

void event_queue_push(struct event_queue *q, const struct queued_event *event) {
  if (q->count == q->room) {
    q->room = q->room ? 2 * q->room : 256;
    q->heap = realloc(q->heap, q->room * sizeof *q->heap);
    if (!q->heap) die("out of memory for the time model");
  }
  struct queued_event new = *event;
  new.order = q->order++;
  uint32_t at = q->count++;
  for (; at > 0 && before(&new, &q->heap[(at - 1) / 2]); at = (at - 1) / 2)
    q->heap[at] = q->heap[(at - 1) / 2];
  q->heap[at] = new;
}

struct queued_event event_queue_pop(struct event_queue *q) {
  const struct queued_event top = q->heap[0], last = q->heap[--q->count];
  uint32_t at = 0;
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= q->count) break;
    if (child + 1 < q->count && before(&q->heap[child + 1], &q->heap[child])) child++;
    if (!before(&q->heap[child], &last)) break;
    q->heap[at] = q->heap[child];
    at = child;
  }
  q->heap[at] = last;
  return top;
}

void event_queue_end(struct event_queue *q) {
  free(q->heap);
}
