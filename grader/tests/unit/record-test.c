// The record: an unset verdict is a grader error. Points, exit statuses, JSON both ways, and the formats.
#include "report/output-format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct exercise_record make_exercise(const char *name, enum verdict build, enum verdict rules,
                                            enum verdict correctness, enum verdict bandwidth) {
  static const double points[STAGE_COUNT] = {1, 10, 20, 5};
  const enum verdict verdicts[STAGE_COUNT] = {build, rules, correctness, bandwidth};
  struct exercise_record exercise = {0};
  snprintf(exercise.name, sizeof exercise.name, "%s", name);
  for (int i = 0; i < STAGE_COUNT; i++) {
    exercise.stages[i].verdict = verdicts[i];
    exercise.stages[i].max_points = points[i];
  }
  exercise_conclude(&exercise);
  return exercise;
}

#define E VERDICT_ERROR
#define P VERDICT_PASS
#define F VERDICT_FAIL
#define U VERDICT_UNGRADED
#define N VERDICT_NOT_REACHED

static void test_verdicts_and_points(void **state) {
  (void)state;
  static const struct {
    enum verdict stages[STAGE_COUNT], verdict;
    double points, maximum;
    int exit_status;
  } table[] = {
      {{E, E, E, E}, E, 0, 0, 2},   {{P, P, P, P}, P, 36, 36, 0}, {{P, P, P, U}, P, 31, 31, 0},
      {{P, F, P, U}, F, 21, 31, 1}, {{F, N, N, N}, F, 0, 36, 1},  {{F, N, N, U}, F, 0, 31, 1},
      {{P, P, P, F}, F, 31, 36, 1}, {{P, P, E, N}, E, 0, 0, 2},   {{P, F, E, N}, E, 0, 0, 2},
      {{P, P, U, U}, E, 0, 0, 2},   {{P, N, N, N}, E, 0, 0, 2},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const enum verdict *stages = table[i].stages;
    struct lab_record lab = {.exercise_count = 1};
    lab.exercises[0] = make_exercise("x", stages[0], stages[1], stages[2], stages[3]);
    struct score score = lab_score(&lab);
    if (lab.exercises[0].verdict != table[i].verdict)
      fail_msg("row %zu: verdict %s", i, verdict_name(lab.exercises[0].verdict));
    if (score.points != table[i].points || score.maximum != table[i].maximum)
      fail_msg("row %zu: %g of %g", i, score.points, score.maximum);
    assert_int_equal(lab_exit_status(&lab), table[i].exit_status);
  }
}

static void test_error_wins(void **state) {
  (void)state;
  struct lab_record lab = {.exercise_count = 3};
  assert_int_equal(lab_exit_status(&lab), 2); // no stage has a verdict yet
  lab.exercises[0] = make_exercise("a", P, P, P, U);
  lab.exercises[1] = make_exercise("b", F, N, N, U);
  lab.exercises[2] = make_exercise("c", P, P, P, U);
  assert_int_equal(lab_exit_status(&lab), 1);
  lab.exercises[2] = make_exercise("c", E, E, E, E);
  assert_int_equal(lab_exit_status(&lab), 2);
  struct lab_record none = {0};
  assert_int_equal(lab_exit_status(&none), 2);
}

