// In: a task. Out: stages of a record that was kept in grading->alike. The idea: a file for each key, written
// in one step by the process that judged the code; no process of a submission can see that folder.
#include "referee/same-code.h"

#include "referee/evidence.h"
#include "report/plain-file.h"
#include "report/rename-places.h"
#include "report/whole-file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_asked(const struct task *task) {
  const struct grading *grading = task->grading;
  return grading->alike[0] && task->keys.code[0] && grading->device == DEVICE_VIRTUAL &&
         grading->sandbox == SANDBOX_NAMESPACES && !grading->first_failure;
}

// ---- the key of what a report may say ----

// Nobody asks a line of comment for anything but the number of a step, and what stands behind the last line
// for nothing at all. Comments behind code are shown with it.
static bool is_silent(const char *line) {
  line += strspn(line, " \t\r\f\v");
  return !*line || (strncmp(line, "//", 2) == 0 && !strstr(line, "TODO("));
}

// Adds the lines of the source that a report may show or look for. False: it can't be read.
static bool add_source(struct sha256 *hash, const char *path) {
  enum { LONGEST = 64 << 10 }; // a longer line is cut, and then the code tells what it says
  char *line = malloc(LONGEST);
  FILE *file = line ? plain_file_open(path) : NULL;
  for (uint64_t number = 1; file && plain_file_line(file, line, LONGEST); number++) {
    if (is_silent(line)) continue;
    sha256_add(hash, &number, sizeof number);
    sha256_add_text(hash, line);
  }
  free(line);
  return file && fclose(file) == 0;
}

// The source without its lines of comment, and all other files as they are.
static bool report_key(const struct task *task, char key[SHA256_TEXT]) {
  char folder[PATH_MAX], path[2 * PATH_MAX], source[RECORD_NAME + 4];
  struct sha256 hash;
  struct dirent **entries;
  snprintf(folder, sizeof folder, "%.*s/source", PATH_MAX - 16, task->scratch);
  snprintf(source, sizeof source, "%s.cu", task->exercise->name);
  const int count = scandir(folder, &entries, NULL, alphasort);
  bool added = count >= 0;
  sha256_begin(&hash);
  sha256_add_text(&hash, task->keys.lines);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sha256_add_text(&hash, name);
    if (strcmp(name, source) == 0)
      added = added && add_source(&hash, path);
    else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
      added = added && sha256_add_file(&hash, path, NULL, 0) == 0;
    free(entries[i]);
  }
  if (count >= 0) free(entries);
  sha256_end(&hash, key);
  return added;
}

// ---- taking ----

// Exercises may have the same code, and not the same cases.
static char *path_of(const struct task *task, const char *key, char path[2 * PATH_MAX]) {
  snprintf(path, 2 * PATH_MAX, "%s/%s-%s.json", task->grading->alike, task->exercise->name, key);
  return path;
}

// The folder that a record may name.
static const char *folder_of(const struct grading *grading) {
  return grading->taken_from[0] ? grading->taken_from : grading->submission;
}

static json_t *renamed(const struct grading *grading, const json_t *kept) {
  const char *from = json_string_value(json_object_get(kept, "folder"));
  struct places places;
  if (!from) return NULL;
  snprintf(places.from, sizeof places.from, "%s", from);
  snprintf(places.to, sizeof places.to, "%s", folder_of(grading));
  places.short_from = kit_short_path(places.from, grading->directory);
  places.short_to = kit_short_path(places.to, grading->directory);
  json_t *record = rename_places(json_object_get(kept, "record"), &places);
  if (strcmp(places.from, places.to) == 0 || !names_place(record, places.short_from)) return record;
  json_decref(record);
  return NULL;
}

static void take_stage(struct task *task, struct exercise_record *from, enum stage which) {
  struct stage_record *place = &task->record->stages[which];
  const double max_points = place->max_points; // lab.cfg's
  free(place->detail);
  *place = from->stages[which];
  place->max_points = max_points;
  from->stages[which] = (struct stage_record){0};
}

