// lab.cfg: the lab's own file, every kind of mistake with its line and key, and requirements over counted
// runs. The test runs from the repository's root, as `make test` does.
#include "referee/lab-config.h"
#include "referee/requirements.h"
#include "referee/stages.h"
#include "virtual-hopper/rules/fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_the_labs_own(void **state) {
  (void)state;
  struct lab_config config;
  char error[600] = "";
  if (lab_config_read("labs/lab9/lab.cfg", &config, error, sizeof error) != 0) fail_msg("%s", error);
  assert_string_equal(config.lab, "lab9");
  assert_int_equal(config.exercise_count, 4);
  for (unsigned i = 0; i < 4; i++)
    assert_true(config.exercises[i].requirement_count > 0 && config.exercises[i].points[STAGE_RULES] > 0);
}

static void test_steps_of_barriers(void **state) {
  (void)state;
  struct lab_config config;
  char error[600] = "";
  if (lab_config_read("labs/lab9/lab.cfg", &config, error, sizeof error) != 0) fail_msg("%s", error);
  assert_int_equal(config.exercises[0].barriers[0].again, config.exercises[0].barriers[0].step);
  assert_string_equal(config.exercises[3].barriers[0].name, "full");
  assert_int_equal(config.exercises[3].barriers[0].step, 1);
  assert_int_equal(config.exercises[3].barriers[0].again, 5);
}

static void put_text(const char *text, char path[]) {
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
}

static int read_text(const char *text, struct lab_config *config, char *error, size_t size) {
  char path[] = "/tmp/lab-config-test-XXXXXX";
  put_text(text, path);
  int status = lab_config_read(path, config, error, size);
  unlink(path);
  return status;
}

#define EXERCISE(rest)                                             \
  "lab = \"x\"; title = \"y\";\nexercises = ( { name = \"1-a\";\n" \
  "points = { rules = 1; correctness = 2.5; bandwidth = 0; };\n" rest " } );"
#define REQUIREMENT(rest) EXERCISE("bandwidth = 0.9;\nrequirements = ( { " rest " } );")

