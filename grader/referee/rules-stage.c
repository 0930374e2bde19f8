// Stage 2: small cases under several schedules, and a large one, on the virtual Hopper. In: the built program. Out: no rule broken and all
// requirements met, or the first thing that isn't so. The idea: whether the result is right is none of this stage's business.
#include "referee/place.h"
#include "referee/requirements.h"
#include "referee/stages.h"

#include <stdlib.h>

enum { SCHEDULES = 3 };

void stage_take(const struct task *task, enum stage which, const char *summary, struct case_result *result) {
  enum verdict verdict = result->verdict == CASE_ERROR ? VERDICT_ERROR : VERDICT_FAIL;
  struct stage_record *stage = task_conclude(
      task, which, verdict, verdict == VERDICT_ERROR ? "error" : summary, "%s", result->headline);
  stage_detail(stage, "%s", result->detail ? result->detail : "");
  snprintf(stage->rule, sizeof stage->rule, "%s", result->rule);
  json_decref(stage->faults);
  stage->faults = json_incref(result->faults);
  stage->line = result->line;
}

static void conclude_broken(const struct task *task, const struct exercise_instance *instance,
                            struct case_result *result) {
  char summary[32] = "failed", sizes[160];
  if (result->fault_count) snprintf(summary, sizeof summary, "%zu broken", result->fault_count);
  stage_take(task, STAGE_RULES, summary, result);
  exercise_describe_sizes(instance, sizes, sizeof sizes);
  stage_detail(&task->record->stages[STAGE_RULES], "\nIn the case \"%s\": %s\n", instance->the_case.name,
               sizes);
}

// "bulk_store_bytes: 5120 seen, 256 times output_bytes, at most 30 asked for"
static void say_numbers(struct stage_record *stage, const struct unmet *unmet) {
  static const char *const units[] = {
      [REQUIREMENT_INPUT_BYTES] = "input_bytes", [REQUIREMENT_OUTPUT_BYTES] = "output_bytes"};
  const struct requirement *requirement = unmet->requirement;
  const double times = unmet->value / unmet->bound * requirement->at_most;
  for (unsigned i = 0; i < requirement->counter_count; i++)
    stage_detail(stage, "%s%s", i ? " + " : "", requirement->counters[i]);
  stage_detail(stage, ": %.0f seen", unmet->value);
  if (unmet->anywhere > unmet->value)
    stage_detail(stage, " (%.0f in blocks that move less than a quarter of the bytes)", unmet->anywhere);
  if (unmet->too_much && units[requirement->unit])
    stage_detail(stage, ", %.*f times %s", times < 10, times, units[requirement->unit]);
  stage_detail(stage, ", at %s %.0f asked for\n", unmet->too_much ? "most" : "least", unmet->bound);
}

// True if all requirements are met by the run that the device has just done.
static bool check_requirements(struct task *task, struct session *session,
                               const struct exercise_instance *instance, bool large) {
  const struct unmet unmet =
      requirements_unmet(task->config, device_report(session->device), instance, large);
  if (!unmet.requirement) return true;
  task->unmet = unmet.requirement;
  char sizes[160];
  exercise_describe_sizes(instance, sizes, sizeof sizes);
  struct stage_record *stage =
      task_conclude(task, STAGE_RULES, VERDICT_FAIL, "1 unmet",
                    "breaks no rule, but does not do what is asked: %s", unmet.requirement->message);
  stage->unmet = true;
  stage_detail(stage, "case \"%s\": %s\n\n", instance->the_case.name, sizes);
  say_numbers(stage, &unmet);
  stage_detail(stage, "\n%s\n", unmet.requirement->remedy);
  stage->line = place_of_step(task, unmet.requirement->step);
  return false;
}

// A wrong value is for the next stage to tell; broken rules and endings are for this one.
static bool concerns_rules(const struct case_result *result) {
  return result->verdict == CASE_ERROR || result->fault_count > 0 || !result->runner_usable;
}

// What another schedule shows, small cases show as well as a large one.
static unsigned schedules_of(const struct exercise *exercise, size_t which) {
  return which + 1 < exercise->rules_case_count || which == 0 ? SCHEDULES : 1;
}

// One case under one schedule. True if the stage may go on; *usable: with the same runner.
static bool run_one(struct task *task, struct session *session, size_t which, unsigned schedule,
                    bool *comes_back) {
  const struct exercise *exercise = task->exercise;
  struct case_run run;
  struct case_result result = {0};
  bool fine = false;
  task_progress(task, "rules, case %zu of %zu, schedule %u of %u", which + 1, exercise->rules_case_count,
                schedule + 1, schedules_of(exercise, which));
  const uint64_t seed = task_seed(task, "rules", which);
  const struct exercise_case the_case = exercise_rules_case(exercise, which, seed);
  if (case_prepare(&run, exercise, &the_case, false, seed)) {
    device_set_seed(session->device, task_seed(task, "schedule", which * SCHEDULES + schedule));
    case_perform(&run, session, &result);
    *comes_back = result.comes_back;
    if (concerns_rules(&result)) {
      conclude_broken(task, &run.instance, &result);
    } else {
      const bool last = which + 1 == exercise->rules_case_count;
      const bool asked = schedule == 0 && (last || which > 0); // the first may be less than one tile
      fine = !asked || check_requirements(task, session, &run.instance, last);
    }
  } else {
    task_conclude(task, STAGE_RULES, VERDICT_ERROR, "error", "could not be judged: out of memory");
  }
  case_result_free(&result);
  case_free(&run);
  return fine;
}

// Returns whether the launcher comes back, so that there is a point in going on.
static bool run_all(struct task *task, struct session *session) {
  bool comes_back = true;
  for (size_t which = 0; which < task->exercise->rules_case_count; which++)
    for (unsigned schedule = 0; schedule < schedules_of(task->exercise, which); schedule++)
      if (!run_one(task, session, which, schedule, &comes_back)) return comes_back;
  task_conclude(task, STAGE_RULES, VERDICT_PASS, "ok", "breaks no rule");
  return comes_back;
}

bool rules_stage(struct task *task) {
  const struct grading *grading = task->grading;
  struct device_options options = {.workers = grading->workers,
                                   .seed = task_seed(task, "device", 0),
                                   .check = true,
                                   .launch_deadline = grading->launch_deadline};
  struct session session;
  struct run_result opened;
  bool comes_back = false;
  if (session_open(&session, task, DEVICE_VIRTUAL, &options, &opened)) {
    comes_back = run_all(task, &session);
  } else {
    struct case_result result = {0};
    case_judge_end(&session, &opened, &result);
    stage_take(task, STAGE_RULES, "failed", &result);
    case_result_free(&result);
  }
  session_close(&session);
  return comes_back;
}
