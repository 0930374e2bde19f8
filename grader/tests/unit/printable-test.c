// Text from strangers, as every report shows it. In: characters that nobody sees, that turn a line round,
// that are none. Out: what printable.h makes of them, and that no format lets one through: neither a
// terminal's text nor HTML, CSV, XML and the platforms' JSON.
#include "class/class.h"
#include "class/collect.h"
#include "class/html.h"
#include "referee/remarks.h"
#include "report/output-format.h"
#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct {
  const char *given, *shown;
} texts[] = {
    {"plain, tab\tand line\n", "plain, tab\tand line\n"},
    {"Gr\xc3\xb6\xc3\x9f"
     "e \xe7\x9f\xa9\xe9\x98\xb5 \xf0\x9f\x9a\x80",
     "Gr\xc3\xb6\xc3\x9f"
     "e \xe7\x9f\xa9\xe9\x98\xb5 \xf0\x9f\x9a\x80"},
    // which way a line runs: embeddings, overrides, isolates, marks
    {"\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad\xe2\x80\xae", "\\u202a\\u202b\\u202c\\u202d\\u202e"},
    {"\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9", "\\u2066\\u2067\\u2068\\u2069"},
    {"\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\u200e\\u200f\\u061c"},
    // separators, joiners, spaces and fillers without width, tags
    {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
    {"\xc2\xad\xe2\x80\x8b\xe2\x80\x8c\xe2\x80\x8d\xe2\x81\xa0\xef\xbb\xbf",
     "\\u00ad\\u200b\\u200c\\u200d\\u2060\\ufeff"},
    {"\xcd\x8f\xe1\x85\x9f\xe3\x85\xa4\xef\xbe\xa0\xe1\xa0\x8e", "\\u034f\\u115f\\u3164\\uffa0\\u180e"},
    {"\xef\xbf\xb9\xef\xbf\xba\xef\xbf\xbb", "\\ufff9\\ufffa\\ufffb"},
    {"\xf3\xa0\x80\x81\xf3\xa0\x81\x81\xf0\x9d\x85\xb3", "\\U000e0001\\U000e0041\\U0001d173"},
    // what only chooses the look of the character before it stays
    {"\xe2\x9c\x94\xef\xb8\x8f \xe8\x91\x9b\xf3\xa0\x84\x80",
     "\xe2\x9c\x94\xef\xb8\x8f \xe8\x91\x9b\xf3\xa0\x84\x80"},
    // beside the ranges
    {"\xc2\xa0\xc2\xac\xc2\xae\xe2\x80\x8a\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\x9f\xe2\x81\xb0",
     "\xc2\xa0\xc2\xac\xc2\xae\xe2\x80\x8a\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\x9f\xe2\x81\xb0"},
    // control characters of ASCII, and of Latin-1 (C1)
    {"\x01\x1b[2J\r\x7f", "??[2J??"},
    {"\xc2\x80\xc2\x85\xc2\x9b"
     "2J\xc2\x9f",
     "\\u0080\\u0085\\u009b2J\\u009f"},
    // lone surrogates; no characters at all
    {"\xed\xa0\x80\xed\xbf\xbf", "\\ud800\\udfff"},
    {"\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff"},
    // no UTF-8: bytes of nothing, cut short, too long, too large
    {"\x80\xbf\xfe\xff", "????"},
    {"\xe2\x80", "??"},
    {"\xe2\x80x\xf0\x9f\x9a", "??x???"},
    {"\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", "?????????"},
    {"\xf4\x90\x80\x80\xf5\x80\x80\x80", "????????"},
    {"\x9b"
     "2J",
     "?2J"},
};

static void test_characters(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char made[400];
    char *copied = printable_copy(texts[i].given), *again = printable_copy(copied);
    assert_string_equal(copied, texts[i].shown);
    assert_string_equal(again, texts[i].shown); // what is shown once is not shown otherwise later
    snprintf(made, sizeof made, "%s", texts[i].given);
    printable_make(made, sizeof made);
    assert_string_equal(made, texts[i].shown);
    free(copied);
    free(again);
  }
  char *empty = printable_copy(NULL);
  assert_string_equal(empty, "");
  free(empty);
}