static const struct {
  const char *text, *says;
} mistakes[] = {
    {"lab = ;", ":1: syntax error"},
    {"title = \"y\";", "lab: is missing"},
    {"lab = 3; title = \"y\";", ":1: lab: must be a text"},
    {"lab = \"x\"; title = \"y\";", "exercises: must be a list"},
    {"lab = \"x\"; title = \"y\"; exercises = ();", "exercises: must be a list"},
    {"lab = \"x\"; title = \"y\"; extra = 1;", "extra: is an unknown key"},
    {"lab = \"x\"; title = \"y\"; deadline = \"soon\";", ":1: deadline: must be a day and a time"},
    {"lab = \"x\"; title = \"y\"; late = 0.9;", ":1: late: must be an array"},
    {"lab = \"x\"; title = \"y\"; late = [];", ":1: late: must be an array"},
    {"lab = \"x\"; title = \"y\"; late = [-0.5];", ":1: late: must hold numbers from 0.0 to 1.0"},
    {"lab = \"x\"; title = \"y\"; late = [\"0.9\"];", ":1: late: must hold numbers, without quotes"},
    {"lab = \"x\"; title = \"y\"; late = [true];", ":1: late: must hold numbers, without quotes"},
    {"lab = \"x\"; title = \"y\";\nexercises = (\n"
     "{ name = \"a\"; points = { rules = 1; correctness = 1; }; },\n"
     "{ name = \"a\"; points = { rules = 1; correctness = 1; }; } );",
     ":4: name: another exercise is called so"},
    {EXERCISE(""), "bandwidth: is missing"},
    {EXERCISE("bandwidth = 3.0;"), ":4: bandwidth: is 3: must be from 0.01 to 1.2"},
    {EXERCISE("bandwidth = \"fast\";"), ":4: bandwidth: must be a number"},
    {EXERCISE("bandwidth = 0.9; bandwidth_floor = 0.91;"),
     ":4: bandwidth_floor: is 0.91: must be from 0 to 0.9"},
    {EXERCISE("bandwidth = 0.9; bandwidth_floor = \"no\";"), ":4: bandwidth_floor: must be a number"},
    {EXERCISE("bandwidth = 0.9; correctness_floor = 1.0;"),
     ":4: correctness_floor: is 1: must be from 0 to 0.99"},
    {EXERCISE("bandwidth = 0.9; bandwith = 0.8;"), "bandwith: is an unknown key"},
    {EXERCISE("bandwidth = 0.9; skeleton = \"zz\";"), "skeleton: must be 16 hexadecimal digits"},
    {"lab = \"x\"; title = \"y\"; exercises = ( { name = \"../a\"; } );", "name: may hold letters"},
    {"lab = \"x\"; title = \"y\"; exercises = ( { name = \"a\"; points = { rules = -1; }; } );",
     "rules: is -1: must be from 0"},
    {"lab = \"x\"; title = \"y\"; exercises = ( { name = \"a\"; points = { rules = 1; }; } );",
     "correctness: is missing"},
    {EXERCISE("bandwidth = 0.9; attempts = 3;"), ":4: attempts: is an unknown key"},
    {EXERCISE("bandwidth = nan;"), ":4: syntax error"},
    {EXERCISE("bandwidth = 1e999;"), ":4: bandwidth: is inf"},
    {EXERCISE("bandwidth = true;"), ":4: bandwidth: must be a number"},
    {EXERCISE("bandwidth = [0.9];"), ":4: bandwidth: must be a number"},
    {EXERCISE("bandwidth = 0.9;\nbandwidth = 0.8;"), ":5: duplicate setting name"},
    {EXERCISE("bandwidth = 0.9; bandwidth_floor = -0.1;"), ":4: bandwidth_floor: is -0.1"},
    {EXERCISE("bandwidth = 0.9; correctness_floor = -1;"), ":4: correctness_floor: is -1"},
    {EXERCISE("bandwidth = 0.9; requirements = 3;"), ":4: requirements: must be a list"},
    {EXERCISE("bandwidth = 0.9; requirements = ( 3 );"), ":4: requirements: must hold groups"},
    {"lab = \"x\"; title = \"y\"; exercises = ( 3 );", ":1: exercises: must hold groups"},
    {"lab = \"x\"; title = \"y\"; exercises = ( { name = \"a\"; } );", ":1: points: must be a group"},
    {"lab = \"x\"; title = \"y\"; exercises = ( { name = \"a\"; points = { speed = 1; }; } );",
     ":1: speed: is an unknown key"},
    {"lab = \"x\"; title = \"y\"; exercises = ( { name = \"a\"; points = { build = 10001; }; } );",
     ":1: build: is 10001: must be from 0 to 10000"},
    {"lab = \"x\"; title = \"y\"; exercises = ( { name = \"a\";\n"
     "points = { rules = 1; correctness = \"ten\"; }; } );",
     ":2: correctness: must be a number"},
    {"lab = \"x\"; title = \"y\"; exercises = ( { name = \"a\";\n"
     "points = { rules = 1; correctness = 1; };\nbandwidth = 0.9; } );",
     ":3: bandwidth: there are no points for it"},
    {"lab = \"x\"; title = \"y\"; in_order = 1;", ":1: in_order: must be true or false"},
    {"lab = \"x\"; title = \"y\"; bandwidth_without_gpu = \"yes\";",
     ":1: bandwidth_without_gpu: must be \"show\", \"grade\" or \"off\""},
    {EXERCISE("bandwidth = 0.9; done = 3;"), ":4: done: must be a text in quotes"},
    {REQUIREMENT("counters = [\"max_phases\"]; at_least = -1; message = \"m\"; remedy = \"r\";"),
     ":5: at_least: is -1"},
    {REQUIREMENT("counters = [\"max_phases\"]; at_least = 1; message = \"m\";"), "remedy: is missing"},
    {REQUIREMENT("counters = [\"no_such\"]; at_least = 1; message = \"m\"; remedy = \"r\";"),
     ":5: counters: `no_such` is no counter"},
    {REQUIREMENT("counters = []; at_least = 1; message = \"m\"; remedy = \"r\";"),
     "counters: must hold one to four names"},
    {REQUIREMENT("counters = [\"max_phases\"]; message = \"m\"; remedy = \"r\";"), "at_least: is missing"},
    {REQUIREMENT("counters = [\"max_phases\"]; at_least = 2; at_most = 1; message = \"m\"; remedy = \"r\";"),
     ":5: at_most: is 1: must be from 2"},
    {REQUIREMENT("counters = [\"max_phases\"]; at_least = 1; step = 0; message = \"m\"; remedy = \"r\";"),
     ":5: step: is 0: must be from 1 to 99"},
    {EXERCISE("bandwidth = 0.9; result_step = \"4\";"), ":4: result_step: must be a number"},
    {EXERCISE("bandwidth = 0.9; speed = \"flops\";"), ":4: speed: must be \"bandwidth\" or \"tflops\""},
    {EXERCISE("bandwidth = 0.9; barriers = 3;"), ":4: barriers: must be a list in parentheses"},
    {EXERCISE("bandwidth = 0.9; barriers = ( 3 );"), ":4: barriers: must hold groups"},
    {EXERCISE("bandwidth = 0.9; barriers = ( { name = \"full\"; } );"), ":4: step: is missing"},
    {EXERCISE("bandwidth = 0.9; barriers = ( { name = \"full\"; when = 3; } );"), ":4: when: is an unknown"},
    {EXERCISE("bandwidth = 0.9; result_step = 1.5;"), ":4: result_step: must be a whole number"},
    {EXERCISE("bandwidth = 10000000000L;"), ":4: bandwidth: is 1e+10: must be from 0.01 to 1.2"},
    {"lab = \"x\";\ntitle = \"y\\nz\";", ":2: title: must be one line of plain text"},
    {REQUIREMENT(
         "counters = [\"max_phases\"]; at_least = 1; of = \"bytes\"; message = \"m\"; remedy = \"r\";"),
     "of: must be \"input_bytes\", \"output_bytes\" or \"products\""},
    {REQUIREMENT("counters = [\"max_phases\"]; at_least = 1; remedy = \"r\";"), "message: is missing"},
    {REQUIREMENT("counters = [\"max_phases\"]; at_least = 1; large = 1; message = \"m\"; remedy = \"r\";"),
     ":5: large: must be true or false"},
};

