// Reports why a launch is stuck: no thread can go on, or the launch has used up its budget of instructions.
#ifndef VIRTUAL_HOPPER_DIAGNOSE_STUCK_H
#define VIRTUAL_HOPPER_DIAGNOSE_STUCK_H

#include "virtual-hopper/machine/machine.h"

enum stuck_reason {
  STUCK_PROVED, // none of these clusters can ever go on
  STUCK_ALONE, // unless other work of the program, which doesn't run meanwhile, changed memory that they read
  STUCK_BUDGET // they may be able to go on, but the launch has used up its budget of instructions
};

// Records why `count` clusters can't go on, and which threads wait where for what; STUCK_ALONE is
// recorded as something unsupported. `unstarted` is the number of clusters that have not
// started.
void stuck_report(struct launch *l, struct cluster *const clusters[], uint32_t count, uint64_t unstarted,
                  enum stuck_reason reason);

#endif
