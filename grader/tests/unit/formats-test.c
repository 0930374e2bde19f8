// The table of output formats, and each platform's result, read as the platform's documentation describes it.
// In: a record with a pass, a failure in a hidden case, an ungraded stage, a grader error and text that is
// not UTF-8. Out: fields, types and sums are right, and no hidden text is shown.
#include "report/output-format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void set(struct exercise_record *exercise, enum stage which, enum verdict verdict, double points) {
  struct stage_record *stage = &exercise->stages[which];
  stage->verdict = verdict;
  stage->max_points = points;
  snprintf(stage->headline, sizeof stage->headline, "%s", verdict_name(verdict));
}

static void fill(struct exercise_record *exercise, const char *name, enum verdict correctness,
                 enum verdict bandwidth) {
  snprintf(exercise->name, sizeof exercise->name, "%s", name);
  set(exercise, STAGE_BUILD, VERDICT_PASS, 0);
  set(exercise, STAGE_RULES, VERDICT_PASS, 10);
  set(exercise, STAGE_CORRECTNESS, correctness, 10);
  set(exercise, STAGE_BANDWIDTH, bandwidth, 5);
  exercise_conclude(exercise);
}

static int make_record(void **state) {
  struct lab_record *lab = calloc(1, sizeof *lab);
  if (!lab) return -1;
  snprintf(lab->lab, sizeof lab->lab, "lab9");
  snprintf(lab->device, sizeof lab->device, "NVIDIA H100");
  lab->gpu = true;
  lab->seconds = 1.5;
  lab->exercise_count = 3;
  fill(&lab->exercises[0], "1-right", VERDICT_PASS, VERDICT_PASS);
  lab->exercises[0].stages[STAGE_BANDWIDTH].has_ratio = true;
  lab->exercises[0].stages[STAGE_BANDWIDTH].ratio = 0.97;
  fill(&lab->exercises[1], "2-wrong", VERDICT_FAIL, VERDICT_NOT_REACHED);
  struct stage_record *wrong = &lab->exercises[1].stages[STAGE_CORRECTNESS];
  wrong->hidden_case = true;
  wrong->detail = strdup("secret size 4711 <&\">\xff\x01\n");
  snprintf(wrong->headline, sizeof wrong->headline, "computes a wrong result at out[4711]");
  fill(&lab->exercises[2], "3-slow", VERDICT_PASS, VERDICT_UNGRADED);
  *state = lab;
  return 0;
}

static int free_record(void **state) {
  lab_record_free(*state);
  free(*state);
  return 0;
}

// ---- the table ----

// Every listed name is found; other names and parts of names are not.
static void test_table(void **state) {
  (void)state;
  char names[400], short_list[12];
  size_t count = 0;
  output_format_names(" or ", names, sizeof names);
  assert_non_null(strstr(names, "text, json, "));
  assert_non_null(strstr(names, " or "));
  for (char *rest = names, *name; (name = strtok_r(rest, ", ", &rest));) {
    if (strcmp(name, "or") == 0) continue;
    const struct output_format *format = output_format_find(name);
    if (!format) fail_msg("%s is listed and not found", name);
    assert_string_equal(format->name, name);
    assert_non_null(format->write);
    count++;
  }
  assert_true(count >= 7);
  static const char *const unknown[] = {"", "tex", "text ", "texts", "JSON", "prairielearn2", "or", "xml"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    if (output_format_find(unknown[i])) fail_msg("`%s` is found", unknown[i]);
  assert_string_equal(output_format_names(", ", short_list, sizeof short_list), "text, json,");
}

static char *text_of(const struct lab_record *lab, int (*report)(FILE *, const struct lab_record *)) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  assert_non_null(stream);
  assert_int_equal(report(stream, lab), 0);
  fclose(stream);
  return text;
}

static json_t *json_of(const struct lab_record *lab, int (*report)(FILE *, const struct lab_record *)) {
  json_error_t error;
  char *text = text_of(lab, report);
  json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!json) fail_msg("no JSON: %s in %s", error.text, text);
  free(text);
  return json;
}

static bool is_one_of(const char *text, const char *const *allowed) {
  for (; text && *allowed; allowed++)
    if (strcmp(text, *allowed) == 0) return true;
  return false;
}

static const char *text_at(const json_t *json, const char *key) {
  const char *text = json_string_value(json_object_get(json, key));
  if (!text) fail_msg("%s is no text, or missing", key);
  return text;
}

