// grades.csv. In: the class and the columns wanted. Out: RFC 4180. The idea: a column is a name and a function, and a platform's sheet is a
// list of columns under that platform's headings.
#include "class/class.h"
#include "report/printable.h"

#include <stdlib.h>
#include <string.h>

struct row {
  const struct student *student;
  const struct outcome *outcome;
  const struct grading *grading;
};

const char *const default_columns = "submission,verdict,score,max_score,exercises,name,notes";

// A name that a spreadsheet would take for a formula gets a quote before it (RFC 4180 has no word on this, attackers do).
static void text_cell(FILE *out, const char *text) {
  fputc('"', out);
  if (text[0] && strchr("=+-@\t\r", text[0])) fputc('\'', out);
  while (*text) { // one byte that is not UTF-8, and a platform refuses the whole sheet
    size_t bytes = printable_bytes(text);
    if (*text == '"') fputc('"', out);
    if ((unsigned char)*text < 0x20)
      fputc(' ', out);
    else if (bytes == 0)
      fputc('?', out);
    else
      fwrite(text, 1, bytes, out);
    text += bytes ? bytes : 1;
  }
  fputc('"', out);
}

static void submission_cell(FILE *out, const struct row *row) {
  text_cell(out, row->student->name);
}
static void name_cell(FILE *out, const struct row *row) {
  text_cell(out, row->student->full_name);
}
static void id_cell(FILE *out, const struct row *row) {
  text_cell(out, row->student->id);
}
static void identifier_cell(FILE *out, const struct row *row) {
  char text[96];
  snprintf(text, sizeof text, "Participant %s", row->student->id);
  text_cell(out, text);
}
static void email_cell(FILE *out, const struct row *row) {
  text_cell(out, row->student->email);
}
static void empty_cell(FILE *out, const struct row *row) {
  (void)out, (void)row;
}
static void late_cell(FILE *out, const struct row *row) {
  fputs(row->student->late ? "late" : "", out);
}
static void verdict_cell(FILE *out, const struct row *row) {
  fputs(row->outcome->known ? verdict_name(lab_verdict(&row->outcome->lab)) : "not graded", out);
}
static void score_cell(FILE *out, const struct row *row) {
  if (row->outcome->known) fprintf(out, "%g", lab_score(&row->outcome->lab).points);
}
static void maximum_cell(FILE *out, const struct row *row) {
  if (row->outcome->known) fprintf(out, "%g", lab_score(&row->outcome->lab).maximum);
}
static void percent_cell(FILE *out, const struct row *row) {
  struct score score = lab_score(&row->outcome->lab);
  if (row->outcome->known && score.maximum > 0) fprintf(out, "%.2f", 100 * score.points / score.maximum);
}
static void seconds_cell(FILE *out, const struct row *row) {
  if (row->outcome->known) fprintf(out, "%.1f", lab_work_seconds(&row->outcome->lab));
}

static void exercise_cells(FILE *out, const struct row *row) {
  const struct lab_config *config = &row->grading->config;
  for (unsigned i = 0, next = 0; i < config->exercise_count; i++) {
    const struct lab_record *lab = &row->outcome->lab;
    fputs(i ? "," : "", out);
    if (next == lab->exercise_count || strcmp(lab->exercises[next].name, config->exercises[i].name) != 0) {
      fputc(',', out);
      continue;
    }
    const struct exercise_record *exercise = &lab->exercises[next++];
    fprintf(out, "%s,%g", exercise->not_started ? "not started" : verdict_name(exercise->verdict),
            exercise_score(exercise).points);
  }
}

// What a student reads in the sheet itself: the first exercise that falls short.
void grades_feedback(FILE *out, const struct outcome *outcome) {
  char text[512] = "All exercises pass.";
  const struct lab_record *lab = &outcome->lab;
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *exercise = &lab->exercises[i];
    if (exercise->verdict == VERDICT_PASS) continue;
    snprintf(text, sizeof text, "%s %s", exercise->name,
             exercise->not_started ? "is not started" : "falls short");
    for (int stage = 0; stage < STAGE_COUNT && !exercise->not_started; stage++)
      if (exercise->stages[stage].verdict == exercise->verdict) {
        const struct stage_record *first = &exercise->stages[stage];
        snprintf(text, sizeof text, "%s %s", exercise->name,
                 first->hidden_case ? "fails in a hidden case" : first->headline);
        break;
      }
    break;
  }
  text_cell(out, outcome->known ? text : "Not graded yet.");
}
char *outcome_notes(const struct outcome *outcome, char line[OUTCOME_NOTES]) {
  char *to = line;
  for (const char *note = outcome->notes; *note && to - line < OUTCOME_NOTES - 3; note++) {
    if (*note != '\n')
      *to++ = *note;
    else if (note[1])
      *to++ = ';', *to++ = ' ';
  }
  *to = '\0';
  return line;
}

