// Stage 2: rules and requirements, from the evidence that all runs on the virtual Hopper have given. Out:
// pass, or the first broken rule, or else the first unmet requirement. The idea: this stage doesn't judge
// whether results are right; the same runs say that to the next one.
#include "referee/diagnostics.h"
#include "referee/evidence.h"
#include "referee/source-line.h"
#include "report/plain-file.h"

#include <stdlib.h>
#include <string.h>

void stage_take(const struct task *task, enum stage which, const char *summary,
                const struct case_result *result) {
  static const enum verdict verdicts[] = {
      [CASE_ERROR] = VERDICT_ERROR, [CASE_WRONG] = VERDICT_FAIL, [CASE_UNJUDGED] = VERDICT_UNGRADED};
  const enum verdict verdict = verdicts[result->verdict];
  const char *shown = verdict == VERDICT_ERROR ? "error" : verdict == VERDICT_UNGRADED ? "--" : summary;
  struct stage_record *stage = task_conclude(task, which, verdict, shown, "%s", result->headline);
  stage_detail(stage, "%s", result->detail ? result->detail : "");
  snprintf(stage->rule, sizeof stage->rule, "%s", result->rule);
  json_decref(stage->faults);
  stage->faults = json_incref(result->faults);
  stage->line = result->line;
  stage->is_guess = result->is_guess;
}

// Whether a barrier of lab.cfg is the one that a fault names: "full[0]", or "line 59", whose initialisation
// names it then.
static bool is_barrier(const struct task *task, const char *barrier, const char *missing) {
  const size_t length = strlen(barrier);
  if (strncmp(missing, "line ", 5) == 0)
    return source_line_has_word(task, (unsigned)strtoul(missing + 5, NULL, 10), barrier);
  return strncmp(missing, barrier, length) == 0 && (!missing[length] || missing[length] == '[');
}

// The step in which something is missing for the barrier that the fault names; 0: it isn't known.
static unsigned missing_step(const struct task *task, const json_t *fault) {
  const char *name = json_string_value(json_object_get(fault, "missing"));
  for (unsigned i = 0; name && i < task->config->barrier_count; i++) {
    const struct barrier_steps *barrier = &task->config->barriers[i];
    if (!is_barrier(task, barrier->name, name)) continue;
    return json_is_true(json_object_get(fault, "again")) ? barrier->again : barrier->step;
  }
  return 0;
}

static void conclude_broken(const struct task *task, const struct case_evidence *found, bool hidden) {
  const struct case_result *result = &found->broken;
  char summary[32] = "failed", sizes[160];
  if (result->fault_count) snprintf(summary, sizeof summary, "%zu broken", result->fault_count);
  stage_take(task, STAGE_RULES, summary, result);
  struct stage_record *stage = &task->record->stages[STAGE_RULES];
  stage->hidden_case = hidden;
  const json_t *fault = json_array_get(stage->faults, 0);
  if (json_object_get(fault, "missing")) stage->line = source_line_of_step(task, missing_step(task, fault));
  exercise_describe_sizes(&found->instance, sizes, sizeof sizes);
  if (!result->names_case)
    stage_detail(stage, "\nIn the case \"%s\": %s\n", hidden ? "hidden" : found->instance.the_case.name,
                 sizes);
}

// "1-reduce.cu:41    sums[i] = sum;": a line of the submission, as reports show it. Its number if the file is
// the one to edit, else 0.
static unsigned say_line(const struct task *task, struct stage_record *stage,
                         const struct observed_access *access) {
  char folder[PATH_MAX + 16], path[PATH_MAX + 160], text[1024] = "";
  const char *slash = strrchr(access->file, '/'), *name = slash ? slash + 1 : access->file;
  // The exercise's file goes by its place in the submission, a header by the one where it was compiled.
  snprintf(folder, sizeof folder, "%s/", task->built_in);
  snprintf(path, sizeof path, "%s/%s", grading_called(task->grading), name);
  const bool main_file = strcmp(access->file, path) == 0;
  const bool own = main_file || strncmp(access->file, folder, strlen(folder)) == 0;
  snprintf(path, sizeof path, "%s/source/%s", task->scratch, name);
  FILE *file = own ? plain_file_open(path) : NULL;
  for (unsigned line = 1; file && line <= access->line; line++)
    if (!plain_file_line(file, text, sizeof text)) text[0] = '\0';
  if (file) fclose(file);
  char *shown = diagnostics_excerpt(text + strspn(text, " \t"), 1, 100);
  if (own)
    stage_detail(stage, "\n%s/%s:%u    %s", grading_called(task->grading), name, access->line,
                 shown && *shown ? shown : "\n");
  else
    stage_detail(stage, "\n%s:%u\n", name, access->line);
  free(shown);
  const size_t length = strlen(task->exercise->name);
  return own && strncmp(name, task->exercise->name, length) == 0 && strcmp(name + length, ".cu") == 0
             ? access->line
             : 0;
}

