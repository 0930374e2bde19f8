// When a stream goes on that waits for a value (cuStreamWaitValue32, cuStreamWaitValue64). The numbers are
// those of enum CUstreamWaitValue_flags.
#ifndef VIRTUAL_HOPPER_BASE_STREAM_VALUE_H
#define VIRTUAL_HOPPER_BASE_STREAM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum { STREAM_VALUE_AT_LEAST, STREAM_VALUE_EQUAL, STREAM_VALUE_AND, STREAM_VALUE_NOR, STREAM_VALUE_WAYS };
enum { STREAM_VALUE_WIDE = 4 }; // added: 64 bits

static inline bool stream_value_meets(unsigned how, uint64_t now, uint64_t wanted) {
  const bool wide = how & STREAM_VALUE_WIDE;
  const uint64_t all = wide ? UINT64_MAX : UINT32_MAX;
  now &= all;
  wanted &= all;
  switch (how & ~(unsigned)STREAM_VALUE_WIDE) {
  case STREAM_VALUE_AT_LEAST:
    return wide ? (int64_t)(now - wanted) >= 0 : (int32_t)((uint32_t)now - (uint32_t)wanted) >= 0;
  case STREAM_VALUE_EQUAL: return now == wanted;
  case STREAM_VALUE_AND: return (now & wanted) != 0;
  default: return (~(now | wanted) & all) != 0;
  }
}

#endif
