// Rosters, collected files and the output folder. In: folders and files that this test writes. Out: which
// students are recognised, which files are taken, and which failures are reported.
#include "class/class.h"
#include "class/collect.h"
#include "class/roster.h"
#include "virtual-hopper/base/sha256.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
  char root[64];
};

static int make_place(void **state) {
  struct place *place = calloc(1, sizeof *place);
  if (!place) return -1;
  snprintf(place->root, sizeof place->root, "/tmp/class-test-XXXXXX");
  *state = place;
  return mkdtemp(place->root) ? 0 : -1;
}

static int remove_place(void **state) {
  struct place *place = *state;
  remove_tree(place->root);
  free(place);
  return 0;
}

static void path_of(const struct place *place, const char *name, char path[PATH_MAX]) {
  assert_true(snprintf(path, PATH_MAX, "%s/%s", place->root, name) < PATH_MAX);
}

static void put_folder(const struct place *place, const char *name) {
  char path[PATH_MAX];
  path_of(place, name, path);
  assert_int_equal(mkdir(path, 0755), 0);
}

static void put_file(const struct place *place, const char *name, const char *text) {
  char path[PATH_MAX];
  path_of(place, name, path);
  FILE *file = fopen(path, "we");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static bool is_there(const struct place *place, const char *name) {
  char path[PATH_MAX];
  struct stat status;
  path_of(place, name, path);
  return lstat(path, &status) == 0;
}

// ---- sha256: the examples of FIPS 180-4 ----

static void test_sha256(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct sha256 hash;
    char text[SHA256_TEXT];
    sha256_begin(&hash);
    for (const char *c = rows[i][0]; *c; c++) // in pieces of one byte
      sha256_add(&hash, c, 1);
    sha256_end(&hash, text);
    assert_string_equal(text, rows[i][1]);
  }
}

// ---- rosters ----

static const struct student *student_named(const struct roster *roster, const char *name) {
  for (size_t i = 0; i < roster->count; i++)
    if (strcmp(roster->students[i].name, name) == 0) return &roster->students[i];
  fail_msg("there is no student %s", name);
  return NULL;
}

static void read_roster(const struct place *place, struct roster *roster) {
  char error[400] = "";
  if (roster_read(place->root, roster, error, sizeof error) != 0) fail_msg("%s", error);
}

static void test_folders(void **state) {
  struct roster roster;
  put_folder(*state, "ann");
  put_file(*state, "ann.zip", "");
  put_file(*state, "bob.tar.gz", "");
  put_file(*state, "notes.txt", "");
  put_folder(*state, "-rf $(x)");
  read_roster(*state, &roster);
  assert_int_equal(roster.count, 4);
  student_named(&roster, "ann");
  student_named(&roster, "ann-48a1ae71");
  student_named(&roster, "bob");
  student_named(&roster, "_rf___x_-81d6ccc3");
  assert_non_null(strstr(roster.notes, "notes.txt"));
  roster_free(&roster);
}

