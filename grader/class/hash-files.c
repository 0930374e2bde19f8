// In: folders and patterns. Out: a hash of what fits. The idea: one list of all that a verdict depends on besides the submission, for a student's
// checks and for a class.
#include "class/hash-files.h"

#include "referee/lab-config.h"
#include "report/glob-below.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add_file(struct sha256 *hash, const char *path, const char *name, off_t most) {
  struct stat own, file;
  if (lstat(path, &own) != 0 || stat(path, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size > most)
    return -1;
  sha256_add_text(hash, name);
  sha256_add_text(hash, S_ISLNK(own.st_mode) ? "link" : "file"); // links of strangers are refused
  return sha256_add_file(hash, path);
}

int hash_files(struct sha256 *hash, const char *folder, const char *pattern, off_t most) {
  glob_t found;
  int status = 0, end = glob_below(folder, pattern, &found);
  if (end != 0 && end != GLOB_NOMATCH) status = -1;
  for (size_t i = 0; i < found.gl_pathc; i++)
    if (add_file(hash, found.gl_pathv[i], found.gl_pathv[i] + strlen(folder) + 1, most) != 0) status = -1;
  globfree(&found);
  return status;
}

// Other points change no verdict.
static int hash_config(struct sha256 *hash, const struct kit *kit, const char *pattern) {
  char path[PATH_MAX], *text = lab_config_judging(kit_path(kit, path, "%s", pattern));
  if (!text) return -1;
  sha256_add_text(hash, text);
  free(text);
  return 0;
}

int hash_kit_part(struct sha256 *hash, const struct kit *kit, const char *lab, size_t part,
                  char pattern[KIT_PART]) {
  static const struct {
    const char *before, *after; // the lab's name; after NULL: it isn't in the pattern
  } patterns[KIT_PARTS] = {{"build/bin/grader", NULL},
                           {"build/bin/sandbox-*", NULL},
                           {"build/lib/lib*.so.*", NULL},
                           {"build/lib/*.fatbin", NULL},
                           {"interface/*", NULL},
                           {"build/runner/", "/*.o"},
                           {"labs/", "/*.h"},
                           {"grader/hidden/", "/*"},
                           {"labs/", "/lab.cfg"}};
  const off_t most = (off_t)1 << 30; // none of ours is nearly as large
  snprintf(pattern, KIT_PART, "%s%s%s", patterns[part].before, patterns[part].after ? lab : "",
           patterns[part].after ? patterns[part].after : "");
  return part == KIT_CONFIG ? hash_config(hash, kit, pattern) : hash_files(hash, kit->root, pattern, most);
}

int hash_kit(struct sha256 *hash, const struct kit *kit, const char *lab) {
  char pattern[KIT_PART];
  int status = 0;
  for (size_t part = 0; part < KIT_PARTS; part++)
    if (hash_kit_part(hash, kit, lab, part, pattern) != 0) status = -1;
  sha256_add_text(hash, kit->nvcc);
  return status;
}
