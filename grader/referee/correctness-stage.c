// Stage 3: the values. In: the evidence of all runs on the virtual Hopper; on a GPU, its public and hidden
// cases once more. Out: how many cases are right, and one message. The idea: a case is right if it is right
// everywhere; sizes that were drawn for the occasion (tiny ones, the rules cases) count as one case together.
#include "referee/evidence.h"
#include "referee/remarks.h"

#include <stdlib.h>
#include <string.h>

struct tally {
  size_t public, total, right, hidden_right;
  bool have_message; // of a wrong case
  unsigned silence;  // of that case: one that says more replaces its message
  bool wrong_on_gpu[EXERCISE_MAX_CASES + HIDDEN_MAX_CASES]; // by number, public cases first
};

// ---- the message ----

// Students have make, and instructors the grader, which knows hidden cases.
static void say_how_again(const struct task *task, struct stage_record *stage, const char *given,
                          bool by_instructor) {
  const struct grading *grading = task->grading;
  const unsigned long long seed = grading->seed;
  const char *lab = task->exercise->lab, *name = task->exercise->name,
             *folder = kit_short_path(given, grading->directory);
  char usual[RECORD_NAME + 8];
  snprintf(usual, sizeof usual, "labs/%s", lab);
  if (by_instructor)
    stage_detail(stage,
                 "\nThe same numbers again: build/bin/grader grade %s/%s --submission %s --seed %llu\n", lab,
                 name, folder, seed);
  else if (strcmp(folder, usual) == 0)
    stage_detail(stage, "\nThe same numbers again: make %s-%.*s SEED=%llu\n", lab,
                 (int)strspn(name, "0123456789"), name, seed);
  else
    stage_detail(stage, "\nThe same numbers again: make %s-%.*s SUBMISSION=%s SEED=%llu\n", lab,
                 (int)strspn(name, "0123456789"), name, folder, seed);
}

static void tell(const struct task *task, const struct exercise_instance *instance, bool hidden,
                 const struct case_result *result) {
  stage_take(task, STAGE_CORRECTNESS, "", result);
  struct stage_record *stage = &task->record->stages[STAGE_CORRECTNESS];
  stage->hidden_case = hidden;
  const struct grading *grading = task->grading;
  const char *given = grading->taken_from[0] ? grading->taken_from : grading->submission;
  char sizes[160];
  exercise_describe_sizes(instance, sizes, sizeof sizes);
  if (!result->names_case)
    stage_detail(stage, "\nIn the case \"%s\": %s\n", hidden ? "hidden" : instance->the_case.name, sizes);
  if (result->verdict == CASE_WRONG && result->fault_count == 0)
    say_how_again(task, stage, given, hidden || given != grading->submission);
}

// Makes a wrong case's result the stage's message, if it is the first one or says more than the present one.
static void consider(const struct task *task, struct tally *tally, const struct exercise_instance *instance,
                     bool hidden, const struct case_result *result) {
  if (result->verdict == CASE_RIGHT) return;
  const bool says_more = result->silence < tally->silence && !hidden;
  if (tally->have_message && !says_more && result->verdict != CASE_ERROR) return;
  tally->have_message = true;
  tally->silence = hidden ? 0 : result->silence;
  tell(task, instance, hidden, result);
}

// ---- on the GPU ----

static bool open_gpu(const struct task *task, struct session *session, struct tally *tally) {
  struct device_options options = {.seed = task_seed(task, "device", 1)};
  struct run_result opened;
  if (session_open(session, task, DEVICE_GPU, &options, &opened)) return true;
  struct case_result result = {0};
  case_judge_end(session, &opened, &result);
  stage_take(task, STAGE_CORRECTNESS, "failed", &result);
  case_result_free(&result);
  tally->have_message = true;
  return false;
}

// Runs one case. False: no other case makes sense.
static bool run_on_gpu(const struct task *task, struct session *session, const struct planned_case *planned,
                       bool *wrong, struct tally *tally) {
  struct case_run run;
  struct case_result result = {0};
  if (!session->alive) {
    session_close(session);
    if (!open_gpu(task, session, tally)) return false;
  }
  const bool hidden = planned->kind == KIND_HIDDEN;
  if (!case_prepare(&run, task->exercise, &planned->the_case, hidden, planned->seed,
                    task->grading->known_cases) ||
      !case_need_arrays(&run)) {
    case_free(&run);
    tally->have_message = true;
    task_conclude(task, STAGE_CORRECTNESS, VERDICT_ERROR, "error", "could not be judged: out of memory");
    return false;
  }
  case_perform(&run, session, &result);
  *wrong = result.verdict != CASE_RIGHT;
  const bool going_on = result.verdict == CASE_RIGHT || (result.comes_back && result.verdict != CASE_ERROR);
  consider(task, tally, &run.instance, hidden, &result);
  if (!result.runner_usable) {
    struct run_result ignored;
    session_end(session, &ignored);
  }
  case_result_free(&result);
  case_free(&run);
  return going_on;
}