// Two entries whose names differ only in spelling are noted, and never merged. An archive that can't be
// opened also belongs to a student.
static void test_alike(void **state) {
  const struct place *place = *state;
  struct roster roster;
  static const char *const names[] = {"Ann Lee", "ANN  LEE",     "Zo\xc3\xab Ek", "Zoe\xcc\x88_Ek",
                                      "Zoe Ek",  "\xe6\x9d\x8e", "\xe7\x8e\x8b"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    put_folder(place, names[i]);
  put_file(place, "ann-lee.rar", "Rar!");
  read_roster(place, &roster);
  assert_int_equal(roster.count, sizeof names / sizeof *names + 1);
  const char *notes = roster.notes;
  for (int twice = 0; twice < 3; twice++) { // two more Anns, and one more Zoe, whose name has its diaeresis
    assert_non_null(notes = notes ? strstr(notes, " has a name like ") : NULL);
    notes++;
  }
  assert_null(strstr(notes, " has a name like "));
  assert_non_null(strstr(roster.notes, ": has a name like ANN  LEE, and both are graded"));
  roster_free(&roster);
}

// Names that a file system can't hold as they are: each keeps its own file name, whoever else is there. What
// people read is the name itself.
static void test_stable_names(void **state) {
  const struct place *place = *state;
  static const char *const names[] = {"\xe7\x8e\x8b\xe4\xbc\x9f", "\xe6\x9d\x8e\xe5\xa8\x9c", "Ann Lee",
                                      "Ann.Lee", "\xce\x9d\xce\xaf\xce\xba\xce\xbf\xcf\x82"};
  enum { COUNT = sizeof names / sizeof *names };
  char alone[COUNT][STUDENT_NAME], path[PATH_MAX];
  struct roster roster;
  for (size_t i = 0; i < COUNT; i++) {
    put_folder(place, names[i]);
    read_roster(place, &roster);
    assert_int_equal(roster.count, 1);
    snprintf(alone[i], STUDENT_NAME, "%s", roster.students[0].name);
    assert_string_equal(roster.students[0].full_name, names[i]);
    for (const char *c = alone[i]; *c; c++)
      assert_true((unsigned char)*c < 0x80 && *c != ' ');
    path_of(place, names[i], path);
    remove_tree(path);
    roster_free(&roster);
  }
  for (size_t i = 0; i < COUNT; i++)
    put_folder(place, names[i]);
  read_roster(place, &roster);
  assert_int_equal(roster.count, COUNT);
  for (size_t i = 0; i < COUNT; i++)
    assert_string_equal(student_named(&roster, alone[i])->full_name, names[i]);
  roster_free(&roster);
}

// Two of one name, long and in letters beyond ASCII, are told apart by their IDs, in the file names, too.
static void test_long_names(void **state) {
  char name[400] = "";
  struct roster roster;
  for (int id = 1; id <= 2; id++) {
    for (size_t i = 0; i < 30; i++)
      memcpy(name + 3 * i, "\xe7\x8e\x8b", 4);
    snprintf(name + 90, sizeof name - 90, " %060d_%d_assignsubmission_file", 0, 100 + id);
    put_folder(*state, name);
  }
  read_roster(*state, &roster);
  assert_int_equal(roster.count, 2);
  for (size_t i = 0; i < 2; i++) {
    const char *ending = strrchr(roster.students[i].name, '_');
    assert_string_equal(ending, i == 0 ? "_101" : "_102");
  }
  roster_free(&roster);
}

static void test_moodle(void **state) {
  struct roster roster;
  put_folder(*state, "Ann Lee_123_assignsubmission_file");
  put_file(*state, "Bo Ek_77_assignsubmission_file_lab9.zip", "");
  put_file(*state, "Bo Ek_77_assignsubmission_file_1-bulk-copy-1d.cu", "");
  put_folder(*state, "Bo Ek_78_assignsubmission_file_");
  read_roster(*state, &roster);
  assert_string_equal(roster.platform, "Moodle");
  assert_int_equal(roster.count, 3);
  assert_string_equal(student_named(&roster, "Ann_Lee_123")->full_name, "Ann Lee");
  assert_string_equal(student_named(&roster, "Ann_Lee_123")->id, "123");
  assert_int_equal(student_named(&roster, "Bo_Ek_77")->source_count, 2);
  roster_free(&roster);
}

static void test_canvas(void **state) {
  struct roster roster;
  put_file(*state, "leeann_101_9001_1-bulk-copy-1d.cu", "");
  put_file(*state, "leeann_101_9001_2-tiles-2d-3.cu", "");
  put_file(*state, "ekbo_LATE_102_9002_lab9.zip", "");
  read_roster(*state, &roster);
  assert_string_equal(roster.platform, "Canvas");
  assert_int_equal(roster.count, 2);
  assert_int_equal(student_named(&roster, "leeann_101")->source_count, 2);
  assert_false(student_named(&roster, "leeann_101")->late);
  assert_true(student_named(&roster, "ekbo_102")->late);
  assert_string_equal(student_named(&roster, "ekbo_102")->id, "102");
  roster_free(&roster);
}

static void test_gradescope(void **state) {
  struct roster roster;
  put_folder(*state, "submission_5001");
  put_folder(*state, "submission_5002");
  put_file(
      *state, "submission_metadata.yml",
      "---\nsubmission_5001:\n  :submitters:\n  - :name: Ann Lee\n    :sid: '4711'\n"
      "    :email: ann@example.edu\n"
      "  :created_at: 2026-01-01\nsubmission_5002:\n  :submitters:\n  - :name: Bo Ek\n    :sid: '4712'\n");
  read_roster(*state, &roster);
  assert_string_equal(roster.platform, "Gradescope");
  assert_int_equal(roster.count, 2);
  const struct student *ann = student_named(&roster, "submission_5001");
  assert_string_equal(ann->full_name, "Ann Lee");
  assert_string_equal(ann->id, "4711");
  assert_string_equal(ann->email, "ann@example.edu");
  assert_string_equal(student_named(&roster, "submission_5002")->id, "4712");
  roster_free(&roster);
}

// A group is one submission of several people. Names come with and without YAML's quotes. The names of tests
// in the results are not names of people.
static void test_group(void **state) {
  struct roster roster, people;
  char names[STUDENT_NAMES];
  put_folder(*state, "submission_7");
  put_folder(*state, "submission_71");
  put_file(*state, "submission_metadata.yml",
           "---\nsubmission_71:\n  :submitters:\n  - :name: Pat O'Brien \n    :sid: '71'\n"
           "submission_7:\n  :submitters:\n  - :name: 'Zo\xc3\xab D''Arcy'\n    :sid: '4711'\n"
           "    :email: zoe@example.edu\n"
           "  - :name: \"Bo \\\"B\\\" Ek\"\n    :sid:\n    :email: bo@example.edu\n"
           "  - :name: Cy\n    :sid: '4713'\n    :email: cy@example.edu\n"
           "  :created_at: 2026-01-01\n  :results:\n    :tests:\n    - :name: nobody\n      :sid: '1'\n"
           "  :history:\n  - :name: nobody either\n");
  read_roster(*state, &roster);
  assert_int_equal(roster.count, 2);
  const struct student *group = student_named(&roster, "submission_7");
  assert_int_equal(group->partner_count, 2);
  assert_string_equal(roster_names(group, names), "Zo\xc3\xab D'Arcy, Bo \"B\" Ek, Cy");
  assert_string_equal(student_named(&roster, "submission_71")->full_name, "Pat O'Brien");
  assert_int_equal(roster_people(&roster, &people, NULL, 0), 0);
  assert_int_equal(people.count, 4);
  assert_string_equal(people.students[1].name, "submission_7");
  assert_string_equal(people.students[1].email, "bo@example.edu");
  assert_string_equal(people.students[1].id, "");
  assert_int_equal(people.students[2].submission, 0);
  assert_int_equal(people.students[3].submission, 1);
  roster_free(&people);
  roster_free(&roster);
}

// Forms that Gradescope's Ruby may write: tags, other line ends, flow style, escapes. Text that is not YAML
// is noted with its line, and yields no names.
static void test_metadata(void **state) {
  static const struct {
    const char *text, *name, *noted;
  } rows[] = {
      {"---\r\nsubmission_5:\r\n  :submitters:\r\n  - :name: Ann Lee\r\n    :sid: '1'\r\n", "Ann Lee", ""},
      {"submission_5: {':submitters': [{':name': \"\\u00c5sa\"}]}", "\xc3\x85sa", ""},
      {"submission_5: !ruby/hash:Hash\n  :submitters:\n  - !ruby/hash:Hash\n    :name: Bo\n", "Bo", ""},
      {"submission_5: &a\n  :submitters:\n  - :name: Cy\nsubmission_6: *a\n", "Cy", ""},
      {"submission_5:\n  :submitters: []\n", "", "does not say who handed in submission_5\n"},
      {"submission_5:\n  :submitters: none\n", "", "does not say who"},
      {"submission_5: ~\n", "", "does not say who"},
      {"submission_6:\n  :submitters:\n  - :name: Ann\n", "", "does not say who"},
      {"", "", "lists no submissions"},
      {"- submission_5\n", "", "lists no submissions"},
      {"submission_5:\n  :submitters:\n  - :name: 'Ann\n", "", "line 4"},
      {"submission_5:\n\t:submitters:\n", "", "line 2"},
      {"submission_5:\n  :submitters:\n  - :name: \xff\n", "", "line"},
      {"a: &a [*a, *b]\n", "", "undefined alias"},
  };
  put_folder(*state, "submission_5");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct roster roster;
    put_file(*state, "submission_metadata.yml", rows[i].text);
    read_roster(*state, &roster);
    assert_int_equal(roster.count, 1);
    assert_string_equal(roster.students[0].full_name, rows[i].name);
    const char *notes = roster.notes ? roster.notes : "";
    if (!strstr(notes, rows[i].noted) || (rows[i].noted[0] == '\0') != (notes[0] == '\0'))
      fail_msg("of metadata %zu it says '%s' instead of '%s'", i, notes, rows[i].noted);
    roster_free(&roster);
  }
}

