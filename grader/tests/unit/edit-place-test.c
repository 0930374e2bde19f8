// The line to edit when no fault names a line, in files with lines of any length and with every kind of line
// end.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/edit-place.h"
#include "virtual-hopper/rules/fault.h"

struct files {
  char given[32], own[32];
};

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
  static struct files files;
  strcpy(files.given, "/tmp/edit-place-given-XXXXXX");
  strcpy(files.own, "/tmp/edit-place-own-XXXXXX");
  int given = mkstemp(files.given), own = mkstemp(files.own);
  *state = &files;
  return given < 0 || own < 0 || close(given) != 0 || close(own) != 0 ? -1 : 0;
}

static int tear_down(void **state) {
  const struct files *files = *state;
  return unlink(files->given) | unlink(files->own);
}

static const char skeleton[] = "// head\n// TODO(1): begin\nint a;\n// TODO(2): go on\nint b;\n";

static bool guessed;

static unsigned place_of(const struct files *files, const struct stage_record *stage) {
  return edit_place(files->own, files->given, "x.cu", stage, &guessed);
}

// A line that the exercise names for every wrong result is a guess, a step that isn't begun is none.
static void a_usual_place_is_a_guess(void **state) {
  const struct files *files = *state;
  const struct stage_record wrong = {.line = 4, .is_guess = true}, sure = {.line = 4};
  write_file(files->given, skeleton);
  write_file(files->own, "// head\n// TODO(1): begin\nint a = 1;\n// TODO(2): go on\nint b = 1;\n");
  assert_int_equal(place_of(files, &wrong), 4);
  assert_true(guessed);
  assert_int_equal(place_of(files, &sure), 4);
  assert_false(guessed);
  write_file(files->own, "// head\n// TODO(1): begin\nint a = 1;\n// TODO(2): go on\nint b;\n");
  assert_int_equal(place_of(files, &wrong), 4);
  assert_false(guessed);
}

static void the_first_step_that_is_as_given(void **state) {
  const struct files *files = *state;
  write_file(files->given, skeleton);
  write_file(files->own, "// head\n// TODO(1): begin\nint a = 1;\n// TODO(2): go on\nint b;\n");
  assert_int_equal(place_of(files, NULL), 4);
}

static void a_long_line_is_one_line(void **state) {
  const struct files *files = *state;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  fputs("// ", out);
  for (int i = 0; i < 5000; i++)
    fputc('x', out);
  fputs("\n// TODO(1): begin\nint a = 1;\n// TODO(2): go on\nint b;\n", out);
  fclose(out);
  write_file(files->given, skeleton);
  write_file(files->own, text);
  assert_int_equal(place_of(files, NULL), 4);
  free(text);
}

static void line_ends_of_windows_change_nothing(void **state) {
  const struct files *files = *state;
  write_file(files->given, skeleton);
  write_file(files->own, "// head\r\n// TODO(1): begin\r\nint a = 1;\r\n// TODO(2): go on\r\nint b;\r\n");
  assert_int_equal(place_of(files, NULL), 4);
}

static unsigned place_of_fault(const struct files *files, const char *rule, unsigned line, int edit) {
  json_t *place = json_pack("{s:s, s:i}", "file", "x.cu", "line", (int)line), *fault = json_deep_copy(place);
  struct stage_record stage = {.faults = json_pack("[o]", fault)};
  json_object_set_new(fault, "rule", json_string(rule));
  json_object_set_new(fault, "related", json_pack("[o]", place));
  if (edit) json_object_set_new(fault, "edit", json_integer(edit));
  snprintf(stage.rule, sizeof stage.rule, "%s", rule);
  const unsigned found = place_of(files, &stage);
  json_decref(stage.faults);
  return found;
}

// A tensor map that is called like its type.
static void a_map_by_the_name_of_its_type(void **state) {
  const struct files *files = *state;
  write_file(files->given, skeleton);
  write_file(files->own, "CUtensorMap maps;\nint a = 1;\nvoid f(CUtensorMap CUtensorMap) {\n"
                         "  cp(tile, &CUtensorMap);\n}\n");
  assert_int_equal(place_of_fault(files, "bad-tensor-map", 4, 0), 4);
}

