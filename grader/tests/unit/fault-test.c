// The report. Each fault appears once, with a count. Causes are shown and consequences are hidden, whichever
// came first. Names; text and JSON.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/ptx/ptx.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/place-words.h"
#include "virtual-hopper/rules/rules.h"

static struct fault make(enum rule_id rule, uint32_t line, uint32_t block) {
  struct fault f = {
      .rule = rule, .severity = FAULT_ERROR, .message = "What is wrong.", .kernel = "_Z6kernelPi"};
  f.place =
      (struct fault_place){.file = "student.cu", .line = line, .has_thread = true, .block = {block, 0, 0}};
  return f;
}

static void record(struct fault_report *r, enum rule_id rule, uint32_t line, uint32_t block) {
  struct fault f = make(rule, line, block);
  fault_record(r, &f);
}

static void test_repeats_are_counted(void **state) {
  (void)state;
  struct fault_report *r = fault_report_create();
  for (uint32_t block = 0; block < 10; block++)
    for (int i = 0; i < 3; i++)
      record(r, RULE_SHARED_RACE, 10, block);
  record(r, RULE_SHARED_RACE, 11, 0);
  record(r, RULE_PROXY_FENCE, 10, 0);
  assert_int_equal(fault_count(r), 3);
  const struct fault *first = NULL;
  for (size_t i = 0; i < 3; i++)
    if (fault_at(r, i)->place.line == 10 && fault_at(r, i)->rule == RULE_SHARED_RACE) first = fault_at(r, i);
  assert_non_null(first);
  assert_int_equal(first->count, 30);
  assert_int_equal(first->block_count, 10);
  assert_string_equal(first->kernel, "kernel");
  assert_null(fault_at(r, 3));
  fault_report_clear(r);
  assert_int_equal(fault_count(r), 0);
  fault_report_destroy(r);
}

static void test_bounded(void **state) {
  (void)state;
  struct fault_report *r = fault_report_create();
  for (uint32_t line = 1; line <= 1000; line++)
    record(r, RULE_SHARED_RACE, line, 0);
  assert_int_equal(fault_count(r), 200);
  fault_report_destroy(r);
}

static void record_pair(struct fault_report *r, uint32_t line, uint32_t other) {
  struct fault f = make(RULE_PROXY_FENCE, line, 0);
  f.related[0].place = make(RULE_PROXY_FENCE, other, 0).place;
  f.related_count = 1;
  fault_record(r, &f);
}

// Two places of one rule that share a line are one report, which names the other place.
static void test_repetitions_are_named(void **state) {
  (void)state;
  struct fault_report *r = fault_report_create();
  record_pair(r, 10, 30);
  record_pair(r, 20, 30);
  record_pair(r, 20, 30);
  record_pair(r, 10, 40);
  record_pair(r, 50, 60);
  assert_int_equal(fault_count(r), 2);
  const struct fault *first = fault_at(r, 0);
  assert_int_equal(first->also_count, 2);
  assert_int_equal(first->also[0], 20);
  assert_int_equal(first->also[1], 40);
  assert_int_equal(fault_at(r, 1)->also_count, 0);
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  fault_print(out, first, NULL, false);
  fclose(out);
  if (!strstr(text, "The same rule is broken at lines 20 and 40, too.")) fail_msg("it says: %s", text);
  free(text);
  fault_report_destroy(r);
}

static void test_causes_hide_consequences(void **state) {
  (void)state;
  enum rule_id orders[][3] = {{RULE_BYTES_ANNOUNCED, RULE_TILE_BEFORE_PHASE, RULE_DEADLOCK},
                              {RULE_DEADLOCK, RULE_TILE_BEFORE_PHASE, RULE_BYTES_ANNOUNCED},
                              {RULE_TILE_BEFORE_PHASE, RULE_BYTES_ANNOUNCED, RULE_DEADLOCK}};
  for (size_t i = 0; i < 3; i++) {
    struct fault_report *r = fault_report_create();
    for (uint32_t k = 0; k < 3; k++)
      record(r, orders[i][k], 10 + k, 0);
    assert_int_equal(fault_count(r), 1);
    assert_int_equal(fault_at(r, 0)->rule, RULE_BYTES_ANNOUNCED);
    assert_int_equal(fault_at(r, 0)->consequences, 2);
    fault_report_destroy(r);
  }
}

