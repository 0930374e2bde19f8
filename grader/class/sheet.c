// In: a sheet and a graded class. Out: the same sheet with points, and with comments where it has a column
// for them. The idea: only those cells change, and every submission and every line that got nothing is named.
#include "class/sheet.h"

#include "class/failure.h"
#include "class/marks.h"
#include "class/match.h"
#include "virtual-hopper/base/printable.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const usual_columns[] = {"Grade", "Total Score", NULL};
static const char *const maximum_columns[] = {"Maximum Grade", "Max Points", NULL};
enum { NO_COLUMN = -1, TWO_COLUMNS = -2 };

struct filling {
  const struct class *class;
  struct csv sheet;
  struct roster people;  // everybody who handed in
  struct match *matches; // one per person
  char **replaced;       // the new bytes of each cell, or NULL
  long points, feedback, maximum, lock;
  FILE *log;
  size_t filled;
};

// "Lab 9 (1234)": Canvas adds the assignment's number to its name.
static bool is_heading(const char *text, const char *wanted) {
  size_t length = strlen(wanted);
  if (strncasecmp(text, wanted, length) != 0) return false;
  const char *rest = text + length;
  if (!*rest) return true;
  if (strncmp(rest, " (", 2) != 0) return false;
  rest += 2 + strspn(rest + 2, "0123456789");
  return rest[0] == ')' && !rest[1] && isdigit((unsigned char)rest[-1]);
}

// The column with that heading, NO_COLUMN, or TWO_COLUMNS.
static long find_column(const struct csv *sheet, const char *wanted) {
  long found = NO_COLUMN;
  char text[CSV_TEXT];
  for (size_t column = 0; column < sheet->rows[0].count; column++) {
    csv_text(sheet, &sheet->rows[0], column, text);
    if (!is_heading(text, wanted)) continue;
    if (found != NO_COLUMN) return TWO_COLUMNS;
    found = (long)column;
  }
  return found;
}

static long find_one_of(const struct csv *sheet, const char *const *names) {
  long found = NO_COLUMN;
  for (; *names && found < 0; names++)
    found = find_column(sheet, *names);
  return found;
}

static void list_headings(const struct csv *sheet, char *list, size_t size) {
  char text[CSV_TEXT];
  size_t length = 0;
  for (size_t column = 0; column < sheet->rows[0].count && length < size; column++) {
    csv_text(sheet, &sheet->rows[0], column, text);
    length += (size_t)snprintf(list + length, size - length, "%s`%.60s`", column ? ", " : "", text);
  }
}

static int find_points(struct filling *filling, const struct sheet_options *options, char *error,
                       size_t size) {
  const struct csv *sheet = &filling->sheet;
  const char *title = filling->class->grading->config.title;
  char list[400];
  if (!match_has_people(sheet)) {
    return class_fail(
        error, size,
        "%s:1: no heading says who is who: Student, ID, Identifier, Full name, Email, SID, SIS Login ID or "
        "the like",
        options->path);
  }
  filling->points = find_column(sheet, options->column ? options->column : title);
  if (!options->column && filling->points == NO_COLUMN) filling->points = find_one_of(sheet, usual_columns);
  if (filling->points >= 0) return 0;
  list_headings(sheet, list, sizeof list);
  return class_fail(error, size, "%s:1: %s column `%s` for the points: name one with --column, of %s",
                    options->path, filling->points == NO_COLUMN ? "there is no" : "there is more than one",
                    options->column ? options->column : title, list);
}

static int open_filling(struct filling *filling, const struct sheet_options *options,
                        const struct class *class, char *error, size_t size) {
  *filling = (struct filling){.class = class};
  if (csv_read(options->path, &filling->sheet, error, size) != 0) return -1;
  if (find_points(filling, options, error, size) != 0) return -1;
  filling->feedback = find_column(&filling->sheet, "Feedback comments");
  filling->lock = find_column(&filling->sheet, "Grade can be changed");
  filling->maximum = find_one_of(&filling->sheet, maximum_columns);
  if (roster_people(&class->roster, &filling->people, error, size) != 0) return -1;
  filling->matches = calloc(filling->people.count + 1, sizeof *filling->matches);
  filling->replaced = calloc(filling->sheet.cell_count, sizeof *filling->replaced);
  if (filling->matches && filling->replaced) return 0;
  return class_fail(error, size, "out of memory");
}