// The rule's own place is the second one, where a tile is read. A fault may say that it is the first.
static void the_place_itself(void **state) {
  const struct files *files = *state;
  write_file(files->given, "// head\n// TODO(1): read it\n// TODO(2): load it\n");
  write_file(files->own, "// head\n// TODO(1): read it\nread();\n// TODO(2): load it\nload();\n");
  json_t *fault = json_pack("{s:s, s:s, s:i, s:[{s:s, s:i}]}", "rule", "tile-before-phase", "file", "x.cu",
                            "line", 3, "related", "file", "x.cu", "line", 5);
  struct stage_record stage = {.faults = json_pack("[o]", fault)};
  snprintf(stage.rule, sizeof stage.rule, "tile-before-phase");
  assert_int_equal(place_of(files, &stage), 5);
  json_object_set_new(fault, "edit", json_integer(FAULT_EDIT_HERE));
  assert_int_equal(place_of(files, &stage), 3);
  assert_false(guessed);
  json_object_set_new(fault, "guess", json_true());
  assert_int_equal(place_of(files, &stage), 3);
  assert_true(guessed);
  json_decref(stage.faults);
}

// Nothing keeps a block from ending: the step at the end is not begun, whatever is written elsewhere.
static void the_step_at_the_end(void **state) {
  const struct files *files = *state;
  static const char end[] = "void k() {\n// TODO(2): may it leave?\n}\n";
  char own[200];
  snprintf(own, sizeof own, "// TODO(1): tell others\narrive();\n%s", end);
  write_file(files->own, own);
  snprintf(own, sizeof own, "// TODO(1): tell others\n%s", end);
  write_file(files->given, own);
  assert_int_equal(place_of_fault(files, "absent-block", 2, 0), 4);
}

// The line that encodes the map is given. What it encodes is the student's, in the same function.
static void the_step_that_describes_a_map(void **state) {
  const struct files *files = *state;
  static const char given[] = "// TODO(1): copy\nvoid k() {\n}\nint encode() {\n// TODO(2): the rank\n"
                              "return tensor_map_encode(map, &options);\n}\n",
                    own[] = "// TODO(1): copy\nvoid k() {\ncp(tile, &map);\n}\nint encode() {\n"
                            "// TODO(2): the rank\nrank = 2;\nreturn tensor_map_encode(map, &options);\n}\n";
  write_file(files->given, given);
  write_file(files->own, own);
  assert_int_equal(place_of_fault(files, "bad-tensor-map", 3, FAULT_EDIT_HOST), 6);
}

// Sixty thousand steps. A time that grows with the square of the size is some hundred times what is used.
static void many_steps_take_no_time(void **state) {
  const struct files *files = *state;
  enum { STEPS = 60000, SECONDS = 20 };
  struct rusage used;
  struct rlimit limit;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  for (int i = 0; i < STEPS; i++)
    fputs("// TODO(9)\n", out);
  fputs("int b;\n", out);
  fclose(out);
  write_file(files->given, "int b;\n");
  write_file(files->own, text);
  free(text);
  getrusage(RUSAGE_SELF, &used);
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = (rlim_t)used.ru_utime.tv_sec + SECONDS;
  assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
  assert_int_equal(place_of_fault(files, "proxy-fence", STEPS + 1, 1), STEPS);
}

static const char one_step[] = "// head\n// TODO(1): set it\n// (1 line)\nint a = 0;\nuse(a);\nend();\n";

// What is given is right. So where one step alone was changed, the mistake is in it, whatever else is named.
static void the_only_change_is_the_place(void **state) {
  const struct files *files = *state;
  const struct stage_record wrong = {.line = 5, .is_guess = true}, sure = {.line = 5};
  char there[] = "x.cu(5): error";
  const struct stage_record compiler = {.detail = there};
  write_file(files->given, one_step);
  write_file(files->own, "// head\n// TODO(1): set it\n// (1 line)\nint a = 7;\nuse(a);\nend();\n");
  assert_int_equal(place_of(files, &wrong), 4);
  assert_false(guessed);
  assert_int_equal(place_of(files, &sure), 4);
  assert_int_equal(place_of(files, &compiler), 4);
  write_file(files->own, "// head\nint b = 1;\nint a = 7;\nuse(a);\nend();\n");
  assert_int_equal(place_of(files, &wrong), 2);
  // Nothing was written: the usual place stays.
  write_file(files->own, "// head\nuse(a);\nend();\n");
  assert_int_equal(place_of(files, &wrong), 5);
  assert_true(guessed);
  write_file(files->given, skeleton);
  write_file(files->own, "// head\nint a = 1;\nint b = 1;\n");
  assert_int_equal(place_of(files, &wrong), 5);
  assert_true(guessed);
}

