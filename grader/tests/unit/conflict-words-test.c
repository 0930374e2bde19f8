// Texts for conflicts. Every kind of conflict.def gets a whole report with every pair of deeds that it can
// have. The sentences that depend on numbers and names are correct.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/rules/conflict.h"

static const struct {
  enum conflict_kind kind;
  const char *name;
  uint32_t earlier, later; // sets of deeds; earlier 0: there is no earlier deed
} kinds[] = {
#define BY(deed, role) | 1u << deed
#define NOBODY
#define CONFLICT(id, rule, mend, earlier, later, message, remedy) {id, #id, 0 earlier, 0 later},
#include "virtual-hopper/rules/conflict.def"
};

static void check_sentences(const char *name, const char *what, const char *text, size_t size) {
  size_t length = strlen(text);
  if (length < 10 || length + 1 >= size ||
      !strchr(".?", text[length - 1] == ')' ? text[length - 2] : text[length - 1]))
    fail_msg("the %s of %s is no whole sentence, or does not fit: \"%s\"", what, name, text);
  if (strstr(text, "  ") || strchr(text, '%')) fail_msg("the %s of %s: \"%s\"", what, name, text);
}

static void check_report(size_t i, enum deed_kind earlier, enum deed_kind later) {
  struct conflict_facts facts = {.kind = kinds[i].kind, .earlier = earlier, .later = later};
  struct fault f;
  conflict_words(&facts, &f);
  assert_int_equal(f.rule, conflict_rule(facts.kind));
  assert_int_equal(f.severity, FAULT_ERROR);
  facts.is_warning = true;
  conflict_words(&facts, &f);
  assert_int_equal(f.severity, FAULT_WARNING);
  check_sentences(kinds[i].name, "message", f.message, sizeof f.message);
  check_sentences(kinds[i].name, "remedy", f.remedy, sizeof f.remedy);
  if (strlen(f.role) < 5 || strlen(f.role) + 1 >= sizeof f.role)
    fail_msg("%s: role \"%s\"", kinds[i].name, f.role);
  assert_int_equal(f.related_count, earlier != DEED_NONE);
  if (f.related_count && strlen(f.related[0].role) < 5) fail_msg("%s: role of the later deed", kinds[i].name);
  assert_true(f.edit <= (int)f.related_count);
}

static void every_kind_has_words(void **state) {
  (void)state;
  assert_int_equal(sizeof kinds / sizeof kinds[0], CONFLICT_KINDS - 1);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    uint32_t earlier_deeds = kinds[i].earlier ? kinds[i].earlier : 1u << DEED_NONE;
    assert_true(kinds[i].later != 0);
    for (uint32_t e = 0; e < DEED_KINDS; e++)
      for (uint32_t l = 0; l < DEED_KINDS; l++)
        if (earlier_deeds >> e & 1 && kinds[i].later >> l & 1)
          check_report(i, (enum deed_kind)e, (enum deed_kind)l);
  }
}

static void assert_says(const struct fault *f, const char *text) {
  if (!strstr(f->message, text)) fail_msg("\"%s\" is not in \"%s\"", text, f->message);
}

static void names_and_numbers_are_told(void **state) {
  (void)state;
  struct fault f;
  struct conflict_facts load = {.kind = CONFLICT_LOAD_NOT_AWAITED,
                                .earlier = DEED_LOAD,
                                .later = DEED_READ,
                                .place = "`tile` + 4",
                                .barrier = "barrier `full[1]`"};
  conflict_words(&load, &f);
  assert_says(&f, "it may read the old contents. The load completes on the barrier `full[1]`. "
                  "The first byte concerned: `tile` + 4.");
  snprintf(load.other_barrier, sizeof load.other_barrier, "barrier `full[0]`");
  load.last_wait_at.line = 66;
  conflict_words(&load, &f);
  assert_says(&f, "full[1]`; this thread's last wait, at line 66, was for the barrier `full[0]`.");
  struct conflict_facts overrun = {
      .kind = CONFLICT_LOAD_PAST_VARIABLE,
      .later = DEED_LOAD,
      .bytes = 512,
      .overrun = {.begin = 0, .room = 256, .beyond = 256, .own = "tile", .next = "bar"}};
  conflict_words(&overrun, &f);
  assert_says(&f,
              "The copy of 512 bytes begins at byte 0 of `tile`, which has at most 256 bytes, and runs 256 "
              "bytes into `bar`.");
  assert_int_equal(f.edit, FAULT_EDIT_PLACE);
  snprintf(overrun.overrun.box, sizeof overrun.overrun.box, "8 x 8 of float32");
  conflict_words(&overrun, &f);
  assert_says(&f, "The copy of the map's whole box, 8 x 8 of float32 or 512 bytes, begins");
  assert_int_equal(f.edit, FAULT_EDIT_HOST);
}

