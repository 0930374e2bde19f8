// In: folders and patterns. Out: a hash of the matching files. The idea: one list of everything that a
// verdict depends on besides the submission, for a student's checks and for a class.
#include "class/hash-files.h"

#include "class/failure.h"
#include "referee/lab-config.h"
#include "report/glob-below.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add_file(struct sha256 *hash, const char *path, const char *name, off_t most, char *error,
                    size_t size) {
  struct stat own, file;
  if (lstat(path, &own) != 0 || stat(path, &file) != 0)
    return class_fail(error, size, "%s: %s", path, strerror(errno));
  if (!S_ISREG(file.st_mode) || file.st_size > most)
    return class_fail(error, size, "%s: is no plain file, or has more than %lld bytes", path,
                      (long long)most);
  sha256_add_text(hash, name);
  // A link has a key of its own: where strangers hand in, links are refused.
  sha256_add_text(hash, S_ISLNK(own.st_mode) ? "link" : "file");
  return sha256_add_file(hash, path, error, size);
}

int hash_files(struct sha256 *hash, const char *folder, const char *pattern, off_t most, char *error,
               size_t size) {
  glob_t found;
  int status = 0, end = glob_below(folder, pattern, &found);
  if (end != 0 && end != GLOB_NOMATCH)
    status = class_fail(error, size, "%s/%s cannot be listed", folder, pattern);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const char *path = found.gl_pathv[i];
    if (add_file(hash, path, path + strlen(folder) + 1, most, error, size) != 0) status = -1;
  }
  globfree(&found);
  return status;
}

// Without the points: they change no verdict.
static int hash_config(struct sha256 *hash, const struct kit *kit, const char *pattern, char *error,
                       size_t size) {
  char path[PATH_MAX], *text = lab_config_judging(kit_path(kit, path, "%s", pattern));
  if (!text) return class_fail(error, size, "%s cannot be read", path);
  sha256_add_text(hash, text);
  free(text);
  return 0;
}

int hash_kit_part(struct sha256 *hash, const struct kit *kit, const char *lab, size_t part,
                  char pattern[KIT_PART], char *error, size_t size) {
  // The pattern is before, the lab's name, after; where `after` is NULL, it is `before` alone.
  static const struct {
    const char *before, *after;
  } patterns[KIT_PARTS] = {{"build/bin/grader", NULL},
                           {"build/bin/sandbox-*", NULL},
                           {"build/lib/lib*.so.*", NULL},
                           {"build/lib/*.fatbin", NULL},
                           {"interface/*", NULL},
                           {"build/runner/", "/*.o"},
                           {"labs/", "/*.h"},
                           {"labs/", "/*.cuh"},
                           {"grader/hidden/", "/*.cfg"},
                           {"labs/", "/lab.cfg"}};
  const off_t most = (off_t)1 << 30; // far more than any file of the kit has
  snprintf(pattern, KIT_PART, "%s%s%s", patterns[part].before, patterns[part].after ? lab : "",
           patterns[part].after ? patterns[part].after : "");
  return part == KIT_CONFIG ? hash_config(hash, kit, pattern, error, size)
                            : hash_files(hash, kit->root, pattern, most, error, size);
}

int hash_kit(struct sha256 *hash, const struct kit *kit, const char *lab, char *error, size_t size) {
  char pattern[KIT_PART];
  int status = 0;
  for (size_t part = 0; part < KIT_PARTS; part++)
    if (hash_kit_part(hash, kit, lab, part, pattern, error, size) != 0) status = -1;
  sha256_add_text(hash, kit->nvcc);
  return status;
}
