// The record for Gradescope (results.json), JUnit (XML) and Autolab (the last line). The idea: one test per
// graded stage of an exercise, each with the text that the student sees.
#include "report/output-format.h"
#include "virtual-hopper/base/printable.h"

#include <stdlib.h>
#include <string.h>

// The headline, then the detail. malloc'ed.
static char *stage_text(const struct stage_record *stage) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  fprintf(stream, "%s%s%s", stage->headline, stage->headline[0] ? "\n\n" : "",
          stage->detail ? stage->detail : "");
  fclose(stream);
  char *shown = printable_copy(text);
  free(text);
  return shown;
}

// ---- Gradescope ----

static json_t *gradescope_test(const struct exercise_record *exercise, int which) {
  const struct stage_record *stage = &exercise->stages[which];
  char name[128], *text = stage_text(stage);
  snprintf(name, sizeof name, "%s: %s", exercise->name, stage_name((enum stage)which));
  bool passed = stage->verdict == VERDICT_PASS;
  // After a grader error, the stages judged before it are shown, and count for nothing.
  bool counts = exercise->verdict != VERDICT_ERROR;
  json_t *json =
      json_pack("{s:s, s:f, s:f, s:s, s:s, s:s}", "name", name, "score", counts ? stage_points(stage) : 0.0,
                "max_score", counts ? stage->max_points : 0.0, "status", passed ? "passed" : "failed",
                "output", text ? text : "", "output_format", "text");
  free(text);
  return json;
}

// A message for instructors alone: a hidden test without points.
static json_t *gradescope_hidden_test(const struct exercise_record *exercise, const char *what,
                                      const char *said) {
  char name[128];
  snprintf(name, sizeof name, "%s: %s", exercise->name, what);
  char *text = printable_copy(said);
  json_t *json =
      json_pack("{s:s, s:f, s:f, s:s, s:s, s:s, s:s}", "name", name, "score", 0.0, "max_score", 0.0, "status",
                "failed", "output", text ? text : "", "output_format", "text", "visibility", "hidden");
  free(text);
  return json;
}

// The measured bandwidths, as ratios to the yardstick's; an empty array if none was measured.
static json_t *gradescope_leaderboard(const struct lab_record *lab) {
  json_t *board = json_array();
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct stage_record *stage = &lab->exercises[i].stages[STAGE_BANDWIDTH];
    if (!stage->has_ratio || stage->verdict == VERDICT_ERROR) continue;
    json_array_append_new(board,
                          json_pack("{s:s, s:f}", "name", lab->exercises[i].name, "value", stage->ratio));
    sum += stage->ratio;
    count++;
  }
  if (count)
    json_array_insert_new(
        board, 0,
        json_pack("{s:s, s:f, s:s}", "name", "bandwidth", "value", sum / (double)count, "order", "desc"));
  return board;
}

static bool graded(const struct stage_record *stage) {
  return stage->verdict == VERDICT_PASS || stage->verdict == VERDICT_FAIL ||
         stage->verdict == VERDICT_NOT_REACHED;
}

