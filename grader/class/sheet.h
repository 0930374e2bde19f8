// Fills the points of a class into a sheet that a learning platform exported, so that the platform can import
// it again.
#ifndef CLASS_SHEET_H
#define CLASS_SHEET_H

#include "class/class.h"

struct sheet_options {
  const char *path; // the exported sheet
  // The heading of the column for the points; NULL: the lab's title, or else the platform's usual name for
  // grades.
  const char *column;
};

// Fails if the sheet can't be filled in. Called before anything is graded.
int sheet_check(const struct sheet_options *options, const struct class *class, char *error, size_t size);
// Prints the filled copy to `out`, and to `log` every submission without a line and every line without a
// submission.
int sheet_fill(const struct sheet_options *options, const struct class *class, FILE *out, FILE *log,
               char *error, size_t size);

#endif
