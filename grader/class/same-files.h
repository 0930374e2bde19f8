// Verdicts of the same files. In: a class, a part of it graded in this run. Out: the records that another
// submission with the very same files has got. The idea: nothing but the bytes of an exercise's files, the
// kit and the seed decides a verdict. In one run on the virtual Hopper the last two are the same for all, and
// no program is told whose it is. So templates that nobody has touched, and files handed in twice, are graded
// once.
#ifndef CLASS_SAME_FILES_H
#define CLASS_SAME_FILES_H

#include "class/class.h"

// Fills the outcome's keys: for each exercise a hash of its source and of all that this source may include.
// "": it has no source, or something can't be read.
void same_files_hash(struct class *class, size_t index);
// How many of the submission's exercises are those of another one. `of`: given the other's index, says
// whether it counts. `wanted` gets how many exercises it has.
size_t same_files_count(const struct class *class, size_t index,
                        bool (*of)(const void *context, size_t other), const void *context, size_t *wanted);
// Fills `known` with records for a submission that is graded now, to be freed by lab_record_free: those that
// others have got in this run for the same files. Prints a line for each, for the log.
void same_files_take(const struct class *class, size_t index, struct lab_record *known);

#endif