// Names the access that made the requirement unmet. The line of the student's file, or 0.
static unsigned say_access(const struct task *task, struct stage_record *stage, const struct unmet *unmet) {
  const struct observed_access *access = &unmet->access;
  if (!access->weight || !access->line) return 0;
  const unsigned line = say_line(task, stage, access);
  stage_detail(stage, "    thread %u of block %u ", access->thread[0], access->block[0]);
  if (unmet->kind == WORST_BANKS) {
    stage_detail(stage, "and its warp: %u different words of bank %u in one access", access->words,
                 access->bank);
    if (access->variable[0]) stage_detail(stage, " of `%s`", access->variable);
    stage_detail(stage, ".\n    Lanes %u and %u meet there: their addresses are %u bytes apart\n",
                 access->lane % 32, access->other % 32, access->lanes_apart);
  } else {
    stage_detail(stage, "%s global memory itself\n", unmet->kind == WORST_HANDED_LOAD ? "reads" : "writes");
  }
  return line;
}

static void conclude_unmet(struct task *task, const struct case_evidence *found, bool hidden) {
  const struct unmet *unmet = &found->unmet;
  char sizes[160], numbers[320];
  task->unmet = unmet->requirement;
  exercise_describe_sizes(&found->instance, sizes, sizeof sizes);
  struct stage_record *stage =
      task_conclude(task, STAGE_RULES, VERDICT_FAIL, "1 unmet",
                    "breaks no rule, but does not do what is asked: %s", unmet->requirement->message);
  stage->unmet = true;
  stage->hidden_case = hidden;
  stage_detail(stage, "case \"%s\": %s\n\n", hidden ? "hidden" : found->instance.the_case.name, sizes);
  requirement_numbers(unmet, numbers, sizeof numbers);
  stage_detail(stage, "%s\n", numbers);
  if (!hidden)
    snprintf(task->unmet_numbers, sizeof task->unmet_numbers, "In the case \"%s\": %s\n",
             found->instance.the_case.name, numbers);
  const unsigned line = say_access(task, stage, unmet);
  stage_detail(stage, "\n%s\n", unmet->requirement->remedy);
  stage->line = line ? line : source_line_of_step(task, unmet->requirement->step);
  stage->is_guess = !line;
}

bool rules_take(struct task *task, const struct case_evidence *found, bool hidden) {
  const bool broken = evidence_is_broken(found);
  if (broken)
    conclude_broken(task, found, hidden);
  else if (found->unmet.requirement)
    conclude_unmet(task, found, hidden);
  return broken || found->unmet.requirement;
}

// The first case that `decides`, if any does.
static bool conclude_first(struct task *task, const struct evidence *evidence,
                           bool (*decides)(const struct case_evidence *found)) {
  for (size_t i = 0; i < evidence->plan.case_count; i++) {
    const struct case_evidence *found = &evidence->cases[i];
    if (decides(found)) return rules_take(task, found, evidence->plan.cases[i].kind == KIND_HIDDEN);
  }
  return false;
}

static bool is_unmet(const struct case_evidence *found) {
  return found->unmet.requirement;
}

// What is more than a CUDA error says why, whichever case it was.
static bool conclude_broken_case(struct task *task, const struct evidence *evidence) {
  return conclude_first(task, evidence, evidence_is_explained) ||
         conclude_first(task, evidence, evidence_is_broken);
}

bool rules_stage(struct task *task) {
  const struct evidence *evidence = task->evidence = evidence_gather(task);
  if (!evidence) {
    task_conclude(task, STAGE_RULES, VERDICT_ERROR, "error", "could not be judged: out of memory");
    return false;
  }
  if (conclude_broken_case(task, evidence)) return evidence->comes_back;
  if (evidence->unjudged) {
    // A requirement that some run did not meet is unmet, whatever the others would have shown.
    if (!conclude_first(task, evidence, is_unmet)) stage_take(task, STAGE_RULES, "--", &evidence->failed);
  } else if (!evidence->opened) {
    stage_take(task, STAGE_RULES, "failed", &evidence->failed);
  } else if (!conclude_first(task, evidence, is_unmet)) {
    task_conclude(task, STAGE_RULES, VERDICT_PASS, "ok", "breaks no rule");
  }
  return evidence->comes_back;
}
