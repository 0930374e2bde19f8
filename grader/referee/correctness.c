// Stage 3: public and hidden cases, on the GPU if there is one, else on the virtual Hopper. In: the built program. Out: how many
// cases are right, and the message of the first that isn't. The idea: go on after a wrong case, stop after one that hangs.
#include "referee/remarks.h"
#include "referee/stages.h"

#include <stdlib.h>

struct progress {
  const struct exercise_case *public_cases, *hidden_cases;
  size_t public, total, done, right, hidden_right;
  size_t
      all_wrong; // 1 + the number of the case whose message this is, if none of its elements was right; else 0
  bool have_message; // of the first wrong case
  bool tells_little; // it has one element: another wrong case takes its place
  bool stop;
  char *printed; // by the first case that printed anything; NULL: none has
  char printed_in[EXERCISE_NAME];
};

static bool open_on(enum device_kind kind, const struct task *task, struct session *session,
                    struct run_result *opened) {
  const struct grading *grading = task->grading;
  struct device_options options = {.workers = grading->workers,
                                   .seed = task_seed(task, "device", 1),
                                   .launch_deadline = grading->launch_deadline};
  return session_open(session, task, kind, &options, opened);
}

static bool open_session(const struct task *task, struct session *session, struct progress *progress) {
  struct run_result opened;
  if (open_on(task->grading->device, task, session, &opened)) return true;
  struct case_result result = {0};
  case_judge_end(session, &opened, &result);
  stage_take(task, STAGE_CORRECTNESS, "failed", &result);
  case_result_free(&result);
  progress->have_message = progress->stop = true;
  return false;
}

// Case `number` of all, public ones first.
static bool prepare(struct case_run *run, const struct task *task, const struct progress *progress,
                    size_t number) {
  const bool hidden = number >= progress->public;
  return case_prepare(run, task->exercise,
                      hidden ? &progress->hidden_cases[number - progress->public]
                             : &progress->public_cases[number],
                      hidden, task_seed(task, "correctness", number));
}

// Makes what is said of a wrong case the stage's message.
static void tell(const struct task *task, const struct case_run *run, struct case_result *result) {
  stage_take(task, STAGE_CORRECTNESS, "", result);
  struct stage_record *stage = &task->record->stages[STAGE_CORRECTNESS];
  stage->hidden_case = run->hidden;
  const struct grading *grading = task->grading;
  const char *given = grading->taken_from[0] ? grading->taken_from : grading->submission;
  char sizes[160];
  exercise_describe_sizes(&run->instance, sizes, sizeof sizes);
  if (!result->names_case)
    stage_detail(stage, "\nIn the case \"%s\": %s\n", run->hidden ? "hidden" : run->instance.the_case.name,
                 sizes);
  if (result->verdict == CASE_WRONG && result->fault_count == 0)
    stage_detail(stage, "\nThe same numbers again: build/bin/grader %s %s/%s --submission %s --seed %llu\n",
                 run->hidden || given != grading->submission ? "grade" : "check", task->exercise->lab,
                 task->exercise->name, kit_short_path(given, grading->directory),
                 (unsigned long long)grading->seed);
}

static void take_result(const struct task *task, const struct case_run *run, struct case_result *result,
                        struct progress *progress) {
  progress->done++;
  progress->right += result->verdict == CASE_RIGHT;
  progress->hidden_right += result->verdict == CASE_RIGHT && run->hidden;
  if (result->verdict == CASE_RIGHT) return;
  if (!result->comes_back || result->verdict == CASE_ERROR) progress->stop = true;
  const bool says_more = progress->tells_little && !result->tells_little && !run->hidden;
  if (progress->have_message && !says_more && result->verdict != CASE_ERROR) return;
  progress->have_message = true;
  progress->tells_little = result->tells_little && !run->hidden;
  progress->all_wrong = result->nothing_right ? progress->done : 0;
  tell(task, run, result);
}

// A student looks for what was printed even where all is right. Hidden cases could be told that way.
static void take_output(const struct task *task, const struct case_run *run, const struct session *session,
                        struct progress *progress) {
  if (task->grading->hidden_cases || progress->printed) return;
  progress->printed = case_printed(session);
  snprintf(progress->printed_in, sizeof progress->printed_in, "%s", run->instance.the_case.name);
}

