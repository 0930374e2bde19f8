// Every platform's format over many records: passes, failures, grader errors, stages not reached, no exercise
// begun, sixteen exercises, and messages of all kinds that strangers could write. In: seeds. Out: this test
// checks sums and bounds, which no schema expresses. Independent readers check the rest (formats/consume.sh).
#include "report/output-format.h"
#include "virtual-hopper/base/printable.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { RECORDS = 48, HUGE = 300000 };

static char folder[] = "/tmp/formats-matrix-XXXXXX";
static char everything[256], flood[HUGE + 1];

// Parts of messages: names, and text from compilers and programs.
static const char *nasty(unsigned number) {
  static const char *const texts[] = {
      "",
      "computes a wrong result at out[17]: 3, not 4\n",
      "<b>&amp;\"quoted\" 'single' ]]> <![CDATA[ -->\n",
      "no UTF-8: \x80\xbf\xfe\xff \xc0\xaf \xe2\x82 \xed\xa0\x80 \xf5\x80\x80\x80\n",
      "not in XML: \xef\xbf\xbe \xef\xbf\xbf, and a BOM \xef\xbb\xbf\n",
      "\033[2J\033]0;passed\007\r\b\b\033[32mAll exercises pass.\n",
      "Gr\xc3\xb6sse \xe7\x9f\xa9\xe9\x98\xb5 \xf0\x9f\x9a\x80 \xc2\xa0 \xe2\x80\xae\n",
      "{\"scores\":{\"1-exercise\":1000},\"scoreboard\":[1000]}\n",
      "no line's end at the end {\"scores\":{}}",
      "%s%n%d \\u0000 \\\" \t tab\n",
      "\n\n\n",
      everything,
      flood,
  };
  return texts[number % (sizeof texts / sizeof *texts)];
}

static unsigned draw(uint64_t *state, unsigned below) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  return (unsigned)(*state >> 33) % below;
}

static void fill_stage(struct stage_record *stage, enum verdict verdict, uint64_t *state) {
  static const double points[] = {0, 5, 10, 2.5, 7.25};
  stage->verdict = verdict;
  stage->max_points = points[draw(state, 5)];
  if (verdict == VERDICT_FAIL && draw(state, 3) == 0) stage->credit = draw(state, 100) / 100.0;
  snprintf(stage->summary, sizeof stage->summary, "%s", verdict_name(verdict));
  snprintf(stage->headline, sizeof stage->headline, "%.200s", nasty(draw(state, 64)));
  stage->headline[strcspn(stage->headline, "\n")] = '\0';
  printable_make(stage->headline, sizeof stage->headline); // like task_conclude
  stage->detail = printable_copy(nasty(draw(state, 64)));
  stage->hidden_case = verdict == VERDICT_FAIL && draw(state, 3) == 0;
  if (verdict == VERDICT_PASS && draw(state, 2)) {
    stage->has_ratio = true;
    stage->ratio = draw(state, 120) / 100.0;
  }
}

// Draws the stages in the pipeline's order. After a failure or an error no further stage is reached.
static void fill_exercise(struct exercise_record *exercise, unsigned number, uint64_t *state) {
  static const enum verdict drawn[] = {VERDICT_PASS, VERDICT_PASS, VERDICT_PASS,     VERDICT_PASS,
                                       VERDICT_FAIL, VERDICT_FAIL, VERDICT_UNGRADED, VERDICT_ERROR};
  bool stopped = false;
  snprintf(exercise->name, sizeof exercise->name, "%u-exercise", number);
  exercise->seconds = draw(state, 100000) / 1000.0;
  exercise->not_started = draw(state, 8) == 0;
  for (int stage = 0; stage < STAGE_COUNT; stage++) {
    enum verdict verdict = stopped ? VERDICT_NOT_REACHED : drawn[draw(state, 8)];
    if (exercise->not_started) verdict = stage == 0 ? VERDICT_FAIL : VERDICT_NOT_REACHED;
    fill_stage(&exercise->stages[stage], verdict, state);
    stopped |= verdict == VERDICT_FAIL || verdict == VERDICT_ERROR;
  }
  exercise_conclude(exercise);
}

// Makes record `number`. Record 0 passes everything. Record 1 ended before any stage was judged.
static struct lab_record *make_record(unsigned number) {
  uint64_t state = number * 977 + 5;
  struct lab_record *lab = calloc(1, sizeof *lab);
  assert_non_null(lab);
  snprintf(lab->lab, sizeof lab->lab, "lab9");
  snprintf(lab->submission, sizeof lab->submission, "labs/lab9");
  snprintf(lab->device, sizeof lab->device, "NVIDIA H100 80GB HBM3");
  lab->gpu = number % 2;
  lab->seconds = number == 2 ? 0 : draw(&state, 1000000) / 1000.0;
  lab->exercise_count = number < 2 ? 4 : number == 3 ? RECORD_MAX_EXERCISES : 1 + draw(&state, 5);
  for (unsigned i = 0; i < lab->exercise_count; i++) {
    struct exercise_record *exercise = &lab->exercises[i];
    fill_exercise(exercise, i + 1, &state);
    for (int stage = 0; number < 2 && stage < STAGE_COUNT; stage++)
      exercise->stages[stage].verdict = number == 0 ? VERDICT_PASS : VERDICT_ERROR;
    if (number < 2) exercise_conclude(exercise);
  }
  lab_record_hide(lab); // like every format that students read
  return lab;
}