// ---- collected files ----

static void test_collect(void **state) {
  const struct place *place = *state;
  struct roster roster;
  struct lab_config *config = calloc(1, sizeof *config);
  char notes[1024], folder[PATH_MAX];
  assert_non_null(config);
  config->exercise_count = 2;
  snprintf(config->exercises[0].name, RECORD_NAME, "1-bulk-copy-1d");
  snprintf(config->exercises[1].name, RECORD_NAME, "2-tiles-2d");
  put_folder(place, "class");
  put_folder(place, "class/ann");
  put_folder(place, "class/ann/deep");
  put_file(place, "class/ann/deep/1-bulk-copy-1d.cu", "deep");
  put_file(place, "class/ann/1-bulk-copy-1d.cu", "upper");
  put_file(place, "class/ann/mine.cuh", "header");
  put_file(place, "class/ann/a.out", "not wanted");
  char link[PATH_MAX];
  path_of(place, "class/ann/2-tiles-2d.cu", link);
  assert_int_equal(symlink("/etc/passwd", link), 0);
  struct place class = {""};
  snprintf(class.root, sizeof class.root, "%.40s/class", place->root);
  read_roster(&class, &roster);
  path_of(place, "taken", folder);
  assert_int_equal(
      collect(&roster.students[0], config, "", SANDBOX_PLAIN, folder, notes, sizeof notes, NULL, 0), 0);
  assert_true(is_there(place, "taken/1-bulk-copy-1d.cu"));
  assert_true(is_there(place, "taken/mine.cuh"));
  assert_false(is_there(place, "taken/a.out"));
  assert_false(is_there(place, "taken/2-tiles-2d.cu"));
  assert_non_null(strstr(notes, "2-tiles-2d.cu is a link"));
  assert_non_null(strstr(notes, "2 files of that name"));
  char text[16] = "", source[PATH_MAX];
  path_of(place, "taken/1-bulk-copy-1d.cu", source);
  FILE *file = fopen(source, "re");
  assert_non_null(file);
  assert_non_null(fgets(text, sizeof text, file));
  fclose(file);
  assert_string_equal(text, "upper");
  roster_free(&roster);
  free(config);
}