static void test_json_and_back(void **state) {
  (void)state;
  struct exercise_record exercise = make_exercise("1-bulk-copy-1d", P, F, P, U), back;
  struct stage_record *rules = &exercise.stages[STAGE_RULES];
  snprintf(rules->summary, sizeof rules->summary, "1 broken");
  snprintf(rules->headline, sizeof rules->headline, "breaks the rule proxy-fence");
  snprintf(rules->rule, sizeof rules->rule, "proxy-fence");
  rules->detail = strdup("line one\nline \"two\"\xff\n"); // not UTF-8
  rules->faults = json_pack("[{s:s}]", "rule", "proxy-fence");
  exercise.stages[STAGE_BANDWIDTH].has_ratio = true;
  exercise.stages[STAGE_BANDWIDTH].ratio = 0.9375;
  exercise.stages[STAGE_BANDWIDTH].has_predicted = true;
  exercise.stages[STAGE_BANDWIDTH].predicted_ratio = 0.75;
  exercise.stages[STAGE_BANDWIDTH].picture = strdup("<svg/>");
  exercise.seconds = 1.5;
  rules->unmet = exercise.stages[STAGE_CORRECTNESS].hidden_case = true;
  rules->line = 7;
  json_t *json = exercise_record_json(&exercise);
  assert_non_null(json);
  assert_true(exercise_record_from_json(json, &back));
  assert_string_equal(back.name, "1-bulk-copy-1d");
  assert_int_equal(back.verdict, VERDICT_FAIL);
  assert_string_equal(back.stages[STAGE_RULES].detail, "line one\nline \"two\"?\n");
  assert_string_equal(back.stages[STAGE_RULES].rule, "proxy-fence");
  assert_int_equal(json_array_size(back.stages[STAGE_RULES].faults), 1);
  assert_true(back.stages[STAGE_BANDWIDTH].has_ratio && back.stages[STAGE_BANDWIDTH].ratio == 0.9375);
  assert_false(back.stages[STAGE_BUILD].has_ratio || back.stages[STAGE_BUILD].has_predicted);
  assert_true(back.stages[STAGE_BANDWIDTH].has_predicted);
  assert_true(back.stages[STAGE_BANDWIDTH].predicted_ratio == 0.75);
  assert_string_equal(back.stages[STAGE_BANDWIDTH].picture, "<svg/>");
  assert_true(back.stages[STAGE_RULES].unmet && !back.stages[STAGE_CORRECTNESS].unmet);
  assert_true(back.stages[STAGE_CORRECTNESS].hidden_case && !back.stages[STAGE_RULES].hidden_case);
  assert_int_equal(back.stages[STAGE_RULES].line, 7);
  assert_true(back.seconds == 1.5);
  assert_true(exercise_score(&back).points == exercise_score(&exercise).points);
  assert_true(exercise_score(&back).maximum == exercise_score(&exercise).maximum);
  json_decref(json);
  exercise_record_free(&exercise);
  exercise_record_free(&back);
}

// A bandwidth below the target may earn partial credit, in every format, and after JSON both ways.
static void test_part_of_the_points(void **state) {
  (void)state;
  struct exercise_record exercise = make_exercise("4-part", P, P, P, F);
  exercise.stages[STAGE_BANDWIDTH].credit = 0.4;
  exercise_conclude(&exercise);
  assert_int_equal(exercise.verdict, VERDICT_FAIL);
  assert_true(exercise_score(&exercise).points == 33); // 1 + 10 + 20 + 0.4 * 5
  assert_true(exercise_score(&exercise).maximum == 36);
  struct exercise_record back;
  json_t *json = exercise_record_json(&exercise);
  assert_true(exercise_record_from_json(json, &back));
  assert_true(exercise_score(&back).points == 33);
  back.stages[STAGE_BANDWIDTH].max_points = 10;
  assert_true(exercise_score(&back).points == 35); // the fraction stays when the points change
  json_decref(json);
  exercise_record_free(&back);
  exercise_record_free(&exercise);
}

// A record whose first stage can be read and whose other stages can't.
static const char half_a_record[] =
    "{\"name\":\"x\",\"verdict\":\"pass\",\"not_started\":false,\"seconds\":1.0,\"remarks\":[\"r\"],"
    "\"stages\":["
    "{\"verdict\":\"pass\",\"summary\":\"\",\"headline\":\"\",\"detail\":\"d\",\"rule\":\"\",\"faults\":[],"
    "\"points\":0.0,\"max_points\":0.0,\"ratio\":null},2,3,4]}";

