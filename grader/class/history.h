// What has changed since the last report of a class. In: OUT/last.json, which each report leaves, and the
// class as it is now. Out: who has other points or verdicts, and why; OUT/changes.csv, which only grows.
#ifndef CLASS_HISTORY_H
#define CLASS_HISTORY_H

#include "class/class.h"

#include <time.h>

enum { CHANGE_WHY = 500 };
struct change {
  size_t student; // index in the roster
  double points_before, points, maximum_before, maximum;
  char why[CHANGE_WHY]; // one line
};

struct history {
  json_t *last; // NULL: this is the first report
  time_t since; // when the last report was written
  struct change *changes;
  size_t count;
};

// Reads OUT/last.json. A file that can't be read counts as none, after a note.
void history_read(struct class *class);
// What the last report said of the submission; NULL: it was not there, or not graded.
const json_t *history_of(const struct class *class, const char *name);
// Finds the changes, after the grading.
int history_compare(struct class *class, char *error, size_t size);
// Prints them, adds them to OUT/changes.csv, and writes OUT/last.json.
int history_save(const struct class *class, char *error, size_t size);
void history_free(struct history *history);

#endif
