// The instructor's page. In: a class with records made by hand. Out: what the page contains, and what it must
// not contain.
#include "class/class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STUDENTS = 7, UNGRADED = 5, IN_ERROR = 6 }; // each student before UNGRADED has a ratio

struct made {
  struct grading grading;
  struct class class;
  struct student students[STUDENTS];
  struct outcome outcomes[STUDENTS];
  char *page;
};

static void set_stage(struct exercise_record *exercise, enum stage stage, enum verdict verdict,
                      const char *headline) {
  exercise->stages[stage].verdict = verdict;
  snprintf(exercise->stages[stage].headline, sizeof exercise->stages[stage].headline, "%s", headline);
}

// The student's single exercise passes every stage except bandwidth.
static void set_ratio(struct outcome *outcome, double ratio, double target) {
  struct exercise_record *exercise = &outcome->lab.exercises[0];
  outcome->known = outcome->lab.gpu = true;
  snprintf(outcome->lab.lab, RECORD_NAME, "lab9");
  snprintf(outcome->lab.device, sizeof outcome->lab.device, "Hopper <1>");
  outcome->lab.exercise_count = 1;
  exercise->seconds = ratio;
  outcome->lab.seconds = 100 - ratio; // the time is mostly the wait for a GPU
  snprintf(exercise->name, RECORD_NAME, "1-a");
  for (int stage = 0; stage < STAGE_BANDWIDTH; stage++)
    set_stage(exercise, (enum stage)stage, VERDICT_PASS, "");
  bool reached = ratio >= target;
  set_stage(exercise, STAGE_BANDWIDTH, reached ? VERDICT_PASS : VERDICT_FAIL, reached ? "" : "is too slow");
  exercise->stages[STAGE_BANDWIDTH].has_ratio = true;
  exercise->stages[STAGE_BANDWIDTH].ratio = ratio;
  exercise->stages[STAGE_RULES].max_points = 10;
  exercise->stages[STAGE_BANDWIDTH].max_points = 10;
  exercise_conclude(exercise);
}

static int make_class(void **state) {
  static const double ratios[UNGRADED] = {0.9299, 0.93, 0.97, 0.1, 2.5};
  struct made *made = calloc(1, sizeof *made);
  size_t size;
  if (!made) return -1;
  struct lab_config *config = &made->grading.config;
  snprintf(config->title, sizeof config->title, "Lab <9>");
  config->exercise_count = 1;
  config->exercises[0].bandwidth = 0.93;
  snprintf(config->exercises[0].name, RECORD_NAME, "1-a");
  made->class = (struct class){
      .grading = &made->grading,
      .outcomes = made->outcomes,
      .output = "/nowhere",
      .roster = {.platform = "Moodle", .students = made->students, .count = STUDENTS, .notes = "a<b>\n"}};
  for (size_t i = 0; i < STUDENTS; i++) {
    snprintf(made->students[i].name, STUDENT_NAME, "student-%zu", i);
    if (i < UNGRADED) set_ratio(&made->outcomes[i], ratios[i], 0.93);
  }
  made->outcomes[IN_ERROR].known = true; // a grader error: the maximum is 0
  made->outcomes[IN_ERROR].lab.exercise_count = 1;
  snprintf(made->outcomes[IN_ERROR].lab.exercises[0].name, RECORD_NAME, "1-a");
  snprintf(made->students[0].full_name, sizeof made->students[0].full_name,
           "<b>Ann</b> & \"co\" \xc3\x98 \xff\x1b[2J");
  snprintf(made->outcomes[2].notes, sizeof made->outcomes[2].notes, "2-b.cu is <missing>\n");
  made->students[3].late = true;
  FILE *out = open_memstream(&made->page, &size);
  if (out) page_print(out, &made->class);
  *state = made;
  return out && fclose(out) == 0 ? 0 : -1;
}

static int free_class(void **state) {
  struct made *made = *state;
  free(made->page);
  free(made);
  return 0;
}

static void must_say(const struct made *made, const char *text) {
  if (!strstr(made->page, text)) fail_msg("the page lacks %s:\n%s", text, made->page);
}

// A bar counts ratios below the target or ratios that reach it, never both.
static void test_bars(void **state) {
  const struct made *made = *state;
  must_say(made, "<h3>1-a, measured</h3>\n<p>3 of 5 reach the target, 0.93.</p>");
  must_say(made, "aria-label=\"5 ratios of 1-a, measured\"");
  if (strstr(made->page, ", predicted")) fail_msg("a plot of nothing: %s", made->page);
  must_say(made, "<rect class=\"below\"");
  must_say(made, "<title>&lt;b&gt;Ann&lt;/b&gt;"); // 0.9299 is below 0.93
  const char *plot = strstr(made->page, "<svg"), *end = strstr(plot, "</svg>");
  size_t reached = 0;
  for (const char *at = plot; (at = strstr(at, "<rect class=\"reached\"")) && at < end; at++)
    reached++;
  assert_int_equal(reached, 3);
  must_say(made, "<span>100 %</span><span class=\"reached\"><span class=\"bar\" "
                 "style=\"width:100%\"></span></span><span>3</span>");
  must_say(made, "<p>3 passed, 2 fell short, 2 with grader errors; median 100 %.</p>");
  // A student whose maximum is 0 is in no bar.
  must_say(made,
           "<span>0 to 10 %</span><span><span class=\"bar\" style=\"width:0%\"></span></span><span>0</span>");
}

