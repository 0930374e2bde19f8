// Archives from strangers. In: archives that this test writes, each with one trick. Out: the report's text.
// The good files are unpacked, and no file lies outside the folder.
#include "class/collect.h"
#include "class/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <ftw.h>
#include <limits.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum kind { NOTHING, PLAIN, FOLDER, SYMBOLIC, HARD, PIPE, BLOCK, CHARACTER, SOCKET, ZEROS, SPARSE };

struct member {
  enum kind kind;
  const char *name, *text; // for a link, `text` is the link's target
};

enum { MOST_BYTES = 1 << 20, MANY_ZEROS = 3 << 20, MOST_ENTRIES = 100, MOST_DEPTH = 8 };
static const struct unpack_limits limits = {
    .entries = MOST_ENTRIES, .bytes = MOST_BYTES, .depth = MOST_DEPTH, .seconds = 20};

struct place {
  char root[64], archive[PATH_MAX], out[PATH_MAX];
  enum sandbox_mode walls;
};

static int make_place(void **state) {
  struct place *place = calloc(1, sizeof *place);
  if (!place) return -1;
  snprintf(place->root, sizeof place->root, "/tmp/unpack-test-XXXXXX");
  *state = place;
  if (!mkdtemp(place->root)) return -1;
  place->walls = sandbox_probe(NULL, 0);
  snprintf(place->archive, sizeof place->archive, "%s/archive", place->root);
  snprintf(place->out, sizeof place->out, "%s/out", place->root);
  return 0;
}

static int remove_place(void **state) {
  struct place *place = *state;
  remove_tree(place->root);
  free(place);
  return 0;
}

// ---- archives ----

enum format { TAR, SMALL_TAR, ZIP, ZIP64, SEVEN, LOCKED };

static struct archive *open_archive(enum format format, const char *path) {
  struct archive *archive = archive_write_new();
  if (format == TAR || format == SMALL_TAR) {
    archive_write_set_format_pax_restricted(archive);
    if (format == TAR) archive_write_add_filter_gzip(archive);
    if (format == SMALL_TAR) archive_write_add_filter_xz(archive);
  } else if (format == SEVEN) {
    archive_write_set_format_7zip(archive);
  } else {
    archive_write_set_format_zip(archive);
    if (format == ZIP64) assert_int_equal(archive_write_set_options(archive, "zip:zip64"), ARCHIVE_OK);
  }
  if (format == LOCKED) {
    assert_int_equal(archive_write_set_options(archive, "zip:encryption=zipcrypt"), ARCHIVE_OK);
    assert_int_equal(archive_write_set_passphrase(archive, "secret"), ARCHIVE_OK);
  }
  assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
  return archive;
}

static mode_t type_of(enum kind kind) {
  static const mode_t types[] = {
      [PLAIN] = AE_IFREG, [FOLDER] = AE_IFDIR, [SYMBOLIC] = AE_IFLNK,  [HARD] = AE_IFREG,
      [PIPE] = AE_IFIFO,  [BLOCK] = AE_IFBLK,  [CHARACTER] = AE_IFCHR, [SOCKET] = AE_IFSOCK,
      [ZEROS] = AE_IFREG, [SPARSE] = AE_IFREG};
  return types[kind];
}

static void put_member(struct archive *archive, const struct member *member) {
  static char zeros[MANY_ZEROS];
  struct archive_entry *entry = archive_entry_new();
  const char *text = member->kind == PLAIN ? member->text : "";
  size_t size = member->kind == ZEROS ? MANY_ZEROS : strlen(text);
  archive_entry_copy_pathname(entry, member->name);
  archive_entry_set_perm(entry, 06777);
  archive_entry_set_filetype(entry, type_of(member->kind));
  if (member->kind == SYMBOLIC) archive_entry_set_symlink(entry, member->text);
  if (member->kind == HARD) archive_entry_set_hardlink(entry, member->text);
  if (member->kind == BLOCK || member->kind == CHARACTER) archive_entry_set_rdev(entry, makedev(1, 3));
  archive_entry_set_size(entry, member->kind == SPARSE ? (la_int64_t)1 << 40 : (la_int64_t)size);
  if (member->kind == SPARSE) archive_entry_sparse_add_entry(entry, ((la_int64_t)1 << 40) - 512, 512);
  assert_true(archive_write_header(archive, entry) >= ARCHIVE_WARN);
  if (member->kind == SPARSE) {
    // The bytes are written at the end; the hole before them takes no space.
    assert_true(archive_write_data(archive, zeros, 512) >= 0);
  } else if (size) {
    assert_int_equal(archive_write_data(archive, member->kind == ZEROS ? zeros : text, size), size);
  }
  archive_entry_free(entry);
}

