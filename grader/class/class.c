// The output folder, and what has to be done in it. The idea: the key of a submission is a hash of all that its result depends on.
#include "class/class.h"

#include "class/collect.h"
#include "class/hash-files.h"
#include "report/glob-below.h"
#include "report/whole-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const folders[] = {"submissions", "results", "feedback", "logs"};

char *class_path(const struct class *class, char path[PATH_MAX], const char *folder, const char *name,
                 const char *ending) {
  if (snprintf(path, PATH_MAX, "%s/%s%s%s%s", class->output, folder, folder[0] ? "/" : "", name, ending) <
      PATH_MAX)
    return path;
  fprintf(stderr, "grader: a path below %s is too long\n", class->output);
  exit(2);
}

// ---- batch.json ----

static int write_batch(FILE *out, const void *what) {
  const struct class *class = what;
  char seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)class->seed);
  json_t *json =
      json_pack("{s:s, s:s, s:O}", "lab", class->grading->config.lab, "seed", seed, "rests_on", class->basis);
  int status = json ? json_dumpf(json, out, JSON_INDENT(2)) : -1;
  json_decref(json);
  return status == 0 && fputc('\n', out) != EOF ? 0 : -1;
}

static int read_batch(struct class *class, const char *path, bool seed_given, char *error, size_t size) {
  const char *lab, *seed;
  json_error_t wrong;
  json_t *json = json_load_file(path, 0, &wrong);
  int status = -1;
  if (!json || json_unpack(json, "{s:s, s:s}", "lab", &lab, "seed", &seed) != 0) {
    snprintf(error, size, "%s is no batch of this grader's (%s): choose another --out, or remove it", path,
             json ? "lab and seed are missing" : wrong.text);
  } else if (strcmp(lab, class->grading->config.lab) != 0) {
    snprintf(error, size, "%s holds the grades of %.40s: choose another --out", class->output, lab);
  } else {
    if (!seed_given) class->seed = strtoull(seed, NULL, 10);
    class->basis_before = json_incref(json_object_get(json, "rests_on"));
    status = 0;
  }
  json_decref(json);
  return status;
}

// Two batches over one folder would take each other's submissions away. The lock goes with the last process of a batch: those that a killed
// one has left behind need a moment to end, and what they grade must stay where it is until then.
static int lock_folder(const char *path) {
  int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  struct timespec moment = {.tv_nsec = 100000000};
  for (int tries = 0; lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0; tries++) {
    if (tries == 300) return -1;
    if (tries == 10)
      fprintf(stderr, "grader: waiting for another batch, or what is left of it, to end ...\n");
    nanosleep(&moment, NULL);
  }
  return 0;
}

// Files that a killed batch had begun to write.
static void sweep(const struct class *class) {
  static const char *const places[] = {"*.new", "results/*.new", "feedback/*.new"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    glob_t found;
    glob_below(class->output, places[i], &found);
    for (size_t j = 0; j < found.gl_pathc; j++)
      unlink(found.gl_pathv[j]);
    globfree(&found);
  }
}

// ---- places: a batch removes what it finds where it writes, so nothing of others may lie there ----

static const char *const emptied[] = {"submissions", "export", "results", "feedback", "logs"};

// The path without links and dots, also of a folder that is still to be made.
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
  if (stat(submissions, &status) == 0 && S_ISDIR(status.st_mode) && lies_in(to, from)) {
    snprintf(error, size, "--out %s lies in the folder of the submissions: choose one beside it",
             class->output);
    return -1;
  }
  bool ours = access(class_path(class, path, "", "batch", ".json"), F_OK) == 0;
  for (size_t i = 0; i < sizeof emptied / sizeof *emptied; i++) {
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 16, to, emptied[i]);
    if (lies_in(from, path)) {
      snprintf(error, size,
               "%s lies where a batch with --out %s writes, and removes what it finds: choose another --out",
               submissions, class->output);
      return -1;
    }
    if (ours || !holds_something(path)) continue;
    snprintf(error, size,
             "--out %s has a folder %s in it that no batch has made, and would lose it: choose another --out",
             class->output, emptied[i]);
    return -1;
  }
  return 0;
}

int class_open(struct class *class, bool seed_given, char *error, size_t size) {
  char path[PATH_MAX];
  if (mkdir(class->output, 0777) != 0 && errno != EEXIST) {
    snprintf(error, size, "--out %s: %s", class->output, strerror(errno));
    return -1;
  }
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    if (mkdir(class_path(class, path, "", folders[i], ""), 0777) == 0 || errno == EEXIST) continue;
    snprintf(error, size, "--out %s: %s", path, strerror(errno));
    return -1;
  }
  if (!class->share && lock_folder(class_path(class, path, "", "batch", ".lock")) != 0) {
    snprintf(error, size, "--out %s: another batch is at work there", class->output);
    return -1;
  }
  if (!class->share) sweep(class);
  class_path(class, path, "", "batch", ".json");
  if (access(path, F_OK) == 0 && read_batch(class, path, seed_given, error, size) != 0) return -1;
  class->basis = basis_make(class);
  if (class->share || whole_file_write(path, true, write_batch, class) == 0) return 0;
  snprintf(error, size, "%s: %s", path, strerror(errno));
  return -1;
}