static void run_all_on_gpu(const struct task *task, struct tally *tally) {
  const struct plan *plan = &task->evidence->plan;
  const size_t count = tally->total - 1; // without the one that stands for drawn sizes
  struct session session;
  size_t number = 0;
  for (; number < count; number++)
    tally->wrong_on_gpu[number] = true;
  bool going_on = open_gpu(task, &session, tally);
  number = 0;
  for (size_t i = 0; i < plan->case_count && going_on; i++) {
    const struct planned_case *planned = &plan->cases[i];
    if (planned->kind != KIND_PUBLIC && planned->kind != KIND_HIDDEN) continue;
    task_progress(task, "correctness on the GPU, case %zu of %zu", number + 1, count);
    going_on = run_on_gpu(task, &session, planned, &tally->wrong_on_gpu[number], tally);
    number++;
  }
  session_close(&session);
}

// ---- on the virtual Hopper ----

// Messages about public cases come first, since a student knows those; hidden ones come last.
static void consider_evidence(const struct task *task, struct tally *tally) {
  static const enum case_kind order[] = {KIND_PUBLIC, KIND_TINY, KIND_RULES, KIND_HIDDEN};
  const struct evidence *evidence = task->evidence;
  for (size_t k = 0; k < sizeof order / sizeof *order; k++)
    for (size_t i = 0; i < evidence->plan.case_count; i++)
      if (evidence->plan.cases[i].kind == order[k] && evidence->cases[i].runs > 0)
        consider(task, tally, &evidence->cases[i].instance, order[k] == KIND_HIDDEN,
                 &evidence->cases[i].values);
}

static void count(const struct task *task, struct tally *tally) {
  const struct evidence *evidence = task->evidence;
  size_t number = 0;
  bool drawn_right = true;
  for (size_t i = 0; i < evidence->plan.case_count; i++) {
    const enum case_kind kind = evidence->plan.cases[i].kind;
    const bool right = evidence_is_right(evidence, i);
    if (kind == KIND_PUBLIC || kind == KIND_HIDDEN) {
      const bool everywhere = right && !tally->wrong_on_gpu[number++];
      tally->right += everywhere;
      tally->hidden_right += everywhere && kind == KIND_HIDDEN;
    } else {
      drawn_right &= right;
    }
  }
  tally->right += drawn_right;
}

// ---- the conclusion ----

// The part of the points, in tenths, for a share of right cases above the floor. After a program that doesn't
// come back, the remaining cases count as wrong.
static double credit_for(const struct task *task, const struct tally *tally) {
  double floor = task->config->correctness_floor, share = (double)tally->right / (double)tally->total;
  if (!(share > floor) || !(floor < 1)) return 0;
  return (double)(int)(10 * (share - floor) / (1 - floor) + 1e-9) / 10;
}

// Shows what was printed, since a student looks for it even if all is right. With hidden cases nothing is
// shown: a program could print them.
static void show_printed(const struct task *task, struct stage_record *stage) {
  const struct evidence *evidence = task->evidence;
  for (size_t i = 0; i < evidence->plan.case_count && !task->grading->hidden_cases; i++) {
    const struct case_evidence *found = &evidence->cases[i];
    if (evidence->plan.cases[i].kind != KIND_PUBLIC || !found->printed) continue;
    stage_detail(stage, "In the case \"%s\" it printed:\n%s", found->instance.the_case.name, found->printed);
    return;
  }
}

static void conclude(const struct task *task, const struct tally *tally) {
  char summary[32];
  struct stage_record *stage = &task->record->stages[STAGE_CORRECTNESS];
  snprintf(summary, sizeof summary, "%zu/%zu", tally->right, tally->total);
  if (!tally->have_message && tally->right == tally->total) {
    stage = task_conclude(task, STAGE_CORRECTNESS, VERDICT_PASS, summary, "computes the right results");
    show_printed(task, stage);
  } else if (stage->verdict == VERDICT_FAIL) {
    snprintf(stage->summary, sizeof stage->summary, "%s", summary);
    stage->credit = credit_for(task, tally);
  }
}

// Remarks on a kernel that is only right for the sizes that are known.
static void remark_fitted(const struct task *task, const struct tally *tally) {
  if (tally->public + 1 < tally->total && tally->hidden_right == 0 && tally->right >= tally->public)
    remark(task, "It is right about all public cases, and about no hidden one.");
}

void correctness_stage(struct task *task) {
  const struct evidence *evidence = task->evidence;
  if (evidence->hidden_error[0]) {
    struct stage_record *stage =
        task_conclude(task, STAGE_CORRECTNESS, VERDICT_ERROR, "error", "could not be judged");
    stage_detail(stage, "%s\n", evidence->hidden_error);
    return;
  }
  struct tally tally = {.public = task->exercise->case_count,
                        .total = task->exercise->case_count + evidence->hidden_count + 1};
  consider_evidence(task, &tally);
  if (task->grading->device == DEVICE_GPU && !evidence->unjudged) run_all_on_gpu(task, &tally);
  count(task, &tally);
  conclude(task, &tally);
  remark_fitted(task, &tally);
}