// A fault at a line of the skeleton: of its other places the one that the student wrote, or else what is not
// begun.
static void the_place_that_the_student_wrote(void **state) {
  const struct files *files = *state;
  struct stage_record broken = {.rule = "unobserved-phase"};
  broken.faults =
      json_pack("[{s:s, s:s, s:i, s:[{s:s, s:i}, {s:s, s:i}]}]", "rule", "unobserved-phase", "file", "x.cu",
                "line", 1, "related", "file", "x.cu", "line", 1, "file", "x.cu", "line", 3);
  assert_non_null(broken.faults);
  write_file(files->given, "int first;\n// TODO(1): begin\nint a;\n// TODO(2): go on\nint b;\n");
  write_file(files->own, "int first;\n// TODO(1): begin\nint a = 1;\n// TODO(2): go on\nint b;\n");
  assert_int_equal(place_of(files, &broken), 4);
  write_file(files->own, "int first;\n// TODO(1): begin\nint a = 1;\n// TODO(2): go on\nint b = 1;\n");
  assert_int_equal(place_of(files, &broken), 3);
  json_decref(broken.faults);
}

// Whoever writes the lines of a step under the next one has begun it. Something is missing further on.
static void a_step_that_is_done_in_the_next_one(void **state) {
  const struct files *files = *state;
  static const char given[] =
      "// TODO(1): init (1 line)\n// TODO(2): load (2 lines)\n// TODO(3): wait (1 line)\n";
  write_file(files->given, given);
  write_file(files->own,
             "// TODO(1): init (1 line)\n// TODO(2): load (2 lines)\ninit();\nexpect();\nload();\n"
             "// TODO(3): wait (1 line)\n");
  assert_int_equal(place_of_fault(files, "deadlock", 5, 0), 6);
  // Unless it is the very thing that is missing.
  assert_int_equal(place_of_fault(files, "barrier-not-initialised", 5, 0), 1);
  write_file(files->own, "// TODO(1): init (1 line)\n// TODO(2): load (2 lines)\nexpect();\nload();\n"
                         "// TODO(3): wait (1 line)\n");
  assert_int_equal(place_of_fault(files, "deadlock", 4, 0), 1);
}

// A map that two copies name fits only one of them, so the other one names the wrong map.
static void a_map_that_two_copies_name(void **state) {
  const struct files *files = *state;
  write_file(files->given, "void k() {\n}\n");
  write_file(files->own, "void k() {\ncp_load(box, &in);\ncp_store(&in, result);\n}\n"
                         "tensor_map_encode_2d(&in, a);\ntensor_map_encode_2d(&out, b);\n");
  assert_int_equal(place_of_fault(files, "out-of-bounds", 3, FAULT_EDIT_HOST), 3);
  assert_false(guessed);
  write_file(files->own, "void k() {\ncp_load(box, &in);\ncp_store(&out, result);\n}\n"
                         "tensor_map_encode_2d(&in, a);\ntensor_map_encode_2d(&out, b);\n");
  assert_int_equal(place_of_fault(files, "out-of-bounds", 3, FAULT_EDIT_HOST), 6);
}

static unsigned place_between(const struct files *files, int one, int other) {
  struct stage_record stage = {.rule = "shared-race"};
  stage.faults = json_pack("[{s:s, s:s, s:i, s:i, s:[{s:s, s:i}]}]", "rule", "shared-race", "file", "x.cu",
                           "line", one, "edit", FAULT_EDIT_BETWEEN, "related", "file", "x.cu", "line", other);
  assert_non_null(stage.faults);
  const unsigned found = place_of(files, &stage);
  json_decref(stage.faults);
  return found;
}