// A lab in order, in which nothing is timed.
static void test_steps(void **state) {
  (void)state;
  struct lab_config config;
  char error[600] = "";
  if (read_text("lab = \"x\"; title = \"y\"; in_order = true; exercises = ( { name = \"1-a\";\n"
                "points = { rules = 1; correctness = 2; }; done = \"Well done.\"; } );",
                &config, error, sizeof error) != 0)
    fail_msg("%s", error);
  assert_true(config.in_order && !config.exercises[0].timed);
  assert_true(config.exercises[0].points[STAGE_BANDWIDTH] == 0);
  assert_string_equal(config.exercises[0].done, "Well done.");
}

static void test_mistakes(void **state) {
  (void)state;
  struct lab_config config;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    char error[600] = "";
    if (read_text(mistakes[i].text, &config, error, sizeof error) == 0)
      fail_msg("accepted: %s", mistakes[i].text);
    if (!strstr(error, mistakes[i].says)) fail_msg("got \"%s\"\nexpected \"%s\"", error, mistakes[i].says);
  }
}

// Hidden cases: they are in a separate file, which students don't have.
static void test_hidden_cases(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } table[] = {
      {"cases = (", ":1: syntax error"},
      {"case = ();", ":1: case: is an unknown key"},
      {"", "cases: must be a list"},
      {"cases = (\n{ name = \"a\"; sizes = [4]; } );\nmore = 1;", ":3: more: is an unknown key"},
      {"cases = (\n{ name = \"a|b\"; sizes = [4]; } );",
       ":2: name: must be one line of plain text, without |"},
      {"cases = (\n{ name = \"a\\nb\"; sizes = [4]; } );", ":2: name: must be one line of plain text"},
      {"cases = ();", ":1: cases: must be a list"},
      {"cases = 3;", ":1: cases: must be a list"},
      {"cases = (\n 3 );", "cases: each must be a group"},
      {"cases = (\n{ sizes = [4]; } );", ":2: name: "},
      {"cases = (\n{ name = 3; sizes = [4]; } );", ":2: name: "},
      {"cases = (\n{ name = \"a\"; } );", ":2: sizes: must be an array of 1 whole number"},
      {"cases = (\n{ name = \"a\"; sizes = [4, 4]; } );", ":2: sizes: must be an array of 1"},
      {"cases = (\n{ name = \"a\"; sizes = [0.5]; } );", ":2: sizes: must be an array of 1"},
      {"cases = (\n{ name = \"a\"; sizes = [-4]; } );", ":2: sizes: must be an array of 1"},
      {"cases = (\n{ name = \"a\";\nsizes = [5]; } );", ":3: sizes: "},
      {"cases = (\n{ name = \"a\"; sizes = [2000000000]; } );",
       ":2: sizes: ask for arrays of more than 256 MiB"},
      {"cases = (\n{ name = \"a\"; sizes = [4]; seeds = 2; } );", ":2: seeds: is an unknown key"},
  };
  size_t count;
  const struct exercise *exercise = exercises_of("lab9", &count)[0];
  struct exercise_case cases[HIDDEN_MAX_CASES];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char error[600] = "", path[] = "/tmp/lab-config-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 &&
                write(file, table[i].text, strlen(table[i].text)) == (ssize_t)strlen(table[i].text));
    close(file);
    int status = hidden_cases_read(path, exercise, cases, error, sizeof error);
    unlink(path);
    if (status >= 0) fail_msg("accepted: %s", table[i].text);
    if (!strstr(error, table[i].says)) fail_msg("got \"%s\"\nexpected \"%s\"", error, table[i].says);
  }
}

