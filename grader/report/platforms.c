// The record for Classroom 50 and PrairieLearn. The idea: one test per exercise, since both show short lists.
#include "report/output-format.h"
#include "virtual-hopper/base/printable.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAYOUT = JSON_INDENT(2) | JSON_REAL_PRECISION(9) };

// ---- Classroom 50: schema classroom50/result/v1, with whole scores ----

// The fields that come from environment variables: the first that is set, or else `otherwise`. "": the
// platform needs the variable.
static const struct {
  const char *field, *variables[2], *otherwise;
} workflow[] = {{"classroom", {"CLASSROOM"}, ""},
                {"assignment_type", {"ASSIGNMENT_TYPE"}, "individual"},
                {"owner", {"OWNER", "USERNAME"}, ""},
                {"submission", {"SUBMISSION_TAG"}, ""},
                {"commit", {"COMMIT_URL"}, ""},
                {"release", {"RELEASE_URL"}, ""},
                {"review", {"REVIEW_URL", "COMMIT_URL"}, ""}};
enum { WORKFLOW_FIELDS = sizeof workflow / sizeof *workflow };

static const char *from_workflow(int field) {
  for (int i = 0; i < 2 && workflow[field].variables[i]; i++) {
    const char *value = getenv(workflow[field].variables[i]);
    if (value && value[0]) return value;
  }
  return workflow[field].otherwise;
}

const char *report_classroom50_missing(void) {
  for (int i = 0; i < WORKFLOW_FIELDS; i++)
    if (!from_workflow(i)[0]) return workflow[i].variables[0];
  return NULL;
}

static void set_text(json_t *object, const char *key, const char *value) {
  char *text = printable_copy(value);
  json_object_set_new(object, key, json_string(text ? text : ""));
  free(text);
}

static long whole(double points) {
  return (long)(points + 0.5);
}

int report_classroom50(FILE *out, const struct lab_record *lab) {
  json_t *tests = json_array();
  long points = 0, maximum = 0;
  char when[32];
  time_t now = time(NULL);
  strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  for (size_t i = 0; i < lab->exercise_count; i++) {
    struct score score = exercise_score(&lab->exercises[i]);
    points += whole(score.points);
    maximum += whole(score.maximum);
    json_array_append_new(tests, json_pack("{s:s, s:b, s:I, s:I}", "test-name", lab->exercises[i].name,
                                           "passed", lab->exercises[i].verdict == VERDICT_PASS, "score",
                                           (json_int_t)whole(score.points), "max-score",
                                           (json_int_t)whole(score.maximum)));
  }
  const char *assignment = getenv("ASSIGNMENT");
  json_t *json = json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "schema", "classroom50/result/v1", "datetime",
                           when, "graded_at", when, "score", (json_int_t)points, "max-score",
                           (json_int_t)maximum, "tests", tests);
  set_text(json, "assignment", assignment && assignment[0] ? assignment : lab->lab);
  for (int i = 0; i < WORKFLOW_FIELDS; i++)
    set_text(json, workflow[i].field, from_workflow(i));
  return report_dump(out, json, LAYOUT);
}

// ---- PrairieLearn: a score from 0 to 1; less than 1 MB in all ----

// Bytes per exercise, of RECORD_MAX_EXERCISES at most; JSON may need two bytes for one.
enum { MOST_OUTPUT = 25000 };

static json_t *exercise_text(const struct exercise_record *exercise) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  for (int stage = 0; stage < STAGE_COUNT; stage++) {
    const struct stage_record *record = &exercise->stages[stage];
    fprintf(stream, "%s: %s %s\n", stage_name((enum stage)stage), verdict_name(record->verdict),
            record->headline);
    if (record->detail && record->verdict != VERDICT_PASS) fprintf(stream, "\n%s\n", record->detail);
  }
  fclose(stream);
  char *shown = printable_copy(text);
  if (shown) shown[printable_prefix(shown, MOST_OUTPUT)] = '\0';
  json_t *json = json_string(shown ? shown : "");
  free(shown);
  free(text);
  return json;
}

int report_prairielearn(FILE *out, const struct lab_record *lab) {
  json_t *tests = json_array();
  struct score all = lab_score(lab);
  // A grader error must not become a score of 0: as not gradable, it costs the student no attempt.
  bool failed = lab_verdict(lab) == VERDICT_ERROR, gradable = !failed && all.maximum > 0;
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *exercise = &lab->exercises[i];
    struct score score = exercise_score(exercise);
    json_array_append_new(tests,
                          json_pack("{s:s, s:s, s:f, s:f, s:s, s:o}", "name", exercise->name, "description",
                                    exercise->not_started ? "not started" : verdict_name(exercise->verdict),
                                    "points", score.points, "max_points", score.maximum, "message",
                                    exercise->verdict == VERDICT_PASS ? "passes" : "falls short", "output",
                                    exercise_text(exercise)));
  }
  json_t *errors = json_array();
  if (!gradable)
    json_array_append_new(
        errors, json_string(failed ? "The grader itself failed; this is not your fault. Tell your instructor."
                                   : "Nothing that gives points can be graded here. Tell your instructor."));
  return report_dump(
      out,
      json_pack("{s:f, s:b, s:o, s:s, s:s, s:o}", "score", all.maximum > 0 ? all.points / all.maximum : 0.0,
                "gradable", gradable, "format_errors", errors, "message",
                lab->gpu ? lab->device : "graded on the virtual Hopper; bandwidth is not graded", "output",
                "", "tests", tests),
      LAYOUT);
}