static void test_what_is_no_record(void **state) {
  (void)state;
  static const char *const texts[] = {
      "{}", "[]", "{\"name\":\"x\",\"verdict\":\"pass\",\"not_started\":false,\"seconds\":1.0,\"stages\":[]}",
      "{\"name\":\"x\",\"verdict\":\"splendid\",\"not_started\":false,\"seconds\":1.0,\"stages\":[1,2,3,4]}",
      half_a_record};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct exercise_record record;
    json_t *json = json_loads(texts[i], 0, NULL);
    assert_non_null(json);
    assert_false(exercise_record_from_json(json, &record)); // and the record holds no memory to free
    json_decref(json);
  }
}

static struct lab_record make_lab(void) {
  struct lab_record lab = {.exercise_count = 2, .seed = 9, .seconds = 2.5, .only_lab = true};
  snprintf(lab.lab, sizeof lab.lab, "lab9");
  snprintf(lab.device, sizeof lab.device, "no CUDA driver here");
  lab.exercises[0] = make_exercise("1-bulk-copy-1d", P, P, P, U);
  lab.exercises[1] = make_exercise("2-tiles-2d", P, P, F, U);
  struct stage_record *stage = &lab.exercises[1].stages[STAGE_CORRECTNESS];
  snprintf(stage->summary, sizeof stage->summary, "5/7");
  snprintf(stage->headline, sizeof stage->headline, "computes a wrong result");
  stage->detail = strdup("out[0][0] < \"1\" & more\n");
  return lab;
}

static char *write_report(int (*report)(FILE *, const struct lab_record *)) {
  struct lab_record lab = make_lab();
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_int_equal(report(out, &lab), 0);
  fclose(out);
  lab_record_free(&lab);
  return text;
}

static void expect_number(json_t *object, const char *key, double wanted) {
  double got = json_number_value(json_object_get(object, key));
  if (got != wanted) fail_msg("%s is %g, not %g", key, got, wanted);
}

static void test_json(void **state) {
  (void)state;
  char *text = write_report(report_json);
  json_t *json = json_loads(text, 0, NULL);
  assert_non_null(json);
  assert_string_equal(json_string_value(json_object_get(json, "device")), "virtual");
  expect_number(json, "score", 42);
  expect_number(json, "max_score", 62);
  json_t *second = json_array_get(json_object_get(json, "exercises"), 1);
  assert_string_equal(json_string_value(json_object_get(second, "verdict")), "fail");
  expect_number(second, "points", 11);
  expect_number(second, "max_points", 31);
  json_t *stage = json_array_get(json_object_get(second, "stages"), STAGE_BANDWIDTH);
  assert_string_equal(json_string_value(json_object_get(stage, "verdict")), "ungraded");
  assert_true(json_is_null(json_object_get(stage, "ratio")));
  json_decref(json);
  free(text);
}

static void test_gradescope(void **state) {
  (void)state;
  char *text = write_report(report_gradescope);
  json_t *json = json_loads(text, 0, NULL);
  assert_non_null(json);
  expect_number(json, "score", 42);
  json_t *tests = json_object_get(json, "tests");
  assert_int_equal(json_array_size(tests), 6); // an ungraded stage is not a test
  assert_string_equal(json_string_value(json_object_get(json_array_get(tests, 5), "status")), "failed");
  expect_number(json_array_get(tests, 5), "max_score", 20);
  json_decref(json);
  free(text);
}

static void test_junit(void **state) {
  (void)state;
  char *text = write_report(report_junit);
  assert_non_null(strstr(
      text, "<testsuite name=\"lab9/2-tiles-2d\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  assert_non_null(strstr(text, "<failure message=\"computes a wrong result\">"));
  assert_non_null(strstr(text, "out[0][0] &lt; &quot;1&quot; &amp; more"));
  free(text);
}