static double number_at(const json_t *json, const char *key) {
  const json_t *value = json_object_get(json, key);
  if (!json_is_number(value)) fail_msg("%s is no number, or missing", key);
  return json_number_value(value);
}

static void test_gradescope(void **state) {
  static const char *const visibilities[] = {"hidden", "after_due_date", "after_published", "visible", NULL};
  static const char *const formats[] = {"text", "html", "simple_format", "md", "ansi", NULL};
  static const char *const statuses[] = {"passed", "failed", NULL};
  struct lab_record *lab = *state;
  lab_record_hide(lab);
  json_t *json = json_of(lab, report_gradescope), *test, *tests = json_object_get(json, "tests");
  double sum = 0;
  size_t i, hidden = 0;
  assert_true(number_at(json, "score") == 25 + 10 + 20);
  assert_true(number_at(json, "execution_time") == 1.5);
  assert_true(is_one_of(text_at(json, "visibility"), visibilities));
  assert_true(is_one_of(text_at(json, "stdout_visibility"), visibilities));
  assert_true(is_one_of(text_at(json, "output_format"), formats));
  assert_true(json_is_array(tests));
  json_array_foreach(tests, i, test) {
    assert_true(is_one_of(text_at(test, "status"), statuses));
    assert_true(is_one_of(text_at(test, "output_format"), formats));
    assert_true(number_at(test, "score") <= number_at(test, "max_score"));
    sum += number_at(test, "score");
    const char *visibility = json_string_value(json_object_get(test, "visibility"));
    bool instructors = visibility && strcmp(visibility, "hidden") == 0;
    hidden += instructors;
    bool told = strstr(text_at(test, "output"), "4711") != NULL;
    assert_true(told == instructors);
  }
  assert_int_equal(hidden, 1);
  assert_true(sum == number_at(json, "score"));
  const json_t *board = json_object_get(json, "leaderboard");
  assert_int_equal(json_array_size(board), 2);
  assert_string_equal(text_at(json_array_get(board, 0), "name"), "bandwidth");
  assert_string_equal(text_at(json_array_get(board, 0), "order"), "desc");
  assert_true(number_at(json_array_get(board, 1), "value") == 0.97);
  json_decref(json);
}

// Remarks: they are read back from JSON as written, printed in the text, and shown only to instructors on
// Gradescope.
static void test_remarks(void **state) {
  struct lab_record *lab = *state, back = {0};
  const char *said = "It replaces clock_gettime.";
  lab->exercises[1].remarks = json_pack("[s]", said);
  json_t *json = json_of(lab, report_json);
  assert_true(lab_record_from_json(json, &back));
  assert_string_equal(json_string_value(json_array_get(back.exercises[1].remarks, 0)), said);
  assert_int_equal(json_array_size(back.exercises[0].remarks), 0);
  lab_record_free(&back);
  json_decref(json);
  json = json_of(lab, report_gradescope);
  const json_t *tests = json_object_get(json, "tests"),
               *last = json_array_get(tests, json_array_size(tests) - 1);
  assert_string_equal(text_at(last, "output"), said);
  assert_string_equal(text_at(last, "visibility"), "hidden");
  assert_true(number_at(last, "max_score") == 0);
  json_decref(json);
}

static void test_classroom50(void **state) {
  static const char *const texts[] = {"classroom", "assignment", "submission", "commit",
                                      "release",   "review",     "datetime",   NULL};
  struct lab_record *lab = *state;
  lab_record_hide(lab);
  json_t *json = json_of(lab, report_classroom50), *test, *tests = json_object_get(json, "tests");
  json_int_t sum = 0, most = 0;
  size_t i;
  assert_string_equal(text_at(json, "schema"), "classroom50/result/v1");
  for (const char *const *key = texts; *key; key++)
    text_at(json, *key);
  assert_true(json_is_integer(json_object_get(json, "score")) &&
              json_is_integer(json_object_get(json, "max-score")));
  assert_int_equal(json_array_size(tests), 3);
  json_array_foreach(tests, i, test) {
    text_at(test, "test-name");
    assert_true(json_is_boolean(json_object_get(test, "passed")));
    assert_true(json_is_integer(json_object_get(test, "score")) &&
                json_is_integer(json_object_get(test, "max-score")));
    sum += json_integer_value(json_object_get(test, "score"));
    most += json_integer_value(json_object_get(test, "max-score"));
  }
  assert_int_equal(sum, json_integer_value(json_object_get(json, "score")));
  assert_int_equal(most, json_integer_value(json_object_get(json, "max-score")));
  assert_int_equal(sum, 55);
  json_decref(json);
}

