// What counts in the end. In: the measured points, OUT/overrides.csv and the deadline in lab.cfg. Out: a mark
// per submission. The idea: nothing measured is changed; a mark says what was measured, what counts, and why
// the two differ.
#ifndef CLASS_MARKS_H
#define CLASS_MARKS_H

#include "class/class.h"

// A line of OUT/overrides.csv, about one submission.
struct override {
  size_t student, line;
  char exercise[RECORD_NAME]; // "": the whole submission
  bool has_points, added;     // `added`: to the measured points (+2, -3); otherwise instead of them
  double points;
  bool has_late;
  double late_days, extension; // in days
  char comment[256];
};

enum { MARK_WHY = 700 };
struct mark {
  double points, maximum; // what counts
  double measured;
  bool by_hand;       // overrides.csv gives other points than were measured
  bool given;         // .. for the whole submission, whatever its verdict is
  unsigned late_days; // begun days after the deadline, extension taken off
  bool late_unknown;  // the platform says late, and nobody says by how much
  double factor;      // of being late; 1: none
  char why[MARK_WHY]; // one line: why points differ from the measured ones; "": they don't
};

// Reads OUT/overrides.csv, if there is one, after the submissions are known. A line about nobody is noted.
int overrides_read(struct class *class, char *error, size_t size);
void overrides_free(struct overrides *overrides);
// The mark of a submission; of one that has not been graded, points by hand or none.
struct mark mark_of(const struct class *class, size_t index);
// Finds the submission that is called so: its name, or a name, an ID or an address of one of its authors.
// Returns how many there are; `index` is the last of them.
size_t class_find(const struct class *class, const char *called, size_t *index);

#endif