static void put_archive(const struct place *place, enum format format, const struct member *members) {
  struct archive *archive = open_archive(format, place->archive);
  for (; members->kind; members++)
    put_member(archive, members);
  archive_write_close(archive);
  archive_write_free(archive);
}

static bool is_there(const char *folder, const char *name) {
  char path[PATH_MAX + 256];
  struct stat status;
  return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && lstat(path, &status) == 0;
}

// Returns 0, or -1 for an archive with an error. `said` receives the error, or the list of skipped entries.
static int unpack_here(const struct place *place, char said[UNPACK_TEXT]) {
  struct unpack_report report;
  remove_tree(place->out);
  assert_int_equal(mkdir(place->out, 0755), 0);
  assert_int_equal(unpack(place->archive, place->out, &limits, place->walls, &report, said, UNPACK_TEXT), 0);
  unpack_describe(&report, said);
  if (report.wrong[0]) snprintf(said, UNPACK_TEXT, "%s", report.wrong);
  return report.wrong[0] ? -1 : 0;
}

static int is_plain(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)kind, (void)walk;
  bool good = S_ISDIR(status->st_mode) ||
              (S_ISREG(status->st_mode) && status->st_nlink == 1 && !(status->st_mode & 07133));
  if (!good)
    fail_msg("%s has mode %o and %u links", path, (unsigned)status->st_mode, (unsigned)status->st_nlink);
  return 0;
}

// ---- tricks, one in each archive ----

#define LONG \
  "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll"
#define GOOD \
  { PLAIN, "lab9/1-bulk-copy-1d.cu", "good" }