// In a buffer that is too small the text ends with a whole character.
static void test_bounds(void **state) {
  (void)state;
  for (size_t size = 1; size < 40; size++) {
    char made[64];
    snprintf(made, sizeof made, "\xe2\x80\xae\xc3\xa9\xe2\x80\xae\xc3\xa9");
    if (strlen(made) >= size) continue;
    memset(made + size, 'x', sizeof made - size);
    printable_make(made, size);
    assert_true(strlen(made) < size && strncmp("\\u202e\xc3\xa9\\u202e\xc3\xa9", made, strlen(made)) == 0);
    assert_int_equal(made[size], 'x');
    assert_true(((unsigned char)made[strlen(made) - 1] != 0xc3));
  }
  assert_int_equal(printable_prefix("ab\xe2\x82\xac", 4), 2);
  assert_int_equal(printable_prefix("ab\xe2\x82\xac", 5), 5);
  assert_int_equal(printable_prefix("ab", 5), 2);
}

// ---- the formats ----

static char every[1200]; // every text above

// Whether there is a byte that a terminal or a reader could stumble over, whatever the format escapes.
static void check(const char *format, const char *text) {
  char shown[PRINTABLE_CHARACTER];
  for (const char *at = text; *at;) {
    const size_t bytes = printable_character(at, shown);
    if (bytes != strlen(shown) || memcmp(at, shown, bytes) != 0)
      fail_msg("%s lets %s through, at: %.60s", format, shown, at);
    at += bytes;
  }
  if (!strstr(text, "\\u202e") && !strstr(text, "\\\\u202e")) fail_msg("%s shows no escape", format);
}

// JSON has escapes of its own: what a reader gets must be as harmless.
static void check_json(const char *format, const json_t *json) {
  const char *key;
  json_t *value;
  size_t i;
  char *shown = printable_copy(json_string_value(json));
  if (json_is_string(json)) assert_string_equal(json_string_value(json), shown);
  free(shown);
  json_array_foreach(json, i, value) {
    check_json(format, value);
  }
  json_object_foreach((json_t *)json, key, value) {
    shown = printable_copy(key);
    assert_string_equal(key, shown);
    free(shown);
    check_json(format, value);
  }
}

struct written {
  FILE *file;
  char *text;
  size_t size;
};

static void write_begin(struct written *written) {
  *written = (struct written){0};
  written->file = open_memstream(&written->text, &written->size);
  assert_non_null(written->file);
}

static void write_end(struct written *written, const char *format) {
  fclose(written->file);
  check(format, written->text);
  if (written->text[0] == '{') {
    json_t *read = json_loads(written->text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(read);
    check_json(format, read);
    json_decref(read);
  }
  free(written->text);
}

static void make_record(struct lab_record *lab, struct grading *grading) {
  static const struct exercise exercise = {.lab = "lab9", .name = "1-bulk-copy-1d"};
  *lab = (struct lab_record){.lab = "lab9", .submission = "labs/lab9", .device = "the virtual Hopper"};
  lab->exercise_count = 1;
  snprintf(lab->exercises[0].name, sizeof lab->exercises[0].name, "1-bulk-copy-1d");
  struct task task = {
      .grading = grading, .exercise = &exercise, .record = &lab->exercises[0], .progress = -1};
  task_conclude(&task, STAGE_BUILD, VERDICT_PASS, "ok", "builds");
  stage_detail(task_conclude(&task, STAGE_RULES, VERDICT_FAIL, "broken", "breaks %s", texts[2].given), "%s",
               every);
  lab->exercises[0].stages[STAGE_CORRECTNESS].verdict = VERDICT_NOT_REACHED;
  lab->exercises[0].stages[STAGE_BANDWIDTH].verdict = VERDICT_NOT_REACHED;
  remark(&task, "It %s", texts[2].given);
  exercise_conclude(&lab->exercises[0]);
}

static const struct {
  const char *name;
  int (*write)(FILE *out, const struct lab_record *lab);
  const char *(*missing)(void);
} formats[] = {
#define OUTPUT_FORMAT(name, function, reader, missing) {#name, function, missing},
#include "report/output-formats.def"
#undef OUTPUT_FORMAT
};

static void test_formats(void **state) {
  (void)state;
  static struct lab_record lab;
  static struct grading grading;
  struct written written;
  make_record(&lab, &grading);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    if (formats[i].missing) continue; // a short list without any text of a submission
    write_begin(&written);
    assert_int_equal(formats[i].write(written.file, &lab), 0);
    write_end(&written, formats[i].name);
  }
  lab_record_free(&lab);
}

