// The record's points and verdicts, and an exercise as JSON and back. The idea: points are computed here
// alone, so that no two formats can disagree.
#include "report/record.h"

#include "virtual-hopper/base/printable.h"

#include <stdlib.h>
#include <string.h>

static const char *const stage_names[STAGE_COUNT] = {"build", "rules", "correctness", "bandwidth"};
static const char *const verdict_names[] = {"error", "pass", "fail", "ungraded", "not reached"};
enum { VERDICT_COUNT = sizeof verdict_names / sizeof *verdict_names };

const char *stage_name(enum stage stage) {
  return stage_names[stage];
}
const char *verdict_name(enum verdict verdict) {
  return verdict_names[verdict];
}

double stage_points(const struct stage_record *stage) {
  return stage->verdict == VERDICT_PASS   ? stage->max_points
         : stage->verdict == VERDICT_FAIL ? stage->max_points * stage->credit
                                          : 0;
}

struct score exercise_score(const struct exercise_record *exercise) {
  struct score score = {0, 0};
  if (exercise->verdict == VERDICT_ERROR) return score;
  for (int i = 0; i < STAGE_COUNT; i++) {
    const struct stage_record *stage = &exercise->stages[i];
    if (stage->verdict == VERDICT_UNGRADED || stage->verdict == VERDICT_ERROR) continue;
    score.maximum += stage->max_points;
    score.points += stage_points(stage);
  }
  return score;
}

struct score lab_score(const struct lab_record *lab) {
  struct score sum = {0, 0};
  for (size_t i = 0; i < lab->exercise_count; i++) {
    struct score score = exercise_score(&lab->exercises[i]);
    sum.points += score.points;
    sum.maximum += score.maximum;
  }
  return sum;
}

double lab_work_seconds(const struct lab_record *lab) {
  double sum = 0;
  for (size_t i = 0; i < lab->exercise_count; i++)
    sum += lab->exercises[i].seconds;
  return sum;
}

enum verdict lab_verdict(const struct lab_record *lab) {
  enum verdict worst = lab->exercise_count ? VERDICT_PASS : VERDICT_ERROR;
  for (size_t i = 0; i < lab->exercise_count; i++) {
    if (lab->exercises[i].verdict == VERDICT_ERROR) return VERDICT_ERROR;
    if (lab->exercises[i].verdict != VERDICT_PASS) worst = VERDICT_FAIL;
  }
  return worst;
}

int lab_exit_status(const struct lab_record *lab) {
  enum verdict verdict = lab_verdict(lab);
  return verdict == VERDICT_PASS ? 0 : verdict == VERDICT_FAIL ? 1 : 2;
}

bool exercise_is_unjudged(const struct exercise_record *exercise) {
  bool error = false;
  for (int i = 0; i < STAGE_COUNT; i++)
    error |= exercise->stages[i].verdict == VERDICT_ERROR;
  return exercise->verdict == VERDICT_ERROR && !error;
}

void exercise_conclude(struct exercise_record *exercise) {
  bool failed = false, error = false;
  for (int i = 0; i < STAGE_COUNT; i++) {
    enum verdict verdict = exercise->stages[i].verdict;
    failed |= verdict == VERDICT_FAIL;
    error |= verdict == VERDICT_ERROR;
  }
  // A pass needs these three stages to pass. Ungraded stages alone make no pass.
  bool passed = exercise->stages[STAGE_BUILD].verdict == VERDICT_PASS &&
                exercise->stages[STAGE_RULES].verdict == VERDICT_PASS &&
                exercise->stages[STAGE_CORRECTNESS].verdict == VERDICT_PASS;
  exercise->verdict = error ? VERDICT_ERROR : failed ? VERDICT_FAIL : passed ? VERDICT_PASS : VERDICT_ERROR;
}

void exercise_record_free(struct exercise_record *exercise) {
  for (int i = 0; i < STAGE_COUNT; i++) {
    free(exercise->stages[i].detail);
    free(exercise->stages[i].picture);
    exercise->stages[i].picture = NULL;
    free(exercise->stages[i].for_instructors);
    exercise->stages[i].for_instructors = NULL;
    json_decref(exercise->stages[i].faults);
    exercise->stages[i].detail = NULL;
    exercise->stages[i].faults = NULL;
  }
  json_decref(exercise->remarks);
  exercise->remarks = NULL;
}

void lab_record_free(struct lab_record *lab) {
  for (size_t i = 0; i < lab->exercise_count; i++)
    exercise_record_free(&lab->exercises[i]);
}

// ---- JSON ----

// Text that isn't UTF-8 (a program may print any bytes) must not cost the whole record: jansson refuses such
// text.
static json_t *text_json(const char *text) {
  char *shown = printable_copy(text);
  json_t *json = json_string(shown ? shown : "");
  free(shown);
  return json;
}