static const struct {
  const char *what;
  enum format format;
  struct member members[6];
  int status;
  const char *says;
  const char *there; // further files besides GOOD, when the archive could be read
} tricks[] = {
    {"nothing wrong", TAR, {GOOD}, 0, "", NULL},
    {"nothing wrong", ZIP, {GOOD}, 0, "", NULL},
    {"nothing wrong, 64 bits", ZIP64, {GOOD}, 0, "", NULL},
    {"nothing wrong, 7z", SEVEN, {GOOD}, 0, "", NULL},
    {"upwards",
     TAR,
     {{PLAIN, "../escaped", "x"}, {PLAIN, "a/../../escaped", "x"}, GOOD},
     0,
     "left out: 2 names that lead outside (`../escaped`, ..)",
     NULL},
    {"upwards",
     ZIP,
     {{PLAIN, "../escaped", "x"}, {PLAIN, "lab9/..", "x"}, GOOD},
     0,
     "left out: 2 names that lead outside (`../escaped`, ..)",
     NULL},
    {"upwards, 7z",
     SEVEN,
     {{PLAIN, "a/../../escaped", "x"}, GOOD},
     0,
     "1 name that leads outside (`a/../../escaped`)",
     NULL},
    {"a folder upwards", TAR, {{FOLDER, "../escaped", NULL}, GOOD}, 0, "1 name that leads outside", NULL},
    {"absolute",
     TAR,
     {{PLAIN, "/tmp/unpack-test-escaped", "x"}, GOOD},
     0,
     "1 name that leads outside (`/tmp/unpack-test-escaped`)",
     NULL},
    {"absolute",
     ZIP,
     {{PLAIN, "/tmp/unpack-test-escaped", "x"}, GOOD},
     0,
     "1 name that leads outside (`/tmp/unpack-test-escaped`)",
     NULL},
    {"Windows's separators",
     ZIP,
     {{PLAIN, "back\\..\\slash", "x"}, GOOD},
     0,
     "1 name that leads outside",
     NULL},
    {"through a link",
     TAR,
     {{SYMBOLIC, "way", ".."}, {PLAIN, "way/escaped", "x"}, GOOD},
     0,
     "left out: 1 link (`way`)",
     "way/escaped"},
    {"through a link, zip",
     ZIP,
     {{SYMBOLIC, "way", ".."}, {PLAIN, "way/escaped", "x"}, GOOD},
     0,
     "left out: 1 link (`way`)",
     "way/escaped"},
    {"a link over a folder",
     TAR,
     {{FOLDER, "way", NULL}, {SYMBOLIC, "way", "/tmp"}, {PLAIN, "way/escaped", "x"}, GOOD},
     0,
     "1 link (`way`)",
     "way/escaped"},
    {"hard links",
     TAR,
     {{HARD, "hard", "/etc/passwd"}, {HARD, "twin", "lab9/1-bulk-copy-1d.cu"}, GOOD},
     0,
     "left out: 2 links (`hard`, ..)",
     NULL},
    {"devices",
     TAR,
     {{PIPE, "pipe", NULL}, {BLOCK, "disk", NULL}, {CHARACTER, "zero", NULL}, GOOD},
     0,
     "3 devices or pipes (`pipe`, ..)",
     NULL},
    {"a name twice",
     TAR,
     {GOOD, {PLAIN, "lab9/1-bulk-copy-1d.cu", "second"}},
     0,
     "1 name met before (`lab9/1-bulk-copy-1d.cu`)",
     NULL},
    {"a name twice", ZIP, {GOOD, {PLAIN, "lab9/1-bulk-copy-1d.cu", "second"}}, 0, "1 name met before", NULL},
    {"a name twice by other ways",
     TAR,
     {GOOD, {PLAIN, "./lab9/./1-bulk-copy-1d.cu", "second"}},
     0,
     "1 name met before",
     NULL},
    {"a file for a folder",
     TAR,
     {{PLAIN, "way", "x"}, {PLAIN, "way/below", "x"}, GOOD},
     0,
     "1 name met before (`way/below`)",
     "way"},
    {"names that differ in case alone",
     ZIP,
     {GOOD, {PLAIN, "LAB9/1-Bulk-Copy-1D.CU", "other"}},
     0,
     "",
     "LAB9/1-Bulk-Copy-1D.CU"},
    {"names in UTF-8", ZIP, {{PLAIN, "Jos\xc3\xa9/a.cu", "x"}, GOOD}, 0, "", "Jos\xc3\xa9/a.cu"},
    {"names in UTF-8", TAR, {{PLAIN, "Jos\xc3\xa9/a.cu", "x"}, GOOD}, 0, "", "Jos\xc3\xa9/a.cu"},
    {"a bomb", TAR, {{ZEROS, "zeros.cu", NULL}, GOOD}, -1, "holds more than 1 MiB", NULL},
    {"a bomb", ZIP, {{ZEROS, "zeros.cu", NULL}, GOOD}, -1, "holds more than 1 MiB", NULL},
    {"a bomb, 7z", SEVEN, {{ZEROS, "zeros.cu", NULL}, GOOD}, -1, "holds more than 1 MiB", NULL},
    {"a bomb that nobody wants",
     TAR,
     {{ZEROS, "../zeros.cu", NULL}, GOOD},
     -1,
     "holds more than 1 MiB",
     NULL},
    {"a hole of a terabyte", TAR, {{SPARSE, "hole.cu", NULL}, GOOD}, -1, "holds more than 1 MiB", NULL},
    {"a name that is too long",
     ZIP,
     {GOOD, {PLAIN, LONG LONG LONG "a.cu", ""}},
     0,
     "left out: 1 name that no file here can have (`llll",
     NULL},
    {"as deep as may be", TAR, {GOOD, {PLAIN, "1/2/3/4/5/6/7/a.cu", "x"}}, 0, "", "1/2/3/4/5/6/7/a.cu"},
    {"dots and doubled slashes are no folders",
     TAR,
     {GOOD, {PLAIN, "./1/./2//3/././4/5/6/7/a.cu", "x"}},
     0,
     "",
     "1/2/3/4/5/6/7/a.cu"},
    {"too deep",
     TAR,
     {GOOD, {PLAIN, "1/2/3/4/5/6/7/8/a.cu", "x"}, {FOLDER, "1/2/3/4/5/6/7/8/9", NULL}},
     0,
     "left out: 2 names in too many folders (`1/2/3/4/5/6/7/8/a.cu`, ..)",
     NULL},
    {"a folder that has bytes", TAR, {{PLAIN, "a/", "x"}}, -1, "is damaged: Damaged tar archive", NULL},
    {"a password", LOCKED, {GOOD}, 0, "1 file with a password (`lab9/1-bulk-copy-1d.cu`)", NULL},
};

