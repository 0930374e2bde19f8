// Takes the files that are graded out of what a student handed in.
#ifndef CLASS_COLLECT_H
#define CLASS_COLLECT_H

#include "class/roster.h"
#include "referee/lab-config.h"
#include "sandbox/sandbox.h"

// Makes `folder` anew, and copies the student's exercise files and headers into it, flat. `only` names the
// one exercise that is wanted; "": all are. `walls` says which there are for the unpacker. `notes` gets what
// was odd about the submission, one line each. Returns 0, also when nothing was found; COLLECT_SEVERAL if the
// names of the files belong to several students, as in a platform's export; COLLECT_ASK if files are missing,
// or may be cut off, because an archive is damaged or there is more than is read: nobody knows then what its
// author wrote. Fails if the folder can't be written, or if a file of the submission can't be read on this
// machine.
enum { COLLECT_SEVERAL = 1, COLLECT_ASK = 2 };
int collect(const struct student *student, const struct lab_config *config, const char *only,
            enum sandbox_mode walls, const char *folder, char *notes, size_t notes_size, char *error,
            size_t error_size);
// Removes a folder and everything in it, if it exists.
void remove_tree(const char *folder);

#endif
