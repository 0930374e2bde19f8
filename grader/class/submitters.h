// Gradescope's submission_metadata.yml: the people behind submission_123/.
#ifndef CLASS_SUBMITTERS_H
#define CLASS_SUBMITTERS_H

#include "class/roster.h"

// Gives the roster's students the names, IDs and addresses that the file has for them. The first of a group
// becomes the student, the others the partners. A folder without such a file is no failure.
int submitters_read(const char *folder, struct roster *roster, char *error, size_t size);

#endif
