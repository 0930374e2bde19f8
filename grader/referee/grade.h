// A whole submission: all its exercises side by side. In: what to grade. Out: the record.
#ifndef REFEREE_GRADE_H
#define REFEREE_GRADE_H

#include "referee/grading.h"

#include <signal.h>

// Called with a line whenever something is begun. May be NULL.
typedef void grade_watcher(void *context, const char *line);

// Reads lab.cfg, checks that grader and configuration know the same exercises, finds device and sandbox. 0, or -1 and `error`.
int grading_set_up(struct grading *grading, const char *lab, const char *only, const char *device,
                   char *error, size_t error_size);
void grading_tear_down(struct grading *grading);

// The record as it is before anything has run: grader errors throughout.
void grade_begin(const struct grading *grading, struct lab_record *lab);
// The signals that ask for an end; not a hang-up that is ignored, as under nohup: a blocked one would arrive nonetheless.
void grade_stopping_signals(sigset_t *stopping);
// Runs everything. 0, or -1 when it was interrupted (the record is then to be thrown away).
int grade_run(const struct grading *grading, struct lab_record *lab, grade_watcher *watcher, void *context);

// Leaves the files of the folder by their names alone wherever the record names them.
void grade_strip_places(struct lab_record *lab, const char *folder);

#endif
