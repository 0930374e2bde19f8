// People whom an instructor may want to write to, and what has changed since the last report.
#include "class/history.h"
#include "class/html.h"
#include "class/marks.h"
#include "class/page-parts.h"

#include <stdlib.h>
#include <string.h>

// Whether the submission has nothing that goes beyond the skeletons.
static bool is_untouched(const struct outcome *outcome) {
  if (!outcome->known) return false;
  for (size_t i = 0; i < outcome->lab.exercise_count; i++) {
    const struct exercise_record *exercise = &outcome->lab.exercises[i];
    if (!exercise->not_started && strcmp(exercise->stages[STAGE_BUILD].summary, "missing") != 0) return false;
  }
  return true;
}

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, size_t count) {
  if (count == 0) return 0;
  qsort(values, count, sizeof *values, by_size);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static bool share_before(const struct class *class, size_t index, double *share) {
  const json_t *before = history_of(class, class->roster.students[index].name);
  double maximum = json_number_value(json_object_get(before, "maximum"));
  *share = maximum > 0 ? json_number_value(json_object_get(before, "points")) / maximum : 0;
  return maximum > 0;
}

static bool share_now(const struct class *class, size_t index, double *share) {
  const struct mark mark = mark_of(class, index);
  *share = mark.maximum > 0 ? mark.points / mark.maximum : 0;
  return mark.maximum > 0;
}

// Whether somebody was at the class's median or above it in the last report and is below it now, or has
// fewer points than then.
static bool *find_fallen(const struct class *class) {
  size_t count = class->roster.count, before_count = 0, now_count = 0;
  double *before = calloc(count + 1, sizeof *before), *now = calloc(count + 1, sizeof *now), was, is;
  bool *fallen = calloc(count + 1, sizeof *fallen);
  for (size_t i = 0; before && now && i < count; i++) {
    before_count += share_before(class, i, &before[before_count]);
    now_count += share_now(class, i, &now[now_count]);
  }
  if (fallen && before && now) {
    double middle_before = median(before, before_count), middle = median(now, now_count);
    for (size_t i = 0; i < count; i++)
      fallen[i] = share_before(class, i, &was) && share_now(class, i, &is) &&
                  (is < was || (was >= middle_before && is < middle));
  }
  free(before);
  free(now);
  return fallen;
}

static void begin_list(FILE *out, size_t *shown, const char *title) {
  if ((*shown)++ == 0)
    fprintf(out, "<p><strong>%s:</strong> ", title);
  else
    fputs(", ", out);
}

void page_people(FILE *out, const struct class *class) {
  size_t untouched = 0, behind = 0;
  bool *fallen = find_fallen(class);
  fputs("<h2>Who may need a word</h2>\n", out);
  for (size_t i = 0; i < class->roster.count; i++) {
    if (!is_untouched(&class->outcomes[i])) continue;
    begin_list(out, &untouched, "Not started");
    page_link(out, &class->roster.students[i]);
  }
  if (untouched) fprintf(out, " (%zu)</p>\n", untouched);
  for (size_t i = 0; fallen && i < class->roster.count; i++) {
    if (!fallen[i]) continue;
    begin_list(out, &behind, "Fell behind since the last report");
    page_link(out, &class->roster.students[i]);
  }
  if (behind) fprintf(out, " (%zu)</p>\n", behind);
  if (!untouched && !behind) fputs("<p>Nobody.</p>\n", out);
  free(fallen);
}

void page_changes(FILE *out, const struct class *class) {
  const struct history *history = class->history;
  char when[32];
  struct tm parts;
  if (!history || !history->last) return;
  strftime(when, sizeof when, "%Y-%m-%d %H:%M", localtime_r(&history->since, &parts));
  fprintf(out, "<h2>Changed since the last report (%s)</h2>\n", when);
  if (history->count == 0) fputs("<p>Nothing.</p>\n", out);
  if (history->count > 0) fputs("<ul>\n", out);
  for (size_t i = 0; i < history->count; i++) {
    const struct change *change = &history->changes[i];
    fputs("<li>", out);
    page_link(out, &class->roster.students[change->student]);
    fprintf(out, ": %g of %g, was %g of %g: ", change->points, change->maximum, change->points_before,
            change->maximum_before);
    html_text(out, change->why);
    fputs("</li>\n", out);
  }
  if (history->count > 0) fputs("</ul>\n", out);
}
