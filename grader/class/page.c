// report.html, for the instructor: everything in one file. The idea: charts are bars in a CSS grid, and rows
// are <details> elements, so that the page needs no script and fetches nothing.
#include "class/class.h"
#include "class/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 10, MOST_RULES = 64, LISTED = 8 };

static void bar(FILE *out, const char *label, size_t count, size_t most, bool reached) {
  fprintf(out,
          "<span>%s</span><span%s><span class=\"bar\" style=\"width:%zu%%\"></span></span><span>%zu</span>\n",
          label, reached ? " class=\"reached\"" : "", most ? 100 * count / most : 0, count);
}

// The points as a part of the maximum. False if the maximum is 0: the submission was not graded, or the
// grader failed.
static bool share_of(const struct outcome *outcome, double *share) {
  if (!outcome->known) return false;
  const struct score score = lab_score(&outcome->lab);
  if (!(score.maximum > 0)) return false;
  *share = score.points / score.maximum;
  return true;
}

static void score_chart(FILE *out, const struct class *class) {
  size_t bins[BINS + 1] = {0}, most = 0;
  for (size_t i = 0; i < class->roster.count; i++) {
    double share;
    if (!share_of(&class->outcomes[i], &share)) continue;
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

enum { RATIO_BINS = 13, TARGET_BIN = 9 };

// The bar of a ratio. Each bar is 0.05 wide, one begins at the target, and the first and the last are open.
static int ratio_bin(double ratio, double target) {
  int bin = TARGET_BIN + (int)floor(fmin(fmax((ratio - target) / 0.05, -100), 100));
  if (ratio < target && bin >= TARGET_BIN) bin = TARGET_BIN - 1;
  return bin < 0 ? 0 : bin >= RATIO_BINS ? RATIO_BINS - 1 : bin;
}

static void bandwidth_bars(FILE *out, const struct exercise_config *config, const size_t bins[RATIO_BINS],
                           size_t most) {
  fprintf(out, "<h3>%s (target %.2f)</h3>\n<div class=\"chart\">\n", config->name, config->bandwidth);
  for (int i = 0; i < RATIO_BINS; i++) {
    char label[32];
    double low = config->bandwidth + 0.05 * (i - TARGET_BIN);
    if (low + 0.05 <= 0) continue; // below 0, where the target is low
    if (i == 0)
      snprintf(label, sizeof label, "below %.2f", low + 0.05);
    else if (i == RATIO_BINS - 1)
      snprintf(label, sizeof label, "from %.2f", low);
    else
      snprintf(label, sizeof label, "%.2f to %.2f", fmax(low, 0), low + 0.05);
    bar(out, label, bins[i], most, i >= TARGET_BIN);
  }
  fputs("</div>\n", out);
}

static void bandwidth_chart(FILE *out, const struct class *class, unsigned exercise) {
  const struct exercise_config *config = &class->grading->config.exercises[exercise];
  size_t bins[RATIO_BINS] = {0}, most = 0;
  for (size_t i = 0; i < class->roster.count; i++) {
    const struct lab_record *lab = &class->outcomes[i].lab;
    for (size_t j = 0; class->outcomes[i].known && j < lab->exercise_count; j++) {
      const struct stage_record *stage = &lab->exercises[j].stages[STAGE_BANDWIDTH];
      if (strcmp(lab->exercises[j].name, config->name) != 0 || !stage->has_ratio) continue;
      size_t count = ++bins[ratio_bin(stage->ratio, config->bandwidth)];
      if (count > most) most = count;
    }
  }
  if (most) bandwidth_bars(out, config, bins, most);
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
  size_t count; // exercises that break it, over all submissions
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

static void called(FILE *out, const struct student *student) {
  char names[STUDENT_NAMES];
  html_text(out, roster_names(student, names));
}

static void link_to(FILE *out, const struct student *student) {
  fprintf(out, "<li><a href=\"#%s\">", student->name);
  called(out, student);
  fputs("</a>: ", out);
}

static void slowest(FILE *out, const struct class *class) {
  bool *listed = calloc(class->roster.count, sizeof *listed);
  fputs("<h2>Slowest to grade</h2>\n<ol>\n", out);
  for (int n = 0; listed && n < LISTED; n++) {
    size_t found = class->roster.count;
    for (size_t i = 0; i < class->roster.count; i++)
      if (class->outcomes[i].known && !listed[i] &&
          (found == class->roster.count ||
           lab_work_seconds(&class->outcomes[i].lab) > lab_work_seconds(&class->outcomes[found].lab)))
        found = i;
    if (found == class->roster.count) break;
    listed[found] = true;
    link_to(out, &class->roster.students[found]);
    fprintf(out, "%.1f s</li>\n", lab_work_seconds(&class->outcomes[found].lab));
  }
  fputs("</ol>\n", out);
  free(listed);
}

// Why a person should look at the submission; NULL: no reason.
static const char *strange(const struct outcome *outcome, char notes[OUTCOME_LINE]) {
  if (!outcome->known) return "was not graded";
  bool unjudged = false, error = lab_verdict(&outcome->lab) == VERDICT_ERROR;
  for (size_t i = 0; i < outcome->lab.exercise_count; i++)
    unjudged |= exercise_is_unjudged(&outcome->lab.exercises[i]);
  if (error) return unjudged ? "was not judged: this machine was too busy" : "the grader itself failed";
  for (size_t i = 0; i < outcome->lab.exercise_count; i++) {
    const struct stage_record *stages = outcome->lab.exercises[i].stages;
    if (stages[STAGE_BANDWIDTH].has_ratio && stages[STAGE_BANDWIDTH].ratio > 1.08)
      return "is much faster than the yardstick";
    if (stages[STAGE_CORRECTNESS].hidden_case) return "fits the public cases only";
    const char *remark = json_string_value(json_array_get(outcome->lab.exercises[i].remarks, 0));
    if (remark) return remark;
  }
  return outcome->notes[0] ? outcome_notes(outcome, notes) : NULL;
}

static void strangest(FILE *out, const struct class *class) {
  size_t count = 0;
  fputs("<h2>Worth a look</h2>\n", out);
  for (size_t i = 0; i < class->roster.count; i++) {
    char notes[OUTCOME_LINE];
    const char *reason = strange(&class->outcomes[i], notes);
    if (!reason) continue;
    if (count++ == 0) fputs("<ul>\n", out);
    link_to(out, &class->roster.students[i]);
    html_text(out, reason);
    fputs("</li>\n", out);
  }
  fputs(count ? "</ul>\n" : "<p>Nothing out of the ordinary.</p>\n", out);
}

// Notes on the export as a whole, one line each.
static void about_all(FILE *out, const struct class *class) {
  const char *rest = class->roster.notes;
  if (!rest) return;
  fputs("<h2>About what was handed in</h2>\n<ul>\n", out);
  for (; *rest; rest += strcspn(rest, "\n") + 1) {
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(rest, "\n"), rest);
    fputs("<li>", out);
    html_text(out, line);
    fputs("</li>\n", out);
  }
  fputs("</ul>\n", out);
}

// ---- rows ----

// A sign and a number for each exercise, seen before the row is opened.
static void marks(FILE *out, const struct lab_record *lab) {
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *exercise = &lab->exercises[i];
    fprintf(out, "<span class=\"mark %s\" title=\"%s: %s\">%.*s</span> ",
            exercise->not_started ? "none" : html_class(exercise->verdict), exercise->name,
            exercise->not_started ? "not started" : verdict_name(exercise->verdict),
            (int)strcspn(exercise->name, "-"), exercise->name);
  }
}

static void summary(FILE *out, const struct student *student, const struct outcome *outcome) {
  enum verdict verdict = outcome->known ? lab_verdict(&outcome->lab) : VERDICT_ERROR;
  struct score score = lab_score(&outcome->lab);
  fprintf(out, "<summary><span class=\"row\"><span class=\"who\"><span class=\"%s\">", html_class(verdict));
  called(out, student);
  fprintf(out, "</span>%s</span><span class=\"file\">%s</span><span class=\"marks\">",
          student->late ? " (late)" : "", student->name);
  if (outcome->known) {
    marks(out, &outcome->lab);
    fprintf(out, "</span><span class=\"number\">%g of %g</span><span class=\"time\">%.1f s</span>",
            score.points, score.maximum, lab_work_seconds(&outcome->lab));
  } else {
    fputs("</span><span>not graded</span><span class=\"time\"></span>", out);
  }
  fputs("</span></summary>\n", out);
}

// The target of links lies inside <details>, so that a browser opens the row.
static void row(FILE *out, const struct class *class, size_t index) {
  const struct student *student = &class->roster.students[index];
  const struct outcome *outcome = &class->outcomes[index];
  const char *name = student->name;
  fputs("<details>", out);
  summary(out, student, outcome);
  fprintf(out, "<div class=\"verdict\" id=\"%s\">\n", name);
  if (outcome->notes[0]) {
    fputs("<pre class=\"note\" tabindex=\"0\">", out);
    html_text(out, outcome->notes);
    fputs("</pre>\n", out);
  }
  if (outcome->known) {
    html_verdict(out, &outcome->lab, 3);
    fprintf(out,
            "<p><a href=\"feedback/%s.html\">The student's page</a>, <a href=\"results/%s.json\">the whole "
            "result</a>, "
            "<a href=\"submissions/%s/\">the files</a></p>\n",
            name, name, name);
  }
  if (!outcome->known || lab_verdict(&outcome->lab) == VERDICT_ERROR)
    fprintf(out, "<p><a href=\"logs/%s.log\">What the grader had to say</a></p>\n", name);
  fputs("</div></details>\n", out);
}

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

// How many passed, and the median score.
static void in_short(FILE *out, const struct class *class) {
  size_t passed = 0, failed = 0, graded = 0, count = class->roster.count;
  double *shares = calloc(count, sizeof *shares);
  for (size_t i = 0; i < count && shares; i++) {
    if (!class->outcomes[i].known) continue;
    enum verdict verdict = lab_verdict(&class->outcomes[i].lab);
    passed += verdict == VERDICT_PASS;
    failed += verdict == VERDICT_FAIL;
    graded += share_of(&class->outcomes[i], &shares[graded]);
  }
  fprintf(out, "<p>%zu passed, %zu fell short", passed, failed);
  if (passed + failed < count) fprintf(out, ", %zu with grader errors", count - passed - failed);
  if (graded) {
    qsort(shares, graded, sizeof *shares, by_size);
    fprintf(out, "; median %.0f %%", 50 * (shares[(graded - 1) / 2] + shares[graded / 2]));
  }
  fputs(".</p>\n", out);
  free(shares);
}

void page_print(FILE *out, const struct class *class) {
  html_begin(out, class->grading->config.title);
  fprintf(out, "<p>%zu submission%s (%s), graded on ", class->roster.count,
          class->roster.count == 1 ? "" : "s", class->roster.platform);
  html_text(out, from_gpu(class) ? from_gpu(class)->device : "the virtual Hopper");
  fprintf(out, ". Seed %llu repeats all numbers.</p>\n", (unsigned long long)class->seed);
  in_short(out, class);
  score_chart(out, class);
  bandwidth_charts(out, class);
  rules_chart(out, class);
  slowest(out, class);
  strangest(out, class);
  about_all(out, class);
  fputs(
      "<h2>Submissions</h2>\n<div class=\"row head\"><span>name</span><span class=\"file\">submission</span>"
      "<span class=\"marks\">exercises</span><span>points</span><span class=\"time\">time</span></div>\n",
      out);
  for (size_t i = 0; i < class->roster.count; i++)
    row(out, class, i);
  html_end(out);
}

static int write_page(FILE *out, const void *class) {
  page_print(out, class);
  return ferror(out) ? -1 : 0;
}

int page_save(const struct class *class, char *error, size_t size) {
  char path[PATH_MAX];
  class_path(class, path, "", "report", ".html");
  return class_write(path, false, write_page, class, error, size);
}
