// The record as a student reads it: a table, then one message, for the first thing that falls short. The idea: what to do next
// stands in the last lines, and nothing else competes with it.
#include "report/ending.h"
#include "report/record.h"

#include <stdarg.h>
#include <string.h>

enum { NAME_WIDTH = 23, COLUMN_WIDTH = 14, WIDE = 118 }; // WIDE: columns that a whole line of the table takes

static const char *const GREEN = "\033[32m", *const RED = "\033[31m", *const BOLD = "\033[1m",
                         *const PLAIN = "\033[0m";

static void coloured(FILE *out, const struct text_style *style, const char *colour, const char *text) {
  if (style->colour) {
    fprintf(out, "%s%s%s", colour, text, PLAIN);
  } else {
    fputs(text, out);
  }
}

static void table_cell(FILE *out, const char *word, const struct stage_record *stage, int width) {
  char cell[64];
  const char *summary = stage->summary[0] ? stage->summary : stage->verdict == VERDICT_ERROR ? "error" : "--";
  snprintf(cell, sizeof cell, "%s %s", word, summary);
  fprintf(out, "  %-*s", width, cell);
}

// A narrow terminal gets narrow columns, and no word on builds, which the others imply.
static void table_line(FILE *out, const struct exercise_record *exercise, const struct text_style *style) {
  bool narrow = style->width != 0 && style->width < WIDE;
  fprintf(out, "  %-*s", narrow ? NAME_WIDTH - 2 : NAME_WIDTH, exercise->name);
  if (exercise->not_started) {
    fputs("  not started\n", out);
    return;
  }
  if (!narrow) table_cell(out, "build", &exercise->stages[STAGE_BUILD], COLUMN_WIDTH);
  table_cell(out, "rules", &exercise->stages[STAGE_RULES], COLUMN_WIDTH);
  table_cell(out, "correct", &exercise->stages[STAGE_CORRECTNESS], narrow ? 11 : COLUMN_WIDTH);
  table_cell(out, "bandwidth", &exercise->stages[STAGE_BANDWIDTH], narrow ? 12 : COLUMN_WIDTH);
  fputs("  ", out);
  switch (exercise->verdict) {
  case VERDICT_PASS: coloured(out, style, GREEN, "passes"); break;
  case VERDICT_FAIL: coloured(out, style, RED, "falls short"); break;
  default: coloured(out, style, RED, "grader error");
  }
  if (exercise->unchanged && !narrow) fputs(" (unchanged)", out);
  fputc('\n', out);
}

static void head(FILE *out, const struct lab_record *lab) {
  if (lab->gpu) {
    fprintf(out, "%s on the %s\n\n", lab->lab, lab->device);
  } else {
    fprintf(out, "%s on the virtual Hopper (%s, so bandwidth is not graded)\n\n", lab->lab, lab->device);
  }
}

// Errors of ours first, since they overshadow all; then what has been begun; NULL: nothing of the kind.
static const struct exercise_record *first_to_mend(const struct lab_record *lab) {
  for (size_t i = 0; i < lab->exercise_count; i++)
    if (lab->exercises[i].verdict == VERDICT_ERROR) return &lab->exercises[i];
  for (size_t i = 0; i < lab->exercise_count; i++)
    if (lab->exercises[i].verdict == VERDICT_FAIL && !lab->exercises[i].not_started)
      return &lab->exercises[i];
  return NULL;
}

static void print_stage_message(FILE *out, const struct exercise_record *exercise,
                                const struct stage_record *stage, const struct text_style *style) {
  char line[RECORD_NAME + sizeof stage->headline + 2];
  snprintf(line, sizeof line, "%s %s", exercise->name, stage->headline);
  coloured(out, style, BOLD, line);
  fputs("\n\n", out);
  if (stage->detail && stage->detail[0]) {
    ending_indented(out, stage->detail, style->width);
    fputc('\n', out);
  }
}

// What the program printed though its results are right.
static void printed(FILE *out, const struct exercise_record *exercise, const struct text_style *style) {
  const struct stage_record *values = &exercise->stages[STAGE_CORRECTNESS];
  if (values->verdict != VERDICT_PASS || !values->detail || !values->detail[0]) return;
  ending_indented(out, values->detail, style->width);
  fputc('\n', out);
}

// What was noticed of any exercise besides its verdict.
static void remarks(FILE *out, const struct lab_record *lab, const struct text_style *style) {
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const json_t *all = lab->exercises[i].remarks;
    for (size_t k = 0; k < json_array_size(all); k++) {
      char line[1024];
      const bool one = lab->exercise_count == 1;
      snprintf(line, sizeof line, "Noticed%s%s: %s\n", one ? "" : " in ", one ? "" : lab->exercises[i].name,
               json_string_value(json_array_get(all, k)));
      ending_indented(out, line, style->width);
      fputc('\n', out);
    }
  }
}

