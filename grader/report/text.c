// The record as a student reads it: a table, then one message, about the first failure. The idea: the last
// lines say what to do next, and nothing else competes with them.
#include "report/ending.h"
#include "report/output-format.h"
#include "virtual-hopper/base/printable.h"

#include <stdarg.h>
#include <string.h>

// In columns of the terminal. WIDE: a whole line of the table.
enum { NAME_WIDTH = 23, COLUMN_WIDTH = 14, WIDE = 118 };

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

// A narrow terminal gets narrow columns, and none for the build: the other stages imply it.
static void table_line(FILE *out, const struct lab_record *lab, size_t which,
                       const struct text_style *style) {
  const struct exercise_record *exercise = &lab->exercises[which];
  bool narrow = style->width != 0 && style->width < WIDE;
  fprintf(out, "  %-*s", narrow ? NAME_WIDTH - 2 : NAME_WIDTH, exercise->name);
  if (exercise->not_started) {
    fputs("  not started\n", out);
    return;
  }
  if (!narrow) table_cell(out, "build", &exercise->stages[STAGE_BUILD], COLUMN_WIDTH);
  table_cell(out, "rules", &exercise->stages[STAGE_RULES], COLUMN_WIDTH);
  table_cell(out, "correct", &exercise->stages[STAGE_CORRECTNESS], narrow ? 11 : COLUMN_WIDTH);
  if (!lab->untimed[which])
    table_cell(out, lab->in_tflops[which] ? "speed" : "bandwidth", &exercise->stages[STAGE_BANDWIDTH],
               narrow ? 12 : COLUMN_WIDTH);
  fputs("  ", out);
  switch (exercise->verdict) {
  case VERDICT_PASS: coloured(out, style, GREEN, "passes"); break;
  case VERDICT_FAIL: coloured(out, style, RED, "falls short"); break;
  default: coloured(out, style, RED, exercise_is_unjudged(exercise) ? "not judged" : "grader error");
  }
  if (exercise->unchanged && !narrow) fputs(" (unchanged)", out);
  fputc('\n', out);
}

// Whether any exercise is timed.
static bool is_timed(const struct lab_record *lab) {
  bool timed = false;
  for (size_t i = 0; i < lab->exercise_count; i++)
    timed |= !lab->untimed[i];
  return timed;
}

// What isn't graded without a GPU: the speed of all that is timed.
static const char *speed_word(const struct lab_record *lab) {
  for (size_t i = 0; i < lab->exercise_count; i++)
    if (!lab->untimed[i] && !lab->in_tflops[i]) return "bandwidth";
  return "speed";
}

static void head(FILE *out, const struct lab_record *lab) {
  if (!lab->gpu && !is_timed(lab)) {
    fprintf(out, "%s on the virtual Hopper\n\n", lab->lab);
  } else if (lab->gpu) {
    fprintf(out, "%s on the %s\n\n", lab->lab, lab->device);
  } else {
    fprintf(out, "%s on the virtual Hopper (%s, so %s is not graded)\n\n", lab->lab, lab->device,
            speed_word(lab));
  }
}

// The exercise that the message is about: one with a grader error first, then one that was begun and fails,
// in a lab in order only if all before it pass; NULL: neither.
static const struct exercise_record *first_to_mend(const struct lab_record *lab) {
  for (size_t i = 0; i < lab->exercise_count; i++)
    if (lab->exercises[i].verdict == VERDICT_ERROR) return &lab->exercises[i];
  for (size_t i = 0; i < lab->exercise_count; i++) {
    if (lab->exercises[i].verdict != VERDICT_FAIL) continue;
    if (!lab->exercises[i].not_started) return &lab->exercises[i];
    if (lab->in_order) return NULL;
  }
  return NULL;
}

static void print_stage_message(FILE *out, const struct exercise_record *exercise,
                                const struct stage_record *stage, const struct text_style *style) {
  char line[RECORD_NAME + sizeof stage->headline + 2];
  snprintf(line, sizeof line, "%s %s", exercise->name, stage->headline);
  printable_make(line, sizeof line);
  coloured(out, style, BOLD, line);
  fputs("\n\n", out);
  if (stage->detail && stage->detail[0]) {
    ending_indented(out, stage->detail, style->width);
    fputc('\n', out);
  }
}

