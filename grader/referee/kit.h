// Where the kit and its tools are. In: the running program's own place. Out: absolute paths. The idea: the kit is a folder that
// may lie anywhere, so everything is found from build/bin/grader.
#ifndef REFEREE_KIT_H
#define REFEREE_KIT_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct kit {
  char root[PATH_MAX];
  char nvcc[PATH_MAX];          // "" when none was found
  char cuda_home[PATH_MAX];     // of that nvcc
  char host_compiler[PATH_MAX]; // for nvcc's host half
  char packages[PATH_MAX];      // where set-up has unpacked what the system lacks; need not be there
};

// Returns 0, or -1 with the reason and the remedy in `error`. A missing nvcc is no failure here.
int kit_find(struct kit *kit, char *error, size_t error_size);
// "ROOT/relative"; dies if it does not fit, which no path below PATH_MAX does. Returns `path`.
char *kit_path(const struct kit *kit, char path[PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A path as a person at the shell would write it: without the current directory before it. Points into `path`.
const char *kit_short_path(const char *path, const char *current_directory);
// Replaces each "PREFIX/" in `text` by nothing, in place.
void kit_strip_prefix(char *text, const char *prefix);
// The same in all strings of a copy. New reference; NULL for NULL.
json_t *kit_strip_prefix_json(const json_t *json, const char *prefix);

#endif