// Expects a file whose first line is `expected`.
static void expect_text(const struct place *place, const char *name, const char *expected) {
  char text[64] = "", path[PATH_MAX];
  path_of(place, name, path);
  FILE *file = fopen(path, "re");
  if (!file) fail_msg("%s is missing", name);
  assert_non_null(fgets(text, sizeof text, file));
  fclose(file);
  assert_string_equal(text, expected);
}

// Collects the submission of the student `name`; collect() has to return `status`, with the notes `expected`.
static void expect_end(const struct place *place, const struct roster *roster, const char *name, int status,
                       const char *expected) {
  struct lab_config *config = calloc(1, sizeof *config);
  char notes[1024], folder[PATH_MAX];
  assert_non_null(config);
  config->exercise_count = 1;
  snprintf(config->exercises[0].name, RECORD_NAME, "1-a");
  path_of(place, "taken", folder);
  assert_int_equal(
      collect(student_named(roster, name), config, "", SANDBOX_PLAIN, folder, notes, sizeof notes, NULL, 0),
      status);
  assert_string_equal(notes, expected);
  free(config);
}

static void expect_notes(const struct place *place, const struct roster *roster, const char *name,
                         const char *expected) {
  expect_end(place, roster, name, 0, expected);
}

// In Canvas's export the files of the whole class lie in one folder: a student gets only their own headers,
// under the names that the student gave them.
static void test_flat_headers(void **state) {
  const struct place *place = *state;
  struct roster roster;
  put_file(place, "leeann_1_11_1-a.cu", "a");
  put_file(place, "leeann_1_12_ring.cuh", "ann's");
  put_file(place, "ekbo_LATE_2_13_1-a-3.cu", "b");
  put_file(place, "ekbo_LATE_2_14_ring-3.cuh", "bo's");
  put_file(place, "ekbo_LATE_2_15_ring.cuh", "bo's of before");
  put_file(place, "ekbo_LATE_2_16_step-1.h", "bo's step");
  put_file(place, "common.h", "nobody's");
  read_roster(place, &roster);
  expect_notes(place, &roster, "leeann_1", "");
  expect_text(place, "taken/ring.cuh", "ann's");
  assert_false(is_there(place, "taken/ekbo_LATE_2_14_ring-3.cuh"));
  assert_false(is_there(place, "taken/ring-3.cuh"));
  assert_false(is_there(place, "taken/common.h"));
  expect_notes(place, &roster, "ekbo_2", "");
  expect_text(place, "taken/1-a.cu", "b");
  expect_text(place, "taken/ring.cuh", "bo's");
  expect_text(place, "taken/step-1.h", "bo's step");
  roster_free(&roster);
}

