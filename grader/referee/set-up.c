// In: names from the command line. Out: struct grading, complete and checked. The idea: everything that can
// be wrong with the kit or the machine is found here, before a student's file is opened.
#include "referee/grade.h"

#include "referee/speed.h"
#include "report/glob-below.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void list_names(const struct exercise *const *exercises, size_t count, char *text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < count && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "", exercises[i]->name);
}

// What gives points for bandwidth needs a case to time, and kernels that make its input.
static int check_timed(const struct exercise *exercise, const struct exercise_config *config,
                       const char *path, char *error, size_t size) {
  const char *lacks = !exercise->bandwidth_case ? "bandwidth_case" : !exercise->trusted ? "trusted" : NULL;
  if (!lacks) return 0;
  snprintf(error, size, "%s:%u: points: %s can't be timed, since its judge has no .%s: leave out bandwidth",
           path, config->line, config->name, lacks);
  return -1;
}

static int check_names(const struct lab_config *config, const char *lab, const char *path, char *error,
                       size_t size) {
  size_t count;
  const struct exercise *const *exercises = exercises_of(lab, &count);
  if (strcmp(config->lab, lab) != 0) {
    snprintf(error, size, "%s:%u: lab: is \"%s\": must be \"%s\", the folder's name", path, config->lab_line,
             config->lab, lab);
    return -1;
  }
  char names[512];
  list_names(exercises, count, names, sizeof names);
  bool fits = count == config->exercise_count;
  for (size_t i = 0; i < count && fits; i++)
    fits = strcmp(exercises[i]->name, config->exercises[i].name) == 0;
  for (size_t i = 0; i < count && fits; i++) {
    const struct exercise_config *exercise = &config->exercises[i];
    if (!exercise->timed) continue;
    if (check_timed(exercises[i], exercise, path, error, size) != 0) return -1;
    const char *speed = speed_unit_of(exercises[i])->key;
    if (strcmp(exercise->speed, speed) == 0) continue;
    snprintf(error, size, "%s:%u: speed: must be \"%s\": that is how %s is timed", path, exercise->line,
             speed, exercise->name);
    return -1;
  }
  if (fits) return 0;
  snprintf(error, size, "%s:%u: exercises: must be %s, which the grader knows, in this order", path,
           config->exercises_line, names);
  return -1;
}

// lab9 comes before lab10.
static int by_version(const void *a, const void *b) {
  return strverscmp(*(char *const *)a, *(char *const *)b);
}

// The grader has no exercise of this lab: says whether the lab exists, and which labs do.
static void refuse_lab(const struct kit *kit, const char *lab, char *error, size_t size) {
  char path[PATH_MAX];
  if (!strchr(lab, '/') && access(kit_path(kit, path, "labs/%.40s/lab.cfg", lab), F_OK) == 0) {
    snprintf(error, size,
             "this grader knows no exercise of %.40s: each needs a grader/exercises/%.40s/N-NAME-adapter.c; "
             "then build the grader anew",
             lab, lab);
    return;
  }
  glob_t found;
  glob_below(kit->root, "labs/*/lab.cfg", &found);
  qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_version);
  size_t length = (size_t)snprintf(error, size, "there is no lab `%.40s`; there is:", lab);
  for (size_t i = 0; i < found.gl_pathc && length < size; i++) {
    const char *name = dirname(found.gl_pathv[i]);
    length += (size_t)snprintf(error + length, size - length, "%s %s", i ? "," : "", strrchr(name, '/') + 1);
  }
  globfree(&found);
}

static int read_config(struct grading *grading, const char *lab, char *error, size_t size) {
  char path[PATH_MAX];
  size_t count;
  if (!exercises_of(lab, &count)) {
    refuse_lab(&grading->kit, lab, error, size);
    return -1;
  }
  kit_path(&grading->kit, path, "labs/%s/lab.cfg", lab);
  const char *shown = kit_short_path(path, grading->directory);
  if (access(path, R_OK) != 0) {
    snprintf(error, size, "%s: %s: it belongs to the kit; restore it from the handout or with git checkout",
             shown, strerror(errno));
    return -1;
  }
  if (lab_config_read(shown, &grading->config, error, size) != 0) return -1;
  return check_names(&grading->config, lab, shown, error, size);
}

// Accepts an exercise's full name, or its number.
static int choose_exercise(struct grading *grading, const char *only, char *error, size_t size) {
  size_t count;
  const struct exercise *const *exercises = exercises_of(grading->config.lab, &count);
  grading->only[0] = '\0';
  if (!only) return 0;
  for (size_t i = 0; i < count; i++) {
    size_t digits = strspn(exercises[i]->name, "0123456789");
    bool by_number = strlen(only) == digits && strncmp(only, exercises[i]->name, digits) == 0;
    if (!by_number && strcmp(only, exercises[i]->name) != 0) continue;
    snprintf(grading->only, sizeof grading->only, "%s", exercises[i]->name);
    return 0;
  }
  char names[512];
  list_names(exercises, count, names, sizeof names);
  snprintf(error, size, "%s has no exercise `%.40s`; it has %s", grading->config.lab, only, names);
  return -1;
}

static int choose_device(struct grading *grading, const char *wanted, char *error, size_t size) {
  bool virtual_wanted = strcmp(wanted, "virtual") == 0;
  bool found = !virtual_wanted && device_find_gpu(grading->device_description,
                                                  sizeof grading->device_description, &grading->gpus);
  if (virtual_wanted)
    snprintf(grading->device_description, sizeof grading->device_description, "as asked for");
  grading->device = found ? DEVICE_GPU : DEVICE_VIRTUAL;
  if (found || strcmp(wanted, "gpu") != 0) return 0;
  snprintf(error, size, "--device gpu: %s", grading->device_description);
  return -1;
}

int grading_set_up(struct grading *grading, const char *lab, const char *only, const char *device,
                   char *error, size_t error_size) {
  if (!getcwd(grading->directory, sizeof grading->directory)) grading->directory[0] = '\0';
  if (kit_find(&grading->kit, error, error_size) != 0 || read_config(grading, lab, error, error_size) != 0)
    return -1;
  if (choose_exercise(grading, only, error, error_size) != 0) return -1;
  if (choose_device(grading, device, error, error_size) != 0) return -1;
  grading->sandbox = sandbox_probe(grading->missing_walls, sizeof grading->missing_walls);
  grading->gpu_lock = memfd_create("gpu-lock", MFD_CLOEXEC);
  if (grading->gpu_lock >= 0) return 0;
  snprintf(error, error_size, "cannot make a lock: %s", strerror(errno));
  return -1;
}

void grading_tear_down(struct grading *grading) {
  if (grading->gpu_lock >= 0) close(grading->gpu_lock);
  grading->gpu_lock = -1;
}
