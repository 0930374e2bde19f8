// Verdicts of the same code. In: a built program whose code (code-key.h) another submission of this run has
// handed in as well. Out: the stages that this one has passed. The idea: nothing but the code, the kit and
// the seed decides what a program shows; so what is right once is right for all who have it. Only a pass is
// used again: whatever falls short is told by the lines of one's own file, and is judged for itself.
#ifndef REFEREE_SAME_CODE_H
#define REFEREE_SAME_CODE_H

#include "referee/grading.h"

enum same_code { SAME_CODE_NONE, SAME_CODE_PASSES, SAME_CODE_AND_LINES };

// SAME_CODE_PASSES: rules and correctness are those of another submission. SAME_CODE_AND_LINES: so is all
// that is said of the bandwidth, which names lines.
enum same_code same_code_take(struct task *task);
// Keeps a record for others, unless something but the code could be in it. `remarks`: so many it had before
// the program ran.
void same_code_keep(const struct task *task, size_t remarks);

#endif