static void test_tricks(void **state) {
  struct place *place = *state;
  for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
    char said[UNPACK_TEXT] = "";
    put_archive(place, tricks[i].format, tricks[i].members);
    int status = unpack_here(place, said);
    if (status != tricks[i].status || !strstr(said, tricks[i].says) || (!tricks[i].says[0] && said[0]))
      fail_msg("%s (%zu): %d, \"%s\"", tricks[i].what, i, status, said);
    bool locked = tricks[i].format == LOCKED;
    if (status == 0 && is_there(place->out, "lab9/1-bulk-copy-1d.cu") == locked)
      fail_msg("%s (%zu): the good file", tricks[i].what, i);
    if (tricks[i].there && !is_there(place->out, tricks[i].there))
      fail_msg("%s: no %s", tricks[i].what, tricks[i].there);
    if (is_there(place->root, "escaped") || is_there("/tmp", "unpack-test-escaped") ||
        is_there("/tmp", "escaped"))
      fail_msg("%s (%zu) has escaped", tricks[i].what, i);
    nftw(place->out, is_plain, 16, FTW_PHYS);
  }
}

// The path of the folder itself may contain links and dots, as home folders on a cluster do. Such paths are
// not refused.
static void test_roundabout(void **state) {
  struct place *place = *state;
  const struct member members[] = {GOOD, {NOTHING, NULL, NULL}};
  char link[PATH_MAX], plain[PATH_MAX], said[UNPACK_TEXT];
  memcpy(plain, place->out, sizeof plain);
  put_archive(place, ZIP, members);
  assert_int_equal(unpack_here(place, said), 0);
  snprintf(link, sizeof link, "%.60s/link", place->root);
  assert_int_equal(symlink("out", link), 0);
  static const char *const ways[] = {"link", "link/.", "out/../out", "./out"};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct unpack_report report;
    snprintf(place->out, sizeof place->out, "%.60s/%s", place->root, ways[i]);
    remove_tree(plain);
    assert_int_equal(mkdir(plain, 0755), 0);
    assert_int_equal(unpack(place->archive, place->out, &limits, place->walls, &report, said, sizeof said),
                     0);
    assert_string_equal(report.wrong, "");
    unpack_describe(&report, said);
    assert_string_equal(said, "");
    assert_true(is_there(plain, "lab9/1-bulk-copy-1d.cu"));
  }
}

// Of two files with the same name, the first is kept.
static void test_first_stays(void **state) {
  struct place *place = *state;
  const struct member members[] = {GOOD, {PLAIN, "lab9/1-bulk-copy-1d.cu", "second"}, {NOTHING, NULL, NULL}};
  char said[UNPACK_TEXT], path[PATH_MAX + 32], text[16] = "";
  put_archive(place, TAR, members);
  assert_int_equal(unpack_here(place, said), 0);
  snprintf(path, sizeof path, "%s/lab9/1-bulk-copy-1d.cu", place->out);
  FILE *file = fopen(path, "re");
  assert_non_null(file);
  assert_non_null(fgets(text, sizeof text, file));
  fclose(file);
  assert_string_equal(text, "good");
}