// What the program printed, if its results are right.
static void printed(FILE *out, const struct exercise_record *exercise, const struct text_style *style) {
  const struct stage_record *values = &exercise->stages[STAGE_CORRECTNESS];
  if (values->verdict != VERDICT_PASS || !values->detail || !values->detail[0]) return;
  ending_indented(out, values->detail, style->width);
  fputc('\n', out);
}

// The remarks on every exercise.
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
  // Without an error of its own, it is a stage that was left ungraded that makes no verdict possible.
  const bool ungraded = exercise_is_unjudged(exercise);
  for (int i = 0; i < STAGE_COUNT && ungraded && !found; i++)
    if (exercise->stages[i].verdict == VERDICT_UNGRADED) found = &exercise->stages[i];
  // If a requirement isn't met and the result is wrong, too, the message about the result helps more; it ends
  // with the requirement.
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
  if (ungraded) {
    fputs("That is not your fault, and costs no points. Have it judged again.\n", out);
    return;
  }
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

// What lab.cfg says to whoever has passed, and how far one has come.
static void steps_so_far(FILE *out, const struct lab_record *lab, size_t passed,
                         const struct text_style *style) {
  size_t last = lab->exercise_count;
  for (size_t i = 0; i < lab->exercise_count && lab->exercises[i].verdict == VERDICT_PASS; i++)
    last = i;
  size_t steps = lab->steps ? lab->steps : lab->exercise_count, done = passed + lab->others_passed;
  if (steps > 1) {
    fputs("\n  [", out);
    for (size_t i = 0; i < steps; i++)
      coloured(out, style, GREEN, i < done ? "##" : "--");
    fprintf(out, "]  %zu of %zu done\n", done, steps);
  }
  // Said once.
  if (last == lab->exercise_count || lab->exercises[last].unchanged || !lab->done[last][0]) return;
  fputc('\n', out);
  ending_indented(out, lab->done[last], style->width ? style->width : 80);
}

// The points so far, unless they are none or all exercises pass.
static void so_far(FILE *out, const struct lab_record *lab, const struct text_style *style) {
  size_t passed = 0;
  for (size_t i = 0; i < lab->exercise_count; i++)
    passed += lab->exercises[i].verdict == VERDICT_PASS;
  if (lab->in_order) {
    steps_so_far(out, lab, passed, style);
    return;
  }
  struct score score = lab_score(lab);
  if (passed == lab->exercise_count || !(score.points > 0)) return;
  fputs("\n  ", out);
  if (lab->exercise_count > 1) fprintf(out, "%zu of %zu exercises pass, ", passed, lab->exercise_count);
  fprintf(out, "%g of %g points so far\n", score.points, score.maximum);
}

// The output of each exercise, and on a GPU its bandwidth, as bars.
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

// What holds up a kernel that passes and is predicted to be too slow; of a single exercise, whatever it is.
static void predicted(FILE *out, const struct lab_record *lab, const struct text_style *style) {
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct stage_record *speed = &lab->exercises[i].stages[STAGE_BANDWIDTH];
    if (speed->verdict != VERDICT_UNGRADED || !speed->has_predicted) continue;
    if (lab->exercise_count > 1 && strstr(speed->headline, "enough for")) continue;
    print_stage_message(out, &lab->exercises[i], speed, style);
  }
}

static void all_passed(FILE *out, const struct lab_record *lab, const struct text_style *style) {
  struct score score = lab_score(lab);
  char line[128];
  bool one = lab->exercise_count == 1;
  aside(out, lab, style);
  predicted(out, lab, style);
  remarks(out, lab, style);
  snprintf(line, sizeof line, "%s", one ? "The exercise passes." : "All exercises pass.");
  coloured(out, style, GREEN, line);
  fprintf(out, " %g of %g points", score.points, score.maximum);
  if (!lab->gpu && is_timed(lab)) fprintf(out, " (without %s)", speed_word(lab));
  fprintf(out, "; %.1f s.\n", lab->seconds);
  if (!lab->hidden_cases) ending_after_pass(out, lab);
}

int report_plain_text(FILE *out, const struct lab_record *lab) {
  struct text_style style = {.colour = false, .hint_prefix = "make hint-"};
  return report_text(out, lab, &style);
}

int report_text(FILE *out, const struct lab_record *lab, const struct text_style *style) {
  head(out, lab);
  for (size_t i = 0; i < lab->exercise_count; i++)
    table_line(out, lab, i, style);
  so_far(out, lab, style);
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