static const char four_requirements[] =
    EXERCISE("bandwidth = 0.9;\nrequirements = (\n"
             "{ counters = [\"bulk_store_bytes\", \"tensor_store_bytes\"]; "
             "at_least = 1.0; of = \"output_bytes\"; message = \"m\"; remedy = \"r\"; },\n"
             "{ counters = [\"max_groups_pending\"]; at_least = 2; message = \"n\"; remedy = \"r\"; },\n"
             "{ counters = [\"bulk_store_bytes\"]; at_most = 1.5; "
             "of = \"output_bytes\"; step = 5; message = \"o\"; remedy = \"r\"; },\n"
             "{ counters = [\"handed_load_bytes\", \"detour_bytes\"]; at_most = 0.5; "
             "of = \"output_bytes\"; step = 5; message = \"p\"; remedy = \"r\"; } );");

struct requirement_row {
  struct observed kernels[2];
  const char *unmet; // expected message; NULL: all requirements are met
  double value, bound;
};

static void check_row(const struct lab_config *config, const struct requirement_row *row) {
  const struct exercise_instance instance = {
      .output = {.type = ELEMENT_INT32, .rows = 10, .columns = 10, .pitch_bytes = 64}};
  struct fault_report *report = fault_report_create();
  for (int kernel = 0; kernel < 2; kernel++)
    observed_merge(report, &row->kernels[kernel]);
  const struct unmet unmet = requirements_unmet(&config->exercises[0], report, &instance, true);
  if (!row->unmet != !unmet.requirement)
    fail_msg("%s, expected: %s", unmet.requirement ? unmet.requirement->message : "all met",
             row->unmet ? row->unmet : "all met");
  if (unmet.requirement) {
    assert_string_equal(unmet.requirement->message, row->unmet);
    assert_true(unmet.value == row->value && unmet.bound == row->bound);
    assert_true(unmet.too_much == (unmet.value > unmet.bound));
    assert_int_equal(unmet.requirement->step, unmet.too_much ? 5 : 0);
  }
  fault_report_destroy(report);
}

// A small case: a requirement that is a plain number is not checked there.
static void check_small(const struct exercise_config *config) {
  const struct exercise_instance instance = {
      .output = {.type = ELEMENT_INT32, .rows = 10, .columns = 10, .pitch_bytes = 64}};
  static const struct observed enough = {.kernel = "a", .bulk_store_bytes = 400},
                               too_much = {.kernel = "a", .bulk_store_bytes = 601};
  struct fault_report *report = fault_report_create();
  observed_merge(report, &enough);
  assert_null(requirements_unmet(config, report, &instance, false).requirement);
  fault_report_clear(report);
  observed_merge(report, &too_much);
  assert_string_equal(requirements_unmet(config, report, &instance, false).requirement->message, "o");
  fault_report_destroy(report);
}

