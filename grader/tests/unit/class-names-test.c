// The names of submissions from batch to batch. In: a folder of submissions to which others come, and the
// output folder of a class. Out: whose name is whose, whom an override means, and which pages stay.
#include "class/collect.h"
#include "class/marks.h"
#include "class/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
  char root[64], in[80], out[80];
};

static int make_place(void **state) {
  struct place *place = calloc(1, sizeof *place);
  if (!place) return -1;
  snprintf(place->root, sizeof place->root, "/tmp/class-names-test-XXXXXX");
  *state = place;
  if (!mkdtemp(place->root)) return -1;
  snprintf(place->in, sizeof place->in, "%s/in", place->root);
  snprintf(place->out, sizeof place->out, "%s/out", place->root);
  return mkdir(place->in, 0755) == 0 ? mkdir(place->out, 0755) : -1;
}

static int remove_place(void **state) {
  struct place *place = *state;
  remove_tree(place->root);
  free(place);
  return 0;
}

static void put(const char *folder, const char *name, const char *text) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (!text) {
    assert_int_equal(mkdir(path, 0755), 0);
    return;
  }
  FILE *file = fopen(path, "we");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static bool is_there(const char *folder, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

static void take_away(const char *folder, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(remove(path), 0);
}

// Reads the submissions anew, as each batch does.
static struct class begin(const struct place *place) {
  struct class class = {.output = place->out};
  char error[400] = "";
  if (roster_read(place->in, &class.roster, error, sizeof error) != 0 ||
      names_keep(&class, error, sizeof error) != 0)
    fail_msg("%s", error);
  return class;
}

// The name of the submission whose folder or archive is `entry`.
static const char *name_of(const struct class *class, const char *entry) {
  for (size_t i = 0; i < class->roster.count; i++)
    if (strcmp(class->roster.students[i].entry, entry) == 0) return class->roster.students[i].name;
  fail_msg("nobody has handed in %s", entry);
  return "";
}

// Which entry a line of overrides.csv means; "none", "several".
static const char *meant(const struct class *class, const char *called) {
  size_t index = 0, found = class_find(class, called, &index);
  return found == 0 ? "none" : found > 1 ? "several" : class->roster.students[index].entry;
}

// `Alice` sorts before `alice`: whoever comes later changes nobody's name, and an override keeps its student.
static void test_later(void **state) {
  const struct place *place = *state;
  put(place->in, "alice", NULL);
  put(place->in, "alice-2", NULL);
  struct class class = begin(place);
  assert_string_equal(name_of(&class, "alice"), "alice");
  assert_string_equal(name_of(&class, "alice-2"), "alice-2");
  class_close(&class);
  put(place->in, "Alice", NULL);
  class = begin(place);
  assert_string_equal(name_of(&class, "alice"), "alice");
  assert_string_equal(name_of(&class, "alice-2"), "alice-2");
  assert_string_equal(name_of(&class, "Alice"), "Alice-634e9b99");
  assert_string_equal(meant(&class, "alice-2"), "alice-2");
  assert_string_equal(meant(&class, "alice"), "alice");
  assert_string_equal(meant(&class, "Alice"), "Alice");
  class_close(&class);
  // Who has left keeps the name, too, and is the same student under another ending.
  take_away(place->in, "alice");
  put(place->in, "ALICE.zip", "");
  class = begin(place);
  assert_string_equal(meant(&class, "alice"), "none");
  class_close(&class);
  put(place->in, "alice.tar.gz", "");
  class = begin(place);
  assert_string_equal(name_of(&class, "alice.tar.gz"), "alice");
  assert_string_equal(name_of(&class, "Alice"), "Alice-634e9b99");
  class_close(&class);
}

// All there at once: a name that is made up is nobody's folder.
static void test_at_once(void **state) {
  const struct place *place = *state;
  static const char *const entries[] = {"Alice",  "alice",  "alice-2", "bo",
                                        "bo.zip", "bo.tgz", "zo\xff",  "zo\xfe"};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    put(place->in, entries[i], strchr(entries[i], '.') ? "" : NULL);
  char names[sizeof entries / sizeof *entries][STUDENT_NAME];
  struct class class = begin(place);
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    snprintf(names[i], sizeof names[i], "%s", name_of(&class, entries[i]));
    assert_string_equal(meant(&class, names[i]), entries[i]);
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(names[i], names[j]);
  }
  assert_string_equal(names[2], "alice-2");
  class_close(&class);
  // Again, and each keeps its name; also with others before and behind.
  put(place->in, "0lice", NULL);
  put(place->in, "ALICE", NULL);
  put(place->in, "bo.tar", "");
  class = begin(place);
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    assert_string_equal(name_of(&class, entries[i]), names[i]);
  class_close(&class);
}