static void test_prairielearn(void **state) {
  struct lab_record *lab = *state;
  lab_record_hide(lab);
  json_t *json = json_of(lab, report_prairielearn), *test, *tests = json_object_get(json, "tests");
  size_t i;
  double score = number_at(json, "score");
  assert_true(score > 0.785 && score < 0.786); // 55 of 70
  assert_true(json_is_true(json_object_get(json, "gradable")));
  assert_true(json_is_array(json_object_get(json, "format_errors")));
  text_at(json, "message");
  json_array_foreach(tests, i, test) {
    text_at(test, "name");
    text_at(test, "description");
    text_at(test, "message");
    assert_null(strstr(text_at(test, "output"), "4711"));
    assert_true(number_at(test, "points") <= number_at(test, "max_points"));
  }
  json_decref(json);
  lab->exercises[0].verdict = VERDICT_ERROR;
  json = json_of(lab, report_prairielearn);
  assert_true(json_is_false(json_object_get(json, "gradable")));
  json_decref(json);
}

// PrairieLearn accepts less than 1 MB, however much a student's program has printed.
static void test_prairielearn_size(void **state) {
  struct lab_record *lab = *state;
  char *flood = malloc(2000001);
  assert_non_null(flood);
  memset(flood, '"', 2000000);
  flood[2000000] = '\0';
  struct stage_record *wrong = &lab->exercises[1].stages[STAGE_CORRECTNESS];
  free(wrong->detail);
  wrong->detail = flood;
  wrong->hidden_case = false;
  lab->exercise_count = RECORD_MAX_EXERCISES;
  for (size_t i = 3; i < RECORD_MAX_EXERCISES; i++) {
    lab->exercises[i] = lab->exercises[1];
    for (int stage = 0; stage < STAGE_COUNT; stage++)
      if (lab->exercises[i].stages[stage].detail) lab->exercises[i].stages[stage].detail = strdup(flood);
  }
  char *text = text_of(lab, report_prairielearn);
  assert_true(strlen(text) < 1000000);
  free(text);
}

static void test_autolab(void **state) {
  struct lab_record *lab = *state;
  json_error_t error;
  lab_record_hide(lab);
  char *text = text_of(lab, report_autolab);
  assert_null(strstr(text, "4711"));
  size_t length = strlen(text);
  assert_int_equal(text[length - 1], '\n');
  text[length - 1] = '\0';
  json_t *json = json_loads(strrchr(text, '\n') + 1, 0, &error), *points;
  assert_non_null(json);
  const char *name;
  double sum = 0;
  json_object_foreach(json_object_get(json, "scores"), name, points) {
    assert_true(json_is_number(points));
    sum += json_number_value(points);
  }
  assert_true(sum == 55);
  assert_true(json_number_value(json_array_get(json_object_get(json, "scoreboard"), 0)) == 55);
  json_decref(json);
  free(text);
}

// The report is valid by JUnit's schema, and an independent reader accepts the report.
static void test_junit(void **state) {
  struct lab_record *lab = *state;
  char path[] = "/tmp/junit-test-XXXXXX", command[256];
  lab_record_hide(lab);
  char *text = text_of(lab, report_junit);
  assert_null(strstr(text, "4711"));
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  snprintf(command, sizeof command, "xmllint --noout --schema grader/tests/formats/junit.xsd %s 2>&1", path);
  int status = system(command);
  unlink(path);
  free(text);
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),
      cmocka_unit_test_setup_teardown(test_gradescope, make_record, free_record),
      cmocka_unit_test_setup_teardown(test_remarks, make_record, free_record),
      cmocka_unit_test_setup_teardown(test_classroom50, make_record, free_record),
      cmocka_unit_test_setup_teardown(test_prairielearn, make_record, free_record),
      cmocka_unit_test_setup_teardown(test_prairielearn_size, make_record, free_record),
      cmocka_unit_test_setup_teardown(test_autolab, make_record, free_record),
      cmocka_unit_test_setup_teardown(test_junit, make_record, free_record),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
