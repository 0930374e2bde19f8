// Fuzzes the intake of a submission. A stranger has chosen the name and the bytes of an export with one
// entry. The export is read as a roster, unpacked and collected. In: the entry's name up to the first line
// end, then its bytes. For every input, only plain files of the grader must come out, only in the right
// folders, and every text must be printable.
#include "class/collect.h"
#include "class/match.h"
#include "virtual-hopper/base/arena.h"

#include <ftw.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static char root[64];

static void make_root(void) {
  snprintf(root, sizeof root, "%s/unpack-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(root)) die("no folder to fuzz in");
}

static void remove_root(void) {
  remove_tree(root);
}

static void check_text(const char *text) {
  for (; *text; text++)
    if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f)
      die("a note with a control character");
}

static int is_plain(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)kind, (void)walk;
  if (!S_ISDIR(status->st_mode) && (!S_ISREG(status->st_mode) || status->st_nlink != 1))
    die("%s is neither a file nor a folder of its own", path);
  return 0;
}

// Checks that only the allowed folders exist, and that they contain only plain files and folders.
static void check_tree(void) {
  char path[PATH_MAX];
  static const char *const allowed[] = {"class", "taken", NULL};
  size_t found = 0;
  for (const char *const *name = allowed; *name; name++) {
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", root, *name);
    if (lstat(path, &status) != 0) continue;
    found++;
    nftw(path, is_plain, 16, FTW_PHYS);
  }
  struct stat status;
  if (stat(root, &status) != 0 || status.st_nlink != found + 2) die("something lies beside the folders");
}

// Takes the entry's name. The name stays unchanged, except for bytes that no file name can have.
static size_t take_name(const uint8_t *bytes, size_t length, char name[NAME_MAX + 1]) {
  size_t used = 0, size = 0;
  for (; used < length && bytes[used] != '\n'; used++)
    if (bytes[used] && bytes[used] != '/' && size < NAME_MAX) name[size++] = (char)bytes[used];
  name[size] = '\0';
  if (!name[0] || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) strcpy(name, "ann.zip");
  return used < length ? used + 1 : length;
}

static void take_in(struct roster *roster, const struct lab_config *config) {
  char taken[PATH_MAX], notes[2048], error[PATH_MAX];
  snprintf(taken, sizeof taken, "%s/taken", root);
  for (size_t i = 0; i < roster->count; i++) {
    const struct student *student = &roster->students[i];
    check_text(student->name);
    if (strchr(student->name, '/') || student->name[0] == '.' || !student->name[0])
      die("a student's name is no file name");
    // What can't be told apart, or was cut off, is a question to its author, and no failure.
    if (collect(student, config, "", SANDBOX_PLAIN, taken, notes, sizeof notes, error, sizeof error) < 0)
      die("a submission was not taken in: %s", error);
    check_text(notes);
    check_tree();
    remove_tree(taken);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static struct lab_config config = {.exercise_count = 2,
                                     .exercises = {{.name = "1-bulk-copy-1d"}, {.name = "2-tiles-2d"}}};
  char class[PATH_MAX], name[NAME_MAX + 1], path[PATH_MAX + NAME_MAX + 2], error[400];
  struct roster roster;
  if (!root[0]) {
    make_root();
    atexit(remove_root);
  }
  size_t used = take_name(bytes, length, name);
  snprintf(class, sizeof class, "%s/class", root);
  snprintf(path, sizeof path, "%s/%s", class, name);
  if (mkdir(class, 0700) != 0) die("no folder for the class");
  FILE *file = fopen(path, "we");
  if (!file || fwrite(bytes + used, 1, length - used, file) != length - used || fclose(file) != 0)
    die("%s cannot be written", path);
  if (roster_read(class, &roster, error, sizeof error) == 0) {
    take_in(&roster, &config);
    if (roster.notes) check_text(roster.notes);
  }
  roster_free(&roster);
  remove_tree(class);
  return 0;
}
