// In: a built program and a plan. Out: the evidence. The idea: each process is a session of its own, with
// rules checked; a run that leaves the runner unusable ends the process, and the next run gets another one.
// Runs that take long come last, and only if something still depends on them. Once a rule is broken in a case
// that comes first in the report, the others are asked for their values alone. What blocks do that race
// depends on which comes first, so all but long runs have one thread for all blocks, and a long one in which
// blocks race is made once more in that way: the verdict is the same on each machine.
#include "referee/evidence.h"

#include "virtual-hopper/rules/fault.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PUT_OFF = 3, LONG_ELEMENTS = 1 << 22 };

struct attempt {
  const struct planned_run *planned;
  bool again;       // it has been judged before, when its case's runs were counted
  bool values_only; // rules aren't checked, and nothing is counted for requirements
  bool may_be_put_off;
  bool put_off; // it was stopped at its first budget, and was not judged
};

// What has become of a plan's runs, run by run.
struct progress {
  bool *wanted; // in this pass
  bool *made;   // it has been judged
  bool *put_off;
  size_t put_off_count, last;
  bool again;       // the second pass: what was put off gets its whole budget
  bool values_only; // in the second pass: the points of the rules are lost, those of the values aren't
  bool failed;      // what was asked for, a first failure, has been found
};

static bool open_session(const struct task *task, struct session *session, size_t number, bool few,
                         bool values_only, struct run_result *opened) {
  const struct grading *grading = task->grading;
  struct device_options options = {.workers = grading->workers,
                                   .seed = task_seed(task, "device", number),
                                   .check = !values_only,
                                   .launch_deadline = grading->launch_deadline,
                                   .processors = few ? FEW_PROCESSORS : 0};
  return session_open(session, task, DEVICE_VIRTUAL, &options, opened);
}

// Whether nothing that the runs from number `first` to the end of its process could show of the rules would
// be reported: the first case that breaks one with an explanation is, in its first run that does.
static bool are_settled(const struct evidence *evidence, size_t first) {
  const struct plan *plan = &evidence->plan;
  size_t told = 0;
  while (told < plan->case_count && !evidence_is_explained(&evidence->cases[told]))
    told++;
  for (size_t i = first; i < plan->run_count && (i == first || !plan->runs[i].fresh); i++)
    if (plan->runs[i].which < told) return false;
  return true;
}

static bool open_process(const struct task *task, struct evidence *evidence, struct session *session,
                         size_t number, bool values_only) {
  struct run_result opened;
  const struct plan *plan = &evidence->plan;
  const bool few = plan->cases[plan->runs[number].which].few;
  if (open_session(task, session, number, few, values_only, &opened)) return true;
  evidence->opened = evidence->comes_back = false;
  case_judge_end(session, &opened, &evidence->failed);
  evidence->unjudged = evidence->failed.verdict == CASE_UNJUDGED;
  return false;
}

// Broken rules, failed runs and our own errors; wrong values alone are none of them.
static bool is_broken(const struct case_result *rules) {
  return rules->verdict == CASE_ERROR || rules->fault_count > 0 || !rules->runner_usable;
}

bool evidence_is_broken(const struct case_evidence *found) {
  return found->runs > 0 && is_broken(&found->broken);
}

bool evidence_is_explained(const struct case_evidence *found) {
  return evidence_is_broken(found) && !found->broken.only_error;
}

bool evidence_is_right(const struct evidence *evidence, size_t which) {
  const struct case_evidence *found = &evidence->cases[which];
  return found->runs == evidence->plan.cases[which].schedules && found->values.verdict == CASE_RIGHT;
}

static bool says_more(const struct case_result *fresh, const struct case_result *known) {
  if (!is_broken(known) || !is_broken(fresh)) return is_broken(fresh);
  return known->only_error && !fresh->only_error;
}

// The worse of what was known and what is new stays: a case is judged by its worst run.
static void keep(struct case_result *known, struct case_result *fresh, bool replace) {
  struct case_result *loser = replace ? known : fresh;
  case_result_free(loser);
  if (replace) *known = *fresh;
  *fresh = (struct case_result){0};
}