// `large = true`: requirements on parts of the input or output, too, are only checked in the large case.
static void test_large_only(void **state) {
  (void)state;
  struct lab_config config;
  char error[600] = "";
  const struct exercise_instance instance = {
      .input = {.type = ELEMENT_INT32, .rows = 10, .columns = 10, .pitch_bytes = 64}};
  static const char text[] =
      REQUIREMENT("counters = [\"ring_load_bytes\"]; at_least = 0.25; "
                  "of = \"input_bytes\"; large = true; message = \"m\"; remedy = \"r\";");
  if (read_text(text, &config, error, sizeof error) != 0) fail_msg("%s", error);
  static const struct observed little = {.kernel = "a", .ring_load_bytes = 99},
                               more = {.kernel = "a", .ring_load_bytes = 1};
  struct fault_report *report = fault_report_create();
  observed_merge(report, &little);
  assert_null(requirements_unmet(config.exercises, report, &instance, false).requirement);
  assert_non_null(requirements_unmet(config.exercises, report, &instance, true).requirement);
  observed_merge(report, &more);
  assert_null(requirements_unmet(config.exercises, report, &instance, true).requirement);
  fault_report_destroy(report);
}

// Bytes of a ring count if the blocks that have one move nearly all: a crumb makes no ring, and neither does
// a kernel beside the work.
static void test_bytes_of_blocks_that_bear_the_work(void **state) {
  (void)state;
  struct lab_config config;
  char error[600] = "";
  const struct exercise_instance instance = {
      .input = {.type = ELEMENT_INT32, .rows = 10, .columns = 10, .pitch_bytes = 64}};
  static const char text[] =
      REQUIREMENT("counters = [\"ring_load_bytes\"]; at_least = 0.25; "
                  "of = \"input_bytes\"; large = true; message = \"m\"; remedy = \"r\";");
  static const struct {
    struct observed cluster[2];
    bool met;
  } rows[] = {
      {{{.bulk_load_bytes = 1600, .ring_load_bytes = 100}}, true},
      {{{.bulk_load_bytes = 1616, .ring_load_bytes = 100}}, false}, // less than a sixteenth of its loads
      {{{.bulk_load_bytes = 850, .ring_load_bytes = 600}, {.bulk_load_bytes = 150}}, true},
      {{{.bulk_load_bytes = 850, .ring_load_bytes = 600}, {.bulk_store_bytes = 151}}, false},
      {{{.tensor_load_bytes = 400, .ring_load_bytes = 300}, {.bulk_load_bytes = 400}}, false},
  };
  if (read_text(text, &config, error, sizeof error) != 0) fail_msg("%s", error);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct fault_report *report = fault_report_create();
    observed_merge(report, &rows[i].cluster[0]);
    observed_merge(report, &rows[i].cluster[1]);
    if (!requirements_unmet(config.exercises, report, &instance, true).requirement != rows[i].met)
      fail_msg("row %zu", i);
    fault_report_destroy(report);
  }
}

static void test_products(void **state) {
  (void)state;
  struct lab_config config;
  char error[600] = "";
  const struct exercise_instance instance = {.products = 1000};
  static const char text[] = REQUIREMENT("counters = [\"wgmma_products\"]; at_least = 1.0; of = "
                                         "\"products\"; message = \"m\"; remedy = \"r\";");
  static const struct observed most = {.kernel = "a", .wgmma_products = 999},
                               last = {.kernel = "a", .wgmma_products = 1};
  if (read_text(text, &config, error, sizeof error) != 0) fail_msg("%s", error);
  struct fault_report *report = fault_report_create();
  observed_merge(report, &most);
  assert_non_null(requirements_unmet(config.exercises, report, &instance, false).requirement);
  observed_merge(report, &last);
  assert_null(requirements_unmet(config.exercises, report, &instance, false).requirement);
  fault_report_destroy(report);
}

