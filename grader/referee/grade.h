// Grades a whole submission, several exercises at once. In: what to grade. Out: the record.
#ifndef REFEREE_GRADE_H
#define REFEREE_GRADE_H

#include "referee/grading.h"

#include <signal.h>

// Called with a progress line whenever a step begins. May be NULL.
typedef void grade_watcher(void *context, const char *line);

// Reads lab.cfg, checks that it has the exercises that the grader has, finds device and sandbox. 0, or -1 and
// `error`.
int grading_set_up(struct grading *grading, const char *lab, const char *only, const char *device,
                   char *error, size_t error_size);
void grading_tear_down(struct grading *grading);

// Makes the record as it is before anything has run: a grader error in every stage.
void grade_begin(const struct grading *grading, struct lab_record *lab);
// The signals that ask the grader to stop. SIGHUP isn't among them if it is ignored (nohup), since signalfd
// would receive it nevertheless.
void grade_stopping_signals(sigset_t *stopping);
// Grades everything. 0, or -1 if it was interrupted; then the record must be thrown away.
int grade_run(const struct grading *grading, struct lab_record *lab, grade_watcher *watcher, void *context);

// Removes the folder from all paths in the record, so that files in it are shown by their names alone.
void grade_strip_places(struct lab_record *lab, const char *folder);

#endif
