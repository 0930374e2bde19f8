// What the clocks of a launch show when they follow the time model. The model knows the times only once the
// launch has run, so the launch is rehearsed in a process of its own, which fills this table for the real
// run. The table lies in memory that both see.
#ifndef VIRTUAL_HOPPER_TIME_CLOCKS_H
#define VIRTUAL_HOPPER_TIME_CLOCKS_H

#include "virtual-hopper/time/predict.h"

struct time_clocks;

// NULL: there is no memory for it.
struct time_clocks *time_clocks_make(void);
void time_clocks_free(struct time_clocks *clocks);
// What was recorded, with its prediction, becomes the table. `begin`: virtual nanoseconds at which the launch
// was asked for.
void time_clocks_fill(struct time_clocks *clocks, const struct time_launch *t,
                      const struct time_prediction *p, uint64_t seed, uint64_t begin);
// Virtual nanoseconds at which a warp (of all in its cluster) reads a clock for the (number + 1)th time; -1:
// the table doesn't reach so far.
double time_clocks_show(const struct time_clocks *clocks, uint64_t cluster, uint32_t warp, uint64_t number);
// The latest time that a clock has shown; and another one that it shows.
double time_clocks_latest(const struct time_clocks *clocks);
void time_clocks_shown(struct time_clocks *clocks, double nanoseconds);

#endif
