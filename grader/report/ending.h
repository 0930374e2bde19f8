// How every message to a student ends: `file:line` to edit, and the next command. In: a record. Out: two
// lines.
#ifndef REPORT_ENDING_H
#define REPORT_ENDING_H

#include "report/record.h"

// stage: the stage that failed; NULL: the exercise isn't begun.
void ending_print(FILE *out, const struct lab_record *lab, const struct exercise_record *exercise,
                  const struct stage_record *stage);

// After a pass: the next exercise, or the next command if there is none.
void ending_after_pass(FILE *out, const struct lab_record *lab);

// Prints "make hint-2", or "make hint-2 LAB=lab10" where the kit has several labs: `prefix` stands before the
// exercise's number.
void ending_target(FILE *out, const char *prefix, const struct lab_record *lab,
                   const struct exercise_record *exercise);

// Prints text with two spaces before each line. width: columns of the terminal; 0: no terminal. Longer lines
// are broken between words; their later parts begin below the first word.
void ending_indented(FILE *out, const char *text, unsigned width);

#endif
