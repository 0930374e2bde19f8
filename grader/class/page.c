// report.html, for the instructor: one file with everything in it. The idea: charts are bars of a grid and rows open by themselves, so there is
// no script and nothing to fetch.
#include "class/class.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 10, MOST_RULES = 64, LISTED = 8 };

static void bar(FILE *out, const char *label, size_t count, size_t most, bool reached) {
  fprintf(out,
          "<span>%s</span><span%s><span class=\"bar\" style=\"width:%zu%%\"></span></span><span>%zu</span>\n",
          label, reached ? " class=\"reached\"" : "", most ? 100 * count / most : 0, count);
}

static void score_chart(FILE *out, const struct class *class) {
  size_t bins[BINS + 1] = {0}, most = 0;
  for (size_t i = 0; i < class->roster.count; i++) {
    if (!class->outcomes[i].known) continue;
    struct score score = lab_score(&class->outcomes[i].lab);
    double share = score.maximum > 0 ? score.points / score.maximum : 0;
    size_t bin = share >= 1 ? BINS : (size_t)(share * BINS);
    if (++bins[bin] > most) most = bins[bin];
  }
  fputs("<h2>Scores</h2>\n<div class=\"chart\">\n", out);
  for (size_t i = 0; i <= BINS; i++) {
    char label[32];
    snprintf(label, sizeof label, i == BINS ? "100 %%" : "%zu to %zu %%", i * 100 / BINS,
             (i + 1) * 100 / BINS);
    bar(out, label, bins[i], most, i == BINS);
  }
  fputs("</div>\n", out);
}

// One bar for each 0.05 of the yardstick's speed, from 0.5 on; what reaches the target is marked.
static void bandwidth_chart(FILE *out, const struct class *class, unsigned exercise) {
  const struct exercise_config *config = &class->grading->config.exercises[exercise];
  size_t bins[13] = {0}, most = 0, measured = 0;
  for (size_t i = 0; i < class->roster.count; i++) {
    const struct lab_record *lab = &class->outcomes[i].lab;
    for (size_t j = 0; class->outcomes[i].known && j < lab->exercise_count; j++) {
      const struct stage_record *stage = &lab->exercises[j].stages[STAGE_BANDWIDTH];
      if (strcmp(lab->exercises[j].name, config->name) != 0 || !stage->has_ratio) continue;
      int bin = (int)((stage->ratio - 0.5) / 0.05) + 1;
      bin = bin < 0 || stage->ratio < 0.5 ? 0 : bin > 12 ? 12 : bin;
      if (++bins[bin] > most) most = bins[bin];
      measured++;
    }
  }
  if (!measured) return;
  fprintf(out, "<h3>%s (target %.2f)</h3>\n<div class=\"chart\">\n", config->name, config->bandwidth);
  for (int i = 0; i < 13; i++) {
    char label[32];
    double low = 0.45 + 0.05 * i;
    if (i == 0)
      snprintf(label, sizeof label, "below 0.50");
    else
      snprintf(label, sizeof label, "%.2f to %.2f", low, low + 0.05);
    bar(out, label, bins[i], most, i > 0 && low + 0.05 > config->bandwidth);
  }
  fputs("</div>\n", out);
}

// The first result from a GPU; NULL: there is none.
static const struct lab_record *from_gpu(const struct class *class) {
  for (size_t i = 0; i < class->roster.count; i++)
    if (class->outcomes[i].known && class->outcomes[i].lab.gpu) return &class->outcomes[i].lab;
  return NULL;
}

static void bandwidth_charts(FILE *out, const struct class *class) {
  fputs("<h2>Bandwidth, against the yardstick on the same machine</h2>\n", out);
  if (!from_gpu(class)) {
    fputs("<p>Not graded: there was no Hopper GPU.</p>\n", out);
    return;
  }
  for (unsigned i = 0; i < class->grading->config.exercise_count; i++)
    bandwidth_chart(out, class, i);
}

// ---- rules ----

struct tally {
  const char *rule;
  size_t count; // submissions and exercises that break it
};

static void tally_rule(struct tally *tallies, size_t *count, const char *rule) {
  size_t i = 0;
  while (i < *count && strcmp(tallies[i].rule, rule) != 0)
    i++;
  if (i == *count && *count == MOST_RULES) return;
  if (i == *count) tallies[(*count)++] = (struct tally){rule, 0};
  tallies[i].count++;
}

static int by_count(const void *left, const void *right) {
  const struct tally *a = left, *b = right;
  return a->count != b->count ? (a->count < b->count) - (a->count > b->count) : strcmp(a->rule, b->rule);
}

static void rules_chart(FILE *out, const struct class *class) {
  struct tally tallies[MOST_RULES] = {0};
  size_t count = 0;
  for (size_t i = 0; i < class->roster.count; i++)
    for (size_t j = 0; class->outcomes[i].known && j < class->outcomes[i].lab.exercise_count; j++)
      for (int stage = 0; stage < STAGE_COUNT; stage++) {
        const char *rule = class->outcomes[i].lab.exercises[j].stages[stage].rule;
        if (rule[0]) tally_rule(tallies, &count, rule);
      }
  fputs("<h2>Rules broken most</h2>\n", out);
  if (!count) fputs("<p>None.</p>\n", out);
  qsort(tallies, count, sizeof *tallies, by_count);
  fputs("<div class=\"chart\">\n", out);
  for (size_t i = 0; i < count && i < 2 * LISTED; i++)
    bar(out, tallies[i].rule, tallies[i].count, tallies[0].count, false);
  fputs("</div>\n", out);
}

