// One exercise from source to verdict.
#ifndef REFEREE_PIPELINE_H
#define REFEREE_PIPELINE_H

#include "referee/grading.h"

// Runs all stages of the task and sets its record. The record says "error" in every stage that nobody concluded.
void pipeline_run(struct task *task);

#endif
