// In: a task. Out: stages of a record that was kept in grading->alike. The idea: a file for each key, written
// in one step by the process that judged the code; no process of a submission can see that folder.
#include "referee/same-code.h"

#include "referee/evidence.h"
#include "report/whole-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_asked(const struct task *task) {
  const struct grading *grading = task->grading;
  return grading->alike[0] && task->keys.code[0] && grading->device == DEVICE_VIRTUAL &&
         grading->sandbox == SANDBOX_NAMESPACES && !grading->first_failure;
}

// Exercises may have the same code, and not the same cases.
static char *path_of(const struct task *task, const char *key, char path[2 * PATH_MAX]) {
  snprintf(path, 2 * PATH_MAX, "%s/%s-%s.json", task->grading->alike, task->exercise->name, key);
  return path;
}

static void take_stage(struct task *task, struct exercise_record *from, enum stage which) {
  struct stage_record *place = &task->record->stages[which];
  const double max_points = place->max_points; // lab.cfg's
  free(place->detail);
  *place = from->stages[which];
  place->max_points = max_points;
  from->stages[which] = (struct stage_record){0};
}

static bool take(struct task *task, const char *key, enum stage last) {
  char path[2 * PATH_MAX];
  struct exercise_record kept;
  json_t *json = json_load_file(path_of(task, key, path), 0, NULL);
  const bool known = json && exercise_record_from_json(json, &kept);
  json_decref(json);
  if (!known) return false;
  for (int which = STAGE_RULES; which <= (int)last; which++)
    take_stage(task, &kept, (enum stage)which);
  exercise_record_free(&kept);
  return true;
}

static void tell(const struct task *task, const char *what) {
  printf("%s: the code is that of a submission graded in this run; so is %s\n", task->exercise->name, what);
  fflush(stdout); // the process may end without
}

enum same_code same_code_take(struct task *task) {
  if (!is_asked(task)) return SAME_CODE_NONE;
  if (take(task, task->keys.lines, STAGE_BANDWIDTH)) {
    tell(task, "all that it shows");
    return SAME_CODE_AND_LINES;
  }
  if (!take(task, task->keys.code, STAGE_CORRECTNESS)) return SAME_CODE_NONE;
  tell(task, "its pass");
  return SAME_CODE_PASSES;
}

// Whether the stage has passed and says no more than that.
static bool is_plain_pass(const struct stage_record *stage) {
  return stage->verdict == VERDICT_PASS && !stage->detail && !stage->faults && !stage->line &&
         !stage->hidden_case && !stage->unmet && !stage->rule[0];
}

static int write_record(FILE *out, const void *what) {
  return json_dumpf(what, out, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0 ? -1 : 0;
}

void same_code_keep(const struct task *task, size_t remarks) {
  const struct exercise_record *record = task->record;
  const struct stage_record *bandwidth = &record->stages[STAGE_BANDWIDTH];
  char path[2 * PATH_MAX];
  if (!is_asked(task) || json_array_size(record->remarks) != remarks ||
      !is_plain_pass(&record->stages[STAGE_RULES]) || !is_plain_pass(&record->stages[STAGE_CORRECTNESS]))
    return;
  // A kernel that takes long has another size played.
  if (task->evidence && (task->evidence->slow || task->evidence->unjudged)) return;
  json_t *json = exercise_record_json(record);
  if (!json) return;
  (void)whole_file_write(path_of(task, task->keys.code, path), false, write_record, json);
  // Without a prediction: was the machine too busy for one?
  if (!task->config->timed || bandwidth->has_predicted)
    (void)whole_file_write(path_of(task, task->keys.lines, path), false, write_record, json);
  json_decref(json);
}
