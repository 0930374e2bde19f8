// Opens the output folder, and finds out what has to be graded in it. The idea: the key of a submission is a
// hash of everything that its result depends on.
#include "class/class.h"

#include "class/collect.h"
#include "class/hash-files.h"
#include "class/history.h"
#include "class/marks.h"
#include "class/same-files.h"
#include "report/glob-below.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ASK_MARK ".ask"
static const char *const folders[] = {"submissions", "results", "feedback", "logs"};

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
  int status = 0;
  if (!json || json_unpack(json, "{s:s, s:s}", "lab", &lab, "seed", &seed) != 0) {
    status =
        class_fail(error, size, "%s is no batch of this grader's (%s): choose another --out, or remove it",
                   path, json ? "lab and seed are missing" : wrong.text);
  } else if (strcmp(lab, class->grading->config.lab) != 0) {
    status =
        class_fail(error, size, "%s holds the grades of %.40s: choose another --out", class->output, lab);
  } else {
    if (!seed_given) class->seed = strtoull(seed, NULL, 10);
    class->basis_before = json_incref(json_object_get(json, "rests_on"));
  }
  json_decref(json);
  return status;
}

// Two batches in one folder would remove each other's submissions. The lock is held until the last process of
// the batch has ended: the processes that a killed batch left behind need a moment to end, and their
// submissions must stay until then.
static int lock_folder(const struct class *class, char *error, size_t size) {
  char path[PATH_MAX];
  struct timespec moment = {.tv_nsec = 100000000};
  int lock = open(class_path(class, path, "", "batch", ".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) return class_fail(error, size, "%s: %s", path, strerror(errno));
  for (int tries = 0; flock(lock, LOCK_EX | LOCK_NB) != 0; tries++) {
    int reason = errno;
    bool held = reason == EWOULDBLOCK || reason == EINTR;
    if (!held || tries == 300) {
      close(lock);
      return held ? class_fail(error, size, "--out %s: another batch is at work there", class->output)
                  : class_fail(error, size, "%s cannot be locked: %s", path, strerror(reason));
    }
    if (tries == 10) fprintf(stderr, "grader: waiting for another batch in %s to end ...\n", class->output);
    nanosleep(&moment, NULL);
  }
  return 0;
}

// Removes files that a killed batch had begun to write.
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

int class_open(struct class *class, const char *submissions, bool seed_given, char *error, size_t size) {
  char path[PATH_MAX];
  if (strlen(class->output) > LONGEST_OUTPUT)
    return class_fail(error, size, "--out: the path has more than %d bytes", LONGEST_OUTPUT);
  if (!class->share && class_check_places(class, submissions, error, size) != 0) return -1;
  if (mkdir(class->output, 0777) != 0 && errno != EEXIST) {
    return class_fail(error, size, "--out %s: %s", class->output, strerror(errno));
  }
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    if (mkdir(class_path(class, path, "", folders[i], ""), 0777) == 0 || errno == EEXIST) continue;
    return class_fail(error, size, "--out %s: %s", path, strerror(errno));
  }
  if (!class->share && lock_folder(class, error, size) != 0) return -1;
  if (!class->share) sweep(class);
  class_path(class, path, "", "batch", ".json");
  if (access(path, F_OK) == 0 && read_batch(class, path, seed_given, error, size) != 0) return -1;
  class->basis = basis_make(class, error, size);
  if (!class->basis) return -1;
  return class->share ? 0 : class_write(path, true, write_batch, class, error, size);
}

// ---- keys ----

static int hash_submission(const char *folder, char text[SHA256_TEXT], char *error, size_t size) {
  struct dirent **entries;
  struct sha256 hash;
  char path[PATH_MAX];
  int count = scandir(folder, &entries, NULL, alphasort), status = 0;
  if (count < 0) return class_fail(error, size, "%s: %s", folder, strerror(errno));
  sha256_begin(&hash);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    if (name[0] != '.' && status == 0) {
      sha256_add_text(&hash, name);
      if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX)
        status = class_fail(error, size, "%s: %s", folder, strerror(ENAMETOOLONG));
      else
        status = sha256_add_file(&hash, path, error, size);
    }
    free(entries[i]);
  }
  free(entries);
  sha256_end(&hash, text);
  return status;
}

static bool is_in_roster(const struct roster *roster, const char *name, size_t length) {
  for (size_t i = 0; i < roster->count; i++)
    if (strncmp(roster->students[i].name, name, length) == 0 && !roster->students[i].name[length])
      return true;
  return false;
}

// Names results of students who are not among the submissions any more. The files stay: the folder of
// submissions may have been given by mistake.
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
  snprintf(text, sizeof text,
           "%s%s: graded before, and not among the submissions now; the result stays, grades.csv is without "
           "them, and what was in feedback/ is in former/",
           first, more);
  roster_note(&class->roster, "results", text);
}

