// Fills the points of a class into the sheet that a learning platform exported, so that it can be imported again.
#ifndef CLASS_SHEET_H
#define CLASS_SHEET_H

#include "class/class.h"

struct sheet_options {
  const char *path; // what was exported
  const char
      *column; // the heading over the points; NULL: the lab's title, else what the platform calls its grades
};

// Finds out whether the sheet can be filled in, before anything is graded. 0, or -1 and `error`.
int sheet_check(const struct sheet_options *options, const struct class *class, char *error, size_t size);
// Writes the filled copy to `out` and says on `log` who was not found, on either side. 0, or -1 and `error`.
int sheet_fill(const struct sheet_options *options, const struct class *class, FILE *out, FILE *log,
               char *error, size_t size);

#endif