int report_gradescope(FILE *out, const struct lab_record *lab) {
  json_t *tests = json_array();
  char output[1024];
  enum verdict verdict = lab_verdict(lab);
  snprintf(output, sizeof output, "%s on %s%s%s", lab->lab, lab->gpu ? lab->device : "the virtual Hopper",
           lab->gpu ? "" : "; bandwidth is not graded",
           verdict == VERDICT_ERROR
               ? ". The grader itself failed in part: what it could not judge counts for nothing. Tell your "
                 "instructor."
               : "");
  for (size_t i = 0; i < lab->exercise_count; i++)
    for (int stage = 0; stage < STAGE_COUNT; stage++)
      if (graded(&lab->exercises[i].stages[stage]))
        json_array_append_new(tests, gradescope_test(&lab->exercises[i], stage));
  for (size_t i = 0; i < lab->exercise_count; i++)
    for (int stage = 0; stage < STAGE_COUNT; stage++)
      if (lab->exercises[i].stages[stage].for_instructors)
        json_array_append_new(tests, gradescope_hidden_test(&lab->exercises[i], "the hidden case",
                                                            lab->exercises[i].stages[stage].for_instructors));
  for (size_t i = 0; i < lab->exercise_count; i++)
    for (size_t k = 0; k < json_array_size(lab->exercises[i].remarks); k++)
      json_array_append_new(
          tests, gradescope_hidden_test(&lab->exercises[i], "noticed",
                                        json_string_value(json_array_get(lab->exercises[i].remarks, k))));
  struct score score = lab_score(lab);
  return report_dump(out,
                     json_pack("{s:f, s:f, s:s, s:s, s:s, s:s, s:o, s:o, s:{s:f}}", "score", score.points,
                               "execution_time", lab->seconds, "output", output, "output_format", "text",
                               "visibility", "visible", "stdout_visibility", "hidden", "tests", tests,
                               "leaderboard", gradescope_leaderboard(lab), "extra_data", "max_score",
                               score.maximum),
                     JSON_INDENT(2) | JSON_REAL_PRECISION(9));
}

// ---- JUnit ----

// Prints text for attributes and between tags. What is no character of XML (XML 1.0, 2.2) may not even be
// referred to; it is shown in another way.
static void xml_text(FILE *out, const char *text) {
  char shown[PRINTABLE_CHARACTER];
  while (*text) {
    text += printable_character(text, shown);
    switch (shown[0]) {
    case '&': fputs("&amp;", out); break;
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '"': fputs("&quot;", out); break;
    case '\n': fputs("&#10;", out); break;
    case '\t': fputs("&#9;", out); break;
    default: fputs(shown, out);
    }
  }
}

static void junit_case(FILE *out, const struct exercise_record *exercise, int which) {
  const struct stage_record *stage = &exercise->stages[which];
  fputs("    <testcase classname=\"", out);
  xml_text(out, exercise->name);
  fprintf(out, "\" name=\"%s\"", stage_name((enum stage)which));
  if (stage->verdict == VERDICT_PASS) {
    fputs("/>\n", out);
    return;
  }
  const char *element = stage->verdict == VERDICT_FAIL    ? "failure"
                        : stage->verdict == VERDICT_ERROR ? "error"
                                                          : "skipped";
  char *text = stage_text(stage);
  fprintf(out, ">\n      <%s message=\"", element);
  xml_text(out, stage->headline);
  fputs("\">", out);
  xml_text(out, text ? text : "");
  fprintf(out, "</%s>\n    </testcase>\n", element);
  free(text);
}

int report_junit(FILE *out, const struct lab_record *lab) {
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *exercise = &lab->exercises[i];
    int failures = 0, errors = 0, skipped = 0;
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
      enum verdict verdict = exercise->stages[stage].verdict;
      failures += verdict == VERDICT_FAIL;
      errors += verdict == VERDICT_ERROR;
      skipped += verdict == VERDICT_UNGRADED || verdict == VERDICT_NOT_REACHED;
    }
    fprintf(out, "  <testsuite name=\"%s/", lab->lab);
    xml_text(out, exercise->name);
    fprintf(out, "\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n", STAGE_COUNT,
            failures, errors, skipped, exercise->seconds);
    for (int stage = 0; stage < STAGE_COUNT; stage++)
      junit_case(out, exercise, stage);
    fputs("  </testsuite>\n", out);
  }
  fputs("</testsuites>\n", out);
  return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

// ---- Autolab: free text, then one line of scores ----

int report_autolab(FILE *out, const struct lab_record *lab) {
  if (report_plain_text(out, lab) != 0) return -1;
  json_t *scores = json_object();
  for (size_t i = 0; i < lab->exercise_count; i++)
    json_object_set_new(scores, lab->exercises[i].name, json_real(exercise_score(&lab->exercises[i]).points));
  return report_dump(out, json_pack("{s:o, s:[f]}", "scores", scores, "scoreboard", lab_score(lab).points),
                     JSON_COMPACT | JSON_REAL_PRECISION(9) | JSON_PRESERVE_ORDER);
}
