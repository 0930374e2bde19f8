// Verdicts of an earlier `check`: build/progress/LAB-EXERCISE.json holds a key and a record. In: a
// submission. Out: the records of unchanged exercises. The idea: the key is a checksum of all that a verdict
// depends on, so nobody has to clear the cache by hand.
#include "cli/verdict-cache.h"

#include "class/hash-files.h"
#include "referee/kit.h"
#include "report/whole-file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Of a source or header. An exercise with a larger file, or one that is no plain file, is graded anew each
// time.
enum { MOST_BYTES = 4 << 20 };

static bool add_source(const struct grading *grading, const char *exercise, struct sha256 *hash) {
  static const char *const endings[] = {"*.h", "*.cuh", "*.hpp", "*.inc"};
  char path[PATH_MAX], name[RECORD_NAME + 4];
  snprintf(name, sizeof name, "%s.cu", exercise);
  if (snprintf(path, sizeof path, "%s/%s", grading->submission, name) >= (int)sizeof path) return false;
  if (access(path, R_OK) != 0 || hash_files(hash, grading->submission, name, MOST_BYTES, NULL, 0) != 0)
    return false;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (hash_files(hash, grading->submission, endings[i], MOST_BYTES, NULL, 0) != 0) return false;
  return true;
}

// Adds everything that judges: kit, device, deadlines.
static bool add_grading(const struct grading *grading, struct sha256 *hash) {
  if (hash_kit(hash, &grading->kit, grading->config.lab, NULL, 0) != 0) return false;
  sha256_add_text(hash, grading->device == DEVICE_GPU ? grading->device_description : "virtual");
  sha256_add(hash, &grading->host_deadline, sizeof grading->host_deadline);
  sha256_add(hash, &grading->build_deadline, sizeof grading->build_deadline);
  return true;
}

static char *record_path(const struct grading *grading, const char *exercise, char path[PATH_MAX]) {
  return kit_path(&grading->kit, path, "build/progress/%s-%s.json", grading->config.lab, exercise);
}

// Reads the cached record of an exercise; false, with nothing to free: there is none of this key.
static bool read_record(const struct grading *grading, const char *exercise, const char *key,
                        struct exercise_record *record) {
  char path[PATH_MAX];
  json_t *json = json_load_file(record_path(grading, exercise, path), 0, NULL);
  const char *kept = json_string_value(json_object_get(json, "key"));
  bool found =
      kept && strcmp(kept, key) == 0 && exercise_record_from_json(json_object_get(json, "exercise"), record);
  json_decref(json);
  if (!found) return false;
  if ((record->verdict == VERDICT_PASS || record->verdict == VERDICT_FAIL) &&
      strcmp(record->name, exercise) == 0)
    return true;
  exercise_record_free(record);
  return false;
}

static void take(const struct grading *grading, const char *key, struct exercise_record *place) {
  struct exercise_record record;
  if (!read_record(grading, place->name, key, &record)) return;
  exercise_record_free(place);
  *place = record;
  place->unchanged = true;
  lab_config_score(&grading->config, place);
}

static bool is_asked_for(const struct lab_record *lab, const char *exercise) {
  for (size_t i = 0; i < lab->exercise_count; i++)
    if (strcmp(lab->exercises[i].name, exercise) == 0) return true;
  return false;
}

// Of a lab in order, how many of the exercises that weren't asked for have passed as they are now.
static void count_others(const struct grading *grading, const struct sha256 *kit, struct lab_record *lab) {
  for (unsigned i = 0; lab->in_order && i < grading->config.exercise_count; i++) {
    const char *exercise = grading->config.exercises[i].name;
    struct sha256 hash = *kit;
    struct exercise_record record;
    char key[SHA256_TEXT];
    if (is_asked_for(lab, exercise) || !add_source(grading, exercise, &hash)) continue;
    sha256_end(&hash, key);
    if (!read_record(grading, exercise, key, &record)) continue;
    lab->others_passed += record.verdict == VERDICT_PASS;
    exercise_record_free(&record);
  }
}

void verdict_cache_take(const struct grading *grading, struct lab_record *lab, struct verdict_cache *cache) {
  char own[PATH_MAX], real[PATH_MAX];
  struct sha256 kit;
  memset(cache, 0, sizeof *cache);
  kit_path(&grading->kit, own, "labs/%s", grading->config.lab);
  if (!realpath(own, real) || strcmp(real, grading->submission) != 0) return;
  sha256_begin(&kit);
  if (!add_grading(grading, &kit)) return;
  for (size_t i = 0; i < lab->exercise_count; i++) {
    struct sha256 hash = kit;
    if (!add_source(grading, lab->exercises[i].name, &hash)) continue;
    sha256_end(&hash, cache->keys[i]);
    take(grading, cache->keys[i], &lab->exercises[i]);
  }
  count_others(grading, &kit, lab);
  if (!lab->whole_lab) lab->steps = grading->config.exercise_count;
}

static int write_json(FILE *out, const void *what) {
  return json_dumpf(what, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
}

// If the file can't be written, the exercise is graded again the next time.
static void keep(const struct grading *grading, const char *key, const struct exercise_record *record) {
  char path[PATH_MAX];
  json_t *json = json_pack("{s:s, s:o}", "key", key, "exercise", exercise_record_json(record));
  mkdir(kit_path(&grading->kit, path, "build/progress"), 0777);
  if (json) whole_file_write(record_path(grading, record->name, path), false, write_json, json);
  json_decref(json);
}

void verdict_cache_keep(const struct grading *grading, const struct lab_record *lab,
                        const struct verdict_cache *cache) {
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *record = &lab->exercises[i];
    bool worth = record->verdict == VERDICT_PASS || (record->verdict == VERDICT_FAIL && !lab->gpu);
    if (cache->keys[i][0] && worth && !record->unchanged && !record->not_started)
      keep(grading, cache->keys[i], record);
  }
}