static void test_many(void **state) {
  struct place *place = *state;
  static struct member members[MOST_ENTRIES + 2];
  static char names[MOST_ENTRIES + 1][16];
  char said[UNPACK_TEXT];
  for (size_t i = 0; i <= MOST_ENTRIES; i++) {
    snprintf(names[i], sizeof names[i], "%zu.cu", i);
    members[i] = (struct member){PLAIN, names[i], ""};
  }
  static const enum format formats[] = {TAR, ZIP, SEVEN};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    put_archive(place, formats[i], members);
    assert_int_equal(unpack_here(place, said), -1);
    assert_string_equal(said, "holds more than 100 files and folders");
  }
}

// Counts what lies in a folder.
static size_t things;
static int count_thing(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)path, (void)status, (void)kind, (void)walk;
  things++;
  return 0;
}
static size_t count_things(const struct place *place) {
  things = 0;
  nftw(place->out, count_thing, 16, FTW_PHYS);
  return things - 1;
}

// Few entries that go through many folders: each folder that unpacking would make counts.
static void test_folders_without_entries(void **state) {
  struct place *place = *state;
  static struct member members[MOST_ENTRIES];
  static char names[MOST_ENTRIES][64];
  char said[UNPACK_TEXT];
  static const enum format formats[] = {TAR, ZIP, SEVEN};
  for (size_t i = 0; i < MOST_ENTRIES / 2; i++) {
    snprintf(names[i], sizeof names[i], "%zu/a/b/c/d/e/f%s", i, i % 2 ? "/x.cu" : "");
    members[i] = (struct member){i % 2 ? PLAIN : FOLDER, names[i], ""};
  }
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    put_archive(place, formats[i], members);
    assert_int_equal(unpack_here(place, said), -1);
    assert_string_equal(said, "holds more than 100 files and folders");
    assert_true(count_things(place) <= MOST_ENTRIES + 1);
  }
  // Folders that lie there already don't count again.
  for (size_t i = 0; i < MOST_ENTRIES / 2; i++) {
    snprintf(names[i], sizeof names[i], "a/b/c/d/e/f/%zu.cu", i);
    members[i] = (struct member){PLAIN, names[i], ""};
  }
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    put_archive(place, formats[i], members);
    if (unpack_here(place, said) != 0 || said[0]) fail_msg("%s", said);
    assert_int_equal(count_things(place), MOST_ENTRIES / 2 + 6);
  }
}

// The folder bomb: less than 100 KB that would become two and a half million folders.
static void test_folder_bomb(void **state) {
  enum { ENTRIES = 5000, DEPTH = 500 };
  struct place *place = *state;
  struct archive *archive = open_archive(SMALL_TAR, place->archive);
  struct unpack_report report;
  char name[2 * DEPTH + 32], said[UNPACK_TEXT];
  struct stat status;
  for (int i = 0; i < ENTRIES; i++) {
    int length = snprintf(name, sizeof name, "%d", i);
    for (int part = 0; part < DEPTH; part++)
      length += snprintf(name + length, sizeof name - (size_t)length, "/a");
    put_member(archive, &(struct member){FOLDER, name, NULL});
  }
  archive_write_close(archive);
  archive_write_free(archive);
  assert_int_equal(stat(place->archive, &status), 0);
  assert_true(status.st_size < 100000);
  assert_int_equal(mkdir(place->out, 0755), 0);
  const clock_t begun = clock();
  const struct unpack_limits wide = {.entries = ENTRIES, .bytes = 64 << 20, .depth = 16, .seconds = 20};
  assert_int_equal(unpack(place->archive, place->out, &wide, place->walls, &report, said, sizeof said), 0);
  unpack_describe(&report, said);
  if (!strstr(said, "left out: 5000 names in too many folders")) fail_msg("%s; %s", said, report.wrong);
  assert_int_equal(count_things(place), 0);
  // The same, where depth is no limit.
  const struct unpack_limits deep = {.entries = ENTRIES, .bytes = 64 << 20, .depth = 1000, .seconds = 20};
  assert_int_equal(unpack(place->archive, place->out, &deep, place->walls, &report, said, sizeof said), 0);
  assert_string_equal(report.wrong, "holds more than 5000 files and folders");
  assert_true(count_things(place) <= ENTRIES + 1);
  // This process's own time, whatever runs beside it; the unpacker's has a limit.
  const double worked = (double)(clock() - begun) / CLOCKS_PER_SEC;
  if (!(worked <= 60)) fail_msg("it worked for %g seconds", worked);
}

