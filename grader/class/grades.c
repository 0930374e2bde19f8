// grades.csv. In: the class and the wanted columns. Out: RFC 4180. The idea: a column is a name and a
// function, and a platform's sheet is a list of columns under that platform's headings.
#include "class/marks.h"
#include "virtual-hopper/base/printable.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct row {
  const struct student *student;
  const struct outcome *outcome;
  const struct class *class;
  size_t index; // of the submission
  struct mark mark;
};

const char *const default_columns = "submission,verdict,score,max_score,exercises,name,notes";

// A name that a spreadsheet would run as a formula gets a quote before it. RFC 4180 doesn't ask for it;
// attacks with formulas do.
void grades_text(FILE *out, const char *text) {
  fputc('"', out);
  if (text[0] && strchr("=+-@\t\r", text[0])) fputc('\'', out);
  // A platform refuses the whole sheet for one byte that is not UTF-8.
  char shown[PRINTABLE_CHARACTER];
  while (*text) {
    const bool control = (unsigned char)*text < 0x20;
    if (*text == '"') fputc('"', out);
    text += printable_character(text, shown);
    fputs(control ? " " : shown, out);
  }
  fputc('"', out);
}

static void submission_cell(FILE *out, const struct row *row) {
  grades_text(out, row->student->name);
}
static void name_cell(FILE *out, const struct row *row) {
  grades_text(out, row->student->full_name);
}
static void id_cell(FILE *out, const struct row *row) {
  grades_text(out, row->student->id);
}
static void identifier_cell(FILE *out, const struct row *row) {
  char text[96];
  snprintf(text, sizeof text, "Participant %s", row->student->id);
  grades_text(out, text);
}
static void email_cell(FILE *out, const struct row *row) {
  grades_text(out, row->student->email);
}
static void empty_cell(FILE *out, const struct row *row) {
  (void)out, (void)row;
}
static void late_cell(FILE *out, const struct row *row) {
  fputs(row->student->late ? "late" : "", out);
}
static void verdict_cell(FILE *out, const struct row *row) {
  fputs(row->outcome->known ? verdict_name(lab_verdict(&row->outcome->lab))
        : row->outcome->ask ? "ask the student"
                            : "not graded",
        out);
}
static bool has_mark(const struct row *row) {
  return row->outcome->known || row->mark.given;
}
static void measured_cell(FILE *out, const struct row *row) {
  if (row->outcome->known) fprintf(out, "%g", row->mark.measured);
}
static void late_days_cell(FILE *out, const struct row *row) {
  if (row->mark.late_days) fprintf(out, "%u", row->mark.late_days);
}
static void by_hand_cell(FILE *out, const struct row *row) {
  if (row->mark.why[0]) grades_text(out, row->mark.why);
}
static void score_cell(FILE *out, const struct row *row) {
  if (has_mark(row)) fprintf(out, "%g", row->mark.points);
}
static void maximum_cell(FILE *out, const struct row *row) {
  if (has_mark(row)) fprintf(out, "%g", row->mark.maximum);
}
static void percent_cell(FILE *out, const struct row *row) {
  if (has_mark(row) && row->mark.maximum > 0)
    fprintf(out, "%.2f", 100 * row->mark.points / row->mark.maximum);
}
static void seconds_cell(FILE *out, const struct row *row) {
  if (row->outcome->known) fprintf(out, "%.1f", lab_work_seconds(&row->outcome->lab));
}