static void close_filling(struct filling *filling) {
  for (size_t i = 0; filling->replaced && i < filling->sheet.cell_count; i++)
    free(filling->replaced[i]);
  free(filling->replaced);
  free(filling->matches);
  roster_free(&filling->people);
  csv_free(&filling->sheet);
}

// Names come from strangers, and are printed on a terminal.
static const char *printable(char text[CSV_TEXT]) {
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20) *c = '?';
  printable_make(text, CSV_TEXT);
  return text;
}

static void row_name(const struct filling *filling, size_t row, char text[CSV_TEXT]) {
  match_row_name(&filling->sheet, row, text);
  printable(text);
}

// A number as the sheet writes numbers: with a decimal comma where semicolons separate the cells.
static char *number_cell(const struct csv *sheet, double number) {
  char *text;
  if (asprintf(&text, "%g", number) < 0) return NULL;
  char *point = strchr(text, '.');
  if (point && sheet->delimiter == ';') *point = ',';
  return text;
}

static void fill_cell(struct filling *filling, size_t row, long column, char *text) {
  size_t cell = filling->sheet.rows[row].first + (size_t)column;
  free(filling->replaced[cell]);
  filling->replaced[cell] = text;
}

static char *feedback_of(const struct class *class, size_t index) {
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  if (!stream) return NULL;
  grades_feedback(stream, class, index);
  fclose(stream);
  return text;
}

// Names the submission, and the person in a group.
static void leave_out(struct filling *filling, size_t index, const char *why) {
  const struct student *person = &filling->people.students[index];
  bool in_group = filling->class->roster.students[person->submission].partner_count > 0;
  char name[CSV_TEXT];
  snprintf(name, sizeof name, "%.160s", person->full_name);
  fprintf(filling->log, "  not filled in: %s%s%s%s: %s\n", person->name, in_group ? " (" : "",
          in_group ? printable(name) : "", in_group ? ")" : "", why);
}

// Says why a person has no line.
static void tell_unmatched(struct filling *filling, size_t person) {
  const struct match *match = &filling->matches[person];
  const struct csv_row *rows = filling->sheet.rows;
  char why[2 * CSV_TEXT + 100] = "no line of the sheet has this ID, login or name", name[CSV_TEXT];
  row_name(filling, match->row, name);
  if (match->end == MATCH_SEVERAL)
    snprintf(why, sizeof why, "lines %zu and %zu fit both", rows[match->row].line, rows[match->other].line);
  else if (match->end == MATCH_SHARED)
    snprintf(why, sizeof why, "line %zu (%s) fits %s as well", rows[match->row].line, name,
             filling->people.students[match->other].name);
  else if (match->end == MATCH_CONTRADICTS)
    snprintf(why, sizeof why, "line %zu has this ID but another name, %s: is the sheet this assignment's?",
             rows[match->row].line, name);
  leave_out(filling, person, why);
}

static void tell_replaced(const struct filling *filling, size_t row, const char *points) {
  char before[CSV_TEXT], name[CSV_TEXT];
  csv_text(&filling->sheet, &filling->sheet.rows[row], (size_t)filling->points, before);
  row_name(filling, row, name);
  if (before[0] && strtod(before, NULL) != strtod(points, NULL) && strcmp(before, "-") != 0)
    fprintf(filling->log, "  replaced: %s had %s, gets %s\n", name, printable(before), points);
}

