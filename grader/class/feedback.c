// What a student gets back: a page, a text, a JSON file. The idea: all three are made from the record after
// lab_record_hide, so none of them tells more than another.
#include "class/class.h"
#include "class/html.h"
#include "class/marks.h"
#include "report/ending.h"
#include "virtual-hopper/base/printable.h"

#include <stdlib.h>
#include <string.h>

struct feedback {
  const struct student *student;
  struct lab_record lab; // after lab_record_hide
  const char *notes;
  struct mark mark;
};

static int write_page(FILE *out, const void *what) {
  const struct feedback *feedback = what;
  const struct lab_record *lab = &feedback->lab;
  char title[128], names[STUDENT_NAMES];
  snprintf(title, sizeof title, "%s: %g of %g points", lab->lab, feedback->mark.points,
           feedback->mark.maximum);
  html_begin(out, title);
  fputs("<p>", out);
  html_text(out, roster_names(feedback->student, names));
  fprintf(out, ". Graded on %s", lab->gpu ? "the " : "the virtual Hopper; bandwidth was not graded");
  if (lab->gpu) html_text(out, lab->device);
  fputs(".</p>\n", out);
  if (feedback->mark.why[0]) {
    fputs("<p>Points: ", out);
    html_text(out, feedback->mark.why);
    fputs(".</p>\n", out);
  }
  if (feedback->notes[0]) {
    fputs("<pre class=\"note\" tabindex=\"0\">", out);
    html_text(out, feedback->notes);
    fputs("</pre>\n", out);
  }
  html_verdict(out, lab, 2, NULL);
  html_end(out);
  return ferror(out) ? -1 : 0;
}

static int write_text(FILE *out, const void *what) {
  const struct feedback *feedback = what;
  struct text_style style = {.colour = false, .hint_prefix = "make hint-"};
  int status = report_text(out, &feedback->lab, &style);
  if (feedback->mark.why[0]) {
    char *why = printable_copy(feedback->mark.why);
    fprintf(out, "\nPoints that count: %g of %g. %s.\n", feedback->mark.points, feedback->mark.maximum,
            why ? why : "");
    free(why);
  }
  if (feedback->notes[0]) fputs("\nAbout what was handed in:\n", out);
  ending_indented(out, feedback->notes, 0);
  return ferror(out) ? -1 : status;
}

static int write_json(FILE *out, const void *what) {
  const struct feedback *feedback = what;
  // With the seed a student could repeat the data of hidden cases.
  json_t *json = lab_record_json(&feedback->lab);
  char *notes = printable_copy(feedback->notes);
  json_object_set_new(json, "notes", json_string(notes ? notes : ""));
  free(notes);
  json_object_del(json, "seed");
  if (feedback->mark.why[0]) {
    char *why = printable_copy(feedback->mark.why);
    json_object_set_new(json, "counts",
                        json_pack("{s:f, s:f, s:s}", "points", feedback->mark.points, "max_points",
                                  feedback->mark.maximum, "why", why ? why : ""));
    free(why);
  }
  int status = json ? json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : -1;
  json_decref(json);
  return status == 0 && fputc('\n', out) != EOF ? 0 : -1;
}

// Removes the command that repeats the run: it contains the seed, with which others may still be graded.
static void strip_seed(char *detail) {
  char *line = strstr(detail, "The same numbers again:");
  if (!line) return;
  char *end = strchr(line, '\n');
  memmove(line, end ? end + 1 : "", end ? strlen(end + 1) + 1 : 1);
}

static void strip(struct feedback *feedback) {
  // The path in the student's own kit.
  snprintf(feedback->lab.submission, sizeof feedback->lab.submission, "labs/%s", feedback->lab.lab);
  for (size_t i = 0; i < feedback->lab.exercise_count; i++)
    for (int which = 0; which < STAGE_COUNT; which++) {
      struct stage_record *stage = &feedback->lab.exercises[i].stages[which];
      if (stage->detail) strip_seed(stage->detail);
      // The detail says the same in words.
      json_decref(stage->faults);
      stage->faults = NULL;
    }
}

int feedback_save(const struct class *class, size_t index, char *error, size_t size) {
  static const struct {
    const char *ending;
    int (*write)(FILE *out, const void *what);
  } files[] = {{".html", write_page}, {".txt", write_text}, {".json", write_json}};
  struct feedback feedback = {.student = &class->roster.students[index],
                              .notes = class->outcomes[index].notes,
                              .mark = mark_of(class, index)};
  char path[PATH_MAX];
  // The copy is made by way of JSON: what is hidden from the student must stay in the instructor's record.
  json_t *json = lab_record_json(&class->outcomes[index].lab);
  int status = lab_record_from_json(json, &feedback.lab) ? 0 : class_fail(error, size, "out of memory");
  if (status == 0) lab_record_hide(&feedback.lab);
  if (status == 0) strip(&feedback);
  for (size_t i = 0; i < sizeof files / sizeof *files && status == 0; i++)
    status = class_write(class_path(class, path, "feedback", feedback.student->name, files[i].ending), false,
                         files[i].write, &feedback, error, size);
  lab_record_free(&feedback.lab);
  json_decref(json);
  return status;
}