static void message(FILE *out, const struct lab_record *lab, const struct exercise_record *exercise,
                    const struct text_style *style) {
  const struct stage_record *found = NULL;
  enum verdict wanted = exercise->verdict;
  for (int i = 0; i < STAGE_COUNT && !found; i++)
    if (exercise->stages[i].verdict == wanted) found = &exercise->stages[i];
  // Where a requirement isn't met and the result is wrong, too, that message helps more, and says at its end what is asked for.
  const struct stage_record *values = &exercise->stages[STAGE_CORRECTNESS];
  if (found && found->unmet && values->verdict == VERDICT_FAIL) found = values;
  if (!found || !found->headline[0]) {
    fprintf(out, "%s could not be judged: the grader failed and left no reason. This is not your fault.\n",
            exercise->name);
    return;
  }
  print_stage_message(out, exercise, found, style);
  if (found == &exercise->stages[STAGE_RULES] && !found->rule[0]) printed(out, exercise, style);
  remarks(out, lab, style);
  if (wanted == VERDICT_ERROR) {
    fputs("This is the grader's fault, not yours, and costs no points. Tell your instructor.\n", out);
    return;
  }
  if (found->rule[0]) fprintf(out, "More about it: make explain RULE=%s      ", found->rule);
  fputs("A hint: ", out);
  ending_target(out, style->hint_prefix, lab, exercise);
  fputs("\n\n", out);
  ending_print(out, lab, exercise, found);
}

static void what_to_begin(FILE *out, const struct lab_record *lab, const struct text_style *style) {
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *exercise = &lab->exercises[i];
    if (!exercise->not_started) continue;
    coloured(out, style, BOLD, exercise->name);
    fprintf(out, " comes next: fill in the TODO regions of %s/%s.cu\n", lab->submission, exercise->name);
    fprintf(out, "\n  labs/%s/README.md says what it is about. ", lab->lab);
    ending_target(out, "make watch-", lab, exercise);
    fputs(" checks it whenever you save.\n\n", out);
    fputs("A hint: ", out);
    ending_target(out, style->hint_prefix, lab, exercise);
    fputs("\n\n", out);
    ending_print(out, lab, exercise, NULL);
    return;
  }
}

// How far it has come, where that is neither nothing nor all.
static void so_far(FILE *out, const struct lab_record *lab) {
  size_t passed = 0;
  for (size_t i = 0; i < lab->exercise_count; i++)
    passed += lab->exercises[i].verdict == VERDICT_PASS;
  struct score score = lab_score(lab);
  if (passed == lab->exercise_count || !(score.points > 0)) return;
  fputs("\n  ", out);
  if (lab->exercise_count > 1) fprintf(out, "%zu of %zu exercises pass, ", passed, lab->exercise_count);
  fprintf(out, "%g of %g points so far\n", score.points, score.maximum);
}

// Each exercise's output, and on a GPU its speed, as bars.
static void aside(FILE *out, const struct lab_record *lab, const struct text_style *style) {
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *exercise = &lab->exercises[i];
    const struct stage_record *speed = &exercise->stages[STAGE_BANDWIDTH];
    const struct stage_record *values = &exercise->stages[STAGE_CORRECTNESS];
    if (lab->exercise_count > 1 && values->detail && values->detail[0])
      fprintf(out, "%s\n\n", exercise->name);
    printed(out, exercise, style);
    if (speed->verdict == VERDICT_PASS && speed->detail) print_stage_message(out, exercise, speed, style);
  }
}

static void all_passed(FILE *out, const struct lab_record *lab, const struct text_style *style) {
  struct score score = lab_score(lab);
  char line[128];
  bool one = lab->exercise_count == 1;
  aside(out, lab, style);
  remarks(out, lab, style);
  snprintf(line, sizeof line, "%s", one ? "The exercise passes." : "All exercises pass.");
  coloured(out, style, GREEN, line);
  fprintf(out, " %g of %g points%s; %.1f s.\n", score.points, score.maximum,
          lab->gpu ? "" : " (without bandwidth)", lab->seconds);
  if (!lab->hidden_cases) ending_after_pass(out, lab);
}

int report_text(FILE *out, const struct lab_record *lab, const struct text_style *style) {
  head(out, lab);
  for (size_t i = 0; i < lab->exercise_count; i++)
    table_line(out, &lab->exercises[i], style);
  so_far(out, lab);
  fputc('\n', out);
  const struct exercise_record *to_mend = first_to_mend(lab);
  if (to_mend) {
    message(out, lab, to_mend, style);
  } else if (lab_verdict(lab) == VERDICT_PASS) {
    all_passed(out, lab, style);
  } else {
    what_to_begin(out, lab, style);
  }
  return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
