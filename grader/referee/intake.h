// Copies a submission's files. In: a folder that a stranger has made. Out: copies of the needed files in a
// folder of ours. The idea: only the copies are used. Links, devices, pipes and kit files are never copied,
// so they can do no harm.
#ifndef REFEREE_INTAKE_H
#define REFEREE_INTAKE_H

#include "referee/grading.h"

enum { MOST_SOURCE_BYTES = 1 << 20 };

// Copies the exercise's source and the submission's own headers unchanged into task->scratch/source. Copies
// the source once more to `main_source`, after a #line with its original path, for the compiler's messages.
// False: the build stage is concluded, and says what is wrong with which file.
bool intake(struct task *task, char main_source[PATH_MAX]);
// Copies a name that a stranger has chosen, as printable.h shows it, on one line. Returns `shown`.
char *intake_printable(const char *text, char *shown, size_t size);

#endif
