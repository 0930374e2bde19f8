// The parts of report.html that need a file of their own. In: the class. Out: HTML, with names that lead to
// the rows of their students.
#ifndef CLASS_PAGE_PARTS_H
#define CLASS_PAGE_PARTS_H

#include "class/class.h"

#include <stdio.h>

// ---- page-stages.c ----
// How far a submission has come with an exercise: the stage at which it stops first.
enum { STOP_ABSENT = -2, STOP_NOT_STARTED = -1, STOP_NOWHERE = STAGE_COUNT };
int page_stop(const struct outcome *outcome, const char *exercise);
// The exercise's record in the outcome; NULL: it is not there.
const struct exercise_record *page_exercise(const struct outcome *outcome, const char *exercise);
// A table of exercises and stages: how many have come there, and who stops.
void page_stages(FILE *out, const struct class *class);
// A link to the student's row.
void page_link(FILE *out, const struct student *student);

// ---- page-causes.c ----
// The commonest causes of all kinds, who has them, and one example of each with its lines.
void page_causes(FILE *out, const struct class *class);

// ---- page-plot.c ----
// For each exercise a plot of the bandwidth that was measured, and one of what is predicted: a mark per
// student.
void page_plots(FILE *out, const struct class *class);

// ---- page-people.c ----
// Who has not begun, and who has fallen behind the others since the last report.
void page_people(FILE *out, const struct class *class);
// Whose points or verdicts are others than in the last report, and why.
void page_changes(FILE *out, const struct class *class);

#endif
