// Functions that the stages share.
#ifndef REFEREE_STAGES_H
#define REFEREE_STAGES_H

#include "referee/cases.h"

enum { HIDDEN_MAX_CASES = 64 };

// Reads grader/hidden/LAB/EXERCISE.cfg: `cases = ( { name = "..."; sizes = [1, 2, 3]; } );`. A kit without
// the file has no hidden cases. Returns their number, or -1 with file, line and reason in `error`.
int hidden_cases_read(const char *path, const struct exercise *exercise, struct exercise_case *cases,
                      char *error, size_t size);

// Moves a case's message into a stage's record.
void stage_take(const struct task *task, enum stage which, const char *summary,
                const struct case_result *result);

#endif