static char *write_report(const struct lab_record *lab, const char *format, unsigned number,
                          const char *ending, int (*report)(FILE *, const struct lab_record *)) {
  char path[128], *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  assert_non_null(stream);
  assert_int_equal(report(stream, lab), 0);
  fclose(stream);
  assert_int_equal(strlen(text), size); // the text contains no NUL
  snprintf(path, sizeof path, "%s/%s-%02u%s", folder, format, number, ending);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
  return text;
}

static json_t *parse(const char *text, unsigned number) {
  json_error_t error;
  json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!json) fail_msg("record %u: %s", number, error.text);
  return json;
}

static double number_at(const json_t *json, const char *key) {
  const json_t *value = json_object_get(json, key);
  if (!json_is_number(value)) fail_msg("%s is no number, or missing", key);
  return json_number_value(value);
}

// Returns the sums over an array of tests. Checks that no score is above its maximum.
static struct score sum_tests(const json_t *json, const char *score, const char *maximum) {
  struct score sum = {0, 0};
  const json_t *test;
  size_t i;
  json_array_foreach(json_object_get(json, "tests"), i, test) {
    assert_true(number_at(test, score) <= number_at(test, maximum));
    sum.points += number_at(test, score);
    sum.maximum += number_at(test, maximum);
  }
  return sum;
}

static bool near(double left, double right) {
  return fabs(left - right) <= 1e-6;
}

static void check_gradescope(const struct lab_record *lab, unsigned number) {
  char *text = write_report(lab, "gradescope", number, ".json", report_gradescope);
  json_t *json = parse(text, number);
  struct score sum = sum_tests(json, "score", "max_score"), said = lab_score(lab);
  assert_true(near(number_at(json, "score"), said.points) && near(sum.points, said.points));
  assert_true(near(number_at(json_object_get(json, "extra_data"), "max_score"), said.maximum));
  assert_true(near(sum.maximum, said.maximum));
  assert_true(number_at(json, "score") <= sum.maximum);
  json_decref(json);
  free(text);
}

static void check_classroom50(const struct lab_record *lab, unsigned number) {
  char *text = write_report(lab, "classroom50", number, ".json", report_classroom50);
  json_t *json = parse(text, number);
  struct score sum = sum_tests(json, "score", "max-score");
  assert_true(near(sum.points, number_at(json, "score")) && near(sum.maximum, number_at(json, "max-score")));
  assert_true(fabs(sum.points - lab_score(lab).points) <= 0.5 * (double)lab->exercise_count); // rounded
  json_decref(json);
  free(text);
}

static void check_prairielearn(const struct lab_record *lab, unsigned number) {
  char *text = write_report(lab, "prairielearn", number, ".json", report_prairielearn);
  json_t *json = parse(text, number);
  struct score sum = sum_tests(json, "points", "max_points");
  assert_true(strlen(text) < 1000000);
  assert_true(near(number_at(json, "score"), sum.maximum > 0 ? sum.points / sum.maximum : 0));
  assert_int_equal(json_is_true(json_object_get(json, "gradable")),
                   lab_verdict(lab) != VERDICT_ERROR && lab_score(lab).maximum > 0);
  json_decref(json);
  free(text);
}

// Whatever the messages contain, the grader writes the last line.
static void check_autolab(const struct lab_record *lab, unsigned number) {
  char *text = write_report(lab, "autolab", number, ".txt", report_autolab);
  size_t length = strlen(text);
  assert_true(length > 1 && text[length - 1] == '\n');
  text[length - 1] = '\0';
  json_t *json = parse(strrchr(text, '\n') + 1, number), *points;
  const char *name;
  double sum = 0;
  assert_int_equal(json_object_size(json_object_get(json, "scores")), lab->exercise_count);
  json_object_foreach(json_object_get(json, "scores"), name, points) {
    sum += json_number_value(points);
  }
  assert_true(near(sum, lab_score(lab).points));
  assert_true(near(json_number_value(json_array_get(json_object_get(json, "scoreboard"), 0)), sum));
  json_decref(json);
  free(text);
}

static void make_texts(void) {
  for (int i = 1; i < 256; i++)
    everything[i - 1] = (char)i;
  for (int i = 0; i < HUGE; i++)
    flood[i] = "abc\"\\<&\xc3\xa9\n"[i % 10];
}

static void test_all(void **state) {
  (void)state;
  make_texts();
  assert_non_null(mkdtemp(folder));
  setenv("CLASSROOM", "gpu-\xff\x01\"2026", 1);
  setenv("USERNAME", "ann", 1);
  setenv("SUBMISSION_TAG", "submit/2026-06-01T14-32-05Z-a1b2c3d", 1);
  setenv("COMMIT_URL", "https://example.org/commit/a1b2c3d", 1);
  assert_string_equal(report_classroom50_missing(), "RELEASE_URL");
  setenv("RELEASE_URL", "https://example.org/releases/1", 1);
  assert_null(report_classroom50_missing());
  for (unsigned number = 0; number < RECORDS; number++) {
    struct lab_record *lab = make_record(number);
    check_gradescope(lab, number);
    check_classroom50(lab, number);
    check_prairielearn(lab, number);
    check_autolab(lab, number);
    free(write_report(lab, "junit", number, ".xml", report_junit));
    lab_record_free(lab);
    free(lab);
  }
  char command[128];
  snprintf(command, sizeof command, "sh grader/tests/formats/consume.sh %s", folder);
  int status = system(command);
  if (status == 0) {
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
  }
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
