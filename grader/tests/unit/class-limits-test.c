// Submissions of which not all is read. In: an archive or a folder that breaks a limit. Out: what is missing
// is asked for, and never counted as not handed in; what is there besides is graded.
#include "class/collect.h"
#include "class/roster.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_FILES = 5000 };

struct place {
  char root[64];
};

static int make_place(void **state) {
  struct place *place = calloc(1, sizeof *place);
  if (!place) return -1;
  snprintf(place->root, sizeof place->root, "/tmp/class-limits-test-XXXXXX");
  *state = place;
  return mkdtemp(place->root) ? 0 : -1;
}

static int remove_place(void **state) {
  struct place *place = *state;
  remove_tree(place->root);
  free(place);
  return 0;
}

static FILE *make(const struct place *place, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", place->root, name);
  FILE *file = fopen(path, "we");
  assert_non_null(file);
  return file;
}

// One entry of a tar archive (ustar): a header of 512 bytes, with the sum of its own, then what is in it.
static void put_entry(FILE *tar, const char *name, const char *text) {
  char block[512] = "";
  unsigned sum = 0;
  snprintf(block, 100, "%s", name);
  snprintf(block + 100, 8, "0000644");
  snprintf(block + 108, 8, "0000000");
  snprintf(block + 116, 8, "0000000");
  snprintf(block + 124, 12, "%011o", (unsigned)strlen(text));
  snprintf(block + 136, 12, "00000000000");
  memset(block + 148, ' ', 8); // its own sum counts as blanks
  block[156] = '0';
  snprintf(block + 257, 6, "ustar");
  memset(block + 263, '0', 2);
  for (size_t i = 0; i < sizeof block; i++)
    sum += (unsigned char)block[i];
  snprintf(block + 148, 8, "%06o", sum);
  assert_int_equal(fwrite(block, 1, sizeof block, tar), sizeof block);
  memset(block, 0, sizeof block);
  snprintf(block, sizeof block, "%s", text);
  if (text[0]) assert_int_equal(fwrite(block, 1, sizeof block, tar), sizeof block);
}

static void end_archive(FILE *tar) {
  static const char zeros[1024];
  assert_int_equal(fwrite(zeros, 1, sizeof zeros, tar), sizeof zeros);
  assert_int_equal(fclose(tar), 0);
}

// Collects what lies in the place, and expects that end and that note. Returns whether 1-a.cu was there.
static bool expect(const struct place *place, int end, const char *noted) {
  struct lab_config *config = calloc(1, sizeof *config);
  char source[PATH_MAX], folder[PATH_MAX], taken[PATH_MAX + 8], notes[4096], error[400] = "";
  assert_non_null(config);
  config->exercise_count = 1;
  snprintf(config->exercises[0].name, RECORD_NAME, "1-a");
  snprintf(source, sizeof source, "%s/ann", place->root);
  snprintf(folder, sizeof folder, "%s/taken", place->root);
  struct student student = {.name = "ann", .sources = {source}, .source_count = 1};
  assert_int_equal(
      collect(&student, config, "", SANDBOX_PLAIN, folder, notes, sizeof notes, error, sizeof error), end);
  if (!strstr(notes, noted)) fail_msg("the notes are '%s', without '%s'", notes, noted);
  snprintf(taken, sizeof taken, "%s/1-a.cu", folder);
  free(config);
  return access(taken, F_OK) == 0;
}

static void make_ann(const struct place *place) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/ann", place->root);
  assert_int_equal(mkdir(path, 0755), 0);
}

static void put_large_archive(const struct place *place, const char *first, const char *last) {
  char name[32];
  FILE *tar = make(place, "ann/work.tar");
  if (first) put_entry(tar, first, "// first\n");
  for (int i = 0; i <= MOST_FILES; i++) {
    snprintf(name, sizeof name, "other/%d.txt", i);
    put_entry(tar, name, "");
  }
  if (last) put_entry(tar, last, "// last\n");
  end_archive(tar);
}

static void test_archive(void **state) {
  make_ann(*state);
  put_large_archive(*state, NULL, "1-a.cu");
  expect(*state, COLLECT_ASK, "work.tar: not all of it was read, and what is missing may be in the rest");
  // Nor is it known whether the one that has been read is the one that is meant.
  put_large_archive(*state, "old/1-a.cu", "1-a.cu");
  expect(*state, COLLECT_ASK, "work.tar holds more than 5000 files and folders");
  // What lies beside the archive is graded.
  FILE *file = make(*state, "ann/1-a.cu");
  fputs("// beside\n", file);
  assert_int_equal(fclose(file), 0);
  assert_true(expect(*state, 0, "work.tar was not opened: everything was found before"));
}

static void test_folder(void **state) {
  char name[32];
  make_ann(*state);
  for (int i = 0; i <= MOST_FILES; i++) {
    snprintf(name, sizeof name, "ann/%d.txt", i);
    assert_int_equal(fclose(make(*state, name)), 0);
  }
  expect(*state, COLLECT_ASK, "more than 5000 files: the rest was not looked at");
  assert_int_equal(fclose(make(*state, "ann/1-a.cu")), 0);
  assert_true(expect(*state, 0, "more than 5000 files: the rest was not looked at"));
}

static void test_archives(void **state) {
  char name[32];
  make_ann(*state);
  for (int i = 0; i < 9; i++) {
    snprintf(name, sizeof name, "ann/%d.tar", i);
    FILE *tar = make(*state, name);
    put_entry(tar, i < 8 ? "notes.txt" : "1-a.cu", "text\n");
    end_archive(tar);
  }
  expect(*state, COLLECT_ASK, "8.tar was not opened: 8 archives are, and no more");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_archive, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_folder, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_archives, make_place, remove_place),
  };
  return cmocka_run_group_tests_name("class-limits", tests, NULL, NULL);
}
