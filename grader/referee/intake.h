// Takes a submission in. In: a folder that a stranger has made. Out: copies of the files that are asked for, in a folder of ours.
// The idea: what isn't copied isn't there; links, devices, pipes and kit files are never copied, so they can't be followed.
#ifndef REFEREE_INTAKE_H
#define REFEREE_INTAKE_H

#include "referee/grading.h"

// Copies the exercise's source and the submission's own headers into task->scratch/source, as they are, and the source once more
// to `main_source`, with a #line before it that keeps its own name in messages. False: the build stage is concluded, with what is wrong with the file and its name.
bool intake(struct task *task, char main_source[PATH_MAX]);
// A text with everything unprintable replaced by '?', for names that strangers gave. Returns `shown`.
char *intake_printable(const char *text, char *shown, size_t size);

#endif