// A student who calls an archive as another's made-up name gets nothing that is meant for the other.
static void test_thief(void **state) {
  const struct place *place = *state;
  put(place->in, "Alice", NULL);
  put(place->in, "alice", NULL);
  struct class class = begin(place);
  char made_up[STUDENT_NAME], archive[STUDENT_NAME + 8];
  snprintf(made_up, sizeof made_up, "%s", name_of(&class, "alice"));
  assert_string_equal(meant(&class, made_up), "alice");
  class_close(&class);
  snprintf(archive, sizeof archive, "%s.zip", made_up);
  put(place->in, archive, "");
  class = begin(place);
  assert_string_equal(name_of(&class, "alice"), made_up);
  assert_string_equal(meant(&class, made_up), "several");
  assert_string_equal(meant(&class, "alice"), "alice");
  class_close(&class);
}

// A platform's ID keeps the name when its owner is called otherwise there.
static void test_platform(void **state) {
  const struct place *place = *state;
  put(place->in, "Ann Lee_7_assignsubmission_file_", NULL);
  struct class class = begin(place);
  assert_string_equal(name_of(&class, "Moodle 7"), "Ann_Lee_7");
  class_close(&class);
  take_away(place->in, "Ann Lee_7_assignsubmission_file_");
  put(place->in, "Ann Ek_7_assignsubmission_file_", NULL);
  class = begin(place);
  assert_string_equal(name_of(&class, "Moodle 7"), "Ann_Lee_7");
  assert_string_equal(class.roster.students[0].full_name, "Ann Ek");
  class_close(&class);
}

// names.json may be damaged, or hold what no batch wrote.
static void test_rubbish(void **state) {
  const struct place *place = *state;
  struct class class = {.output = place->out};
  char error[700] = "";
  put(place->in, "ann", NULL);
  put(place->in, "bo", NULL);
  put(place->out, "names.json", "{\"ann\": ");
  assert_int_equal(roster_read(place->in, &class.roster, error, sizeof error), 0);
  assert_int_equal(names_keep(&class, error, sizeof error), -1);
  assert_non_null(strstr(error, "names.json can't be read"));
  class_close(&class);
  put(place->out, "names.json",
      "{\"ann\": \"../../etc\", \"bo\": 3, \"x\": {}, \"y\": \"Ann\", \"z\": \"\"}");
  class = begin(place);
  assert_string_equal(name_of(&class, "bo"), "bo");
  assert_true(roster_is_name(name_of(&class, "ann")));
  assert_string_not_equal(name_of(&class, "ann"), "ann");
  class_close(&class);
}

// A page of somebody who is not in grades.csv is not left among the others'.
static void test_pages(void **state) {
  const struct place *place = *state;
  char feedback[100], former[100], error[400] = "";
  snprintf(feedback, sizeof feedback, "%s/feedback", place->out);
  snprintf(former, sizeof former, "%s/former", place->out);
  static const char *const files[] = {"ann.html", "ann.txt", "ann.json",
                                      "bo.html",  "cy.html", "ann.html.html"};
  put(place->in, "ann", NULL);
  put(place->in, "bo", NULL);
  put(place->out, "feedback", NULL);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    put(feedback, files[i], "a page");
  struct class class = begin(place);
  class.outcomes = calloc(class.roster.count, sizeof *class.outcomes);
  assert_non_null(class.outcomes);
  class.outcomes[0].known = true; // bo's submission is damaged, and cy has left
  assert_int_equal(names_retire_pages(&class, error, sizeof error), 0);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    assert_int_equal(is_there(feedback, files[i]), i < 3);
    assert_int_equal(is_there(former, files[i]), i >= 3);
  }
  class_close(&class);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_later, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_at_once, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_thief, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_platform, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_rubbish, make_place, remove_place),
      cmocka_unit_test_setup_teardown(test_pages, make_place, remove_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
