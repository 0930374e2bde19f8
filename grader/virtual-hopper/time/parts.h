// Sectors of which a warp's store writes a part. The L2 cache takes what comes right behind as one with it:
// a sector that the warp's next stores make whole costs no more than one that is stored at once.
#ifndef VIRTUAL_HOPPER_TIME_PARTS_H
#define VIRTUAL_HOPPER_TIME_PARTS_H

#include <stdint.h>

struct time_warp;
struct time_parts; // a warp's newest such sectors
void time_parts_free(struct time_parts *p);

struct time_stored {
  const uint64_t *sectors; // each once, in the order of the lanes
  uint32_t count;
  const uint64_t *addresses; // by lane
  uint32_t lanes, bytes;     // bytes: of a lane
};
// Parts of sectors, and the lines of such.
uint32_t time_parts_count(const struct time_stored *s);
// How many of these, and of those that the warp's stores before have counted, have become whole sectors by
// this store. Nothing but instructions may have come in between.
uint32_t time_parts_joined(struct time_warp *record, const struct time_stored *s);

#endif
