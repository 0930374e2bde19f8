// Reads OUT/overrides.csv. In: a sheet that an instructor writes. Out: what is changed by hand, per
// submission. The idea: a slip is named with its line before anything is graded, since a change that is lost
// silently costs somebody points.
#include "class/csv.h"
#include "class/marks.h"
#include "virtual-hopper/base/printable.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum heading { SUBMISSION, EXERCISE, POINTS, LATE_DAYS, EXTENSION, COMMENT, HEADINGS };
static const char *const headings[HEADINGS] = {"submission", "exercise",  "points",
                                               "late_days",  "extension", "comment"};
enum { NO_COLUMN = -1 };

struct reader {
  struct class *class;
  char path[PATH_MAX];
  struct csv csv;
  long columns[HEADINGS];
};

static bool is_person(const char *called, const char *full_name, const char *id, const char *email) {
  return strcmp(full_name, called) == 0 || strcmp(id, called) == 0 || strcasecmp(email, called) == 0;
}

static bool is_called(const struct student *student, const char *called) {
  bool fits = is_person(called, student->full_name, student->id, student->email);
  for (size_t i = 0; i < student->partner_count; i++)
    fits |= is_person(called, student->partners[i].full_name, student->partners[i].id,
                      student->partners[i].email);
  return fits;
}

// Whether it is the folder or archive that is called so: students can't choose what a platform's are called.
static bool is_folder(const struct student *student, const char *called) {
  char stem[NAME_MAX + 1];
  return strcmp(roster_stem(student->entry, stem), called) == 0;
}

// A name that was made up for one submission may be another's folder that came later: then nobody knows who
// is meant.
size_t class_find(const struct class *class, const char *called, size_t *index) {
  size_t found = 0, folders = 0;
  const struct student *named = NULL;
  for (size_t i = 0; i < class->roster.count && called[0]; i++) {
    const struct student *student = &class->roster.students[i];
    folders += is_folder(student, called);
    if (strcmp(student->name, called) == 0) {
      named = student;
      *index = i;
    } else if (is_called(student, called)) {
      found++;
      if (!named) *index = i;
    }
  }
  if (!named) return found;
  return folders == 0 || is_folder(named, called) ? 1 : 1 + folders;
}

static int find_columns(struct reader *reader, char *error, size_t size) {
  char text[CSV_TEXT];
  for (int i = 0; i < HEADINGS; i++)
    reader->columns[i] = NO_COLUMN;
  for (size_t column = 0; column < reader->csv.rows[0].count; column++) {
    int heading = 0;
    csv_text(&reader->csv, &reader->csv.rows[0], column, text);
    while (heading < HEADINGS && strcasecmp(text, headings[heading]) != 0)
      heading++;
    if (heading == HEADINGS || reader->columns[heading] != NO_COLUMN)
      return class_fail(error, size,
                        "%s:1: `%.60s` is %s; the columns are submission, exercise, points, late_days, "
                        "extension and comment, and all but the first may be left out",
                        reader->path, text, heading == HEADINGS ? "no column of it" : "there twice");
    reader->columns[heading] = (long)column;
  }
  if (reader->columns[SUBMISSION] != NO_COLUMN) return 0;
  return class_fail(error, size, "%s:1: there is no column `submission`", reader->path);
}

static void cell(const struct reader *reader, size_t row, enum heading heading, char text[CSV_TEXT]) {
  text[0] = '\0';
  if (reader->columns[heading] != NO_COLUMN)
    csv_text(&reader->csv, &reader->csv.rows[row], (size_t)reader->columns[heading], text);
}

// Reads a number, with a decimal comma or point. `given` says whether the cell has one.
static int number(const struct reader *reader, size_t row, enum heading heading, bool *given, double *value,
                  char *error, size_t size) {
  char text[CSV_TEXT], *end;
  cell(reader, row, heading, text);
  *given = text[0] != '\0';
  if (!*given) return 0;
  char *comma = strchr(text, ',');
  if (comma) *comma = '.';
  *value = strtod(text, &end);
  bool sensible = end != text && !*end && fabs(*value) <= 1e6 && (heading == POINTS || *value >= 0);
  if (sensible) return 0;
  return class_fail(error, size, "%s:%zu: %s: `%.60s` is no %s", reader->path, reader->csv.rows[row].line,
                    headings[heading], text,
                    heading == POINTS ? "number of points, such as 12.5, +2 or -3" : "number of days");
}

