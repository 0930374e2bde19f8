// What `check` found out before: build/progress/LAB-EXERCISE.json holds a key and a record. In: a submission. Out: records of what
// hasn't changed. The idea: the key is a checksum of all that a verdict depends on, so nothing needs to be thrown away by hand.
#include "cli/remembered.h"

#include "referee/kit.h"
#include "report/whole-file.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MOST_BYTES = 4 << 20
}; // a source or header; what is larger, or no plain file, is graded anew each time

// Adds the files that match: name and bytes. False if one of them can't be read quickly and safely.
static bool add_files(struct sha256 *hash, const char *pattern, off_t most) {
  glob_t found;
  bool good = true;
  if (glob(pattern, 0, NULL, &found) != 0) return true; // none
  for (size_t i = 0; i < found.gl_pathc && good; i++) {
    struct stat status;
    const char *slash = strrchr(found.gl_pathv[i], '/');
    good = lstat(found.gl_pathv[i], &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= most;
    if (!good) break;
    sha256_add_text(hash, slash ? slash + 1 : found.gl_pathv[i]);
    good = sha256_add_file(hash, found.gl_pathv[i]) == 0;
  }
  globfree(&found);
  return good;
}

// Everything that judges.
static bool add_kit(const struct grading *grading, struct sha256 *hash) {
  static const char *const parts[] = {"build/bin/[gs]*", "build/lib/lib*.so.*", "build/runner/%s/*",
                                      "interface/*",     "labs/%s/*.cfg",       "labs/%s/*.h"};
  char path[PATH_MAX], pattern[PATH_MAX];
  bool good = true;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && good; i++) {
    const char *percent = strstr(parts[i], "%s");
    if (percent) {
      snprintf(pattern, sizeof pattern, "%.*s%s%s", (int)(percent - parts[i]), parts[i], grading->config.lab,
               percent + 2);
    } else {
      snprintf(pattern, sizeof pattern, "%s", parts[i]);
    }
    good = add_files(hash, kit_path(&grading->kit, path, "%s", pattern), (off_t)1 << 30);
  }
  sha256_add_text(hash, grading->kit.nvcc);
  sha256_add_text(hash, grading->device == DEVICE_GPU ? grading->device_description : "virtual");
  sha256_add(hash, &grading->host_deadline, sizeof grading->host_deadline);
  sha256_add(hash, &grading->build_deadline, sizeof grading->build_deadline);
  return good;
}

static bool add_source(const struct grading *grading, const char *exercise, struct sha256 *hash) {
  static const char *const endings[] = {"*.h", "*.cuh", "*.hpp", "*.inc"};
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s.cu", grading->submission, exercise) >= (int)sizeof path)
    return false;
  if (access(path, R_OK) != 0 || !add_files(hash, path, MOST_BYTES)) return false;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (snprintf(path, sizeof path, "%s/%s", grading->submission, endings[i]) >= (int)sizeof path ||
        !add_files(hash, path, MOST_BYTES))
      return false;
  return true;
}

static char *record_path(const struct grading *grading, const char *exercise, char path[PATH_MAX]) {
  return kit_path(&grading->kit, path, "build/progress/%s-%s.json", grading->config.lab, exercise);
}

static void take(const struct grading *grading, const char *key, struct exercise_record *place) {
  char path[PATH_MAX];
  struct exercise_record record;
  json_t *json = json_load_file(record_path(grading, place->name, path), 0, NULL);
  const char *kept = json_string_value(json_object_get(json, "key"));
  if (kept && strcmp(kept, key) == 0 &&
      exercise_record_from_json(json_object_get(json, "exercise"), &record)) {
    if ((record.verdict == VERDICT_PASS || record.verdict == VERDICT_FAIL) &&
        strcmp(record.name, place->name) == 0) {
      exercise_record_free(place);
      *place = record;
      place->unchanged = true;
    } else {
      exercise_record_free(&record);
    }
  }
  json_decref(json);
}

void remembered_take(const struct grading *grading, struct lab_record *lab, struct remembered *remembered) {
  char own[PATH_MAX], real[PATH_MAX];
  struct sha256 kit;
  memset(remembered, 0, sizeof *remembered);
  kit_path(&grading->kit, own, "labs/%s", grading->config.lab);
  if (!realpath(own, real) || strcmp(real, grading->submission) != 0) return;
  sha256_begin(&kit);
  if (!add_kit(grading, &kit)) return;
  for (size_t i = 0; i < lab->exercise_count; i++) {
    struct sha256 hash = kit;
    if (!add_source(grading, lab->exercises[i].name, &hash)) continue;
    sha256_end(&hash, remembered->keys[i]);
    take(grading, remembered->keys[i], &lab->exercises[i]);
  }
}

static int write_json(FILE *out, const void *what) {
  return json_dumpf(what, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
}

// What can't be kept is graded again the next time, and nothing is lost but that.
static void keep(const struct grading *grading, const char *key, const struct exercise_record *record) {
  char path[PATH_MAX];
  json_t *json = json_pack("{s:s, s:o}", "key", key, "exercise", exercise_record_json(record));
  mkdir(kit_path(&grading->kit, path, "build/progress"), 0777);
  if (json) whole_file_write(record_path(grading, record->name, path), false, write_json, json);
  json_decref(json);
}

void remembered_keep(const struct grading *grading, const struct lab_record *lab,
                     const struct remembered *remembered) {
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *record = &lab->exercises[i];
    bool worth = record->verdict == VERDICT_PASS || (record->verdict == VERDICT_FAIL && !lab->gpu);
    if (remembered->keys[i][0] && worth && !record->unchanged && !record->not_started)
      keep(grading, remembered->keys[i], record);
  }
}
