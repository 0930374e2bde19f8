// In: the path of this executable, BIN/vhopper. Out: paths of the files that belong to it.
// One idea: two layouts, told apart by what is there. Installed: PREFIX/bin, PREFIX/lib/vhopper,
// PREFIX/share/vhopper. In the kit: build/bin, build/lib, docs and grader/cli.
// The CUDA libraries are never installed into PREFIX/lib itself: every other CUDA program would find them.
#include "virtual-hopper/command/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "virtual-hopper/command/options.h"

// The folder above the one of this executable.
static void find_prefix(char prefix[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", prefix, PATH_MAX - 1);
  if (length < 0) {
    fprintf(stderr, "vhopper: cannot find out where it lies: %s (is /proc mounted?)\n", strerror(errno));
    exit(STATUS_BROKEN);
  }
  prefix[length] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(prefix, '/');
    if (slash) *slash = '\0';
  }
}

void place_libraries(char path[PATH_MAX]) {
  char prefix[PATH_MAX], file[PATH_MAX + 32];
  find_prefix(prefix);
  snprintf(file, sizeof file, "%s/lib/vhopper", prefix);
  const char *folder = access(file, X_OK) == 0 ? "lib/vhopper" : "lib";
  // no file can have such a long path
  if (snprintf(path, PATH_MAX, "%s/%s", prefix, folder) >= PATH_MAX) exit(STATUS_BROKEN);
  static const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12", "libcuda.so.1",
                                          "libvhopper-audit.so"};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    snprintf(file, sizeof file, "%s/%s", path, libraries[i]);
    if (access(file, R_OK) == 0) continue;
    fprintf(stderr, "vhopper: %s is missing; build the kit anew\n", file);
    exit(STATUS_BROKEN);
  }
}

const char *place_document(char path[PATH_MAX], const char *name, const char *in_kit) {
  char prefix[PATH_MAX];
  find_prefix(prefix);
  if (snprintf(path, PATH_MAX, "%s/share/vhopper/%s", prefix, name) < PATH_MAX && access(path, R_OK) == 0)
    return path;
  if (snprintf(path, PATH_MAX, "%s/../%s", prefix, in_kit) < PATH_MAX && access(path, R_OK) == 0) return path;
  return NULL;
}

const char *place_in_repository(const char *file, size_t *root) {
  char path[PATH_MAX + 8];
  const size_t length = strlen(file);
  *root = 0;
  if (*file != '/' || length >= PATH_MAX) return file;
  for (size_t at = length; at-- > 1;) {
    if (file[at] != '/') continue;
    snprintf(path, sizeof path, "%.*s/.git", (int)at, file);
    if (access(path, F_OK) != 0) continue;
    *root = at;
    return file + at + 1;
  }
  const size_t here = getcwd(path, PATH_MAX) ? strlen(path) : 0;
  if (here < 2 || strncmp(file, path, here) != 0 || file[here] != '/') return file;
  *root = here;
  return file + here + 1;
}