static int read_exercise(const struct reader *reader, size_t row, struct override *override, char *error,
                         size_t size) {
  const struct lab_config *config = &reader->class->grading->config;
  char text[CSV_TEXT];
  cell(reader, row, EXERCISE, text);
  if (!text[0]) return 0;
  for (unsigned i = 0; i < config->exercise_count; i++)
    if (strcmp(config->exercises[i].name, text) == 0) {
      memcpy(override->exercise, config->exercises[i].name, sizeof override->exercise);
      return 0;
    }
  return class_fail(error, size, "%s:%zu: exercise: %s has no exercise `%.60s`", reader->path, override->line,
                    config->lab, text);
}

// Two lines may not say different things about the same points.
static int check_twice(const struct reader *reader, const struct override *override, char *error,
                       size_t size) {
  const struct overrides *all = &reader->class->overrides;
  for (size_t i = 0; i < all->count; i++) {
    const struct override *other = &all->list[i];
    bool points = other->has_points && override->has_points;
    bool days = (other->has_late && override->has_late) || (other->extension > 0 && override->extension > 0);
    if (other->student != override->student) continue;
    if (!days && !(points && strcmp(other->exercise, override->exercise) == 0)) continue;
    return class_fail(error, size, "%s:%zu: line %zu says so already of the same submission: leave one",
                      reader->path, override->line, other->line);
  }
  return 0;
}

static void note_nobody(struct reader *reader, size_t row, const char *called, size_t found) {
  char text[CSV_TEXT + 160];
  snprintf(text, sizeof text, "line %zu changes nothing: %s `%.200s`%s", reader->csv.rows[row].line,
           found ? "several submissions are called" : "there is no submission", called,
           found ? "; the column `submission` of grades.csv has the names, and names of folders do as well"
                 : "");
  printable_make(text, sizeof text);
  roster_note(&reader->class->roster, "overrides.csv", text);
}

static int read_row(struct reader *reader, size_t row, char *error, size_t size) {
  struct overrides *all = &reader->class->overrides;
  struct override override = {.line = reader->csv.rows[row].line};
  char called[CSV_TEXT], points[CSV_TEXT];
  bool extended;
  cell(reader, row, SUBMISSION, called);
  if (read_exercise(reader, row, &override, error, size) != 0 ||
      number(reader, row, POINTS, &override.has_points, &override.points, error, size) != 0 ||
      number(reader, row, LATE_DAYS, &override.has_late, &override.late_days, error, size) != 0 ||
      number(reader, row, EXTENSION, &extended, &override.extension, error, size) != 0)
    return -1;
  cell(reader, row, POINTS, points);
  override.added = points[0] == '+' || points[0] == '-';
  cell(reader, row, COMMENT, override.comment);
  size_t found = class_find(reader->class, called, &override.student);
  if (found != 1) {
    note_nobody(reader, row, called, found);
    return 0;
  }
  if (check_twice(reader, &override, error, size) != 0) return -1;
  struct override *more = realloc(all->list, (all->count + 1) * sizeof *more);
  if (!more) return class_fail(error, size, "out of memory");
  all->list = more;
  more[all->count++] = override;
  return 0;
}

int overrides_read(struct class *class, char *error, size_t size) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (!reader) return class_fail(error, size, "out of memory");
  reader->class = class;
  class_path(class, reader->path, "", "overrides", ".csv");
  int status = 0;
  if (access(reader->path, F_OK) == 0) {
    status = csv_read(reader->path, &reader->csv, error, size);
    if (status == 0) status = find_columns(reader, error, size);
    for (size_t row = 1; row < reader->csv.row_count && status == 0; row++)
      status = read_row(reader, row, error, size);
    csv_free(&reader->csv);
  }
  free(reader);
  return status;
}

void overrides_free(struct overrides *overrides) {
  free(overrides->list);
  *overrides = (struct overrides){0};
}