// Takes the results of a run. A run that is made again may only make its case's results worse.
static void take(struct task *task, struct evidence *evidence, const struct attempt *attempt,
                 const struct case_run *run, struct session *session, struct case_result *rules,
                 struct case_result *values) {
  const struct planned_run *planned = attempt->planned;
  const struct planned_case *the_case = &evidence->plan.cases[planned->which];
  struct case_evidence *found = &evidence->cases[planned->which];
  if (rules->verdict == CASE_UNJUDGED) {
    evidence->unjudged = true;
    evidence->comes_back = false;
    evidence->failed = *rules;
    *rules = (struct case_result){0};
    case_result_free(values);
    return;
  }
  const bool first = found->runs == 0;
  if (!attempt->again) found->runs++;
  if (!rules->comes_back) evidence->comes_back = false;
  if (first) {
    found->instance = run->instance;
    if (!run->hidden) found->printed = case_printed(session);
  }
  if (!is_broken(rules) && the_case->asked && !attempt->values_only && !found->unmet.requirement)
    found->unmet =
        requirements_unmet(task->config, device_report(session->device), &run->instance, the_case->large);
  keep(&found->broken, rules, first || says_more(rules, &found->broken));
  keep(&found->values, values, first || (found->values.verdict == CASE_RIGHT));
}

static bool is_long(const struct planned_case *the_case) {
  return the_case->elements > LONG_ELEMENTS;
}

static void order_run(const struct task *task, struct session *session, const struct planned_run *planned,
                      bool one_worker) {
  device_use_one_worker(session->device, one_worker);
  device_set_order(session->device, task_seed(task, "schedule", planned->which * 64 + planned->schedule),
                   planned->first_late);
}

// Performs one run. False: out of memory.
static bool perform(struct task *task, struct evidence *evidence, struct attempt *attempt,
                    struct session *session) {
  const struct planned_run *planned = attempt->planned;
  const struct planned_case *the_case = &evidence->plan.cases[planned->which];
  struct case_run run;
  struct case_result rules = {0}, values = {0};
  if (!case_prepare(&run, task->exercise, &the_case->the_case, the_case->kind == KIND_HIDDEN,
                    the_case->seed + planned->input, task->grading->known_cases))
    return false;
  for (unsigned i = 0; i < run.buffer_count; i++)
    run.buffers[i].stays = planned->stays == i + 1;
  order_run(task, session, planned, !is_long(the_case));
  device_put_off(session->device, attempt->may_be_put_off);
  case_perform_on_virtual(&run, session, &rules, &values);
  const bool usable = rules.runner_usable && values.runner_usable;
  attempt->put_off = rules.verdict == CASE_UNJUDGED && fault_is_put_off(device_report(session->device));
  if (attempt->put_off) {
    case_result_free(&rules);
    case_result_free(&values);
  } else {
    take(task, evidence, attempt, &run, session, &rules, &values);
  }
  case_free(&run);
  if (!usable && session->alive) {
    struct run_result ignored;
    session_end(session, &ignored);
  }
  return true;
}

// After a run that did not come back most cases have not been tried, and which have depends on the order
// drawn. So the small rules cases are tried, too: their messages are preferred, and they are easier to
// follow. A loop without end is left alone, since it takes its time again.
static bool look_for_simpler(struct task *task, struct evidence *evidence,
                             const struct case_result *stopped) {
  struct session session;
  struct run_result ignored;
  bool enough_memory = true, found = false;
  if (stopped->fault_count == 0 || strcmp(stopped->rule, rule_name(RULE_ENDLESS_LOOP)) == 0) return true;
  for (size_t i = 0; i + 1 < task->exercise->rules_case_count && enough_memory && !found; i++) {
    const struct planned_run run = {.which = i, .fresh = true};
    struct attempt attempt = {.planned = &run};
    if (evidence->cases[i].runs == 0) {
      if (open_session(task, &session, i, evidence->plan.cases[i].few, false, &ignored))
        enough_memory = perform(task, evidence, &attempt, &session);
      session_close(&session);
    }
    found = evidence_is_broken(&evidence->cases[i]);
  }
  return enough_memory;
}

static bool has_race_between_blocks(const struct case_result *rules) {
  size_t index;
  const json_t *fault;
  json_array_foreach(rules->faults, index, fault) {
    const char *rule = json_string_value(json_object_get(fault, "rule"));
    if (rule && strcmp(rule, rule_name(RULE_GLOBAL_RACE)) == 0) return true;
  }
  return false;
}

