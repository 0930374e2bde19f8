// A report as bytes. Written reports can be read back, and no invalid report is accepted. In: reports, whole,
// cut short and with wrong bytes in them. Out: the same report, or no report.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/rules/fault-wire.h"

enum { ROOM = 1 << 20, MUTATIONS = 20000 };

static struct fault_report *make_report(void) {
  struct fault_report *report = fault_report_create();
  struct fault fault = {.rule = RULE_PROXY_FENCE, .severity = FAULT_ERROR, .related_count = 2, .edit = 2};
  snprintf(fault.message, sizeof fault.message, "Nothing makes %d writes visible.", 17);
  snprintf(fault.kernel, sizeof fault.kernel, "kernel");
  fault.place = (struct fault_place){
      .file = "one.cu", .line = 41, .instruction = "st.shared", .has_thread = true, .block = {3, 0, 0}};
  fault.place.inlined[fault.place.inlined_count++].file = "inner.cuh";
  fault.related[0].place = (struct fault_place){.file = "one.cu", .line = 46, .instruction = ""};
  fault.related[1].place = (struct fault_place){.file = "two.cu", .line = 7, .instruction = ""};
  fault_record(report, &fault);
  fault.rule = RULE_OUT_OF_BOUNDS;
  fault.related_count = 0;
  fault.edit = 0;
  fault_report_next_stage(report);
  fault_record(report, &fault);
  fault_refuse(report, "too many threads");
  struct unsupported unsupported = {.what = "wgmma",
                                    .place = {.file = "one.cu", .line = 3, .instruction = "wgmma"}};
  unsupported_record(report, &unsupported);
  struct observed observed = {
      .kernel = "kernel", .launches = 2, .bulk_load_bytes = 4096, .block_threads = 128};
  observed_merge(report, &observed);
  observed_add_host(report, true, 5, 6);
  fault_time_is_up(report, "_Z6kernelPi", 2.5);
  fault_module_loaded(report, NULL);
  return report;
}

// What only vhopper's own reports have.
static void leave_out_unsent(json_t *report) {
  size_t i;
  json_t *fault;
  json_array_foreach(json_object_get(report, "faults"), i, fault) {
    json_object_del(fault, "symbol");
    json_object_del(fault, "signature");
    json_object_del(fault, "host");
  }
}

static void reads_what_was_written(void **state) {
  (void)state;
  uint8_t *bytes = malloc(ROOM);
  struct fault_report *report = make_report(), *copy = fault_report_create();
  size_t length = fault_wire_write(report, bytes, ROOM);
  assert_in_range(length, 1, ROOM);
  assert_true(fault_wire_read(copy, bytes, length));
  json_t *before = fault_report_json(report), *after = fault_report_json(copy);
  leave_out_unsent(before);
  leave_out_unsent(after);
  assert_true(json_equal(before, after));
  json_decref(before);
  json_decref(after);
  assert_string_equal(fault_refusal(copy), "too many threads");
  assert_string_equal(fault_time_limit(copy), fault_time_limit(report));
  assert_true(fault_time_limit(copy)[0]);
  assert_int_equal(fault_loaded_modules(copy)->count, 1);
  assert_int_equal(observed_by_host(copy)->handed_load_bytes, 5);
  assert_string_equal(fault_at(copy, 0)->related[1].place.file, "two.cu");
  assert_int_equal(fault_wire_write(report, bytes, length - 1), 0);
  fault_report_destroy(report);
  fault_report_destroy(copy);
  free(bytes);
}

static void believes_nothing_else(void **state) {
  (void)state;
  uint8_t *bytes = malloc(ROOM), *wrong = malloc(ROOM);
  struct fault_report *report = make_report(), *copy = fault_report_create();
  size_t length = fault_wire_write(report, bytes, ROOM);
  for (size_t cut = 0; cut < length; cut += 7) {
    assert_false(fault_wire_read(copy, bytes, cut));
    assert_int_equal(fault_count(copy) + observed_count(copy) + unsupported_count(copy), 0);
  }
  uint64_t random = 1;
  for (int i = 0; i < MUTATIONS; i++) {
    memcpy(wrong, bytes, length);
    for (int n = 0; n < 3; n++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      wrong[(random >> 33) % length] = (uint8_t)(random >> 25);
    }
    if (!fault_wire_read(copy, wrong, length)) continue;
    json_decref(fault_report_json(copy)); // every report that can be read can be used
    for (size_t k = 0; k < fault_count(copy); k++) {
      const struct fault *fault = fault_at(copy, k);
      assert_in_range(fault->rule, 1, RULE_COUNT - 1);
      assert_in_range(fault->related_count, 0, FAULT_MAX_RELATED);
      assert_null(strchr(fault->message, '\033'));
    }
  }
  fault_report_destroy(report);
  fault_report_destroy(copy);
  free(bytes);
  free(wrong);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_what_was_written),
      cmocka_unit_test(believes_nothing_else),
  };
  return cmocka_run_group_tests_name("fault-wire", tests, NULL, NULL);
}
