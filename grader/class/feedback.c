// What a student gets back: a page, a text, a JSON file. The idea: all three are made from the record after lab_record_hide, so that none
// can say more than another.
#include "class/class.h"

#include "report/whole-file.h"

#include <stdlib.h>
#include <string.h>

const char html_style[] =
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:66rem;margin:1rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #8884;vertical-align:top}"
    "pre{overflow-x:auto;background:#8881;padding:.7rem;border-left:4px solid #888}.pass::before{content:\"\\2713  \";color:#2a8a2a}"
    ".fail::before{content:\"\\2717  \";color:#c33}.error::before{content:\"!  \";color:#c60}"
    ".bar{background:#47a;color:#fff;display:block;height:1.1rem;min-width:1px}.chart{display:grid;grid-template-columns:8rem 1fr 4rem;gap:2px .6rem}"
    ".reached .bar{background:#2a8a2a}summary{cursor:pointer}.note{opacity:.8}";

void html_text(FILE *out, const char *text) {
  for (; *text; text++) {
    switch (*text) {
    case '&': fputs("&amp;", out); break;
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '"': fputs("&quot;", out); break;
    default:
      // Names and compilers' messages may be in any encoding; only ASCII is the same in all.
      fputc((unsigned char)*text >= 0x80 || ((unsigned char)*text < 0x20 && *text != '\n' && *text != '\t')
                ? '?'
                : *text,
            out);
    }
  }
}

static const char *class_of(enum verdict verdict) {
  return verdict == VERDICT_PASS    ? "pass"
         : verdict == VERDICT_FAIL  ? "fail"
         : verdict == VERDICT_ERROR ? "error"
                                    : "none";
}

static void stage_section(FILE *out, const struct stage_record *stage, enum stage which) {
  if (stage->verdict == VERDICT_PASS && !(stage->detail && stage->detail[0])) return;
  if (stage->verdict == VERDICT_NOT_REACHED) return;
  fprintf(out, "<h3 class=\"%s\">%s: ", class_of(stage->verdict), stage_name(which));
  html_text(out, stage->headline);
  fputs("</h3>\n", out);
  if (stage->detail && stage->detail[0]) {
    fputs("<pre tabindex=\"0\">", out);
    html_text(out, stage->detail);
    fputs("</pre>\n", out);
  }
  if (stage->rule[0]) fprintf(out, "<p>More about it: <code>make explain RULE=%s</code></p>\n", stage->rule);
}

static void exercise_section(FILE *out, const struct exercise_record *exercise) {
  fprintf(out, "<h2 class=\"%s\">%s</h2>\n", class_of(exercise->verdict), exercise->name);
  if (exercise->not_started) {
    fputs("<p>Not started: the file is as it was handed out.</p>\n", out);
    return;
  }
  for (int stage = 0; stage < STAGE_COUNT; stage++)
    stage_section(out, &exercise->stages[stage], (enum stage)stage);
}

static void exercise_row(FILE *out, const struct exercise_record *exercise) {
  struct score score = exercise_score(exercise);
  fprintf(out, "<tr><td class=\"%s\">%s</td>", class_of(exercise->verdict), exercise->name);
  for (int stage = 0; stage < STAGE_COUNT; stage++) {
    fputs("<td>", out);
    html_text(out, exercise->not_started ? "" : exercise->stages[stage].summary);
    fputs("</td>", out);
  }
  fprintf(out, "<td>%g of %g</td></tr>\n", score.points, score.maximum);
}

struct feedback {
  const struct student *student;
  struct lab_record lab; // after lab_record_hide
  const char *notes;
};