// Takes the place of what was found with several threads, if the race shows with one, too.
static bool repeat_race(struct task *task, struct case_evidence *found, const struct planned_case *the_case,
                        const struct planned_run *planned, struct session *session) {
  struct case_run run;
  struct case_result rules = {0}, values = {0};
  if (!case_prepare(&run, task->exercise, &the_case->the_case, the_case->kind == KIND_HIDDEN,
                    the_case->seed + planned->input, task->grading->known_cases))
    return false;
  order_run(task, session, planned, true);
  case_perform_on_virtual(&run, session, &rules, &values);
  if (rules.verdict != CASE_UNJUDGED && has_race_between_blocks(&rules)) {
    keep(&found->broken, &rules, true);
    keep(&found->values, &values, true);
  } else {
    case_result_free(&rules);
    case_result_free(&values);
  }
  case_free(&run);
  return true;
}

static bool repeat_races(struct task *task, struct evidence *evidence) {
  const struct plan *plan = &evidence->plan;
  bool enough_memory = true;
  for (size_t i = 0; i < plan->run_count && enough_memory && task->grading->workers != 1; i++) {
    const struct planned_run *planned = &plan->runs[i];
    const struct planned_case *the_case = &plan->cases[planned->which];
    struct case_evidence *found = &evidence->cases[planned->which];
    struct session session;
    struct run_result ignored;
    if (!is_long(the_case) || !found->runs || !has_race_between_blocks(&found->broken)) continue;
    if (open_session(task, &session, i, the_case->few, false, &ignored))
      enough_memory = repeat_race(task, found, the_case, planned, &session);
    session_close(&session);
  }
  return enough_memory;
}

// Where only a first failure is asked for: has this case failed? If it is no matter of values, the later
// stages have nothing to say.
static bool has_failed(const struct task *task, struct evidence *evidence, size_t which) {
  const struct case_evidence *found = &evidence->cases[which];
  if (!task->grading->first_failure || found->runs == 0) return false;
  if (is_broken(&found->broken) || found->unmet.requirement) evidence->comes_back = false;
  return !evidence->comes_back || found->values.verdict != CASE_RIGHT;
}

// ---- all runs ---------------------------------------------------------------------------------------------

// Whether no run can change the points any more: a rule is broken, and a value is wrong.
static bool is_lost(const struct task *task, const struct evidence *evidence) {
  bool broken = false, wrong = false;
  for (size_t i = 0; i < evidence->plan.case_count; i++) {
    const struct case_evidence *found = &evidence->cases[i];
    if (found->runs == 0) continue;
    if (found->broken.verdict == CASE_ERROR || found->values.verdict == CASE_ERROR) return false;
    broken = broken || (is_broken(&found->broken) && !found->broken.only_error);
    wrong = wrong || found->values.verdict == CASE_WRONG;
  }
  return broken && wrong && !(task->config->correctness_floor < 1);
}

// Whether some run lacks what is asked for: the points of the rules are lost, those of the values aren't.
static bool lacks_something(const struct evidence *evidence) {
  for (size_t i = 0; i < evidence->plan.case_count; i++)
    if (evidence->cases[i].unmet.requirement) return true;
  return false;
}

// Performs the runs of a pass, up to the first that doesn't come back. False: out of memory.
static bool perform_pass(struct task *task, struct evidence *evidence, struct progress *progress) {
  const struct plan *plan = &evidence->plan;
  struct session session = {.control = -1, .sandbox = {.exit_event = -1, .output_pipe = -1}};
  bool open = false, enough_memory = true, failed = false;
  for (size_t i = 0; i < plan->run_count && evidence->comes_back && enough_memory && !failed; i++) {
    const struct planned_run *planned = &plan->runs[i];
    struct attempt attempt = {
        .planned = planned, .again = progress->made[i], .values_only = progress->values_only};
    if (!progress->wanted[i]) continue;
    const bool settled = !attempt.values_only && are_settled(evidence, i);
    attempt.values_only = attempt.values_only || settled;
    task_progress(task, "%s, run %zu of %zu", attempt.values_only ? "values" : "rules and values", i + 1,
                  plan->run_count);
    if (open && (planned->fresh || !session.alive)) session_close(&session);
    if (!open || planned->fresh || !session.alive) {
      open = true;
      if (!open_process(task, evidence, &session, i, progress->values_only)) break;
    }
    if (settled) device_judge_no_more(session.device);
    attempt.may_be_put_off = !progress->again && (progress->put_off_count < MOST_PUT_OFF ||
                                                  is_lost(task, evidence) || lacks_something(evidence));
    enough_memory = perform(task, evidence, &attempt, &session);
    progress->put_off[i] = attempt.put_off;
    progress->put_off_count += attempt.put_off;
    progress->made[i] = progress->made[i] || !attempt.put_off;
    progress->last = i;
    failed = has_failed(task, evidence, planned->which);
  }
  if (open) session_close(&session);
  progress->failed = failed;
  return enough_memory;
}

