// The two ends of unpacking. In: records as no honest unpacker writes them, and an unpacker that an archive
// has taken over. Out: the report's text; nothing lies where it should not, and nothing outside was reached.
#include "class/collect.h"
#include "class/unpack-stream.h"
#include "class/unpack.h"
#include "monotonic.h"

#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_BYTES = 1 << 20, MOST_ENTRIES = 100, MOST_DEPTH = 8 };
static const struct unpack_limits limits = {
    .entries = MOST_ENTRIES, .bytes = MOST_BYTES, .depth = MOST_DEPTH, .seconds = 20};

struct place {
  char root[64], out[PATH_MAX];
};

static int make_place(void **state) {
  struct place *place = calloc(1, sizeof *place);
  if (!place) return -1;
  snprintf(place->root, sizeof place->root, "/tmp/unpacker-test-XXXXXX");
  *state = place;
  if (!mkdtemp(place->root)) return -1;
  snprintf(place->out, sizeof place->out, "%s/out", place->root);
  return mkdir(place->out, 0755);
}

static int remove_place(void **state) {
  struct place *place = *state;
  remove_tree(place->root);
  free(place);
  return 0;
}

static bool is_there(const char *folder, const char *name) {
  char path[PATH_MAX + 256];
  struct stat status;
  return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && lstat(path, &status) == 0;
}

// Counts what lies in a folder; each must be a plain file or a folder.
static size_t things;
static int count_thing(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)kind, (void)walk;
  if (!S_ISDIR(status->st_mode) && (!S_ISREG(status->st_mode) || status->st_nlink != 1))
    fail_msg("%s has mode %o", path, (unsigned)status->st_mode);
  things++;
  return 0;
}
static size_t count_things(const struct place *place) {
  things = 0;
  nftw(place->out, count_thing, 16, FTW_PHYS);
  return things - 1;
}

// ---- an unpacker that says what it likes ----

struct said {
  struct unpacked record;
  const char *bytes;
};
#define READY \
  { {.kind = UNPACKED_READY}, NULL }
#define ENTRY(type, text) \
  { {.kind = UNPACKED_ENTRY, .what = (type), .bytes = sizeof(text) - 1}, text }
#define DATA(at, text) \
  { {.kind = UNPACKED_DATA, .offset = (at), .bytes = sizeof(text) - 1}, text }
#define END \
  { {.kind = UNPACKED_END}, NULL }
#define NONSENSE "makes the unpacker talk nonsense: ask the student for another archive"

static const struct {
  const char *what;
  struct said said[8];
  size_t count;
  const char *wrong, *left_out;
  const char *there;
} lies[] = {
    {"all is well", {READY, ENTRY(UNPACKED_FILE, "a/b"), DATA(0, "x"), END}, 4, "", "", "a/b"},
    {"nothing at all", {END}, 0, "ends in the middle", "", NULL},
    {"no walls", {END}, 1, NONSENSE, "", NULL},
    {"ends in the middle", {READY, ENTRY(UNPACKED_FILE, "a")}, 2, "ends in the middle", "", "a"},
    {"a record without its bytes",
     {READY, {{.kind = UNPACKED_ENTRY, .bytes = 9}, NULL}},
     2,
     "ends in the middle",
     "",
     NULL},
    {"ready twice", {READY, READY}, 2, NONSENSE, "", NULL},
    {"an unknown record", {READY, {{.kind = 77}, NULL}}, 2, NONSENSE, "", NULL},
    {"an unknown type", {READY, ENTRY(77, "a"), END}, 3, NONSENSE, "", NULL},
    {"a gigantic record",
     {READY, {{.kind = UNPACKED_DATA, .bytes = UINT32_MAX}, NULL}},
     2,
     NONSENSE,
     "",
     NULL},
    {"an end with bytes", {READY, {{.kind = UNPACKED_END, .bytes = 1}, "x"}}, 2, NONSENSE, "", NULL},
    {"data of no entry", {READY, DATA(0, "x"), END}, 3, NONSENSE, "", NULL},
    {"data far away",
     {READY, ENTRY(UNPACKED_FILE, "a"), DATA(UINT64_MAX, "x"), END},
     4,
     "holds more than 1 MiB",
     "",
     "a"},
    {"data whose end wraps",
     {READY, ENTRY(UNPACKED_FILE, "a"), DATA(UINT64_MAX - 1, "xyz"), END},
     4,
     "holds more than 1 MiB",
     "",
     "a"},
    {"data at the limit",
     {READY, ENTRY(UNPACKED_FILE, "a"), DATA(MOST_BYTES, "x"), END},
     4,
     "holds more than 1 MiB",
     "",
     "a"},
    {"data of a folder", {READY, ENTRY(UNPACKED_FOLDER, "a"), DATA(0, "x"), END}, 4, "", "", "a"},
    {"a way out",
     {READY, ENTRY(UNPACKED_FILE, "../escaped"), DATA(0, "x"), END},
     4,
     "",
     "left out: 1 name that leads outside (`../escaped`)",
     NULL},
    {"a way out at the end",
     {READY, ENTRY(UNPACKED_FOLDER, "a/.."), END},
     3,
     "",
     "left out: 1 name that leads outside (`a/..`)",
     NULL},
    {"the top",
     {READY, ENTRY(UNPACKED_FILE, "/"), ENTRY(UNPACKED_FILE, "/etc/escaped"), END},
     4,
     "",
     "left out: 2 names that lead outside (`/`, ..)",
     NULL},
    {"a name with an end in it",
     {READY, ENTRY(UNPACKED_FILE, "a\0b"), END},
     3,
     "",
     "left out: 1 name that no file here can have (`a`)",
     NULL},
    {"no name",
     {READY, ENTRY(UNPACKED_FILE, ""), ENTRY(UNPACKED_FILE, "./."), END},
     4,
     "",
     "left out: 2 files without a name",
     NULL},
    {"a file in a file",
     {READY, ENTRY(UNPACKED_FILE, "a"), ENTRY(UNPACKED_FILE, "a/b"), DATA(0, "x"), END},
     5,
     "",
     "left out: 1 name met before (`a/b`)",
     "a"},
    {"words that move the cursor",
     {READY, {{.kind = UNPACKED_WRONG, .bytes = 8}, "\x1b[2J\n\xe2\x80\xae"}},
     2,
     "?[2J????",
     "",
     NULL},
    {"more after the end", {READY, END, ENTRY(UNPACKED_FILE, "../escaped")}, 3, "", "", NULL},
};

