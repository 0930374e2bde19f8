// Files below a folder, by a pattern. The idea: the folder's own name is no pattern, whatever characters it
// has ("kit [2]").
#ifndef REPORT_GLOB_BELOW_H
#define REPORT_GLOB_BELOW_H

#include <glob.h>

// Finds FOLDER/PATTERN, sorted, and returns what glob(3) does. globfree in any case.
int glob_below(const char *folder, const char *pattern, glob_t *found);

#endif
