// The L1 cache of a processor: which sectors other warps have brought there. What a warp itself comes back
// to is known by reuse.h; here are lines that warps of its block have loaded, and lines that blocks come back
// to which run on a processor one after another, as those of a table are.
#ifndef VIRTUAL_HOPPER_TIME_NEAR_H
#define VIRTUAL_HOPPER_TIME_NEAR_H

#include <stdbool.h>
#include <stdint.h>

struct time_near; // what one processor's blocks have loaded, the newest lines
struct time_near *time_near_make(double bytes);
void time_near_free(struct time_near *n);
// Sectors of a line (a bit for each) that are there. `add`: it is one of the processor's blocks that loads
// them, and then they are.
uint32_t time_near_touch(struct time_near *n, uint64_t line, uint32_t sectors, bool add);

struct time_lines; // what the warps of a cluster have loaded
struct time_beside {
  uint32_t same;  // of the sectors, those that the block's warps have loaded
  uint64_t apart; // lines that a warp has loaded in between, if warps keep step
};
struct time_lines *time_lines_make(void);
void time_lines_free(struct time_lines *l);
// A warp of block `rank` loads sectors of a line; `loaded`: so many lines of its own came before.
struct time_beside time_lines_touch(struct time_lines *l, uint32_t rank, uint64_t line, uint32_t sectors,
                                    uint64_t loaded);

#endif
