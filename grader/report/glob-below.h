// Files below a folder, by a pattern. The idea: a folder's own name is no pattern, whatever letters somebody has put into it ("kit [2]").
#ifndef REPORT_GLOB_BELOW_H
#define REPORT_GLOB_BELOW_H

#include <glob.h>

// What glob(3) finds for FOLDER/PATTERN, sorted, and returns; the caller calls globfree in any case.
int glob_below(const char *folder, const char *pattern, glob_t *found);

#endif