// Files whose names are nearly right.
static void test_names(void **state) {
  const struct place *place = *state;
  static const struct {
    const char *files[3], *notes, *taken;
  } table[] = {
      {{"1-a (2).cu"}, "1-a (2).cu was taken for 1-a.cu\n", "1-a (2).cu"},
      {{"1-A.CU"}, "1-A.CU was taken for 1-a.cu\n", "1-A.CU"},
      {{"1-a (1).cu", "1-a.cu"},
       "1-a.cu: 2 files of that name; 1-a.cu was taken, not 1-a (1).cu\n",
       "1-a.cu"},
      {{"1-a-4.cu", "1-a (5).cu", "1-a-2.cu"},
       "1-a.cu: 3 files of that name; 1-a (5).cu was taken, not 1-a-2.cu, 1-a-4.cu\n",
       "1-a (5).cu"},
      {{"1-a.cu.txt"}, "1-a.cu.txt was taken for 1-a.cu\n", "1-a.cu.txt"},
      {{"1-a.cut", "report.pdf"}, "1-a.cu is missing; there is 1-a.cut, report.pdf\n", NULL},
      {{"lab.rar"},
       "lab.rar was not opened: rar is not read, only zip, tar and 7z; hand in one of these, or what make "
       "handin packs\n1-a.cu is missing; there is lab.rar\n",
       NULL},
      {{"1-a.cu", "report.pdf"}, "", "1-a.cu"},
      {{"final (2).cu", "Last.CU", "notes.txt"}, "1-a.cu is missing; there is Last.CU, final (2).cu\n", NULL},
      {{"1_A.cu"}, "1_A.cu was taken for 1-a.cu\n", "1_A.cu"},
      {{"1 a.cu", "mine_1_a (3).cu"},
       "1-a.cu: 2 files of that name; mine_1_a (3).cu was taken, not 1 a.cu\n",
       "mine_1_a (3).cu"},
      {{"1-a()-3.cu"}, "1-a.cu is missing; there is 1-a()-3.cu\n", NULL},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct roster roster;
    char path[PATH_MAX], name[128];
    put_folder(place, "class");
    put_folder(place, "class/ann");
    for (size_t file = 0; file < 3 && table[i].files[file]; file++) {
      snprintf(name, sizeof name, "class/ann/%s", table[i].files[file]);
      put_file(place, name, table[i].files[file]);
    }
    struct place class = {""};
    snprintf(class.root, sizeof class.root, "%.40s/class", place->root);
    read_roster(&class, &roster);
    expect_notes(place, &roster, "ann", table[i].notes);
    if (table[i].taken) expect_text(place, "taken/1-a.cu", table[i].taken);
    roster_free(&roster);
    path_of(place, "class", path);
    remove_tree(path);
  }
}

