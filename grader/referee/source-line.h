// Finds the line of a student's file to edit, if no broken rule names one. In: the source that was built, and
// what to look for. Out: a line number, counted from 1; 0: not found.
#ifndef REFEREE_SOURCE_LINE_H
#define REFEREE_SOURCE_LINE_H

#include "referee/grading.h"

// The comment TODO(step). 0 for step 0.
unsigned source_line_of_step(const struct task *task, unsigned step);
// The first line of code, comments aside, that holds `word`.
unsigned source_line_of_word(const struct task *task, const char *word);
// Whether the code of this line, comments aside, holds `word` as a word of its own.
bool source_line_has_word(const struct task *task, unsigned line, const char *word);
// The launcher that the exercise asks for.
unsigned source_line_of_launcher(const struct task *task);

#endif