// Why something of it was left out, if it was.
static void notes_cell(FILE *out, const struct row *row) {
  char line[OUTCOME_NOTES];
  text_cell(out, outcome_notes(row->outcome, line));
}
static void feedback_cell(FILE *out, const struct row *row) {
  grades_feedback(out, row->outcome);
}

static const struct column {
  const char *name;
  void (*write)(FILE *out, const struct row *row);
} columns[] = {{"submission", submission_cell},
               {"name", name_cell},
               {"id", id_cell},
               {"email", email_cell},
               {"late", late_cell},
               {"verdict", verdict_cell},
               {"score", score_cell},
               {"max_score", maximum_cell},
               {"percent", percent_cell},
               {"seconds", seconds_cell},
               {"exercises", exercise_cells},
               {"feedback", feedback_cell},
               {"notes", notes_cell},
               // under the platforms' own headings:
               {"Student", name_cell},
               {"ID", id_cell},
               {"SIS User ID", empty_cell},
               {"SIS Login ID", empty_cell},
               {"Section", empty_cell},
               {"TITLE", score_cell},
               {"Identifier", identifier_cell},
               {"Full name", name_cell},
               {"Email address", email_cell},
               {"Grade", score_cell},
               {"Maximum Grade", maximum_cell},
               {"Feedback comments", feedback_cell}};

static const struct {
  const char *name, *columns;
} sheets[] = {{"canvas", "Student,ID,SIS User ID,SIS Login ID,Section,TITLE"},
              {"moodle", "Identifier,Full name,Email address,Grade,Maximum Grade,Feedback comments"}};

static const char *whole_list(const char *list) {
  for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++)
    if (strcmp(list, sheets[i].name) == 0) return sheets[i].columns;
  return list;
}

static const struct column *find_column(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (strlen(columns[i].name) == length && strncmp(columns[i].name, name, length) == 0) return &columns[i];
  return NULL;
}

const char *grades_check_columns(const char *list, char *wrong, size_t size) {
  for (const char *at = whole_list(list);; at++) {
    size_t length = strcspn(at, ",");
    if (!find_column(at, length)) {
      snprintf(wrong, size, "%.*s", (int)length, at);
      return wrong;
    }
    at += length;
    if (!*at) return NULL;
  }
}

static void heading(FILE *out, const struct column *column, const struct lab_config *config) {
  if (strcmp(column->name, "TITLE") == 0) {
    text_cell(out, config->title);
  } else if (column->write != exercise_cells) {
    fputs(column->name, out);
  } else {
    for (unsigned i = 0; i < config->exercise_count; i++)
      fprintf(out, "%s%s,%s points", i ? "," : "", config->exercises[i].name, config->exercises[i].name);
  }
}

// Calls for each column of the list: its heading if there is no row, else its cell.
static void line(FILE *out, const char *list, const struct lab_config *config, const struct row *row) {
  for (const char *at = list;; at++) {
    size_t length = strcspn(at, ",");
    const struct column *column = find_column(at, length);
    if (at != list) fputc(',', out);
    if (column && row) column->write(out, row);
    if (column && !row) heading(out, column, config);
    at += length;
    if (!*at) break;
  }
  fputc('\n', out);
}

// Canvas takes the points possible from a row of that name. What no GPU has graded is not among them.
static void canvas_points(FILE *out, const struct class *class) {
  double most = 0;
  for (size_t i = 0; i < class->roster.count; i++) {
    double maximum = class->outcomes[i].known ? lab_score(&class->outcomes[i].lab).maximum : 0;
    if (maximum > most) most = maximum;
  }
  fprintf(out, "    Points Possible,,,,,%g\n", most);
}

int grades_write(FILE *out, const void *what) {
  const struct class *class = what;
  const char *list = whole_list(class->columns);
  line(out, list, &class->grading->config, NULL);
  if (strcmp(class->columns, "canvas") == 0) canvas_points(out, class);
  struct roster people;
  int status = roster_people(&class->roster, &people);
  for (size_t i = 0; i < people.count; i++) {
    const struct student *person = &people.students[i];
    struct row row = {person, &class->outcomes[person->submission], class->grading};
    line(out, list, &class->grading->config, &row);
  }
  roster_free(&people);
  return status || ferror(out) ? -1 : 0;
}
