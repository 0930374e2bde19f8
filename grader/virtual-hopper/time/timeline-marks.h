// Named ranges of a launch that the model has played.
#ifndef VIRTUAL_HOPPER_TIME_TIMELINE_MARKS_H
#define VIRTUAL_HOPPER_TIME_TIMELINE_MARKS_H

#include "virtual-hopper/time/replay.h"
#include "virtual-hopper/time/timeline.h"

// Rows below a warp's lane, for all blocks that have run in its place. `from`: the window's begin, in cycles.
void timeline_mark_warp(struct timeline *t, uint32_t lane, const struct chip *chip,
                        const struct time_moment *moments, uint32_t count, double from);
// Whether begins and ends of a block fit together, from its first instruction to its last.
void timeline_check_marks(struct timeline *t, const struct time_cluster *c, uint32_t warps_per_block);

#endif