static json_t *stage_json(const struct stage_record *stage, enum stage which) {
  bool counts = stage->verdict != VERDICT_UNGRADED && stage->verdict != VERDICT_ERROR;
  json_t *faults = stage->faults ? json_incref(stage->faults) : json_array();
  json_t *json =
      json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:f, s:f}", "name", stage_names[which], "verdict",
                verdict_names[stage->verdict], "summary", text_json(stage->summary), "headline",
                text_json(stage->headline), "detail", text_json(stage->detail), "rule", stage->rule, "faults",
                faults, "points", stage_points(stage), "max_points", counts ? stage->max_points : 0.0);
  if (json && !counts) json_object_set_new(json, "ungraded_points", json_real(stage->max_points));
  if (json && stage->verdict == VERDICT_FAIL && stage->credit > 0)
    json_object_set_new(json, "credit", json_real(stage->credit));
  if (json && stage->line) json_object_set_new(json, "line", json_integer(stage->line));
  if (json && stage->is_guess) json_object_set_new(json, "line_is_guess", json_true());
  if (json && stage->unmet) json_object_set_new(json, "unmet", json_true());
  if (json && stage->hidden_case) json_object_set_new(json, "hidden_case", json_true());
  if (json) json_object_set_new(json, "ratio", stage->has_ratio ? json_real(stage->ratio) : json_null());
  if (json && stage->has_predicted)
    json_object_set_new(json, "predicted_ratio", json_real(stage->predicted_ratio));
  if (json && stage->picture) json_object_set_new(json, "picture", json_string(stage->picture));
  return json;
}

json_t *exercise_record_json(const struct exercise_record *exercise) {
  struct score score = exercise_score(exercise);
  json_t *stages = json_array();
  for (int i = 0; i < STAGE_COUNT; i++)
    json_array_append_new(stages, stage_json(&exercise->stages[i], (enum stage)i));
  json_t *remarks = exercise->remarks ? json_incref(exercise->remarks) : json_array();
  // The record knows it as an error without a stage that has one.
  enum verdict verdict = exercise_is_unjudged(exercise) ? VERDICT_UNGRADED : exercise->verdict;
  return json_pack("{s:s, s:s, s:b, s:f, s:f, s:f, s:o, s:o}", "name", exercise->name, "verdict",
                   verdict_names[verdict], "not_started", exercise->not_started, "points", score.points,
                   "max_points", score.maximum, "seconds", exercise->seconds, "remarks", remarks, "stages",
                   stages);
}

static bool read_verdict(const char *name, enum verdict *verdict) {
  for (int i = 0; i < VERDICT_COUNT; i++) {
    if (strcmp(name, verdict_names[i]) != 0) continue;
    *verdict = (enum verdict)i;
    return true;
  }
  return false;
}

static bool read_stage(json_t *json, struct stage_record *stage) {
  const char *verdict, *summary, *headline, *detail, *rule;
  json_t *faults, *ratio;
  if (json_unpack(json, "{s:s, s:s, s:s, s:s, s:s, s:o, s:F, s:o}", "verdict", &verdict, "summary", &summary,
                  "headline", &headline, "detail", &detail, "rule", &rule, "faults", &faults, "max_points",
                  &stage->max_points, "ratio", &ratio) != 0)
    return false;
  json_t *ungraded = json_object_get(json, "ungraded_points");
  if (ungraded) stage->max_points = json_number_value(ungraded);
  stage->credit = json_number_value(json_object_get(json, "credit"));
  stage->has_ratio = json_is_number(ratio);
  stage->ratio = json_number_value(ratio);
  stage->has_predicted = json_is_number(json_object_get(json, "predicted_ratio"));
  stage->predicted_ratio = json_number_value(json_object_get(json, "predicted_ratio"));
  const char *picture = json_string_value(json_object_get(json, "picture"));
  stage->picture = picture ? strdup(picture) : NULL;
  snprintf(stage->summary, sizeof stage->summary, "%s", summary);
  snprintf(stage->headline, sizeof stage->headline, "%s", headline);
  snprintf(stage->rule, sizeof stage->rule, "%s", rule);
  stage->detail = strdup(detail);
  stage->line = (unsigned)json_integer_value(json_object_get(json, "line"));
  stage->is_guess = json_is_true(json_object_get(json, "line_is_guess"));
  stage->unmet = json_is_true(json_object_get(json, "unmet"));
  stage->hidden_case = json_is_true(json_object_get(json, "hidden_case"));
  stage->faults = json_incref(faults);
  return read_verdict(verdict, &stage->verdict);
}

static bool read_exercise(const json_t *json, struct exercise_record *exercise) {
  const char *name, *verdict;
  int not_started;
  json_t *stages;
  *exercise = (struct exercise_record){0};
  if (json_unpack((json_t *)json, "{s:s, s:s, s:b, s:F, s:o}", "name", &name, "verdict", &verdict,
                  "not_started", &not_started, "seconds", &exercise->seconds, "stages", &stages) != 0)
    return false;
  if (json_array_size(stages) != STAGE_COUNT || !read_verdict(verdict, &exercise->verdict)) return false;
  if (exercise->verdict == VERDICT_UNGRADED) exercise->verdict = VERDICT_ERROR;
  snprintf(exercise->name, sizeof exercise->name, "%s", name);
  exercise->not_started = not_started;
  exercise->remarks = json_incref(json_object_get(json, "remarks"));
  for (int i = 0; i < STAGE_COUNT; i++)
    if (!read_stage(json_array_get(stages, (size_t)i), &exercise->stages[i])) return false;
  return true;
}

bool exercise_record_from_json(const json_t *json, struct exercise_record *exercise) {
  if (read_exercise(json, exercise)) return true;
  exercise_record_free(exercise);
  return false;
}