static bool take(struct task *task, const char *key, enum stage last, const char *what) {
  char path[2 * PATH_MAX];
  struct exercise_record record;
  json_t *kept = json_load_file(path_of(task, key, path), 0, NULL);
  json_t *json = kept ? renamed(task->grading, kept) : NULL;
  const bool known = json && exercise_record_from_json(json, &record);
  json_decref(json);
  json_decref(kept);
  if (!known) return false;
  for (int which = STAGE_RULES; which <= (int)last; which++)
    take_stage(task, &record, (enum stage)which);
  exercise_record_free(&record);
  printf("%s: the code is that of a submission graded in this run; so is %s\n", task->exercise->name, what);
  fflush(stdout); // the process may end without
  return true;
}

enum same_code same_code_take(struct task *task) {
  static const char all[] = "all that it shows";
  char key[SHA256_TEXT];
  if (!is_asked(task)) return SAME_CODE_NONE;
  if (take(task, task->keys.lines, STAGE_BANDWIDTH, all)) return SAME_CODE_AND_REPORT;
  if (take(task, task->keys.code, STAGE_CORRECTNESS, "its pass")) return SAME_CODE_PASSES;
  if (report_key(task, key) && take(task, key, STAGE_BANDWIDTH, all)) return SAME_CODE_AND_REPORT;
  return SAME_CODE_NONE;
}

// ---- keeping ----

// Whether the stage has passed and says no more than that.
static bool is_plain_pass(const struct stage_record *stage) {
  return stage->verdict == VERDICT_PASS && !stage->detail && !stage->faults && !stage->line &&
         !stage->hidden_case && !stage->unmet && !stage->rule[0];
}

static bool is_verdict(const struct stage_record *stage) {
  return stage->verdict == VERDICT_PASS || stage->verdict == VERDICT_FAIL ||
         stage->verdict == VERDICT_NOT_REACHED;
}

static int write_record(FILE *out, const void *what) {
  return json_dumpf(what, out, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0 ? -1 : 0;
}

static void write_entry(const struct task *task, const char *key, const json_t *entry) {
  char path[2 * PATH_MAX];
  (void)whole_file_write(path_of(task, key, path), false, write_record, entry);
}

static void write_entries(const struct task *task, const json_t *entry) {
  const struct stage_record *stages = task->record->stages;
  const bool passed = is_plain_pass(&stages[STAGE_RULES]) && is_plain_pass(&stages[STAGE_CORRECTNESS]);
  // A prediction that there should be and isn't: was the machine too busy for one?
  const bool whole = !task->config->timed || stages[STAGE_BANDWIDTH].has_predicted ||
                     stages[STAGE_CORRECTNESS].verdict != VERDICT_PASS;
  // A kernel that takes long has another size played.
  const bool slow = task->evidence && task->evidence->slow;
  char key[SHA256_TEXT];
  if (passed && !slow) write_entry(task, task->keys.code, entry);
  if (passed && !slow && whole) write_entry(task, task->keys.lines, entry);
  if (!passed && whole && report_key(task, key)) write_entry(task, key, entry);
}

void same_code_keep(const struct task *task, size_t remarks) {
  const struct exercise_record *record = task->record;
  const enum verdict bandwidth = record->stages[STAGE_BANDWIDTH].verdict;
  if (!is_asked(task) || json_array_size(record->remarks) != remarks ||
      !is_verdict(&record->stages[STAGE_RULES]) || !is_verdict(&record->stages[STAGE_CORRECTNESS]) ||
      bandwidth == VERDICT_ERROR || (task->evidence && task->evidence->unjudged))
    return;
  json_t *entry =
      json_pack("{s:s, s:o}", "folder", folder_of(task->grading), "record", exercise_record_json(record));
  // Where it was compiled is another place each time.
  if (entry && !names_place(entry, task->scratch)) write_entries(task, entry);
  json_decref(entry);
}
