// Finds the kit and its tools. In: the running program's path. Out: absolute paths. The idea: the kit may lie
// anywhere, so everything is found relative to build/bin/grader.
#ifndef REFEREE_KIT_H
#define REFEREE_KIT_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct kit {
  char root[PATH_MAX];
  char nvcc[PATH_MAX];          // "": none was found
  char cuda_home[PATH_MAX];     // of that nvcc
  char host_compiler[PATH_MAX]; // for the host code in nvcc's input
  char packages[PATH_MAX];      // where set-up has unpacked packages that the system lacks; may not exist
};

// Returns 0, or -1 with reason and remedy in `error`. A missing nvcc is no failure here.
int kit_find(struct kit *kit, char *error, size_t error_size);
// Writes "ROOT/" and the formatted text into `path`, and returns it. Ends the process if that is longer than
// PATH_MAX.
char *kit_path(const struct kit *kit, char path[PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The path as one would type it: relative, if it lies below the current directory. Points into `path`.
const char *kit_short_path(const char *path, const char *current_directory);
// Replaces each "PREFIX/" in `text` by nothing, in place.
void kit_strip_prefix(char *text, const char *prefix);
// Returns a copy in which the same is done in all strings; a new reference; NULL for NULL.
json_t *kit_strip_prefix_json(const json_t *json, const char *prefix);

#endif