static int write_page(FILE *out, const void *what) {
  const struct feedback *feedback = what;
  const struct lab_record *lab = &feedback->lab;
  struct score score = lab_score(lab);
  fprintf(
      out,
      "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
      "<title>%s: %g of %g points</title><style>%s</style>\n<main><h1>%s: %g of %g points</h1>\n<p>",
      lab->lab, score.points, score.maximum, html_style, lab->lab, score.points, score.maximum);
  html_text(out, feedback->student->full_name);
  fprintf(out, ". Graded on %s", lab->gpu ? "the " : "the virtual Hopper; bandwidth was not graded");
  if (lab->gpu) html_text(out, lab->device);
  fputs(".</p>\n", out);
  if (feedback->notes[0]) {
    fputs("<pre class=\"note\">", out);
    html_text(out, feedback->notes);
    fputs("</pre>\n", out);
  }
  fputs("<table><tr><th>exercise<th>build<th>rules<th>correctness<th>bandwidth<th>points</tr>\n", out);
  for (size_t i = 0; i < lab->exercise_count; i++)
    exercise_row(out, &lab->exercises[i]);
  fputs("</table>\n", out);
  for (size_t i = 0; i < lab->exercise_count; i++)
    exercise_section(out, &lab->exercises[i]);
  fputs("</main></html>\n", out);
  return ferror(out) ? -1 : 0;
}

static int write_text(FILE *out, const void *what) {
  struct text_style style = {.colour = false, .hint_prefix = "make hint-"};
  return report_text(out, &((const struct feedback *)what)->lab, &style);
}

static int write_json(FILE *out, const void *what) {
  // The seed would give a student the data of hidden cases.
  json_t *json = lab_record_json(&((const struct feedback *)what)->lab);
  json_object_del(json, "seed");
  int status = json ? json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : -1;
  json_decref(json);
  return status == 0 && fputc('\n', out) != EOF ? 0 : -1;
}

// The command that repeats the instructor's numbers: it tells a seed that others may be graded with yet.
static void strip_seed(char *detail) {
  char *line = strstr(detail, "The same numbers again:");
  if (!line) return;
  char *end = strchr(line, '\n');
  memmove(line, end ? end + 1 : "", end ? strlen(end + 1) + 1 : 1);
}

// A student has no use for the places where the instructor keeps submissions.
static void strip_places(const struct class *class, struct feedback *feedback) {
  char path[PATH_MAX], absolute[PATH_MAX];
  // Where the file lies in the student's own kit.
  snprintf(feedback->lab.submission, sizeof feedback->lab.submission, "labs/%s", feedback->lab.lab);
  class_path(class, path, "submissions", feedback->student->name, "");
  if (!realpath(path, absolute)) snprintf(absolute, sizeof absolute, "%s", path);
  for (size_t i = 0; i < feedback->lab.exercise_count; i++)
    for (int which = 0; which < STAGE_COUNT; which++) {
      struct stage_record *stage = &feedback->lab.exercises[i].stages[which];
      if (stage->detail) strip_seed(stage->detail);
      if (stage->detail) kit_strip_prefix(stage->detail, absolute);
      if (stage->detail) kit_strip_prefix(stage->detail, path);
      json_decref(stage->faults); // the detail says the same in words
      stage->faults = NULL;
    }
}

int feedback_write(const struct class *class, size_t index) {
  static const struct {
    const char *ending;
    int (*write)(FILE *out, const void *what);
  } files[] = {{".html", write_page}, {".txt", write_text}, {".json", write_json}};
  struct feedback feedback = {.student = &class->roster.students[index],
                              .notes = class->outcomes[index].notes};
  char path[PATH_MAX];
  // A copy by way of JSON: what is hidden from students must stay in the instructor's record.
  json_t *json = lab_record_json(&class->outcomes[index].lab);
  int status = lab_record_from_json(json, &feedback.lab) ? 0 : -1;
  if (status == 0) lab_record_hide(&feedback.lab);
  if (status == 0) strip_places(class, &feedback);
  for (size_t i = 0; i < sizeof files / sizeof *files && status == 0; i++)
    status = whole_file_write(class_path(class, path, "feedback", feedback.student->name, files[i].ending),
                              false, files[i].write, &feedback);
  lab_record_free(&feedback.lab);
  json_decref(json);
  return status;
}
