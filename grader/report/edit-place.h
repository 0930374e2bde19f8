// Which line of a submission to edit. In: the stage that failed. Out: a line of the student's file, never 0.
// The idea: the place where the fault says it is mended, and there a line that the student wrote rather than
// a line of the skeleton.
#ifndef REPORT_EDIT_PLACE_H
#define REPORT_EDIT_PLACE_H

#include "report/record.h"

// path: the student's file. given: the same file as it was handed out; "", or a file that doesn't exist: not
// known. name: the file's name, as faults and messages have it. stage: the stage that failed; NULL: the
// exercise isn't begun. is_guess: nothing shows that it is that line.
unsigned edit_place(const char *path, const char *given, const char *name, const struct stage_record *stage,
                    bool *is_guess);

#endif
