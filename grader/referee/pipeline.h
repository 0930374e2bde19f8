// Grades one exercise, from source to verdict.
#ifndef REFEREE_PIPELINE_H
#define REFEREE_PIPELINE_H

#include "referee/grading.h"

// Runs all stages of the task and fills its record. A stage that isn't concluded stays a grader error.
void pipeline_run(struct task *task);

#endif