// An upload that failed half-way leaves empty files. The notes report that.
static void test_nothing_in_it(void **state) {
  struct roster roster;
  put_folder(*state, "ann");
  put_folder(*state, "bob");
  put_file(*state, "ann/1-a.cu", "");
  put_file(*state, "bob/1-a.zip", "");
  read_roster(*state, &roster);
  expect_notes(*state, &roster, "ann", "1-a.cu is empty: it has 0 bytes\n");
  expect_end(*state, &roster, "bob", COLLECT_ASK, "1-a.zip is empty: it has 0 bytes\n1-a.cu is missing\n");
  roster_free(&roster);
}

// Of two files at the same depth, the notes say which was taken.
static void test_same_depth(void **state) {
  const struct place *place = *state;
  struct roster roster;
  put_folder(place, "class");
  put_folder(place, "class/ann");
  put_folder(place, "class/ann/new");
  put_folder(place, "class/ann/old");
  put_file(place, "class/ann/new/1-a.cu", "new");
  put_file(place, "class/ann/old/1-a.cu", "old");
  struct place class = {""};
  snprintf(class.root, sizeof class.root, "%.40s/class", place->root);
  read_roster(&class, &roster);
  expect_notes(place, &roster, "ann", "1-a.cu: 2 files of that name; new/1-a.cu was taken, not old/1-a.cu\n");
  roster_free(&roster);
}

