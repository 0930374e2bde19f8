// Sheets as Canvas, Moodle and Gradescope export them, filled in for a small class. In: the bytes of a sheet,
// and the students who have handed in. Out: all bytes of the filled sheet, and the log about students and
// lines that have no match.
#include "class/csv.h"
#include "class/sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct someone {
  const char *name, *full_name, *id, *email; // name "+": in a group with the previous person
  double points;                             // < 0: the grader failed
};

static void grade(struct outcome *outcome, double points) {
  struct exercise_record *exercise = &outcome->lab.exercises[0];
  struct stage_record *stage = &exercise->stages[STAGE_RULES];
  outcome->known = true;
  outcome->lab.exercise_count = 1;
  snprintf(exercise->name, sizeof exercise->name, "1-a");
  for (int i = 0; i < STAGE_COUNT; i++)
    exercise->stages[i].verdict = VERDICT_PASS;
  stage->verdict = points < 0 ? VERDICT_ERROR : VERDICT_PASS;
  stage->max_points = points < 0 ? 20 : points;
  exercise_conclude(exercise);
}

// Fills a sheet in. Returns its new bytes, and puts the log in *log. Returns NULL on failure: then *log has
// the reason.
static char *fill(const char *platform, const struct someone *people, const char *text, const char *column,
                  char **log) {
  static struct grading grading;
  struct student students[8] = {0};
  struct person partners[8] = {0};
  struct outcome *outcomes = calloc(8, sizeof *outcomes);
  char path[] = "/tmp/sheet-test-XXXXXX", error[700] = "", *bytes = NULL;
  size_t count = 0, size;
  assert_non_null(outcomes);
  snprintf(grading.config.title, sizeof grading.config.title, "Lab 9");
  for (const struct someone *one = people; one->name; one++) {
    struct student *student = &students[count];
    if (strcmp(one->name, "+") == 0) {
      struct person *partner = &partners[count - 1];
      snprintf(partner->full_name, sizeof partner->full_name, "%s", one->full_name);
      snprintf(partner->email, sizeof partner->email, "%s", one->email);
      student[-1].partners = partner;
      student[-1].partner_count = 1;
      continue;
    }
    snprintf(student->name, sizeof student->name, "%s", one->name);
    snprintf(student->full_name, sizeof student->full_name, "%s", one->full_name);
    snprintf(student->id, sizeof student->id, "%s", one->id ? one->id : "");
    snprintf(student->email, sizeof student->email, "%s", one->email ? one->email : "");
    grade(&outcomes[count++], one->points);
  }
  struct class class = {.roster = {.platform = platform, .students = students, .count = count},
                        .outcomes = outcomes,
                        .grading = &grading};
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  struct sheet_options options = {path, column};
  FILE *out = open_memstream(&bytes, &size), *said = open_memstream(log, &size);
  bool good = sheet_fill(&options, &class, out, said, error, sizeof error) == 0;
  assert_int_equal(sheet_check(&options, &class, error, sizeof error), good ? 0 : -1);
  if (!good) fputs(error, said);
  fclose(out);
  fclose(said);
  unlink(path);
  free(outcomes);
  if (good) return bytes;
  free(bytes);
  return NULL;
}