// ---- slowest and strangest ----

static void slowest(FILE *out, const struct class *class) {
  bool *listed = calloc(class->roster.count, sizeof *listed);
  fputs("<h2>Slowest to grade</h2>\n<ol>\n", out);
  for (int n = 0; listed && n < LISTED; n++) {
    size_t found = class->roster.count;
    for (size_t i = 0; i < class->roster.count; i++)
      if (class->outcomes[i].known && !listed[i] &&
          (found == class->roster.count ||
           class->outcomes[i].lab.seconds > class->outcomes[found].lab.seconds))
        found = i;
    if (found == class->roster.count) break;
    listed[found] = true;
    fprintf(out, "<li><a href=\"#%s\">%s</a>: %.1f s</li>\n", class->roster.students[found].name,
            class->roster.students[found].name, class->outcomes[found].lab.seconds);
  }
  fputs("</ol>\n", out);
  free(listed);
}

// Why a person should look at it; NULL: no reason.
static const char *strange(const struct outcome *outcome) {
  if (!outcome->known) return "was not graded";
  if (lab_verdict(&outcome->lab) == VERDICT_ERROR) return "the grader itself failed";
  for (size_t i = 0; i < outcome->lab.exercise_count; i++) {
    const struct stage_record *stages = outcome->lab.exercises[i].stages;
    if (stages[STAGE_BANDWIDTH].has_ratio && stages[STAGE_BANDWIDTH].ratio > 1.08)
      return "is faster than the yardstick by far";
    if (stages[STAGE_CORRECTNESS].hidden_case) return "fits the public cases only";
  }
  return outcome->notes[0] ? outcome->notes : NULL;
}

static void strangest(FILE *out, const struct class *class) {
  fputs("<h2>Worth a look</h2>\n<ul>\n", out);
  for (size_t i = 0; i < class->roster.count; i++) {
    const char *reason = strange(&class->outcomes[i]);
    if (!reason) continue;
    const char *name = class->roster.students[i].name;
    fprintf(out, "<li><a href=\"#%s\">%s</a>: ", name, name);
    html_text(out, reason);
    fputs("</li>\n", out);
  }
  fputs("</ul>\n", out);
  if (class->roster.notes) {
    fputs("<pre>", out);
    html_text(out, class->roster.notes);
    fputs("</pre>\n", out);
  }
}

// ---- rows ----

static void verdict_of(FILE *out, const struct class *class, const char *name,
                       const struct outcome *outcome) {
  struct lab_record lab = outcome->lab; // nothing in it is freed here
  snprintf(lab.submission, sizeof lab.submission, "%.800s/submissions/%s", class->output, name);
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  struct text_style style = {.colour = false, .hint_prefix = "make hint-"};
  if (stream) {
    report_text(stream, &lab, &style);
    fclose(stream);
  }
  fputs("<pre tabindex=\"0\">", out);
  html_text(out, outcome->notes);
  html_text(out, text ? text : "");
  fputs("</pre>\n", out);
  free(text);
}

static void row(FILE *out, const struct class *class, size_t index) {
  const struct student *student = &class->roster.students[index];
  const struct outcome *outcome = &class->outcomes[index];
  enum verdict verdict = outcome->known ? lab_verdict(&outcome->lab) : VERDICT_ERROR;
  struct score score = lab_score(&outcome->lab);
  fprintf(out, "<tr id=\"%s\"><td><details><summary class=\"%s\">%s", student->name, verdict_name(verdict),
          student->name);
  if (student->late) fputs(" (late)", out);
  fputs("</summary>", out);
  if (outcome->known) {
    verdict_of(out, class, student->name, outcome);
    fprintf(out, "<p><a href=\"feedback/%s.html\">the student's page</a></p>", student->name);
  }
  fputs("</details></td><td>", out);
  html_text(out, student->full_name);
  if (outcome->known)
    fprintf(out, "</td><td>%g of %g</td><td>%.1f s</td></tr>\n", score.points, score.maximum,
            outcome->lab.seconds);
  else
    fputs("</td><td>not graded</td><td></td></tr>\n", out);
}

int page_write(FILE *out, const void *what) {
  const struct class *class = what;
  const struct lab_config *config = &class->grading->config;
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>",
      out);
  html_text(out, config->title);
  fprintf(out, "</title><style>%s</style>\n<main><h1>", html_style);
  html_text(out, config->title);
  fprintf(out, "</h1>\n<p>%zu submissions (%s), graded on ", class->roster.count, class->roster.platform);
  html_text(out, from_gpu(class) ? from_gpu(class)->device : "the virtual Hopper");
  fprintf(out, ". Seed %llu repeats all numbers.</p>\n", (unsigned long long)class->seed);
  score_chart(out, class);
  bandwidth_charts(out, class);
  rules_chart(out, class);
  slowest(out, class);
  strangest(out, class);
  fputs("<h2>Submissions</h2>\n<table><tr><th>submission<th>name<th>points<th>time</tr>\n", out);
  for (size_t i = 0; i < class->roster.count; i++)
    row(out, class, i);
  fputs("</table></main></html>\n", out);
  return ferror(out) ? -1 : 0;
}
