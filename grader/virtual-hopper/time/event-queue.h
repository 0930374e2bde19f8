// What a replay has to do next: events in the order of time. Private to the room.
#ifndef VIRTUAL_HOPPER_TIME_EVENT_QUEUE_H
#define VIRTUAL_HOPPER_TIME_EVENT_QUEUE_H

#include <stdint.h>

struct queued_event { // at `when` warp `warp` of place `place` goes on, or (warp UINT32_MAX) a phase counts
  double when;        // in cycles
  uint64_t order;     // the queue's: of two at one time, the one that came first is the first
  uint32_t place, warp, phase, count;
  uint64_t cluster; // which one of the place's
};

struct event_queue { // zeroed, it is empty
  struct queued_event *heap;
  uint32_t count, room;
  uint64_t order;
};

void event_queue_push(struct event_queue *q, const struct queued_event *event);
struct queued_event event_queue_pop(struct event_queue *q); // the earliest; there has to be one
void event_queue_end(struct event_queue *q);

#endif