static const struct row {
  const char *what, *platform;
  struct someone people[6];
  const char *column, *before, *after;
  const char *says[5]; // parts of the log
} rows[] = {
    {"Canvas's gradebook, with its IDs, a row of points, read-only columns and a test student",
     "Canvas",
     {{"ekbo_102", "ekbo", "102", NULL, 17.5}, {"leeann_101", "leeann", "101", NULL, 20}},
     NULL,
     "Student,ID,SIS User ID,SIS Login ID,Section,Lab 8 (77),Lab 9 (78),Final Score\r\n"
     ",,,,,Manual Posting,,\r\n"
     "    Points Possible,,,,,10.00,20.00,(read only)\r\n"
     "\"Lee, Ann\",101,9001,ann,\"Sec \"\"A\"\", 1\",9,,88.00\r\n"
     "\"Ek, Bo\",102,9002,bo,Sec 1,8,12,77\r\n"
     "\"Student, Test\",103,,,Sec 1,,,\r\n",
     "Student,ID,SIS User ID,SIS Login ID,Section,Lab 8 (77),Lab 9 (78),Final Score\r\n"
     ",,,,,Manual Posting,,\r\n"
     "    Points Possible,,,,,10.00,20.00,(read only)\r\n"
     "\"Lee, Ann\",101,9001,ann,\"Sec \"\"A\"\", 1\",9,20,88.00\r\n"
     "\"Ek, Bo\",102,9002,bo,Sec 1,8,17.5,77\r\n"
     "\"Student, Test\",103,,,Sec 1,,,\r\n",
     {"2 of 2 submissions are in the column `Lab 9 (78)`", "replaced: Ek, Bo had 12, gets 17.5",
      "no submission: Student, Test (line 6)"}},
    {"Canvas with semicolons and decimal commas, a byte-order mark, and no line end at the end",
     "Canvas",
     {{"ekbo_102", "ekbo", "102", NULL, 17.5}},
     "lab 9",
     "\xef\xbb\xbfStudent;ID;Section;Lab 9 (78)\n    Points Possible;;;\"20,0\"\nEk, Bo;102;1;",
     "\xef\xbb\xbfStudent;ID;Section;Lab 9 (78)\n    Points Possible;;;\"20,0\"\nEk, Bo;102;1;17,5",
     {"maximum is 20, what was graded here has 17.5"}},
    {"the ID decides, and a name is nothing against it",
     "Canvas",
     {{"leeann_101", "leeann", "101", NULL, 5},
      {"leeann_102", "leeann", "102", NULL, 6},
      {"leeann_999", "leeann", "999", NULL, 7}},
     NULL,
     "Student,ID,Lab 9\n\"Lee, Ann\",102,\n\"Lee, Ann\",101,\n",
     "Student,ID,Lab 9\n\"Lee, Ann\",102,6\n\"Lee, Ann\",101,5\n",
     {"2 of 3", "not filled in: leeann_999: no line"}},
    {"Moodle's grading worksheet: identifiers, a comment already there, a grade that may not change, another "
     "maximum",
     "Moodle",
     {{"Ann_Lee_123", "Ann Lee", "123", NULL, 20},
      {"Bo_Ek_77", "Bo Ek", "77", NULL, 10},
      {"Cy_Ox_78", "Cy Ox", "78", NULL, 11}},
     NULL,
     "\xef\xbb\xbfIdentifier,\"Full name\",\"ID number\",\"Email address\",Status,Grade,\"Maximum Grade\","
     "\"Grade can be changed\",\"Feedback comments\"\n"
     "\"Participant 123\",\"Ann Lee\",4711,ann@example.edu,\"Submitted, graded\",,\"100,00\",Yes,\n"
     "\"Participant 77\",\"Bo Ek\",,bo@example.edu,,,100.00,Yes,\"two\nlines\"\n"
     "\"Participant 78\",\"Cy Ox\",,cy@example.edu,,3,100.00,No,\n"
     "\"Participant 79\",\"Di Ut\",,di@example.edu,,,100.00,Yes,\n",
     "\xef\xbb\xbfIdentifier,\"Full name\",\"ID number\",\"Email address\",Status,Grade,\"Maximum Grade\","
     "\"Grade can be changed\",\"Feedback comments\"\n"
     "\"Participant 123\",\"Ann Lee\",4711,ann@example.edu,\"Submitted, graded\",20,\"100,00\",Yes,\"All "
     "exercises pass.\"\n"
     "\"Participant 77\",\"Bo Ek\",,bo@example.edu,,10,100.00,Yes,\"two\nlines\"\n"
     "\"Participant 78\",\"Cy Ox\",,cy@example.edu,,3,100.00,No,\n"
     "\"Participant 79\",\"Di Ut\",,di@example.edu,,,100.00,Yes,\n",
     {"2 of 3", "Cy_Ox_78: the platform says that this grade cannot be changed",
      "no submission: Di Ut (line 6)", "maximum is 100"}},
    {"another assignment's worksheet: the same identifier, somebody else's name",
     "Moodle",
     {{"Ann_Lee_123", "Ann Lee", "123", NULL, 20}},
     NULL,
     "Identifier,Full name,Grade\nParticipant 123,Di Ut,\nParticipant 9,Ann Lee,\n",
     "Identifier,Full name,Grade\nParticipant 123,Di Ut,\nParticipant 9,Ann Lee,\n",
     {"0 of 1", "line 2 has this ID but another name, Di Ut"}},
    {"Moodle's blind marking, in German",
     "Moodle",
     {{"Participant_12", "Teilnehmer/in", "12", NULL, 20}},
     NULL,
     "Identifier,Grade\nTeilnehmer/in12,\nTeilnehmer/in112,\n",
     "Identifier,Grade\nTeilnehmer/in12,20\nTeilnehmer/in112,\n",
     {"1 of 1"}},
    {"Gradescope's scores: by SID, by email, by submission; a sid is no submission's number",
     "Gradescope",
     {{"submission_5001", "Ann Lee", "4711", NULL, 1},
      {"submission_5002", "Bo Ek", "", "Bo@example.edu", 2},
      {"submission_5003", "", "5003", NULL, 3},
      {"submission_4713", "", "4713", NULL, 4}},
     NULL,
     "First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,Submission ID\n"
     "Ann,Lee,4711,a@example.edu,,,20.0,Graded,1\nBo,Ek,4712,bo@example.edu,,,20.0,Graded,2\n"
     "Cy,Ox,4713,cy@example.edu,,,20.0,Graded,5003\n",
     "First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,Submission ID\n"
     "Ann,Lee,4711,a@example.edu,,1,20.0,Graded,1\nBo,Ek,4712,bo@example.edu,,2,20.0,Graded,2\n"
     "Cy,Ox,4713,cy@example.edu,,3,20.0,Graded,5003\n",
     {"3 of 4", "submission_4713: no line"}},
    {"Gradescope's groups: a number of a submission that several share; everybody in a line of their own, or "
     "told",
     "Gradescope",
     {{"submission_7", "Ann Lee", "", "ann@example.edu", 9},
      {"+", "Bo Ek", "", "bo@example.edu", 0},
      {"submission_8", "Cy Ox", "", "cy@example.edu", 3},
      {"+", "Di Ut", "", "di@example.edu", 0}},
     NULL,
     "Name,SID,Email,Total Score,Submission ID\nAnn Lee,,ann@example.edu,,7\nBo Ek,,bo@example.edu,,7\n"
     "Cy Ox,,cy@example.edu,,8\n",
     "Name,SID,Email,Total Score,Submission ID\nAnn Lee,,ann@example.edu,9,7\nBo Ek,,bo@example.edu,9,7\n"
     "Cy Ox,,cy@example.edu,3,8\n",
     {"3 of 4 people", "not filled in: submission_8 (Di Ut): no line"}},
    {"Gradescope's submissions into Canvas's gradebook: by the school's ID, by login, by name",
     "Gradescope",
     {{"submission_1", "Ann Lee", "9001", NULL, 1},
      {"submission_2", "Bo Ek", "x", "bo@example.edu", 2},
      {"submission_3", "Cy van Ox", "y", NULL, 3}},
     NULL,
     "Student,ID,SIS User ID,SIS Login ID,Section,Lab 9\n\"Lee, Ann\",1,9001,,,\n"
     "\"Ek, Bo\",2,9002,BO@example.edu,,\n\"van Ox, Cy\",3,9003,,,\n",
     "Student,ID,SIS User ID,SIS Login ID,Section,Lab 9\n\"Lee, Ann\",1,9001,,,1\n"
     "\"Ek, Bo\",2,9002,BO@example.edu,,2\n\"van Ox, Cy\",3,9003,,,3\n",
     {"3 of 3"}},
    {"folders by login, by ID, by address, by name; two of a name; a folder and an archive of one name; a "
     "grader's error",
     "folders",
     {{"ann", "ann", NULL, NULL, 1},
      {"9002", "9002", NULL, NULL, 2},
      {"Lee_Kim", "Lee Kim", NULL, NULL, 4},
      {"cy", "cy", NULL, NULL, 5},
      {"cy-2", "cy", NULL, NULL, 6}},
     "Lab 9",
     "Student,SIS User ID,SIS Login ID,Lab 9\nA,9001,Ann,\nB,9002,bo@example.edu,\nKim Lee,9003,k1,\n"
     "\"Lee, Kim\",9004,k2,\nC,9005,cy@example.edu,\n",
     "Student,SIS User ID,SIS Login ID,Lab 9\nA,9001,Ann,1\nB,9002,bo@example.edu,2\nKim Lee,9003,k1,\n"
     "\"Lee, Kim\",9004,k2,\nC,9005,cy@example.edu,\n",
     {"2 of 5", "Lee_Kim: lines 4 and 5 fit both", "cy: line 6 (C) fits cy-2 as well",
      "cy-2: line 6 (C) fits cy as well"}},
    {"what the grader failed at gets no points",
     "folders",
     {{"ann", "ann", NULL, NULL, -1}},
     NULL,
     "Username,Lab 9\nann,7\n",
     "Username,Lab 9\nann,7\n",
     {"0 of 1", "ann: the grader itself failed"}},
    {"letters outside ASCII, in whatever encoding",
     "Canvas",
     {{"nunezjose_5", "nunezjose", "5", NULL, 9}},
     NULL,
     "Student,ID,Lab 9\n\"N\xfa\xf1"
     "ez, Jos\xe9\",5,\n",
     "Student,ID,Lab 9\n\"N\xfa\xf1"
     "ez, Jos\xe9\",5,9\n",
     {"1 of 1"}},
};