// A synchronisation is missing: it goes behind the fence that stands there, else behind the write.
static void what_is_missing_behind_a_fence(void **state) {
  const struct files *files = *state;
  write_file(files->given, "void k() {\n}\n");
  write_file(files->own, "void k() {\nwrite();\nasync_proxy_fence();\nstore();\nasync_proxy_fence();\n}\n");
  assert_int_equal(place_between(files, 2, 4), 3);
  assert_int_equal(place_between(files, 4, 2), 3);
  write_file(files->own, "void k() {\nwrite();\nstore();\nasync_proxy_fence();\n}\n");
  assert_int_equal(place_between(files, 2, 3), 2);
}

// The lab says in which step a barrier's arrivals belong. That is a guess.
static void the_step_of_a_barrier(void **state) {
  const struct files *files = *state;
  struct stage_record stuck = {.rule = "deadlock", .line = 2};
  stuck.faults = json_pack("[{s:s, s:s, s:i, s:s}]", "rule", "deadlock", "file", "x.cu", "line", 1, "missing",
                           "empty[0]");
  assert_non_null(stuck.faults);
  write_file(files->given, "wait();\n// TODO(1): arrive (2 lines)\nend();\n");
  write_file(files->own, "wait();\n// TODO(1): arrive (2 lines)\nend();\n");
  assert_int_equal(place_of(files, &stuck), 2);
  assert_false(guessed);
  write_file(files->own, "wait();\n// TODO(1): arrive (2 lines)\n\n// all:\n{\nmeet();\nend();\n");
  assert_int_equal(place_of(files, &stuck), 6);
  assert_true(guessed);
  stuck.line = 0;
  assert_int_equal(place_of(files, &stuck), 6);
  json_decref(stuck.faults);
}

// Of the lines of a step the one that calls what the message names; that is no guess.
static void the_call_that_the_message_names(void **state) {
  const struct files *files = *state;
  char named[] = "Wait with tma_wait<N>, N at least 1.", other[] = "Store it.";
  const struct stage_record stage = {.detail = named, .line = 1, .is_guess = true},
                            vague = {.detail = other, .line = 1, .is_guess = true};
  write_file(files->given, "// TODO(1): wait\n// TODO(2): go\n");
  write_file(files->own, "// TODO(1): wait\nif (n > 2)\ntma_wait<0>();\n// TODO(2): go\ngo();\n");
  assert_int_equal(place_of(files, &stage), 3);
  assert_false(guessed);
  assert_int_equal(place_of(files, &vague), 1);
  assert_true(guessed);
}

// A load too many is mended where the student calls the function that loads.
static void the_outermost_line_of_a_load(void **state) {
  const struct files *files = *state;
  struct stage_record stage = {.rule = "exit-before-landing"};
  stage.faults =
      json_pack("[{s:s, s:s, s:i, s:[{s:s, s:i}, {s:s, s:i}]}]", "rule", "exit-before-landing", "file",
                "x.cu", "line", 2, "frames", "file", "x.cu", "line", 2, "file", "x.cu", "line", 5);
  assert_non_null(stage.faults);
  write_file(files->given, "void load() {\n}\nvoid k() {\n}\n");
  write_file(files->own, "void load() {\ncopy();\n}\nvoid k() {\nload();\n}\n");
  assert_int_equal(place_of(files, &stage), 5);
  json_decref(stage.faults);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {CASE(the_first_step_that_is_as_given),
                                     CASE(a_usual_place_is_a_guess),
                                     CASE(a_long_line_is_one_line),
                                     CASE(a_map_by_the_name_of_its_type),
                                     CASE(many_steps_take_no_time),
                                     CASE(line_ends_of_windows_change_nothing),
                                     CASE(the_only_change_is_the_place),
                                     CASE(the_place_that_the_student_wrote),
                                     CASE(the_place_itself),
                                     CASE(the_step_at_the_end),
                                     CASE(the_step_that_describes_a_map),
                                     CASE(a_step_that_is_done_in_the_next_one),
                                     CASE(a_map_that_two_copies_name),
                                     CASE(what_is_missing_behind_a_fence),
                                     CASE(the_step_of_a_barrier),
                                     CASE(the_call_that_the_message_names),
                                     CASE(the_outermost_line_of_a_load)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