static void test_other_kernels_and_warnings_hide_nothing(void **state) {
  (void)state;
  struct fault_report *r = fault_report_create();
  struct fault other = make(RULE_BYTES_ANNOUNCED, 1, 0), warning = make(RULE_PARITY, 2, 0);
  snprintf(other.kernel, sizeof other.kernel, "another");
  warning.severity = FAULT_WARNING;
  fault_record(r, &other);
  fault_record(r, &warning);
  record(r, RULE_DEADLOCK, 3, 0);
  assert_int_equal(fault_count(r), 3);
  fault_report_destroy(r);
}

// From every rule, following causes to consequences never leads back to the rule, so a report always shows a
// fault.
static bool leads_to(enum rule_id from, enum rule_id to, int depth) {
  if (depth > 40) return true;
  for (enum rule_id next = RULE_NONE + 1; next < RULE_COUNT; next++) {
    if (rule_explains(from, next) && (next == to || leads_to(next, to, depth + 1))) return true;
  }
  return false;
}

static void test_causes_have_no_cycles(void **state) {
  (void)state;
  for (enum rule_id id = RULE_NONE + 1; id < RULE_COUNT; id++)
    if (leads_to(id, id, 0)) fail_msg("%s explains itself", rule_name(id));
}

// An error explains that its rule ends the launch later, at its line or elsewhere. One of the two is shown,
// whichever came first.
static void test_an_error_and_the_end_of_its_rule_are_one(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 4; i++) {
    struct fault_report *r = fault_report_create();
    struct fault error = make(RULE_BARRIER_NOT_INITIALISED, 1, 0), end = error;
    end.severity = FAULT_FATAL;
    end.related_count = 1;
    end.related[0].place = (struct fault_place){.file = "student.cu", .line = 2};
    end.place.line = i / 2 ? 3 : 1;
    fault_record(r, i % 2 ? &end : &error);
    fault_record(r, i % 2 ? &error : &end);
    assert_int_equal(fault_count(r), 1);
    fault_report_destroy(r);
  }
}