static void test_lies(void **state) {
  struct place *place = *state;
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    struct unpack_report report;
    char text[UNPACK_TEXT];
    FILE *records = tmpfile();
    assert_non_null(records);
    for (size_t k = 0; k < lies[i].count; k++) {
      const struct said *said = &lies[i].said[k];
      fwrite(&said->record, sizeof said->record, 1, records);
      if (said->bytes) fwrite(said->bytes, 1, said->record.bytes, records);
    }
    rewind(records);
    remove_tree(place->out);
    assert_int_equal(mkdir(place->out, 0755), 0);
    assert_int_equal(unpack_records(fileno(records), place->out, &limits, &report, text, sizeof text), 0);
    fclose(records);
    unpack_describe(&report, text);
    if (strcmp(report.wrong, lies[i].wrong) != 0 || strcmp(text, lies[i].left_out) != 0)
      fail_msg("%s: wrong `%s`, `%s`", lies[i].what, report.wrong, text);
    if (lies[i].there && !is_there(place->out, lies[i].there)) fail_msg("%s", lies[i].what);
    if (!lies[i].there && count_things(place) != 0) fail_msg("%s: something was made", lies[i].what);
    if (is_there(place->root, "escaped") || is_there("/etc", "escaped")) fail_msg("%s", lies[i].what);
    count_things(place);
  }
}

// A file that has more than a file may have is left empty, and the rest comes out. Its bytes count nowhere.
static void test_large_files(void **state) {
  struct place *place = *state;
  const struct unpack_limits small_files = {
      .entries = 4, .bytes = 8, .file_bytes = 4, .depth = 1, .seconds = 20};
  const struct said said[] = {READY,
                              ENTRY(UNPACKED_FILE, "large"),
                              DATA(0, "1234"),
                              DATA(4, "5678"),
                              DATA(8, "9"),
                              ENTRY(UNPACKED_FILE, "far"),
                              DATA(UINT64_MAX, "1"),
                              ENTRY(UNPACKED_FILE, "a"),
                              DATA(0, "1234"),
                              ENTRY(UNPACKED_FILE, "b"),
                              DATA(0, "1234"),
                              ENTRY(UNPACKED_FILE, "c"),
                              END};
  struct unpack_report report;
  char text[UNPACK_TEXT];
  FILE *records = tmpfile();
  assert_non_null(records);
  for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
    fwrite(&said[k].record, sizeof said[k].record, 1, records);
    if (said[k].bytes) fwrite(said[k].bytes, 1, said[k].record.bytes, records);
  }
  rewind(records);
  assert_int_equal(unpack_records(fileno(records), place->out, &small_files, &report, text, sizeof text), 0);
  fclose(records);
  unpack_describe(&report, text);
  assert_string_equal(text, "left out: 2 files that are too large, left empty (`large`, ..)");
  assert_string_equal(report.wrong, "holds more than 4 files and folders");
  assert_string_equal(report.reached, "c");
  struct stat large, right;
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/large", place->out);
  assert_int_equal(stat(path, &large), 0);
  snprintf(path, sizeof path, "%s/b", place->out);
  assert_int_equal(stat(path, &right), 0);
  assert_int_equal(large.st_size, 0);
  assert_int_equal(right.st_size, 4);
}

