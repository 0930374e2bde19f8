// In: /proc/self/exe, build/setup.h (which set-up has written), the environment. Out: the kit's root and its
// compilers.
#include "referee/kit.h"

#include "setup.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The tools that set-up has found, unless the environment names another compiler.
static void find_tools(struct kit *kit) {
  const char *nvcc = getenv("NVCC"), *home = getenv("CUDA_HOME");
  bool other = nvcc && nvcc[0] == '/';
  snprintf(kit->nvcc, sizeof kit->nvcc, "%s", other ? nvcc : SETUP_NVCC);
  snprintf(kit->cuda_home, sizeof kit->cuda_home, "%s",
           other && home && home[0] == '/' ? home : SETUP_CUDA_HOME);
  snprintf(kit->host_compiler, sizeof kit->host_compiler, "%s", SETUP_CXX);
  snprintf(kit->packages, sizeof kit->packages, "%s", SETUP_KIT);
  if (access(kit->nvcc, X_OK) != 0) kit->nvcc[0] = '\0';
}

int kit_find(struct kit *kit, char *error, size_t error_size) {
  ssize_t length = readlink("/proc/self/exe", kit->root, sizeof kit->root - 1);
  if (length < 0) {
    snprintf(error, error_size, "cannot find out where the grader is: %s (is /proc mounted?)",
             strerror(errno));
    return -1;
  }
  kit->root[length] = '\0';
  for (int up = 0; up < 3; up++) { // removes build, bin and the program's name from the end
    char *slash = strrchr(kit->root, '/');
    if (slash) *slash = '\0';
  }
  char path[PATH_MAX];
  // A grader in another folder (build/asan, for example) belongs to the kit that it was built for.
  if (access(kit_path(kit, path, "labs"), R_OK) != 0)
    snprintf(kit->root, sizeof kit->root, "%s", SETUP_HOUSE);
  if (access(kit_path(kit, path, "labs"), R_OK) != 0) {
    snprintf(error, error_size,
             "%.400s has no folder labs: the grader belongs in build/bin of the kit; type make there",
             kit->root);
    return -1;
  }
  find_tools(kit);
  return 0;
}

char *kit_path(const struct kit *kit, char path[PATH_MAX], const char *format, ...) {
  int length = snprintf(path, PATH_MAX, "%s/", kit->root);
  va_list list;
  va_start(list, format);
  if (length > 0 && length < PATH_MAX)
    length += vsnprintf(path + length, (size_t)(PATH_MAX - length), format, list);
  va_end(list);
  if (length > 0 && length < PATH_MAX) return path;
  fprintf(stderr, "grader: a path below %s is too long\n", kit->root);
  exit(2);
}

const char *kit_short_path(const char *path, const char *current_directory) {
  size_t length = strlen(current_directory);
  bool below = length > 1 && strncmp(path, current_directory, length) == 0 && path[length] == '/';
  return below ? path + length + 1 : path;
}

void kit_strip_prefix(char *text, const char *prefix) {
  size_t length = strlen(prefix);
  if (length < 2) return;
  for (char *found = text; (found = strstr(found, prefix));) {
    if (found[length] != '/') {
      found += length;
      continue;
    }
    memmove(found, found + length + 1, strlen(found + length + 1) + 1);
  }
}

json_t *kit_strip_prefix_json(const json_t *json, const char *prefix) {
  if (json_is_string(json)) {
    char *text = strdup(json_string_value(json));
    if (text) kit_strip_prefix(text, prefix);
    json_t *stripped = json_string(text);
    free(text);
    return stripped;
  }
  json_t *copy = json_copy((json_t *)json), *value;
  const char *key;
  size_t i;
  json_object_foreach(copy, key, value) {
    json_object_set_new(copy, key, kit_strip_prefix_json(value, prefix));
  }
  json_array_foreach(copy, i, value) {
    json_array_set_new(copy, i, kit_strip_prefix_json(value, prefix));
  }
  return copy;
}