static void test_demangle(void **state) {
  (void)state;
  static const char *const names[][2] = {
      {"_Z6kernelPi", "kernel"},
      {"_ZN5space6kernelEPi", "space::kernel"},
      {"_Z6kernelILi3EEvPi", "kernel"},
      {"plain_name", "plain_name"},
      {"_Z", "_Z"},
      {"_Z99short", "_Z99short"},
      {"_ZN12_GLOBAL__N_16kernelEv", "_GLOBAL__N_1::kernel"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char text[256];
    fault_demangle(names[i][0], text, sizeof text);
    assert_string_equal(text, names[i][1]);
    fault_demangle(names[i][0], text, 4); // the name is cut, and never overruns the buffer
    assert_true(strlen(text) < 4);
  }
}

static void test_print(void **state) {
  (void)state;
  struct fault f = make(RULE_PROXY_FENCE, 41, 3);
  snprintf(f.remedy, sizeof f.remedy, "Call async_proxy_fence().");
  f.thread_count = f.launch_threads = 128;
  f.block_count = f.launch_blocks = 64;
  f.count = 8192;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  fault_print(out, &f, NULL, false);
  fclose(out);
  static const char *const wanted[] = {"(rule proxy-fence",         "student.cu:41",
                                       "thread 0 of block 3",       "(all 128 threads, 64 of 64 blocks)",
                                       "Call async_proxy_fence().", "vhopper explain proxy-fence"};
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
    if (!strstr(text, wanted[i])) fail_msg("\"%s\" is missing in:\n%s", wanted[i], text);
  free(text);
}

static void test_libraries_are_known_by_their_folders(void **state) {
  (void)state;
  static const char *const libraries[] = {
      "/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_20_intrinsics.hpp",
      "/usr/local/cuda-13.0/include/cccl/cuda/barrier",
      "/home/a/miniconda3/targets/sbsa-linux/include/cooperative_groups.h",
      "/usr/include/c++/12/bits/stl_algo.h",
      "/home/a/env/lib/python3.11/site-packages/nvidia/cuda_runtime/include/cuda_fp16.hpp",
      "/home/a/kit/.kit/cuda/bin/..//include/cuda_fp16.hpp",
      "/home/a/kit/.kit/cuda-packages/nvidia/cu13/include/cuda_bf16.hpp",
      "/srv/spack/cuda-13.0/include/cccl/cuda/__ptx/instructions/generated/cp_async_bulk.h",
      "/home/a/cutlass/include/cute/arch/copy_sm90_tma.hpp",
      "../third_party/cccl/cub/cub/block/block_reduce.cuh",
      "interface/tma-interface.cuh",
  };
  static const char *const own[] = {"student.cu",
                                    "/home/a/cub/kernel.cu",
                                    "/home/a/thrust/include/mine.cuh",
                                    "/home/a/cooperative_groups/kernel.cuh",
                                    "/home/a/device_functions.cuh",
                                    "/home/a/not-tma-interface.cuh",
                                    ""};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (!fault_is_library(libraries[i])) fail_msg("%s is not taken for a library", libraries[i]);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (fault_is_library(own[i])) fail_msg("%s is taken for a library", own[i]);
}

// A module's files are looked at once; without that look, and for the line alone, a place is the same.
static void test_places_are_the_same_before_and_after_a_look_at_files(void **state) {
  (void)state;
  const char *files[] = {"", "student.cu", "interface/tma-interface.cuh", "/usr/include/library.h", NULL};
  // A location of each file alone, then calls: by the student, by another header, by nobody that is known.
  struct ptx_location locations[] = {
      {.file = 0, .line = 1, .inlined_at = -1}, {.file = 1, .line = 2, .inlined_at = -1},
      {.file = 2, .line = 3, .inlined_at = -1}, {.file = 4, .line = 4, .inlined_at = -1},
      {.file = 3, .line = 5, .inlined_at = 1},  {.file = 2, .line = 6, .inlined_at = 4},
      {.file = 3, .line = 7, .inlined_at = 2},  {.file = 9, .line = 8, .inlined_at = 1},
      {.file = 2, .line = 9, .inlined_at = 9}};
  enum { LOCATIONS = sizeof locations / sizeof *locations };
  static const char *const file_of[] = {"",
                                        "student.cu",
                                        "interface/tma-interface.cuh",
                                        "",
                                        "student.cu",
                                        "student.cu",
                                        "interface/tma-interface.cuh",
                                        "",
                                        "interface/tma-interface.cuh"};
  static const uint32_t line_of[] = {1, 2, 3, 4, 2, 2, 3, 8, 9};
  struct ptx_module module = {.arena = arena_create(),
                              .files = files,
                              .file_count = 5,
                              .locations = locations,
                              .location_count = LOCATIONS};
  for (int looked = 0; looked < 2; looked++) {
    for (int32_t i = 0; i < LOCATIONS; i++) {
      struct fault_place place = {0};
      fault_place_from_location(&place, &module, i, "add", 1);
      const struct source_line line = fault_line_of_location(&module, i);
      assert_string_equal(place.file, file_of[i]);
      assert_int_equal(place.line, line_of[i]);
      assert_string_equal(line.file, file_of[i]);
      assert_int_equal(line.line, line_of[i]);
    }
    fault_look_at_files(&module);
    assert_non_null(module.file_is_library);
  }
  assert_int_equal(fault_line_of_location(&module, -1).line, 0);
  assert_string_equal(fault_line_of_location(&module, -1).file, "");
  arena_destroy(module.arena);
}

static void test_callers_are_shown(void **state) {
  (void)state;
  struct fault f = make(RULE_SWIZZLE_BASE, 41, 3);
  f.severity = FAULT_WARNING;
  f.place.inlined_count = 8;
  f.place.inlined[0].file = "/usr/include/library.h";
  f.place.inlined[0].line = 7;
  for (uint32_t i = 1; i < f.place.inlined_count; i++) {
    f.place.inlined[i].file = i == 3 ? "interface/tma-reduce.cuh" : f.place.file;
    f.place.inlined[i].line = 40 + i;
  }
  uint32_t callers[FAULT_MAX_FRAMES];
  assert_int_equal(fault_callers(&f.place, callers), 5);
  assert_int_equal(callers[0], 2);
  assert_int_equal(callers[1], 4);
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  fault_print(out, &f, NULL, false);
  fclose(out);
  assert_ptr_equal(strstr(text, "warning: "), text);
  assert_non_null(strstr(text, "called from student.cu:42"));
  assert_null(strstr(text, "tma-reduce"));
  assert_null(strstr(text, "student.cu:47"));
  assert_non_null(strstr(text, "and 1 more call\n"));
  free(text);
}

// Wrappers of one file that call each other: a sentence names the call from outside.
static void test_sentences_name_the_call_from_another_file(void **state) {
  (void)state;
  struct fault_place place = {.file = "wrappers.cuh", .line = 32, .inlined_count = 4};
  const char *const file_of[] = {"wrappers.cuh", "wrappers.cuh", "student.cu", "student.cu"};
  for (uint32_t i = 0; i < place.inlined_count; i++) {
    place.inlined[i].file = file_of[i];
    place.inlined[i].line = 32 + 9 * i;
  }
  char text[160];
  place_line_words(place_line(&place), "student.cu", text, sizeof text);
  assert_string_equal(text, "line 32 of wrappers.cuh (called from line 50)");
  place.inlined_count = 2; // nobody is known outside
  place_line_words(place_line(&place), "wrappers.cuh", text, sizeof text);
  assert_string_equal(text, "line 32 (called from line 41)");
}

static void test_json(void **state) {
  (void)state;
  struct fault_report *r = fault_report_create();
  struct fault f = make(RULE_PROXY_FENCE, 41, 3);
  f.related_count = 1;
  f.related[0].place = (struct fault_place){.file = "student.cu", .line = 46};
  fault_record(r, &f);
  record(r, RULE_DEADLOCK, 50, 0);
  record(r, RULE_BYTES_ANNOUNCED, 51, 0); // hides the deadlock
  json_t *json = fault_report_json(r), *faults = json_object_get(json, "faults");
  assert_int_equal(json_array_size(faults), 2);
  size_t i;
  json_t *one;
  bool found = false;
  json_array_foreach(faults, i, one) {
    if (strcmp(json_string_value(json_object_get(one, "rule")), "proxy-fence") != 0) continue;
    found = true;
    assert_int_equal(json_integer_value(json_object_get(one, "line")), 41);
    assert_string_equal(json_string_value(json_object_get(one, "kernel")), "kernel");
    json_t *related = json_array_get(json_object_get(one, "related"), 0);
    assert_int_equal(json_integer_value(json_object_get(related, "line")), 46);
  }
  assert_true(found);
  json_decref(json);
  fault_report_destroy(r);
}

// A binary's line numbers may name any file. Devices and pipes are not read: that would never end.
static void test_sources_are_plain_files(void **state) {
  (void)state;
  char line[FAULT_LINE_BYTES], folder[] = "/tmp/fault-test-XXXXXX", pipe[64], source[64];
  assert_non_null(mkdtemp(folder));
  snprintf(pipe, sizeof pipe, "%s/pipe.cu", folder);
  snprintf(source, sizeof source, "%s/k.cu", folder);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  FILE *file = fopen(source, "w");
  assert_non_null(file);
  for (int i = 0; i < 1 << 20; i++)
    fputc('x', file);
  fprintf(file, "\n  tile[i] += 1; \r\nlast");
  fclose(file);
  fault_source_line("/dev/zero", 1, line);
  assert_string_equal(line, "");
  fault_source_line(pipe, 1, line);
  assert_string_equal(line, "");
  fault_source_line(source, 1, line);
  assert_int_equal(strspn(line, "x"), FAULT_LINE_BYTES - 1);
  fault_source_line(source, 2, line);
  assert_string_equal(line, "tile[i] += 1;");
  fault_source_line(source, 3, line);
  assert_string_equal(line, "last");
  fault_source_line(source, 4, line);
  assert_string_equal(line, "");
  unlink(pipe);
  unlink(source);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_repeats_are_counted),
      cmocka_unit_test(test_repetitions_are_named),
      cmocka_unit_test(test_bounded),
      cmocka_unit_test(test_causes_hide_consequences),
      cmocka_unit_test(test_other_kernels_and_warnings_hide_nothing),
      cmocka_unit_test(test_causes_have_no_cycles),
      cmocka_unit_test(test_an_error_and_the_end_of_its_rule_are_one),
      cmocka_unit_test(test_demangle),
      cmocka_unit_test(test_print),
      cmocka_unit_test(test_libraries_are_known_by_their_folders),
      cmocka_unit_test(test_places_are_the_same_before_and_after_a_look_at_files),
      cmocka_unit_test(test_callers_are_shown),
      cmocka_unit_test(test_sentences_name_the_call_from_another_file),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_sources_are_plain_files),
  };
  return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
