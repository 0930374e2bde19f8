// Verdicts of the same code. In: a built program whose code (code-key.h) another submission of this run has
// handed in as well. Out: the stages as that one has got them. The idea: nothing but the code, the kit and
// the seed decides what a program shows; so what is right once is right for all who have it. A report of what
// falls short is about lines and what stands in them, so that is used again where these are the same, too: in
// files that differ in lines of comment alone.
#ifndef REFEREE_SAME_CODE_H
#define REFEREE_SAME_CODE_H

#include "referee/grading.h"

enum same_code { SAME_CODE_NONE, SAME_CODE_PASSES, SAME_CODE_AND_REPORT };

// SAME_CODE_PASSES: rules and correctness are those of another submission. SAME_CODE_AND_REPORT: so is all
// that comes after the build.
enum same_code same_code_take(struct task *task);
// Keeps a record for others, unless something but the code could be in it. `remarks`: so many it had before
// the program ran.
void same_code_keep(const struct task *task, size_t remarks);

#endif
