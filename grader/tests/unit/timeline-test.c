// Named ranges: marks and the ranges that they make; files of marks that were measured, good and bad ones.
#include "virtual-hopper/time/measured.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- marks ----

// A case's marks are <lanes><+ or -><name>, one at each time from 0 on. Its ranges are
// <name><from>-<to>r<row>, with "!" for one that never ends.
static const struct {
  const char *what, *marks, *ranges, *wrong;
} match_cases[] = {
    {"one after the other", "f+a f-a f+b f-b", "a0-1r0 b2-3r0", ""},
    {"in each other", "f+a f+b f-b f-a", "b1-2r1 a0-3r0", ""},
    {"overlapping", "f+a f+b f-a f-b", "a0-2r0 b1-3r1", ""},
    {"a row is free again", "f+a f+b f-a f+c f-b f-c", "a0-2r0 b1-4r1 c3-5r0", ""},
    {"of itself", "f+a f+a f-a f-a", "a1-2r1 a0-3r0", ""},
    {"threads come one by one", "1+a e+a 1-a e-a", "a0-3r0", ""},
    {"some are late in coming", "1+a 1-a e+a e-a", "a0-1r0 a2-3r0", ""},
    {"two sides of a branch", "3+a c+b 3-a c-b", "a0-2r0 b1-3r1", ""},
    {"ended by more than began it", "1+a f-a", "a0-1r0", ""},
    {"ended twice", "f+a f-a f-a", "a0-1r0", "unbegun 1 a"},
    {"ended by others", "1+a 2-a 1-a", "a0-2r0", "unbegun 1 a"},
    {"never ended", "f+a f+b f-b", "b1-2r1 a0-9r0!", "unended 1 a"},
    {"ended by one of four", "f+a 1-a", "a0-9r0!", "halved 1 a"},
    {"too many at a time", "f+a f+b f+c f+d f+e f+f f+g", "a0-9r0! b1-9r1! c2-9r2! d3-9r3! e4-9r4! f5-9r5!",
     "unended 6 a crowded 1"},
    {"nothing", "", "", ""},
};

static void describe_range(void *context, const struct range *range) {
  char *text = context;
  sprintf(text + strlen(text), "%s%c%.0f-%.0fr%u%s", *text ? " " : "", 'a' + range->name, range->begin,
          range->end, range->row, range->never_ends ? "!" : "");
}

static void describe_wrong(const struct range_wrong *w, char *text) {
  *text = '\0';
  if (w->unbegun) sprintf(text + strlen(text), " unbegun %u %c", w->unbegun, 'a' + w->unbegun_name);
  if (w->unended) sprintf(text + strlen(text), " unended %u %c", w->unended, 'a' + w->unended_name);
  if (w->halved) sprintf(text + strlen(text), " halved %u %c", w->halved, 'a' + w->halved_name);
  if (w->crowded) sprintf(text + strlen(text), " crowded %u", w->crowded);
}

static void marks_become_ranges(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof match_cases / sizeof *match_cases; i++) {
    struct range_mark marks[16];
    struct range_wrong wrong = {0};
    char ranges[256] = "", faults[128];
    uint32_t count = 0;
    for (const char *at = match_cases[i].marks; *at; at += at[3] ? 4 : 3, count++)
      marks[count] = (struct range_mark){count, (uint32_t)strtoul((char[]){*at, 0}, NULL, 16),
                                         (uint16_t)(at[2] - 'a'), at[1] == '+'};
    ranges_match(marks, count, 9, describe_range, ranges, &wrong);
    describe_wrong(&wrong, faults);
    if (strcmp(ranges, match_cases[i].ranges) != 0 ||
        strcmp(faults + (*faults != 0), match_cases[i].wrong) != 0)
      fail_msg("%s: got `%s`, wrong `%s`", match_cases[i].what, ranges, faults);
  }
}

// ---- files ----

static bool read_text(struct measured *m, const char *text, char wrong[160]) {
  FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
  assert_non_null(in);
  const bool sound = measured_read(m, in, wrong, 160);
  fclose(in);
  return sound;
}

