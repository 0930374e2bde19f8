// Exercises by stages. The idea: each student stands once in each line, where they stop; so the table says
// how many have come how far, and whom to help with what.
#include "class/html.h"
#include "class/page-parts.h"

#include <string.h>

void page_link(FILE *out, const struct student *student) {
  char names[STUDENT_NAMES];
  fprintf(out, "<a href=\"#%s\" title=\"%s\">", student->name, student->name);
  html_text(out, roster_names(student, names));
  fputs("</a>", out);
}

const struct exercise_record *page_exercise(const struct outcome *outcome, const char *exercise) {
  for (size_t i = 0; outcome->known && i < outcome->lab.exercise_count; i++)
    if (strcmp(outcome->lab.exercises[i].name, exercise) == 0) return &outcome->lab.exercises[i];
  return NULL;
}

int page_stop(const struct outcome *outcome, const char *exercise) {
  const struct exercise_record *record = page_exercise(outcome, exercise);
  if (!record) return STOP_ABSENT;
  if (record->not_started || strcmp(record->stages[STAGE_BUILD].summary, "missing") == 0)
    return STOP_NOT_STARTED;
  for (int stage = 0; stage < STAGE_COUNT; stage++)
    if (record->stages[stage].verdict == VERDICT_FAIL || record->stages[stage].verdict == VERDICT_ERROR)
      return stage;
  return STOP_NOWHERE;
}

// Prints how many have passed the stage, and the names of those who stop at it.
static void cell(FILE *out, const struct class *class, const char *exercise, int stop) {
  size_t further = 0, here = 0, count = class->roster.count;
  bool judged = stop < 0;
  for (size_t i = 0; i < count; i++) {
    const struct exercise_record *record = page_exercise(&class->outcomes[i], exercise);
    int at = page_stop(&class->outcomes[i], exercise);
    further += at > stop && (stop < 0 || record->stages[stop].verdict == VERDICT_PASS);
    judged |= record && stop >= 0 && record->stages[stop].verdict != VERDICT_UNGRADED;
    here += at == stop;
  }
  if (!judged && !here) {
    fputs("<td class=\"dim\">not graded</td>", out);
    return;
  }
  fprintf(out, "<td>%zu<span class=\"meter\"><span style=\"width:%zu%%\"></span></span>", further,
          count ? 100 * further / count : 0);
  if (here) {
    fprintf(out, "<details class=\"names\"><summary>%zu stop%s here</summary>", here, here == 1 ? "s" : "");
    for (size_t i = 0, shown = 0; i < count; i++) {
      if (page_stop(&class->outcomes[i], exercise) != stop) continue;
      if (shown++) fputs(", ", out);
      page_link(out, &class->roster.students[i]);
    }
    fputs("</details>", out);
  }
  fputs("</td>", out);
}

void page_stages(FILE *out, const struct class *class) {
  const struct lab_config *config = &class->grading->config;
  fputs("<h2>Exercises by stage</h2>\n<div class=\"wide\" tabindex=\"0\"><table class=\"stages\">"
        "<tr><th>exercise<th>begun<th>built<th>rules kept<th>correct<th>fast enough</tr>\n",
        out);
  for (unsigned i = 0; i < config->exercise_count; i++) {
    const char *name = config->exercises[i].name;
    size_t there = 0;
    for (size_t student = 0; student < class->roster.count; student++)
      there += page_exercise(&class->outcomes[student], name) != NULL;
    if (there == 0) continue;
    fprintf(out, "<tr><td>%s</td>", name);
    for (int stop = STOP_NOT_STARTED; stop < STAGE_COUNT; stop++)
      cell(out, class, name, stop);
    fputs("</tr>\n", out);
  }
  fputs("</table></div>\n", out);
}