// ---- keys ----

static void hash_submission(const char *folder, struct sha256 hash, char key[SHA256_TEXT]) {
  struct dirent **entries;
  char path[PATH_MAX];
  int count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    if (entries[i]->d_name[0] != '.' &&
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < PATH_MAX) {
      sha256_add_text(&hash, entries[i]->d_name);
      sha256_add_file(&hash, path);
    }
    free(entries[i]);
  }
  if (count >= 0) free(entries);
  sha256_end(&hash, key);
}

static bool is_in_roster(const struct roster *roster, const char *name, size_t length) {
  for (size_t i = 0; i < roster->count; i++)
    if (strncmp(roster->students[i].name, name, length) == 0 && !roster->students[i].name[length])
      return true;
  return false;
}

// Results of somebody who isn't among the submissions any more: they stay, since a folder may have been mistaken, but not unsaid.
static void note_leftovers(struct class *class) {
  char text[400], first[STUDENT_NAME] = "", more[32] = "";
  size_t count = 0;
  glob_t found;
  if (glob_below(class->output, "results/*.json", &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++) {
      const char *name = strrchr(found.gl_pathv[i], '/') + 1;
      size_t length = strlen(name) - strlen(".json");
      if (!is_in_roster(&class->roster, name, length) && count++ == 0)
        snprintf(first, sizeof first, "%.*s", (int)length, name);
    }
  globfree(&found);
  if (count == 0) return;
  if (count > 1) snprintf(more, sizeof more, " and %zu more", count - 1);
  snprintf(
      text, sizeof text,
      "%s%s: graded before, and not among the submissions now; result and feedback stay, grades.csv is without them",
      first, more);
  roster_note(&class->roster, "results", text);
}

// What of the student's is graded, and the result that it has already. As collect(); a message is left to the caller, with the path that it is about.
static int take_in(struct class *class, size_t index, struct sha256 kit, char path[PATH_MAX]) {
  const struct student *student = &class->roster.students[index];
  struct outcome *outcome = &class->outcomes[index];
  int collected = 0;
  class_path(class, path, "submissions", student->name, "");
  if (!class->share)
    collected = collect(student, &class->grading->config, class->grading->only, path, outcome->notes,
                        sizeof outcome->notes);
  if (collected < 0 && outcome->notes[0]) snprintf(path, PATH_MAX, "%s", outcome->notes);
  if (collected < 0) return -1;
  hash_submission(path, kit, outcome->key);
  outcome->kept = outcome->known = result_load(class, index);
  if (!outcome->kept || class->share || result_renew(class, index) == 0) return collected;
  class_path(class, path, "results", student->name, ".json");
  return -1;
}

int class_collect(struct class *class, char *error, size_t size) {
  struct sha256 kit;
  char path[PATH_MAX];
  size_t exports = 0;
  class->outcomes = calloc(class->roster.count, sizeof *class->outcomes);
  if (!class->outcomes) return snprintf(error, size, "out of memory"), -1;
  // Nothing of somebody who has left the roster may stay: tasks on a cluster count these folders.
  class_path(class, path, "", "submissions", "");
  if (!class->share) remove_tree(path);
  if (!class->share && mkdir(path, 0777) != 0)
    return snprintf(error, size, "%s: %s", path, strerror(errno)), -1;
  sha256_begin(&kit);
  basis_hash(class->basis, &kit);
  for (size_t i = 0; i < class->roster.count; i++) {
    int taken = take_in(class, i, kit, path);
    if (taken < 0) return snprintf(error, size, "%s: %s", path, strerror(errno)), -1;
    exports += taken == COLLECT_SEVERAL;
  }
  if (exports == class->roster.count) {
    snprintf(error, size, "%s holds the files of several students: give batch that by itself, as SUBMISSIONS",
             class->roster.students[0].sources[0]);
    return -1;
  }
  note_leftovers(class);
  return 0;
}

void class_close(struct class *class) {
  for (size_t i = 0; class->outcomes && i < class->roster.count; i++)
    lab_record_free(&class->outcomes[i].lab);
  free(class->outcomes);
  json_decref(class->basis);
  json_decref(class->basis_before);
  roster_free(&class->roster);
}
