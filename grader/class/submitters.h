// Gradescope's submission_metadata.yml: who the people behind submission_123/ are.
#ifndef CLASS_SUBMITTERS_H
#define CLASS_SUBMITTERS_H

#include "class/roster.h"

// Gives the roster's students the names, IDs and addresses that the file has for them; the first of a group is the student, the others become partners.
// Returns 0, also without such a file, or -1 with what is wrong with it, and where, as a clause; nobody has a name from it then.
int submitters_read(const char *folder, struct roster *roster, char *error, size_t size);

#endif