// Of the runs, only those that were put off are wanted, and all others of their processes: what a program
// keeps from launch to launch is there again.
static void want_put_off(const struct plan *plan, struct progress *progress) {
  for (size_t first = 0, next; first < plan->run_count; first = next) {
    bool wanted = progress->put_off[first];
    for (next = first + 1; next < plan->run_count && !plan->runs[next].fresh; next++)
      wanted = wanted || progress->put_off[next];
    for (size_t i = first; i < next; i++)
      progress->wanted[i] = wanted;
  }
  progress->again = true;
}

static bool perform_passes(struct task *task, struct evidence *evidence, struct progress *progress) {
  bool enough_memory = perform_pass(task, evidence, progress);
  const bool goes_on = enough_memory && evidence->comes_back && evidence->opened && !progress->failed;
  evidence->slow = progress->put_off_count > 0;
  if (goes_on && evidence->slow && !is_lost(task, evidence)) {
    want_put_off(&evidence->plan, progress);
    progress->values_only = lacks_something(evidence);
    enough_memory = perform_pass(task, evidence, progress);
  }
  if (enough_memory && !evidence->comes_back && evidence->opened && !evidence->unjudged &&
      !task->grading->first_failure)
    enough_memory =
        look_for_simpler(task, evidence, &evidence->cases[evidence->plan.runs[progress->last].which].broken);
  return enough_memory && repeat_races(task, evidence);
}

static bool perform_all(struct task *task, struct evidence *evidence) {
  const size_t count = evidence->plan.run_count;
  bool *marks = calloc(3 * count, sizeof *marks);
  if (!marks) return false;
  struct progress progress = {.made = marks, .put_off = marks + count, .wanted = marks + 2 * count};
  memset(progress.wanted, true, count);
  const bool enough_memory = perform_passes(task, evidence, &progress);
  free(marks);
  return enough_memory;
}

static void read_hidden(const struct task *task, struct evidence *evidence) {
  const struct exercise *exercise = task->exercise;
  char path[PATH_MAX];
  if (!task->grading->hidden_cases) return;
  kit_path(&task->grading->kit, path, "grader/hidden/%s/%s.cfg", exercise->lab, exercise->name);
  const int count = hidden_cases_read(path, exercise, evidence->hidden, evidence->hidden_error,
                                      sizeof evidence->hidden_error);
  evidence->hidden_count = count > 0 ? (size_t)count : 0;
}

struct evidence *evidence_gather(struct task *task) {
  struct evidence *evidence = calloc(1, sizeof *evidence);
  if (evidence) read_hidden(task, evidence);
  if (!evidence || !plan_draw(&evidence->plan, task, evidence->hidden, evidence->hidden_count)) {
    free(evidence);
    return NULL;
  }
  evidence->comes_back = evidence->opened = true;
  evidence->cases = calloc(evidence->plan.case_count, sizeof *evidence->cases);
  if (evidence->cases && perform_all(task, evidence)) return evidence;
  evidence_free(evidence);
  return NULL;
}

void evidence_free(struct evidence *evidence) {
  if (!evidence) return;
  for (size_t i = 0; evidence->cases && i < evidence->plan.case_count; i++) {
    case_result_free(&evidence->cases[i].broken);
    case_result_free(&evidence->cases[i].values);
    free(evidence->cases[i].printed);
  }
  case_result_free(&evidence->failed);
  free(evidence->cases);
  plan_free(&evidence->plan);
  free(evidence);
}