static void waits_in_vain_are_told(void **state) {
  (void)state;
  struct fault f;
  struct conflict_facts wait = {.kind = CONFLICT_STALE_WAIT_FOR_THREAD,
                                .earlier = DEED_WAIT,
                                .later = DEED_READ,
                                .stale = {.barrier = "barrier `full`", .phases = 3},
                                .awaited_thread = 7};
  conflict_words(&wait, &f);
  assert_says(
      &f,
      "asks for parity 0 of the barrier `full`: that is phase 2, which the thread had already seen complete");
  assert_says(&f, "not for thread 7 either");
  wait.stale.phases = 0;
  conflict_words(&wait, &f);
  assert_says(&f, "asks for parity 1 of the barrier `full`, none of whose phases was complete");
  assert_non_null(strstr(f.role, "the phase before the first"));
  assert_string_equal(f.remedy, stale_wait_remedy(&wait.stale));
  struct conflict_facts race = {.kind = CONFLICT_WRITE_THEN_ACCESS,
                                .earlier = DEED_WRITE,
                                .later = DEED_WRITE,
                                .stale_waits = {{3, {20, NULL}}, {5, {30, NULL}}},
                                .stale_wait_count = 2};
  conflict_words(&race, &f);
  assert_says(&f, "the second write may happen first. The last wait of thread 3, at line 20,");
  assert_says(&f, "The last wait of thread 5, at line 30,");
}

static void a_partial_barrier_takes_the_blame(void **state) {
  (void)state;
  struct fault f;
  struct conflict_facts race = {.kind = CONFLICT_WRITE_THEN_ACCESS,
                                .earlier = DEED_WRITE,
                                .later = DEED_READ,
                                .earlier_thread = 40,
                                .later_thread = 1,
                                .has_partial_barrier = true,
                                .partial = {.at = {9, NULL}, .threads = 32, .block_threads = 64}};
  conflict_words(&race, &f);
  assert_says(
      &f,
      "The barrier at line 9, which thread 1 came through, was reached by only 32 of the block's 64 threads: "
      "thread 40 left");
  assert_int_equal(f.related_count, 2);
  assert_int_equal(f.edit, 2);
}

// A line of another file than the report's own comes with its name; so do all, where the report has two.
static void lines_name_their_file(void **state) {
  (void)state;
  static const struct {
    const char *of_report, *of_wait, *says;
  } cases[] = {{"/home/kernel.cu", "/home/kernel.cu", "thread 5, at line 30, had"},
               {"/home/kernel.cu", "/home/copies.cuh", "thread 5, at line 30 of copies.cuh, had"},
               {"", "/home/kernel.cu", "thread 5, at line 30 of kernel.cu, had"},
               {"/home/kernel.cu", "", "thread 5, at line 30, had"},
               {NULL, "kernel.cu", "thread 5, at line 30, had"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct conflict_facts race = {.kind = CONFLICT_READ_THEN_WRITE,
                                        .earlier = DEED_READ,
                                        .later = DEED_WRITE,
                                        .file = cases[i].of_report,
                                        .stale_waits = {{5, {30, cases[i].of_wait}}},
                                        .stale_wait_count = 1};
    struct fault f;
    conflict_words(&race, &f);
    assert_says(&f, cases[i].says);
  }
}

static void the_remedy_fits_the_distance(void **state) {
  (void)state;
  static const char *const says[] = {[SAME_INSTRUCTION_OF_WARP] = "atomicAdd()",
                                     [SAME_WARP] = "Put __syncwarp()",
                                     [SAME_BLOCK] = "Put __syncthreads()",
                                     [SAME_CLUSTER] = "cluster_arrive()"};
  for (uint32_t d = 0; d < sizeof says / sizeof says[0]; d++) {
    struct conflict_facts race = {.kind = CONFLICT_READ_THEN_WRITE,
                                  .earlier = DEED_READ,
                                  .later = DEED_WRITE,
                                  .distance = (enum conflict_distance)d};
    struct fault f;
    conflict_words(&race, &f);
    if (!strstr(f.remedy, says[d])) fail_msg("\"%s\" is not in \"%s\"", says[d], f.remedy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_has_words),         cmocka_unit_test(names_and_numbers_are_told),
      cmocka_unit_test(waits_in_vain_are_told),       cmocka_unit_test(a_partial_barrier_takes_the_blame),
      cmocka_unit_test(the_remedy_fits_the_distance), cmocka_unit_test(lines_name_their_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
