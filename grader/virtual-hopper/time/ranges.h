// Named ranges, from their marks: one list for the time model and for what was measured on a chip.
#ifndef VIRTUAL_HOPPER_TIME_RANGES_H
#define VIRTUAL_HOPPER_TIME_RANGES_H

#include <stdbool.h>
#include <stdint.h>

enum { RANGES_MOST_OPEN = 64, RANGES_MOST_ROWS = 6 };

struct range_mark { // some threads of a warp have come to the begin or the end of a range
  double when;
  uint32_t lanes;
  uint16_t name; // a number of the caller's
  bool begins;
};

struct range {
  double begin, end;
  uint16_t name;
  uint8_t row;     // ranges of one row don't overlap
  bool never_ends; // `end` is that of the warp
};

struct range_wrong {                 // what doesn't fit together: how often, and the first one's name
  uint32_t unbegun, unended, halved; // halved: ended by some of the threads that began it
  uint32_t crowded;                  // more ranges open at a time than there is room for
  uint16_t unbegun_name, unended_name, halved_name;
};

typedef void range_take(void *context, const struct range *range);
// `marks`: of one warp, by time. A range lasts from its first thread's begin until its last thread's end.
// `end`: until then lasts what nobody has ended.
void ranges_match(const struct range_mark *marks, uint32_t count, double end, range_take *take, void *context,
                  struct range_wrong *wrong);

#endif