#define HEAD                 "timeline 1\ndevice NVIDIA H100\nroom 8\n"
#define MARK(word, ns, name) "mark 3 1 7 2 ffffffff " word " " ns " " ns " 10 " name "\n"

static const struct {
  const char *text, *wrong;
} bad_files[] = {
    {"no file of marks\n", "line 1: this is no file that timeline_write has written"},
    {HEAD MARK("begin", "5", "a"),
     "line 4: the file ends before its last line: it was not written to its end"},
    {HEAD "end\n",
     "line 4: there is no mark: did a kernel with timeline_begin run, in the same source file?"},
    {HEAD "mark 3 1 7 2 ffffffff begin 5 5 10 \nend\n", "line 4: this is no mark"},
    {HEAD "mark 3 1 7 2 ffffffff start 5 5 10 a\nend\n", "line 4: this is no mark"},
    {HEAD "mark 3 1 7 2 0 begin 5 5 10 a\nend\n", "line 4: this is no mark"},
    {HEAD "marks\nend\n", "line 4: this is no line that timeline_write writes"},
    {HEAD MARK("begin", "5", "a") "end\nend\n", "line 6: something stands behind the last line"},
};

static void bad_files_are_named(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
    struct measured m;
    char wrong[160] = "";
    const bool sound = read_text(&m, bad_files[i].text, wrong);
    measured_free(&m);
    if (sound || strcmp(wrong, bad_files[i].wrong) != 0) fail_msg("%s: got `%s`", bad_files[i].text, wrong);
  }
  char many[8192] = HEAD;
  for (int i = 0; i <= MEASURED_MOST_NAMES; i++)
    sprintf(many + strlen(many), "mark 3 1 7 2 ffffffff begin 5 5 10 name%d\n", i);
  struct measured m;
  char wrong[160] = "";
  assert_false(read_text(&m, many, wrong));
  measured_free(&m);
  assert_string_equal(wrong, "line 44: there are more than 40 names");
}

static void a_file_becomes_a_picture(void **state) {
  (void)state;
  struct measured m;
  char wrong[160] = "", *words = NULL;
  size_t size;
  // %globaltimer goes in steps of 1000 ns, and the clock of the processor doesn't
  assert_true(read_text(&m,
                        HEAD "mark 3 1 7 2 ffffffff begin 1000 2000 30 a\n"
                             "mark 3 1 7 2 ffffffff end 1000 3000 30 a\n"
                             "mark 3 1 7 2 ffffffff begin 2000 4000 30 b\n"
                             "mark 3 1 7 2 ffffffff end 5000 10000 30 b\n"
                             "mark 4 1 8 0 ffffffff end 9000 5 30 b\nlost 3 4\nend\n",
                        wrong));
  struct timeline *t = measured_timeline(&m);
  assert_non_null(t);
  assert_true(timeline_is_sound(t));
  assert_int_equal(t->span_count, 2);
  assert_float_equal(t->spans[0].end - t->spans[0].begin, 500, 1);
  assert_float_equal(t->spans[1].end - t->spans[1].begin, 3000, 1);
  FILE *out = open_memstream(&words, &size);
  measured_print(&m, t, out);
  fclose(out);
  const char *const said[] = {"5 marks of 1 launch on 2 processors",
                              "a                                   1          500",
                              "4 marks found no room: of each processor the first 8 are kept"};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    if (!strstr(words, said[i])) fail_msg("doesn't say: %s\n%s", said[i], words);
  free(words);
  free(t);
  measured_free(&m);
}

static void long_names_keep_their_ends(void **state) {
  (void)state;
  char name[16];
  timeline_shorten("barrier `full`", name, sizeof name);
  assert_string_equal(name, "barrier `full`");
  timeline_shorten("123456789012345", name, sizeof name);
  assert_string_equal(name, "123456789012345");
  timeline_shorten("barriers_of_all_stages[12]", name, sizeof name);
  assert_string_equal(name, "barri..ages[12]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(marks_become_ranges),
      cmocka_unit_test(bad_files_are_named),
      cmocka_unit_test(a_file_becomes_a_picture),
      cmocka_unit_test(long_names_keep_their_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
