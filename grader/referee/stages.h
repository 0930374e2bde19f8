// Helpers that the stages share with each other.
#ifndef REFEREE_STAGES_H
#define REFEREE_STAGES_H

#include "referee/cases.h"

enum { HIDDEN_MAX_CASES = 32 };

// grader/hidden/LAB/EXERCISE.cfg: `cases = ( { name = "..."; sizes = [1, 2, 3]; } );`, read when grading with hidden cases; a kit
// without the folder has none. Returns their number, or -1 with file, line and reason in `error`.
int hidden_cases_read(const char *path, const struct exercise *exercise, struct exercise_case *cases,
                      char *error, size_t size);

// Moves a case's message into a stage's record.
void stage_take(const struct task *task, enum stage which, const char *summary, struct case_result *result);

#endif