static void test_filled(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *log = NULL, *after = fill(rows[i].platform, rows[i].people, rows[i].before, rows[i].column, &log);
    if (!after) fail_msg("%s: %s", rows[i].what, log);
    if (strcmp(after, rows[i].after) != 0)
      fail_msg("%s: got\n%s\nexpected\n%s\nsaid\n%s", rows[i].what, after, rows[i].after, log);
    for (size_t part = 0; part < 5 && rows[i].says[part]; part++)
      if (!strstr(log, rows[i].says[part]))
        fail_msg("%s: said\n%s\nexpected\n%s", rows[i].what, log, rows[i].says[part]);
    free(after);
    free(log);
  }
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *column, *says;
  } table[] = {
      {"", NULL, ": is empty"},
      {"\n\n", NULL, ": is empty"},
      {"\xff\xfeS\n", NULL, "is UTF-16 or no text"},
      {"ID,Lab 9\n1,2,3\n", NULL, ":2: has 3 cells, and the headings have 2"},
      {"ID,Lab 9\n\"a\nb\",2\n3\n", NULL, ":4: has 1 cells"},
      {"ID,Lab 9\n\"1,2\n", NULL, ":2: a quote is opened here and never closed"},
      {"Lab 9,Points\n1,2\n", NULL, ":1: no heading says who is who"},
      {"ID,Lab 8,Lab 10 (3)\n1,,\n", NULL,
       "there is no column `Lab 9` for the points: name one with --column, of `ID`, `Lab 8`, `Lab 10 (3)`"},
      {"ID,Lab 9 (1),Lab 9 (2)\n1,,\n", NULL, "there is more than one column `Lab 9`"},
      {"ID,Lab 9\n1,\n", "Lab 7", "there is no column `Lab 7`"},
  };
  const struct someone people[] = {{"ann", "ann", NULL, NULL, 1}, {NULL}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char *log = NULL;
    if (fill("folders", people, table[i].text, table[i].column, &log))
      fail_msg("accepted: %s", table[i].text);
    if (!strstr(log, table[i].says)) fail_msg("got \"%s\"\nexpected \"%s\"", log, table[i].says);
    free(log);
  }
}

// Nobody writes into this pipe: it is refused, and not waited for.
static void test_a_pipe_is_no_sheet(void **state) {
  (void)state;
  char folder[] = "/tmp/sheet-test-XXXXXX", path[64], error[200];
  struct csv csv;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/pipe", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_not_equal(csv_read(path, &csv, error, sizeof error), 0);
  assert_non_null(strstr(error, "is no file"));
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_filled), cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_a_pipe_is_no_sheet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