// What is predicted is not among what was measured. Of the pictures, those of slow kernels are shown.
static void test_predictions(void **state) {
  struct made *made = *state;
  for (size_t i = 0; i < 2; i++) {
    struct stage_record *stage = &made->outcomes[i].lab.exercises[0].stages[STAGE_BANDWIDTH];
    stage->has_ratio = false;
    stage->has_predicted = true;
    stage->predicted_ratio = i == 0 ? 0.5 : 0.99;
    stage->picture = i == 0 ? "slow" : "fast";
  }
  free(made->page);
  size_t size;
  FILE *out = open_memstream(&made->page, &size);
  assert_non_null(out);
  page_print(out, &made->class);
  assert_int_equal(fclose(out), 0);
  must_say(made, "aria-label=\"3 ratios of 1-a, measured\"");
  must_say(made,
           "<h3>1-a, predicted</h3>\n<p>1 of 2 reach the target, 0.93.</p>\n<svg class=\"plot predicted\"");
  must_say(made, "aria-label=\"2 ratios of 1-a, predicted\"");
  must_say(made, "The timeline of the slowest</summary><div class=\"verdict\"><p><a href=\"#student-0\"");
  must_say(made, "base64,c2xvdw==");
  if (strstr(made->page, "base64,ZmFzdA==")) fail_msg("the picture of a fast kernel swells the page");
}

// Each student has a row. Inside the row is the target of links, which holds the verdict.
static void test_rows(void **state) {
  const struct made *made = *state;
  for (size_t i = 0; i < STUDENTS; i++) {
    char text[64];
    snprintf(text, sizeof text, "<div class=\"verdict\" id=\"student-%zu\">", i);
    must_say(made, text);
    const char *row = strstr(made->page, text), *end = strstr(row, "</details>");
    assert_non_null(end);
    const char *verdict = strstr(row, i == UNGRADED ? "logs/student-5.log" : "<td class=\"number\">");
    if (!verdict || verdict > end) fail_msg("the row of student-%zu does not tell the verdict", i);
  }
  must_say(made,
           "<a href=\"#student-4\" title=\"student-4\">student-4</a>: is much faster than the yardstick");
  must_say(made, "<a href=\"#student-2\" title=\"student-2\">student-2</a>: 2-b.cu is &lt;missing&gt;");
  must_say(made, "<a href=\"#student-5\" title=\"student-5\">student-5</a>: was not graded");
  must_say(made, "student-3</span> (late)");
  must_say(made, "bandwidth: is too slow");
}

// Each stage says how many have passed it and who stops there; causes have numbers taken out, and names.
static void test_stages_and_causes(void **state) {
  const struct made *made = *state;
  const char *stages = strstr(made->page, "<h2>Exercises by stage</h2>");
  const char *causes = strstr(made->page, "<h2>Commonest causes</h2>");
  assert_non_null(stages);
  assert_non_null(causes);
  if (!strstr(stages, "2 stop here</summary><a href=\"#student-0\" title=\"student-0\">"))
    fail_msg("who stops is not named: %s", stages);
  if (!strstr(causes, "bandwidth</span> is too slow</summary>"))
    fail_msg("the cause is not there: %s", causes);
  if (!strstr(causes, "<a href=\"#student-3\" title=\"student-3\">"))
    fail_msg("who has it is not named: %s", causes);
  must_say(made, "data-state=\"fail look\"");
}

// Text from strangers becomes neither HTML nor a terminal command.
static void test_strangers_words(void **state) {
  const struct made *made = *state;
  must_say(made, "&lt;b&gt;Ann&lt;/b&gt; &amp; &quot;co&quot; \xc3\x98 ??[2J");
  must_say(made, "<h1>Lab &lt;9&gt;</h1>");
  must_say(made, "graded on Hopper &lt;1&gt;.");
  must_say(made, "a&lt;b&gt;");
  assert_null(strstr(made->page, "<b>"));
  assert_null(strchr(made->page, '\x1b'));
  // The page's own script is the only one, and it stands below everything that strangers have written.
  const char *script = strstr(made->page, "<script>");
  assert_non_null(script);
  assert_null(strstr(script + 1, "<script"));
  assert_null(strstr(script, "student-"));
  assert_null(strstr(made->page, "http"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_bars, make_class, free_class),
      cmocka_unit_test_setup_teardown(test_predictions, make_class, free_class),
      cmocka_unit_test_setup_teardown(test_rows, make_class, free_class),
      cmocka_unit_test_setup_teardown(test_stages_and_causes, make_class, free_class),
      cmocka_unit_test_setup_teardown(test_strangers_words, make_class, free_class),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
