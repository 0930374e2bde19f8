// In: a folder and a pattern. Out: paths. The idea: a backslash before each special character of glob(7) in
// the folder's name.
#include "report/glob-below.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

int glob_below(const char *folder, const char *pattern, glob_t *found) {
  char path[3 * PATH_MAX];
  size_t length = 0;
  *found = (glob_t){0};
  for (const char *letter = folder; *letter; letter++) {
    if (length + 2 > (size_t)2 * PATH_MAX) return GLOB_ABORTED;
    if (strchr("*?[\\", *letter)) path[length++] = '\\';
    path[length++] = *letter;
  }
  if (snprintf(path + length, sizeof path - length, "/%s", pattern) >= (int)(sizeof path - length))
    return GLOB_ABORTED;
  return glob(path, 0, NULL, found);
}
