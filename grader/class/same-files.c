// In: collected submissions and their results. Out: keys, and records to be used again. The idea: what could
// make a record another one is either in the key or the same for the whole run; a record that could not be
// given for other reasons, or that names the submission it was made for, is made anew.
#include "class/same-files.h"

#include "report/rename-places.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static bool is_source(const char *name) {
  const size_t length = strlen(name);
  return length > 3 && (strcmp(name + length - 3, ".cu") == 0 || strcmp(name + length - 3, ".CU") == 0);
}

// Adds the exercise's source and all files that are no sources. False: the source is missing, or a file can't
// be read.
static bool add_files(const char *folder, const char *source, struct dirent **entries, int count,
                      struct sha256 *hash) {
  char path[PATH_MAX];
  bool found = false;
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    const bool own = strcmp(name, source) == 0;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (is_source(name) && !own)) continue;
    sha256_add_text(hash, name);
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        sha256_add_file(hash, path, NULL, 0) != 0)
      return false;
    found = found || own;
  }
  return found;
}

void same_files_hash(struct class *class, size_t index) {
  const struct lab_config *config = &class->grading->config;
  char folder[PATH_MAX], source[RECORD_NAME + 4];
  struct dirent **entries;
  class_path(class, folder, "submissions", class->roster.students[index].name, "");
  const int count = scandir(folder, &entries, NULL, alphasort);
  for (unsigned i = 0; i < config->exercise_count; i++) {
    struct sha256 hash;
    char *key = class->outcomes[index].sources[i];
    sha256_begin(&hash);
    snprintf(source, sizeof source, "%s.cu", config->exercises[i].name);
    sha256_add_text(&hash, source);
    const bool added = count >= 0 && add_files(folder, source, entries, count, &hash);
    sha256_end(&hash, key);
    if (!added) key[0] = '\0';
  }
  for (int i = 0; i < count; i++)
    free(entries[i]);
  if (count >= 0) free(entries);
}

// Which of two submissions have the exercise's files in common.
static bool are_same(const struct class *class, size_t one, size_t other, unsigned exercise) {
  const char *key = class->outcomes[one].sources[exercise];
  return one != other && key[0] && strcmp(key, class->outcomes[other].sources[exercise]) == 0;
}

size_t same_files_count(const struct class *class, size_t index,
                        bool (*of)(const void *context, size_t other), const void *context, size_t *wanted) {
  size_t same = 0;
  *wanted = 0;
  for (unsigned i = 0; i < class->grading->config.exercise_count; i++) {
    bool found = false;
    if (!class->outcomes[index].sources[i][0]) continue;
    for (size_t j = 0; j < class->roster.count && !found; j++)
      found = are_same(class, index, j, i) && of(context, j);
    same += found;
    ++*wanted;
  }
  return same;
}

// Whether the record says what it would say at any time: a pass or a fail of the submission, without an error
// of the grader and without a stage that this machine had no time for.
static bool is_lasting(const struct exercise_record *record) {
  if (record->verdict != VERDICT_PASS && record->verdict != VERDICT_FAIL) return false;
  for (int i = 0; i < STAGE_COUNT; i++) {
    const enum verdict verdict = record->stages[i].verdict;
    if (verdict == VERDICT_ERROR || (verdict == VERDICT_UNGRADED && i != STAGE_BANDWIDTH)) return false;
  }
  for (size_t i = 0; i < json_array_size(record->remarks); i++) {
    const char *text = json_string_value(json_array_get(record->remarks, i));
    if (text && strstr(text, "too busy")) return false;
  }
  return true;
}

// ---- whose record it was ----

// Whether the record still names the folder `name` of OUT/submissions.
static bool names_folder(const json_t *json, const char *name) {
  char folder[STUDENT_NAME + 16];
  snprintf(folder, sizeof folder, "submissions/%s", name);
  return names_place(json, folder);
}

// The record, as it would be for submission `index`, from that of `other`. NULL: it names that one in another
// way than reports do.
static json_t *record_for(const struct class *class, size_t index, size_t other,
                          const struct exercise_record *record) {
  const char *name = class->roster.students[other].name, *directory = class->grading->directory;
  struct places places;
  char path[PATH_MAX];
  if (!realpath(class_path(class, path, "submissions", name, ""), places.from) ||
      !realpath(class_path(class, path, "submissions", class->roster.students[index].name, ""), places.to))
    return NULL;
  places.short_from = kit_short_path(places.from, directory);
  places.short_to = kit_short_path(places.to, directory);
  json_t *json = exercise_record_json(record), *renamed = rename_places(json, &places);
  json_decref(json);
  if (renamed && !names_folder(renamed, name)) return renamed;
  json_decref(renamed);
  return NULL;
}

static bool was_graded_now(const struct outcome *outcome) {
  return outcome->known && !outcome->kept && !outcome->stale;
}

// What another submission has got for the exercise, if it can be used again.
static const struct exercise_record *record_of(const struct class *class, size_t other,
                                               const char *exercise) {
  const struct lab_record *lab = &class->outcomes[other].lab;
  for (size_t i = 0; i < lab->exercise_count; i++)
    if (strcmp(lab->exercises[i].name, exercise) == 0)
      return is_lasting(&lab->exercises[i]) ? &lab->exercises[i] : NULL;
  return NULL;
}

static bool take(const struct class *class, size_t index, unsigned exercise, struct exercise_record *place) {
  const char *name = class->grading->config.exercises[exercise].name;
  for (size_t j = 0; j < class->roster.count; j++) {
    if (!are_same(class, index, j, exercise) || !was_graded_now(&class->outcomes[j])) continue;
    const struct exercise_record *record = record_of(class, j, name);
    json_t *json = record ? record_for(class, index, j, record) : NULL;
    const bool taken = json && exercise_record_from_json(json, place);
    json_decref(json);
    if (!taken) continue;
    printf("%s: the files are those of %s, graded in this run; so is the verdict\n", name,
           class->roster.students[j].name);
    return true;
  }
  return false;
}

static bool is_to_be_graded_anew(const struct class *class, size_t index) {
  for (size_t i = 0; i < class->anew_count; i++)
    if (strcmp(class->anew[i], class->roster.students[index].name) == 0) return true;
  return false;
}

void same_files_take(const struct class *class, size_t index, struct lab_record *known) {
  const struct grading *grading = class->grading;
  *known = (struct lab_record){0};
  if (class->each || grading->device != DEVICE_VIRTUAL || grading->sandbox != SANDBOX_NAMESPACES ||
      is_to_be_graded_anew(class, index))
    return;
  for (unsigned i = 0; i < grading->config.exercise_count; i++)
    known->exercise_count += take(class, index, i, &known->exercises[known->exercise_count]);
}
