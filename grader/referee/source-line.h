// Where in a student's file something is mended, when no broken rule says so. In: the source that was built, and what is looked for.
// Out: a line from 1 on; 0: not found.
#ifndef REFEREE_PLACE_H
#define REFEREE_PLACE_H

#include "referee/grading.h"

// The comment TODO(step). 0 for step 0.
unsigned place_of_step(const struct task *task, unsigned step);
// The first line of code, comments aside, that holds `word`.
unsigned place_of_word(const struct task *task, const char *word);
// The launcher that the exercise asks for.
unsigned place_of_launcher(const struct task *task);

#endif
