// Records that name a submission's folder, made another's. In: JSON. Out: the same with another folder in the
// place of one, wherever a text names it.
#ifndef REPORT_RENAME_PLACES_H
#define REPORT_RENAME_PLACES_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

// The folders of two submissions as records name them, whole and from where the grader was started.
struct places {
  char from[PATH_MAX], to[PATH_MAX];
  const char *short_from, *short_to;
};

// New reference; NULL: out of memory.
json_t *rename_places(const json_t *json, const struct places *places);
// Whether some text in it names the folder, and not one with a longer name.
bool names_place(const json_t *json, const char *folder);

#endif