static void fill_person(struct filling *filling, size_t person) {
  const struct class *class = filling->class;
  const size_t index = filling->people.students[person].submission;
  const struct outcome *outcome = &class->outcomes[index];
  const struct mark mark = mark_of(class, index);
  const struct match *match = &filling->matches[person];
  char text[CSV_TEXT];
  if (match->end != MATCH_FOUND) {
    tell_unmatched(filling, person);
    return;
  }
  if (!mark.given && (!outcome->known || lab_verdict(&outcome->lab) == VERDICT_ERROR)) {
    leave_out(filling, person,
              outcome->known ? "the grader itself failed"
              : outcome->ask ? "an archive is damaged: ask the student"
                             : "not graded yet");
    return;
  }
  const struct csv_row *row = &filling->sheet.rows[match->row];
  if (filling->lock >= 0) csv_text(&filling->sheet, row, (size_t)filling->lock, text);
  if (filling->lock >= 0 && strcasecmp(text, "No") == 0) {
    leave_out(filling, person, "the platform says that this grade cannot be changed");
    return;
  }
  char *points = number_cell(&filling->sheet, mark.points);
  if (!points) return;
  tell_replaced(filling, match->row, points);
  fill_cell(filling, match->row, filling->points, points);
  filling->filled++;
  if (filling->feedback < 0) return;
  csv_text(&filling->sheet, row, (size_t)filling->feedback, text);
  if (!text[0]) fill_cell(filling, match->row, filling->feedback, feedback_of(class, index));
}

// The platform's maximum; 0: the sheet doesn't have it.
static double platform_maximum(const struct filling *filling) {
  char text[CSV_TEXT];
  for (size_t row = 1; row < filling->sheet.row_count; row++) {
    long column = filling->maximum;
    match_row_name(&filling->sheet, row, text);
    if (strcasecmp(text, "Points Possible") == 0) column = filling->points;
    if (column < 0) continue;
    csv_text(&filling->sheet, &filling->sheet.rows[row], (size_t)column, text);
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    double maximum = strtod(text, NULL);
    if (maximum > 0) return maximum;
  }
  return 0;
}

static void tell_rest(const struct filling *filling) {
  char name[CSV_TEXT];
  double possible = platform_maximum(filling), most = 0;
  for (size_t i = 0; i < filling->class->roster.count; i++) {
    const struct outcome *outcome = &filling->class->outcomes[i];
    double maximum = outcome->known ? lab_score(&outcome->lab).maximum : 0;
    if (maximum > most) most = maximum;
  }
  for (size_t row = 1; row < filling->sheet.row_count; row++) {
    bool found = !match_is_person(&filling->sheet, row);
    for (size_t i = 0; i < filling->people.count && !found; i++)
      found = filling->matches[i].end != MATCH_NONE &&
              (filling->matches[i].row == row ||
               (filling->matches[i].end == MATCH_SEVERAL && filling->matches[i].other == row));
    row_name(filling, row, name);
    if (!found)
      fprintf(filling->log, "  no submission: %s (line %zu)\n", name, filling->sheet.rows[row].line);
  }
  if (possible > 0 && most > 0 && possible != most)
    fprintf(filling->log,
            "  the platform's maximum is %g, what was graded here has %g: points are filled in as they are\n",
            possible, most);
}

int sheet_check(const struct sheet_options *options, const struct class *class, char *error, size_t size) {
  struct filling filling;
  int status = open_filling(&filling, options, class, error, size);
  close_filling(&filling);
  return status;
}

int sheet_fill(const struct sheet_options *options, const struct class *class, FILE *out, FILE *log,
               char *error, size_t size) {
  struct filling filling;
  int status = open_filling(&filling, options, class, error, size);
  if (status == 0) {
    char heading[CSV_TEXT];
    filling.log = log;
    match_all(&filling.people, &filling.sheet, filling.matches);
    for (size_t i = 0; i < filling.people.count; i++)
      fill_person(&filling, i);
    csv_text(&filling.sheet, &filling.sheet.rows[0], (size_t)filling.points, heading);
    tell_rest(&filling);
    bool groups = filling.people.count > class->roster.count;
    fprintf(log, "%zu of %zu %s are in the column `%s`\n", filling.filled, filling.people.count,
            groups ? "people" : "submissions", printable(heading));
    csv_print(out, &filling.sheet, filling.replaced);
    if (ferror(out)) status = class_fail(error, size, "the sheet cannot be written: %s", strerror(errno));
  }
  close_filling(&filling);
  return status;
}