// Nobody speaks: the clock ends it.
static void test_silence(void **state) {
  struct place *place = *state;
  const struct unpack_limits short_limits = {
      .entries = 1, .bytes = 1, .depth = 1, .seconds = 1, .patience = 2};
  struct unpack_report report;
  int silent[2];
  assert_int_equal(pipe(silent), 0);
  const double begun = monotonic_seconds();
  assert_int_equal(unpack_records(silent[0], place->out, &short_limits, &report, NULL, 0), 0);
  assert_string_equal(report.wrong, "ends in the middle");
  assert_true(monotonic_seconds() - begun > 1.9);
  close(silent[0]);
  close(silent[1]);
}

// ---- an unpacker that was taken over ----

#define REFUSED " refused; "
static const struct {
  const char *archive, *wrong;
} taken_over[] = {
    {"planted:o",
     "open" REFUSED "make" REFUSED "memory file" REFUSED "exec" REFUSED "fork" REFUSED "connect" REFUSED
     "parent" REFUSED "signal" REFUSED "code" REFUSED "mount" REFUSED "shrink" REFUSED},
    {"planted:m", "memory refused"},
    {"planted:l", "holds more than 1 MiB"},
    {"planted:c",
     "makes the unpacker crash (Aborted), which it does behind walls: ask the student for another "
     "archive"},
    {"planted:s", "is not unpacked after 3 seconds: ask the student for another archive, or grade again when "
                  "this machine is less busy"},
    {"planted:work", "takes more than 1 seconds of processor time to unpack: ask the student for another "
                     "archive"},
    {"no archive", "cannot be read as an archive (zip, tar and 7z can): Unrecognized archive format"},
};

// Run by a copy of this program that stands beside a planted unpacker.
static void test_taken_over(void **state) {
  struct place *place = *state;
  const enum sandbox_mode modes[] = {SANDBOX_PLAIN, sandbox_probe(NULL, 0)};
  char archive[PATH_MAX];
  snprintf(archive, sizeof archive, "%s/archive", place->root);
  for (size_t i = 0; i < 2 * (sizeof taken_over / sizeof *taken_over); i++) {
    const size_t row = i / 2;
    const bool sleeps = strcmp(taken_over[row].archive, "planted:s") == 0;
    const bool works = strcmp(taken_over[row].archive, "planted:work") == 0;
    const struct unpack_limits row_limits = {.entries = MOST_ENTRIES,
                                             .bytes = MOST_BYTES,
                                             .depth = MOST_DEPTH,
                                             .seconds = sleeps || works ? 1 : 20,
                                             .patience = sleeps ? 3 : 0};
    if (sleeps && i % 2) continue; // once is long enough
    struct unpack_report report;
    char said[UNPACK_TEXT] = "";
    FILE *file = fopen(archive, "we");
    assert_non_null(file);
    assert_true(fputs(taken_over[row].archive, file) >= 0);
    assert_int_equal(fclose(file), 0);
    remove_tree(place->out);
    assert_int_equal(mkdir(place->out, 0755), 0);
    if (unpack(archive, place->out, &row_limits, modes[i % 2], &report, said, sizeof said) != 0)
      fail_msg("%s: %s", taken_over[row].archive, said);
    if (strcmp(report.wrong, taken_over[row].wrong) != 0)
      fail_msg("%s: %s", taken_over[row].archive, report.wrong);
    if (is_there(place->root, "escaped")) fail_msg("%s has escaped", taken_over[row].archive);
  }
}

static void test_planted(void **state) {
  struct place *place = *state;
  char command[2 * PATH_MAX], here[PATH_MAX];
  assert_non_null(getcwd(here, sizeof here));
  snprintf(command, sizeof command,
           "cp /proc/%d/exe %s/unpacker-test && ln -s %s/build/planted/bin/unpack %s/unpack && "
           "%s/unpacker-test planted >%s/said 2>&1 || { cat %s/said; false; }",
           (int)getpid(), place->root, here, place->root, place->root, place->root, place->root);
  assert_int_equal(system(command), 0);
}

int main(int count, char **arguments) {
  const struct CMUnitTest planted[] = {
      cmocka_unit_test_setup_teardown(test_taken_over, make_place, remove_place),
  };
  if (count == 2 && strcmp(arguments[1], "planted") == 0) return cmocka_run_group_tests(planted, NULL, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_lies, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_large_files, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_silence, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_planted, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