static const struct requirement_row requirement_rows[] = {
    {{{.kernel = "a"}, {.kernel = "b"}}, "m", 0, 400},
    {{{.kernel = "a", .bulk_store_bytes = 300}, {.kernel = "b", .tensor_store_bytes = 99}}, "m", 399, 400},
    {{{.kernel = "a", .bulk_store_bytes = 300, .max_groups_pending = 1},
      {.kernel = "b", .tensor_store_bytes = 100, .max_groups_pending = 1}},
     "n",
     1,
     2},
    {{{.kernel = "a", .bulk_store_bytes = 400, .max_groups_pending = 2},
      {.kernel = "b", .tensor_load_bytes = 70, .max_groups_pending = 1}},
     NULL,
     0,
     0},
    // a kernel that only pretends, beside the work: in another kernel, and in other blocks of the same
    // kernel
    {{{.kernel = "a", .bulk_store_bytes = 400, .max_groups_pending = 2},
      {.kernel = "b", .tensor_load_bytes = 71, .max_groups_pending = 1}},
     "n",
     1,
     2},
    {{{.kernel = "a", .bulk_store_bytes = 400},
      {.kernel = "a", .tensor_load_bytes = 132, .max_groups_pending = 9}},
     "n",
     0,
     2},
    {{{.kernel = "a", .bulk_store_bytes = 600, .max_groups_pending = 2}, {.kernel = "b"}}, NULL, 0, 0},
    {{{.kernel = "a", .bulk_store_bytes = 600, .max_groups_pending = 2},
      {.kernel = "b", .bulk_store_bytes = 1}},
     "o",
     601,
     600},
    // through the program's own memory: written in one kernel, read in another
    {{{.kernel = "a", .bulk_store_bytes = 400, .max_groups_pending = 2, .own_store_bytes = 199},
      {.kernel = "b", .handed_load_bytes = 2, .own_load_bytes = 5000}},
     "p",
     201,
     200},
    {{{.kernel = "a", .bulk_store_bytes = 400, .max_groups_pending = 2, .own_store_bytes = 5000},
      {.kernel = "b", .handed_load_bytes = 1, .own_load_bytes = 199}},
     NULL,
     0,
     0},
};

static void test_requirements(void **state) {
  (void)state;
  struct lab_config config;
  char error[600] = "";
  if (read_text(four_requirements, &config, error, sizeof error) != 0) fail_msg("%s", error);
  for (size_t i = 0; i < sizeof requirement_rows / sizeof *requirement_rows; i++)
    check_row(&config, &requirement_rows[i]);
  check_small(&config.exercises[0]);
}

// The digest of everything that verdicts depend on: targets and requirements to the last digit, but neither
// points nor comments in the file.
static void test_judging(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool same;
  } rows[] = {
      {EXERCISE("bandwidth = 0.9;"), true},
      {"lab = \"x\"; /* more */ title = \"z\";\nexercises = ( { name = \"1-a\"; // less\n"
       "points = { build = 7; rules = 3.5; correctness = 2; bandwidth = 1; }; bandwidth = 0.9; } );",
       true},
      {EXERCISE("bandwidth = 0.90000000001;"), false},
      {EXERCISE("bandwidth = 0.9; result_step = 2;"), false},
      {REQUIREMENT("counters = [ \"blocks\" ]; at_least = 1; message = \"a\"; remedy = \"b\";"), false},
  };
  char *texts[sizeof rows / sizeof *rows];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char path[] = "/tmp/lab-config-test-XXXXXX";
    put_text(rows[i].text, path);
    texts[i] = lab_config_judging(path);
    unlink(path);
    assert_non_null(texts[i]);
    assert_int_equal(strcmp(texts[0], texts[i]) == 0, rows[i].same);
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    free(texts[i]);
  assert_null(lab_config_judging("/nonexistent"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_labs_own),
                                     cmocka_unit_test(test_steps_of_barriers),
                                     cmocka_unit_test(test_steps),
                                     cmocka_unit_test(test_mistakes),
                                     cmocka_unit_test(test_judging),
                                     cmocka_unit_test(test_hidden_cases),
                                     cmocka_unit_test(test_requirements),
                                     cmocka_unit_test(test_large_only),
                                     cmocka_unit_test(test_bytes_of_blocks_that_bear_the_work),
                                     cmocka_unit_test(test_products)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