static void run_case(const struct task *task, struct session *session, struct progress *progress) {
  struct case_run run;
  struct case_result result = {0};
  task_progress(task, "correctness, case %zu of %zu", progress->done + 1, progress->total);
  if (!session->alive) {
    session_close(session);
    if (!open_session(task, session, progress)) return;
  }
  if (prepare(&run, task, progress, progress->done)) {
    case_perform(&run, session, &result);
    take_output(task, &run, session, progress);
    take_result(task, &run, &result, progress);
    if (!result.runner_usable) {
      struct run_result ignored;
      session_end(session, &ignored);
    }
  } else {
    progress->stop = progress->have_message = true;
    task_conclude(task, STAGE_CORRECTNESS, VERDICT_ERROR, "error", "could not be judged: out of memory");
  }
  case_result_free(&result);
  case_free(&run);
}

// A GPU doesn't say whether anything ran on it. Where not one element was right there, the same cases in the same order on the
// virtual Hopper do: if no kernel has run there either, that is the message.
static void look_again(const struct task *task, const struct progress *progress) {
  struct session session;
  struct run_result opened;
  bool going_on = open_on(DEVICE_VIRTUAL, task, &session, &opened);
  task_progress(task, "correctness, once more on the virtual Hopper");
  for (size_t i = 0; i < progress->all_wrong && going_on; i++) {
    struct case_run run;
    struct case_result result = {0};
    going_on = prepare(&run, task, progress, i);
    if (going_on) {
      case_perform(&run, &session, &result);
      going_on = result.runner_usable;
    }
    if (going_on && i + 1 == progress->all_wrong && result.no_kernel) tell(task, &run, &result);
    case_result_free(&result);
    case_free(&run);
  }
  session_close(&session);
}

// Tenths of the points for a part of the cases above the floor. A program that didn't come back may have been right about none of the rest.
static double credit_for(const struct task *task, const struct progress *progress) {
  double floor = task->config->correctness_floor, share = (double)progress->right / (double)progress->total;
  if (!(share > floor) || !(floor < 1)) return 0;
  return (double)(int)(10 * (share - floor) / (1 - floor) + 1e-9) / 10;
}

static void conclude(const struct task *task, const struct progress *progress) {
  char summary[32];
  struct stage_record *stage = &task->record->stages[STAGE_CORRECTNESS];
  snprintf(summary, sizeof summary, "%zu/%zu", progress->right, progress->total);
  if (!progress->have_message && progress->right == progress->total) {
    stage = task_conclude(task, STAGE_CORRECTNESS, VERDICT_PASS, summary, "computes the right results");
    if (progress->printed)
      stage_detail(stage, "In the case \"%s\" it printed:\n%s", progress->printed_in, progress->printed);
  } else if (stage->verdict == VERDICT_FAIL) {
    snprintf(stage->summary, sizeof stage->summary, "%s", summary);
    stage->credit = credit_for(task, progress);
  }
}

// A kernel that is made for the sizes it knows.
static void tell_fitted(const struct task *task, const struct progress *progress) {
  if (progress->done == progress->total && progress->public < progress->total &&
      progress->right == progress->public && progress->hidden_right == 0)
    remark(task, "It is right about all public cases, and about no hidden one.");
}

void correctness_stage(struct task *task) {
  const struct exercise *exercise = task->exercise;
  struct exercise_case hidden[HIDDEN_MAX_CASES];
  char path[PATH_MAX], error[400];
  int hidden_count = 0;
  if (task->grading->hidden_cases) {
    kit_path(&task->grading->kit, path, "grader/hidden/%s/%s.cfg", exercise->lab, exercise->name);
    hidden_count = hidden_cases_read(path, exercise, hidden, error, sizeof error);
  }
  if (hidden_count < 0) {
    struct stage_record *stage =
        task_conclude(task, STAGE_CORRECTNESS, VERDICT_ERROR, "error", "could not be judged");
    stage_detail(stage, "%s\n", error);
    return;
  }
  struct progress progress = {.public_cases = exercise->cases,
                              .hidden_cases = hidden,
                              .public = exercise->case_count,
                              .total = exercise->case_count + (size_t)hidden_count};
  struct session session;
  if (open_session(task, &session, &progress))
    for (size_t i = 0; i < progress.total && !progress.stop; i++)
      run_case(task, &session, &progress);
  session_close(&session);
  if (progress.all_wrong > 0 && task->grading->device == DEVICE_GPU) look_again(task, &progress);
  conclude(task, &progress);
  tell_fitted(task, &progress);
  free(progress.printed);
}
