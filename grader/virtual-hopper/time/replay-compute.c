// In: a warp's instructions, products and sleeps. Out: when it goes on. One idea: a run of instructions takes
// its scheduler, the scheduler's part for special functions and the processor's shared memory, all from the
// run's begin on, and goes on when the last of them has done its share.
#include <math.h>

#include "virtual-hopper/time/replay-state.h"

enum { PRODUCT_ISSUE = 8, LEAST_SLEEP_NS = 32 }; // cycles of a warp; the shortest tick of a sleep's clock

void replay_run_of(struct replay *r, struct processor *on, struct player *p, const struct time_event *e) {
  const double slots = (double)e->a / QUARTERS;
  double *scheduler = &on->issue[p->scheduler];
  // What is awaited behind a load has had its slots in the run before it.
  const double begin = p->clock, end = slots > 0 ? take(scheduler, begin, slots) : begin;
  p->clock = end > begin + e->b ? end : begin + e->b;
  r->result.issue_busy += slots / SCHEDULERS;
  r->result.slots += slots;
  if (e->place) {
    r->result.special_busy += (double)e->place / SCHEDULERS;
    const double special = take(&on->special[p->scheduler], begin, e->place);
    if (special > p->clock) p->clock = special;
  }
  if (e->lines) p->clock = fmax(p->clock, take(&on->numbers, begin, e->lines * r->chip->number_cycles));
  if (!e->c) return;
  // From the run's begin: what was taken from its end on would be kept from warps that are there before.
  const double shared = take(&on->shared, begin, e->c);
  r->result.shared_busy += e->c;
  if (shared > p->clock) p->clock = shared;
}

void replay_product(struct replay *r, struct processor *on, struct player *p, const struct time_event *e) {
  const double cycles = e->a / r->chip->tensor_share;
  p->products[p->product_count++] = take(&on->tensor[p->scheduler], p->clock, cycles);
  r->result.tensor_busy += cycles / SCHEDULERS;
  p->clock += PRODUCT_ISSUE;
}

// The next tick of a clock whose period is a power of two, at least as long as what was asked for (time-told:
// 1245 ns take from 0.1 to 2.0 us, 1.0 as a mean, and 2.0 each in a loop).
double replay_sleep_ends(const struct chip *c, double from, uint32_t nanoseconds) {
  double tick = LEAST_SLEEP_NS;
  while (tick < nanoseconds)
    tick *= 2;
  const double period = chip_cycles(c, tick);
  return (floor(from / period) + 1) * period;
}