// What `vhopper run` prints, and its JSON: file, kernel, message and source line are the program's.
static void test_faults(void **state) {
  (void)state;
  struct fault_report *report = fault_report_create();
  struct fault fault = {.rule = RULE_PROXY_FENCE, .severity = FAULT_ERROR};
  struct observed observed = {.launches = 1};
  struct written written;
  char path[64] = "/tmp/printable-test-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0 && write(file, every, strcspn(every, "\n")) > 0);
  close(file);
  snprintf(fault.message, sizeof fault.message, "%s", texts[2].given);
  snprintf(fault.role, sizeof fault.role, "%s", texts[2].given);
  snprintf(fault.remedy, sizeof fault.remedy, "%s", texts[2].given);
  snprintf(fault.kernel, sizeof fault.kernel, "k\x9b%s", texts[2].given);
  snprintf(observed.kernel, sizeof observed.kernel, "%s", fault.kernel);
  fault.place = (struct fault_place){.file = path, .line = 1, .instruction = texts[2].given};
  fault_adopt(report, &fault);
  observed_adopt(report, &observed);
  for (int line = 1; line >= 0; line--) {
    fault.place.line = (uint32_t)line;
    write_begin(&written);
    fault_print(written.file, &fault, NULL, false);
    write_end(&written, line ? "a fault" : "a fault without a line");
  }
  json_t *json = fault_report_json(report);
  write_begin(&written);
  json_dumpf(json, written.file, 0);
  write_end(&written, "faults as JSON");
  json_decref(json);
  fault_report_destroy(report);
  unlink(path);
}

// ---- a class ----

static void check_file(const char *path) {
  char text[65536];
  FILE *file = fopen(path, "re");
  if (!file) fail_msg("%s is missing", path);
  struct written written;
  write_begin(&written);
  for (size_t got; (got = fread(text, 1, sizeof text, file)) > 0;)
    assert_int_equal(fwrite(text, 1, got, written.file), got);
  fclose(file);
  write_end(&written, path);
}

static void test_class(void **state) {
  (void)state;
  static struct grading grading;
  static struct outcome outcome = {.known = true};
  struct student student = {.name = "ann"};
  struct class class = {.grading = &grading,
                        .outcomes = &outcome,
                        .roster = {.students = &student, .count = 1},
                        .columns = "submission,name,id,email,notes,feedback"};
  char folder[] = "/tmp/printable-test-XXXXXX", path[PATH_MAX], error[600] = "";
  static const char *const made[] = {"/feedback/ann.html", "/feedback/ann.txt", "/feedback/ann.json",
                                     "/results/ann.json",  "/grades.csv",       "/report.html"};
  assert_non_null(mkdtemp(folder));
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, i ? "feedback" : "results");
    assert_int_equal(mkdir(path, 0700), 0);
  }
  class.output = folder;
  make_record(&outcome.lab, &grading);
  snprintf(student.full_name, sizeof student.full_name, "%s\x9b", texts[2].given);
  snprintf(student.id, sizeof student.id, "%s", texts[2].given);
  snprintf(student.email, sizeof student.email, "%s", texts[2].given);
  snprintf(outcome.notes, sizeof outcome.notes, "%s", every);
  if (feedback_save(&class, 0, error, sizeof error) != 0 ||
      result_save(&class, 0, error, sizeof error) != 0 || grades_save(&class, error, sizeof error) != 0 ||
      page_save(&class, error, sizeof error) != 0)
    fail_msg("%s", error);
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    snprintf(path, sizeof path, "%s%s", folder, made[i]);
    check_file(path);
  }
  lab_record_free(&outcome.lab);
  remove_tree(folder);
}

int main(void) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    strcat(strcat(every, texts[i].given), " ");
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_characters), cmocka_unit_test(test_bounds),
                                     cmocka_unit_test(test_formats), cmocka_unit_test(test_faults),
                                     cmocka_unit_test(test_class)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