static bool is_listed(const char **list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i], name) == 0) return true;
  return false;
}

// Tells tasks on a cluster that the submission is not to be graded.
static int leave_mark(const struct class *class, const char *name, char *error, size_t size) {
  char path[PATH_MAX];
  FILE *mark = fopen(class_path(class, path, "submissions", name, "/" ASK_MARK), "we");
  return mark && fclose(mark) == 0 ? 0 : class_fail(error, size, "%s: %s", path, strerror(errno));
}

// Finds out whether the submission has a result already, and whether it is to be graded.
static int take_result(struct class *class, size_t index, char *error, size_t size) {
  struct outcome *outcome = &class->outcomes[index];
  const char *name = class->roster.students[index].name;
  char path[PATH_MAX];
  if (class->share)
    outcome->ask = access(class_path(class, path, "submissions", name, "/" ASK_MARK), F_OK) == 0;
  outcome->apart = outcome->ask;
  if (outcome->ask) return class->share ? 0 : leave_mark(class, name, error, size);
  outcome->apart = class->only_count > 0 && !is_listed(class->only, class->only_count, name);
  if (!outcome->apart && is_listed(class->anew, class->anew_count, name) &&
      unlink(class_path(class, path, "results", name, ".json")) != 0 && errno != ENOENT)
    return class_fail(error, size, "%s: %s", path, strerror(errno));
  outcome->kept = outcome->known = result_load(class, index);
  if (!outcome->known && outcome->apart)
    outcome->stale = outcome->kept = outcome->known = result_read_stale(class, index);
  return outcome->kept && !class->share ? result_renew(class, index, error, size) : 0;
}

// Collects the files of one submission, and loads the result that it has already. Returns what collect()
// does.
static int take_in(struct class *class, size_t index, struct sha256 basis, char *error, size_t size) {
  const struct student *student = &class->roster.students[index];
  struct outcome *outcome = &class->outcomes[index];
  char folder[PATH_MAX];
  int collected = 0;
  class_path(class, folder, "submissions", student->name, "");
  if (!class->share)
    collected = collect(student, &class->grading->config, class->grading->only, class->grading->sandbox,
                        folder, outcome->notes, sizeof outcome->notes, error, size);
  outcome->ask = collected == COLLECT_ASK;
  if (collected < 0 || hash_submission(folder, outcome->files, error, size) != 0) return -1;
  sha256_add_text(&basis, outcome->files);
  sha256_end(&basis, outcome->key);
  same_files_hash(class, index);
  return take_result(class, index, error, size) == 0 ? collected : -1;
}

// Replaces what --only and --regrade name by the names of the submissions.
static int find_named(const struct class *class, const char *option, const char **names, size_t count,
                      char *error, size_t size) {
  for (size_t i = 0; i < count; i++) {
    size_t index = 0, found = class_find(class, names[i], &index);
    if (found != 1)
      return class_fail(error, size, "%s %s: %s; the column `submission` of grades.csv has the names", option,
                        names[i],
                        found ? "several submissions are called so" : "there is no such submission");
    names[i] = class->roster.students[index].name;
  }
  return 0;
}

int class_collect(struct class *class, char *error, size_t size) {
  struct sha256 basis;
  char path[PATH_MAX];
  size_t exports = 0;
  class->outcomes = calloc(class->roster.count, sizeof *class->outcomes);
  if (!class->outcomes) return class_fail(error, size, "out of memory");
  if (find_named(class, "--only", class->only, class->only_count, error, size) != 0 ||
      find_named(class, "--regrade", class->anew, class->anew_count, error, size) != 0)
    return -1;
  // The folder of a student who has left the roster must go: tasks on a cluster count these folders.
  class_path(class, path, "", "submissions", "");
  if (!class->share) remove_tree(path);
  if (!class->share && mkdir(path, 0777) != 0)
    return class_fail(error, size, "%s: %s", path, strerror(errno));
  sha256_begin(&basis);
  basis_hash(class->basis, &basis);
  for (size_t i = 0; i < class->roster.count; i++) {
    int taken = take_in(class, i, basis, error, size);
    if (taken < 0) return -1;
    exports += taken == COLLECT_SEVERAL;
  }
  if (exports == class->roster.count)
    return class_fail(error, size,
                      "%s holds the files of several students: give batch that by itself, as SUBMISSIONS",
                      class->roster.students[0].sources[0]);
  note_leftovers(class);
  return 0;
}

void class_close(struct class *class) {
  for (size_t i = 0; class->outcomes && i < class->roster.count; i++)
    lab_record_free(&class->outcomes[i].lab);
  free(class->outcomes);
  overrides_free(&class->overrides);
  history_free(class->history);
  json_decref(class->basis);
  json_decref(class->basis_before);
  roster_free(&class->roster);
}
