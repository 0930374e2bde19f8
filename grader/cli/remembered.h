// What `check` found out before. In: a submission, before it is graded. Out: the exercises that need no grading again. The idea: a
// verdict belongs to everything it came from (sources, interface, lab.cfg, grader, device); while none of that changes, it holds.
#ifndef CLI_REMEMBERED_H
#define CLI_REMEMBERED_H

#include "class/sha256.h"
#include "referee/grading.h"
#include "report/record.h"

struct remembered {
  char keys[RECORD_MAX_EXERCISES][SHA256_TEXT]; // "": this exercise isn't remembered
};

// Fills in what is known, in a record that grade_begin has made. Only for the kit's own labs/LAB: that is where students work.
void remembered_take(const struct grading *grading, struct lab_record *lab, struct remembered *remembered);
// Keeps what was found now. On a GPU only what passed: a second try may be luckier with the clock. A failure to write is no matter.
void remembered_keep(const struct grading *grading, const struct lab_record *lab,
                     const struct remembered *remembered);

#endif