static void test_autolab(void **state) {
  (void)state;
  char *text = write_report(report_autolab), *last = strrchr(text, '{');
  assert_non_null(last);
  while (last > text && last[-1] != '\n')
    last--;
  json_t *json = json_loads(last, 0, NULL);
  assert_non_null(json);
  expect_number(json_object_get(json, "scores"), "1-bulk-copy-1d", 31);
  expect_number(json_object_get(json, "scores"), "2-tiles-2d", 11);
  json_decref(json);
  free(text);
}

static int plain_text(FILE *out, const struct lab_record *lab) {
  struct text_style style = {.colour = false, .hint_prefix = "make hint-"};
  return report_text(out, lab, &style);
}

static void test_text(void **state) {
  (void)state;
  char *text = write_report(plain_text);
  static const char *const says[] = {
      "lab9 on the virtual Hopper (no CUDA driver here, so bandwidth is not graded)", "passes", "falls short",
      "2-tiles-2d computes a wrong result\n\n  out[0][0] <", "A hint: make hint-2\n"};
  for (size_t i = 0; i < sizeof says / sizeof *says; i++)
    if (!strstr(text, says[i])) fail_msg("does not say: %s\n%s", says[i], text);
  assert_null(strchr(text, '\033'));
  free(text);
}

static char *write_steps(struct lab_record *lab) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_int_equal(plain_text(out, lab), 0);
  fclose(out);
  return text;
}

static void expect_text(char *text, const char *wanted, bool there) {
  if (!strstr(text, wanted) == there) fail_msg("%s: %s\n%s", there ? "does not say" : "says", wanted, text);
}

// A lab in order: a bar, what was to be learned, and the first exercise that isn't done, though a later one
// has been begun. Nothing is said of bandwidth.
static void test_steps(void **state) {
  (void)state;
  struct lab_record lab = {.exercise_count = 3, .in_order = true, .whole_lab = true, .only_lab = true};
  snprintf(lab.lab, sizeof lab.lab, "lab8");
  snprintf(lab.submission, sizeof lab.submission, "labs/lab8");
  lab.exercises[0] = make_exercise("1-barrier", P, P, P, U);
  lab.exercises[1] = make_exercise("2-parity", P, P, F, U);
  lab.exercises[2] = make_exercise("3-bytes", P, P, F, U);
  lab.exercises[1].not_started = true;
  snprintf(lab.exercises[2].stages[STAGE_CORRECTNESS].headline, 32, "computes a wrong result");
  for (size_t i = 0; i < 3; i++)
    lab.untimed[i] = true;
  snprintf(lab.done[0], sizeof lab.done[0], "That is a barrier.");
  char *text = write_steps(&lab);
  expect_text(text, "lab8 on the virtual Hopper\n", true);
  expect_text(text, "[##----]  1 of 3 done", true);
  expect_text(text, "That is a barrier.", true);
  expect_text(text, "2-parity comes next", true);
  expect_text(text, "computes a wrong result", false);
  expect_text(text, "bandwidth", false);
  free(text);
  lab.exercises[0].unchanged = true; // it was said when it had just passed
  text = write_steps(&lab);
  expect_text(text, "That is a barrier.", false);
  free(text);
  // One step was asked for, and an earlier check knows of others.
  lab.exercise_count = 1;
  lab.whole_lab = false;
  lab.steps = 5;
  lab.others_passed = 2;
  text = write_steps(&lab);
  expect_text(text, "[######----]  3 of 5 done", true);
  free(text);
  for (size_t i = 0; i < 3; i++)
    exercise_record_free(&lab.exercises[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verdicts_and_points),
      cmocka_unit_test(test_error_wins),
      cmocka_unit_test(test_json_and_back),
      cmocka_unit_test(test_part_of_the_points),
      cmocka_unit_test(test_what_is_no_record),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_gradescope),
      cmocka_unit_test(test_junit),
      cmocka_unit_test(test_autolab),
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
