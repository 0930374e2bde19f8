// In: a record with everything that the grader knows. Out: the record that a student may see. The idea: a
// message about a hidden case is replaced by the kind of failure, since a place, a size or a value would tell
// the case.
#include "report/record.h"

#include <stdlib.h>
#include <string.h>

static const char general[] =
    "All public cases are right, or an earlier message says which is not. What fails here is a hidden case.\n"
    "The handout allows its sizes. Try sizes just below and just above a tile, very small and very large\n"
    "sizes, and sizes that are no multiple of anything: make %LAB% runs the public cases only.\n";

static char *general_text(const char *lab) {
  const char *mark = strstr(general, "%LAB%");
  char *text;
  if (asprintf(&text, "%.*s%s%s", (int)(mark - general), general, lab, mark + 5) < 0) return NULL;
  return text;
}

static void hide_stage(struct stage_record *stage, const char *lab) {
  free(stage->for_instructors);
  if (asprintf(&stage->for_instructors, "%s\n\n%s", stage->headline, stage->detail ? stage->detail : "") < 0)
    stage->for_instructors = NULL;
  snprintf(stage->headline, sizeof stage->headline, "%s",
           stage->rule[0] ? "breaks a rule in a hidden case" : "fails in a hidden case");
  free(stage->detail);
  stage->detail = general_text(lab);
  stage->line = 0;
  json_decref(stage->faults);
  stage->faults = NULL;
}

void lab_record_hide(struct lab_record *lab) {
  for (size_t i = 0; i < lab->exercise_count; i++)
    for (int stage = 0; stage < STAGE_COUNT; stage++)
      if (lab->exercises[i].stages[stage].hidden_case) hide_stage(&lab->exercises[i].stages[stage], lab->lab);
}