static void exercise_cells(FILE *out, const struct row *row) {
  const struct lab_config *config = &row->class->grading->config;
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

char *outcome_notes(const struct outcome *outcome, char line[OUTCOME_LINE]) {
  char *to = line;
  for (const char *note = outcome->notes; *note && to - line < OUTCOME_LINE - 3; note++) {
    if (*note != '\n')
      *to++ = *note;
    else if (note[1])
      *to++ = ';', *to++ = ' ';
  }
  *to = '\0';
  return line;
}

// The comment that a student reads in a platform's sheet: the first exercise that falls short.
void grades_feedback(FILE *out, const struct class *class, size_t index) {
  const struct outcome *outcome = &class->outcomes[index];
  const struct mark mark = mark_of(class, index);
  char text[512 + MARK_WHY] = "All exercises pass.";
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
  if (!outcome->known) snprintf(text, sizeof text, "%s", mark.given ? "" : "Not graded yet.");
  if (outcome->ask && !mark.given) {
    char line[OUTCOME_LINE];
    snprintf(text, sizeof text, "Not graded: %.300s. Please hand in again.", outcome_notes(outcome, line));
  }
  size_t length = strlen(text);
  if (mark.why[0])
    snprintf(text + length, sizeof text - length, "%sPoints: %s",
             length ? ". " + (text[length - 1] == '.') : "", mark.why);
  grades_text(out, text);
}
// Why a part of the submission was left out, if one was.
static void notes_cell(FILE *out, const struct row *row) {
  char line[OUTCOME_LINE], text[OUTCOME_LINE + MARK_WHY + 64];
  outcome_notes(row->outcome, line);
  snprintf(text, sizeof text, "%s%s%s%s", row->mark.why, row->mark.why[0] && line[0] ? "; " : "", line,
           row->outcome->stale ? "; graded before the kit or the submission changed" : "");
  grades_text(out, text[0] == ';' ? text + 2 : text);
}
static void feedback_cell(FILE *out, const struct row *row) {
  grades_feedback(out, row->class, row->index);
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
               {"measured", measured_cell},
               {"late_days", late_days_cell},
               {"by_hand", by_hand_cell},
               {"seconds", seconds_cell},
               {"exercises", exercise_cells},
               {"feedback", feedback_cell},
               {"notes", notes_cell},
               // The platforms' own headings begin with a capital:
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

int grades_check_columns(const char *list, char *error, size_t size) {
  for (const char *at = whole_list(list);; at++) {
    size_t length = strcspn(at, ",");
    if (!find_column(at, length)) {
      char known[200] = "";
      size_t end = 0;
      for (size_t i = 0; i < sizeof columns / sizeof *columns && end < sizeof known; i++)
        if (islower((unsigned char)columns[i].name[0]))
          end += (size_t)snprintf(known + end, sizeof known - end, "%s%s", i ? ", " : "", columns[i].name);
      return class_fail(error, size,
                        "--columns %s: there is no column `%.*s`; canvas, moodle, or a list of %s", list,
                        length < 40 ? (int)length : 40, at, known);
    }
    at += length;
    if (!*at) return 0;
  }
}

static void heading(FILE *out, const struct column *column, const struct lab_config *config) {
  if (strcmp(column->name, "TITLE") == 0) {
    grades_text(out, config->title);
  } else if (column->write != exercise_cells) {
    fputs(column->name, out);
  } else {
    for (unsigned i = 0; i < config->exercise_count; i++)
      fprintf(out, "%s%s,%s points", i ? "," : "", config->exercises[i].name, config->exercises[i].name);
  }
}

// Prints one line: the cells of the row, or the headings if `row` is NULL.
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

// Canvas reads the maximum from a row named Points Possible. Stages that need a GPU and had none are not part
// of it.
static void canvas_points(FILE *out, const struct class *class) {
  double most = 0;
  for (size_t i = 0; i < class->roster.count; i++) {
    double maximum = class->outcomes[i].known ? lab_score(&class->outcomes[i].lab).maximum : 0;
    if (maximum > most) most = maximum;
  }
  fprintf(out, "    Points Possible,,,,,%g\n", most);
}

struct grades {
  const struct class *class;
  const struct roster *people;
};

static int write_grades(FILE *out, const void *what) {
  const struct grades *grades = what;
  const struct class *class = grades->class;
  const char *list = whole_list(class->columns);
  line(out, list, &class->grading->config, NULL);
  if (strcmp(class->columns, "canvas") == 0) canvas_points(out, class);
  for (size_t i = 0; i < grades->people->count; i++) {
    const struct student *person = &grades->people->students[i];
    size_t index = person->submission;
    struct row row = {person, &class->outcomes[index], class, index, mark_of(class, index)};
    line(out, list, &class->grading->config, &row);
  }
  return ferror(out) ? -1 : 0;
}

int grades_save(const struct class *class, char *error, size_t size) {
  char path[PATH_MAX];
  struct roster people;
  int status = roster_people(&class->roster, &people, error, size);
  struct grades grades = {class, &people};
  class_path(class, path, "", "grades", ".csv");
  if (status == 0) status = class_write(path, false, write_grades, &grades, error, size);
  roster_free(&people);
  return status;
}
