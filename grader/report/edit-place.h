// Which line of a submission to edit. In: what fell short. Out: a line of the student's file, never 0. The idea: where the fault says that it is
// mended, and there the line that the student wrote rather than one that the skeleton gave.
#ifndef REPORT_EDIT_PLACE_H
#define REPORT_EDIT_PLACE_H

#include "report/record.h"

// path: the student's file. given: the same file as it was handed out, "" or missing: not known. stage: what fell short; NULL: nothing is begun yet.
unsigned edit_place(const char *path, const char *given, const char *name, const struct stage_record *stage);

#endif
