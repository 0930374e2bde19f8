// Where a class lies on the disk: paths below its output folder, files written there, and whether a batch may
// write there. It calls nothing else of this room but class_fail, so that every other file of the room can
// call it.
#include "class/class.h"

#include "report/whole-file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *class_path(const struct class *class, char path[PATH_MAX], const char *folder, const char *name,
                 const char *ending) {
  if (snprintf(path, PATH_MAX, "%s/%s%s%s%s", class->output, folder, folder[0] ? "/" : "", name, ending) <
      PATH_MAX)
    return path;
  fprintf(stderr, "grader: LONGEST_OUTPUT leaves no room for %s%s\n", name, ending);
  abort();
}

int class_write(const char *path, bool lasting, int (*write)(FILE *out, const void *what), const void *what,
                char *error, size_t size) {
  if (whole_file_write(path, lasting, write, what) == 0) return 0;
  return class_fail(error, size, "%s cannot be written: %s", path, strerror(errno));
}

// ---- a batch removes what it finds in the folders that it writes, so no other files may lie there ----

static const char *const emptied[] = {"submissions", "export", "results", "feedback", "logs"};

// The path without links and dots. The folder need not exist yet.
static void real_place(const char *path, char place[PATH_MAX]) {
  char above[PATH_MAX], parent[PATH_MAX];
  if (realpath(path, place)) return;
  const char *slash = strrchr(path, '/');
  snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  if (!realpath(above, parent) ||
      snprintf(place, PATH_MAX, "%s/%s", parent, slash ? slash + 1 : path) >= PATH_MAX)
    snprintf(place, PATH_MAX, "%s", path);
}

static bool lies_in(const char *place, const char *folder) {
  size_t length = strlen(folder);
  return strncmp(place, folder, length) == 0 && (place[length] == '/' || place[length] == '\0');
}

static bool holds_something(const char *folder) {
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, NULL);
  for (int i = 0; i < count; i++)
    free(entries[i]);
  if (count >= 0) free(entries);
  return count > 2; // . and ..
}

int class_check_places(const struct class *class, const char *submissions, char *error, size_t size) {
  char path[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
  struct stat status;
  real_place(submissions, from);
  real_place(class->output, to);
  if (stat(submissions, &status) == 0 && S_ISDIR(status.st_mode) && lies_in(to, from))
    return class_fail(error, size, "--out %s lies in the folder of the submissions: choose one beside it",
                      class->output);
  bool ours = access(class_path(class, path, "", "batch", ".json"), F_OK) == 0;
  for (size_t i = 0; i < sizeof emptied / sizeof *emptied; i++) {
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 16, to, emptied[i]);
    if (lies_in(from, path))
      return class_fail(
          error, size,
          "%s lies where a batch with --out %s writes, and removes what it finds: choose another --out",
          submissions, class->output);
    if (ours || !holds_something(path)) continue;
    return class_fail(
        error, size,
        "--out %s has a folder %s in it that no batch has made, and would lose it: choose another --out",
        class->output, emptied[i]);
  }
  return 0;
}