// A manifest from `make handin`: one file is unchanged, one has changed since, one header is missing, and one
// is new.
static void test_manifest(void **state) {
  static const char manifest[] =
      "{\"lab\": \"lab9\", \"files\": {\n"
      "\"1-a.cu\": \"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\",\n" // the hash of "a"
      "\"2-b.cu\": \"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\",\n"
      "\"gone.cuh\": \"0\", \"../../etc/passwd.h\": \"0\", \"odd\\u001b.h\": 7}}";
  const struct place *place = *state;
  struct student student = {.source_count = 1};
  struct lab_config *config = calloc(1, sizeof *config);
  char notes[1024], folder[PATH_MAX], handed[PATH_MAX];
  assert_non_null(config);
  config->exercise_count = 2;
  snprintf(config->exercises[0].name, RECORD_NAME, "1-a");
  snprintf(config->exercises[1].name, RECORD_NAME, "2-b");
  put_folder(place, "ann");
  put_file(place, "ann/1-a.cu", "a");
  put_file(place, "ann/2-b.cu", "b");
  put_file(place, "ann/new.h", "c");
  path_of(place, "ann", handed);
  student.sources[0] = handed;
  path_of(place, "taken", folder);
  assert_int_equal(collect(&student, config, "", SANDBOX_PLAIN, folder, notes, sizeof notes, NULL, 0), 0);
  assert_string_equal(notes, ""); // without a manifest there are no notes
  put_file(place, "ann/manifest.json", manifest);
  assert_int_equal(collect(&student, config, "", SANDBOX_PLAIN, folder, notes, sizeof notes, NULL, 0), 0);
  assert_string_equal(notes, "2-b.cu is not as make handin packed it: it has another checksum\n"
                             "new.h is not among the files that make handin packed\n"
                             "gone.cuh was packed by make handin, and was not handed in\n"
                             "../../etc/passwd.h was packed by make handin, and was not handed in\n"
                             "odd?.h was packed by make handin, and was not handed in\n");
  assert_false(is_there(place, "taken/manifest.json"));
  // When only one exercise is requested, the notes don't mention the others.
  assert_int_equal(collect(&student, config, "1-a", SANDBOX_PLAIN, folder, notes, sizeof notes, NULL, 0), 0);
  assert_null(strstr(notes, "2-b"));
  static const char *const rubbish[] = {"", "[]", "{\"files\": 3}", "{\"files\": {\"a\": 1, \"a\": 2}}"};
  for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
    put_file(place, "ann/manifest.json", rubbish[i]);
    assert_int_equal(collect(&student, config, "", SANDBOX_PLAIN, folder, notes, sizeof notes, NULL, 0), 0);
    assert_string_equal(notes,
                        "manifest.json is no manifest that make handin wrote; no checksums were compared\n");
    assert_true(is_there(place, "taken/1-a.cu"));
  }
  free(config);
}

// ---- the output folder ----

// Opens a class over the folder `output`; expects a failure whose reason says `expected`.
static void refuse_output(const char *output, const char *expected) {
  struct grading *grading = calloc(1, sizeof *grading);
  char error[700] = "";
  assert_non_null(grading);
  struct class class = {.grading = grading, .output = output};
  int status = class_open(&class, "submissions", false, error, sizeof error);
  class_close(&class);
  free(grading);
  assert_int_equal(status, -1);
  if (!strstr(error, expected)) fail_msg("the reason is '%s', not '%s'", error, expected);
}

// A lock that cannot be opened can not keep another batch out, so opening the class fails.
static void test_lock(void **state) {
  const struct place *place = *state;
  char output[PATH_MAX];
  path_of(place, "out", output);
  put_folder(place, "out");
  put_folder(place, "out/batch.lock");
  refuse_output(output, "out/batch.lock: Is a directory");
}

// In a folder with so long a name, the paths of results do not fit.
static void test_long_output(void **state) {
  (void)state;
  char output[LONGEST_OUTPUT + 2] = "";
  memset(output, 'a', sizeof output - 1);
  refuse_output(output, "--out: the path has more than");
}

// A folder that cannot be made is a failure with a reason; it is not a submission without files.
static void test_no_folder(void **state) {
  const struct place *place = *state;
  struct student student = {0};
  struct lab_config *config = calloc(1, sizeof *config);
  char notes[64], folder[PATH_MAX], error[PATH_MAX] = "", expected[PATH_MAX + 64];
  assert_non_null(config);
  path_of(place, "missing/taken", folder);
  assert_int_equal(
      collect(&student, config, "", SANDBOX_PLAIN, folder, notes, sizeof notes, error, sizeof error), -1);
  snprintf(expected, sizeof expected, "%s: No such file or directory", folder);
  assert_string_equal(error, expected);
  free(config);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sha256),
      cmocka_unit_test_setup_teardown(test_folders, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_alike, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_stable_names, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_long_names, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_moodle, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_canvas, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_gradescope, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_group, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_metadata, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_collect, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_flat_headers, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_names, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_nothing_in_it, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_same_depth, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_manifest, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_lock, make_place, remove_place),
      cmocka_unit_test(test_long_output),
      cmocka_unit_test_setup_teardown(test_no_folder, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
