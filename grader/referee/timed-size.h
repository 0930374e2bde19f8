// The size whose speed is graded, once on the virtual Hopper: requirements must hold there as well. In: a
// program whose speed was measured. Out: its record, changed if they don't. The idea: without this, a program
// could do what is asked at the sizes where it is looked at, and anything else where it is timed.
#ifndef REFEREE_TIMED_SIZE_H
#define REFEREE_TIMED_SIZE_H

#include "referee/grading.h"

// Runs task->timed_case with rules unchecked, for the counters and for the faults that are always found. An
// unmet requirement or a fault is the rules stage's failure, and the speed isn't graded then. If this machine
// can't run the case (too little memory, too busy), the speed stays ungraded. One such run at a time on this
// machine, since it takes 6 GiB and all workers.
void timed_size_judge(struct task *task);

#endif