// ---- bytes that libarchive would not write ----

static void put_bytes(const struct place *place, const char *bytes, size_t size) {
  FILE *file = fopen(place->archive, "we");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void test_damaged(void **state) {
  static const char rubbish[] = "PK\3\4\24\0\0\0\10\0 no more";
  struct place *place = *state;
  char said[UNPACK_TEXT], command[512];
  put_bytes(place, rubbish, sizeof rubbish);
  assert_int_equal(unpack_here(place, said), -1);
  assert_non_null(strstr(said, "is damaged"));
  put_bytes(place, "no archive", 10);
  assert_int_equal(unpack_here(place, said), -1);
  assert_non_null(strstr(said, "as an archive"));
  const struct member members[] = {GOOD, {NOTHING, NULL, NULL}};
  put_archive(place, TAR, members);
  snprintf(command, sizeof command, "cd %s && gzip -c archive >twice && mv twice archive", place->root);
  assert_int_equal(system(command), 0);
  assert_int_equal(unpack_here(place, said), -1);
  assert_string_equal(said, "is compressed more than once");
  put_archive(place, TAR, members);
  assert_int_equal(truncate(place->archive, 60), 0);
  assert_int_equal(unpack_here(place, said), -1);
  assert_int_equal(truncate(place->archive, MOST_BYTES + 1), 0);
  assert_int_equal(unpack_here(place, said), -1);
  assert_string_equal(said, "has more than 1 MiB");
}

// A name in a tar may consist of any bytes. The file system keeps the bytes, and messages show printable
// text.
static void test_other_encodings(void **state) {
  struct place *place = *state;
  static char bytes[3 * 512];
  char said[UNPACK_TEXT];
  static const char *const names[] = {"caf\xe9.cu", "../caf\xe9\x1b[2J"};
  for (size_t i = 0; i < 2; i++) {
    unsigned sum = 0;
    memset(bytes, 0, sizeof bytes);
    snprintf(bytes, 100, "%s", names[i]);
    memcpy(bytes + 100, "0000644\0000000000\0000000000\00000000000000\00000000000000", 48);
    memset(bytes + 148, ' ', 8);
    bytes[156] = '0';
    snprintf(bytes + 257, 6, "ustar");
    memset(bytes + 263, '0', 2);
    for (size_t at = 0; at < 512; at++)
      sum += (unsigned char)bytes[at];
    snprintf(bytes + 148, 7, "%06o", sum);
    put_bytes(place, bytes, sizeof bytes);
    if (unpack_here(place, said) != 0) fail_msg("%s", said);
    if (i == 0) assert_true(is_there(place->out, names[0]) && !said[0]);
    if (i == 1) assert_string_equal(said, "left out: 1 name that leads outside (`../caf??[2J`)");
  }
}

// Cut anywhere, an archive is no failure of the machine's.
static void test_truncated(void **state) {
  struct place *place = *state;
  const struct member members[] = {GOOD, {PLAIN, "b.cu", "more"}, {NOTHING, NULL, NULL}};
  static const enum format formats[] = {TAR, ZIP, SEVEN};
  char said[UNPACK_TEXT];
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    struct stat status;
    put_archive(place, formats[i], members);
    assert_int_equal(stat(place->archive, &status), 0);
    for (off_t size = status.st_size - 1; size > 0; size -= 1 + status.st_size / 16) {
      put_archive(place, formats[i], members);
      assert_int_equal(truncate(place->archive, size), 0);
      unpack_here(place, said);
      nftw(place->out, is_plain, 16, FTW_PHYS);
    }
  }
}

int main(void) {
  // The archives here are written with names in UTF-8. Reading the archives must not depend on the locale.
  setlocale(LC_CTYPE, "C.UTF-8");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_tricks, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_roundabout, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_first_stays, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_many, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_folders_without_entries, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_folder_bomb, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_truncated, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_damaged, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_other_encodings, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
