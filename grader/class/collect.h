// Takes what is graded out of what a student sent in.
#ifndef CLASS_COLLECT_H
#define CLASS_COLLECT_H

#include "class/roster.h"
#include "referee/lab-config.h"

// Makes `folder` anew with the student's exercise files (all; or `only` one, unless that is "") and headers in it, flat. What was odd about the submission goes to `notes`, a line
// each. Returns 0 also when nothing was found; COLLECT_SEVERAL if names in it are those of several students, as in a platform's export;
// -1 with errno if our own folder can't be written or something of theirs can't be read here: `notes` then holds the place, as to which nobody was looked through.
enum { COLLECT_SEVERAL = 1 };
int collect(const struct student *student, const struct lab_config *config, const char *only,
            const char *folder, char *notes, size_t notes_size);
// Removes a folder with all in it, if it exists.
void remove_tree(const char *folder);

#endif
