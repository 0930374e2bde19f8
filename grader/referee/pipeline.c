// In: a task. Out: its record. The idea: build, rules, correctness, bandwidth, in that order. A stage that
// makes no sense after an earlier one has failed is not reached, and the record says so.
#include "referee/pipeline.h"

#include "device/gpu-lock.h"
#include "monotonic.h"
#include "referee/evidence.h"
#include "referee/remarks.h"
#include "referee/same-code.h"
#include "referee/source-line.h"
#include "referee/timed-size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void not_reached(const struct task *task, enum stage from) {
  for (int stage = from; stage < STAGE_COUNT; stage++) {
    // A stage that this machine can't judge costs no points, whatever has failed before.
    const bool asked = stage != STAGE_BANDWIDTH || task->config->timed;
    const bool predicted = task->grading->config.without_gpu == WITHOUT_GPU_GRADE;
    bool ungraded = !asked || (stage == STAGE_BANDWIDTH && task->grading->device != DEVICE_GPU && !predicted);
    task_conclude(task, (enum stage)stage, ungraded ? VERDICT_UNGRADED : VERDICT_NOT_REACHED, "--", "%s",
                  !asked     ? "is not timed: this exercise is about other things"
                  : ungraded ? "is not timed: there is no Hopper GPU here"
                             : "was not looked at, since an earlier stage failed");
  }
}

// Takes a GPU until this process ends or closes the returned descriptor; -1 on the virtual Hopper. If there
// are several, the taken one becomes the only visible one, for the driver in this process, which isn't
// initialised yet, and for the runner.
static int take_gpu(struct task *task) {
  const struct gpu_list *gpus = &task->grading->gpus;
  struct gpu_queue queue;
  size_t which;
  int lock = GPU_LOCK_BUSY;
  if (task->grading->device != DEVICE_GPU) return -1;
  const double start = monotonic_seconds();
  gpu_queue_join(&queue, gpus, task->grading->gpu_lock);
  while (lock == GPU_LOCK_BUSY) {
    task_progress(task, "waiting for a GPU"); // in each round, since a silent worker is killed
    lock = gpu_queue_wait(&queue, 60, &which);
  }
  task->waited = monotonic_seconds() - start;
  if (gpus->count > 1) setenv("CUDA_VISIBLE_DEVICES", gpus->names[which], 1);
  return lock;
}

// Bytes of each array that machines without a GPU take for the timed size; 0: they time nothing. For tests.
#ifndef TIMED_SIZE_WITHOUT_GPU
#define TIMED_SIZE_WITHOUT_GPU 0
#endif

// What was timed has to do what is asked, too.
static void look_at_timed_size(struct task *task) {
  const size_t pretended = TIMED_SIZE_WITHOUT_GPU;
  if (!task->record->stages[STAGE_BANDWIDTH].has_ratio && !pretended) return;
  if (pretended) task->timed_case = task->exercise->bandwidth_case(pretended);
  timed_size_judge(task);
  if (task->record->stages[STAGE_RULES].verdict != VERDICT_PASS) not_reached(task, STAGE_BANDWIDTH);
}

// If the result is wrong and a requirement is unmet, both are reported: the second may well be the cause of
// the first.
static void tell_unmet_too(const struct task *task) {
  struct stage_record *stage = &task->record->stages[STAGE_CORRECTNESS];
  if (!task->unmet || stage->verdict != VERDICT_FAIL || strcmp(stage->headline, CASE_WRONG_VALUES) != 0)
    return;
  stage_detail(stage, "\nIt also does not do what is asked: %s.\n%s%s\n", task->unmet->message,
               task->unmet_numbers, task->unmet->remedy);
  const unsigned line = source_line_of_step(task, task->unmet->step);
  if (line) stage->line = line;
}

// A warning of the compiler is shown where the program then fails: it may well name the cause.
static void tell_warning(const struct task *task) {
  static const enum stage stages[] = {STAGE_RULES, STAGE_CORRECTNESS};
  for (size_t i = 0; task->warning && i < sizeof stages / sizeof *stages; i++) {
    struct stage_record *stage = &task->record->stages[stages[i]];
    if (stage->verdict != VERDICT_FAIL) continue;
    stage_detail(stage, "\nThe compiler had warned:\n%s", task->warning);
    return;
  }
}

// The block below such a line runs in every thread, say. Nothing else is so likely to be the cause.
static void tell_empty_body(const struct task *task) {
  static const enum stage stages[] = {STAGE_RULES, STAGE_CORRECTNESS};
  for (size_t i = 0; task->empty_body && i < sizeof stages / sizeof *stages; i++) {
    struct stage_record *stage = &task->record->stages[stages[i]];
    if (stage->verdict != VERDICT_FAIL) continue;
    stage_detail(stage,
                 "\nIn line %u a ; stands behind the condition: so the block below it is run in any case.\n",
                 task->empty_body);
    stage->line = task->empty_body;
    stage->is_guess = false;
    return;
  }
}

static void leave_all_ungraded(struct task *task, enum stage from) {
  for (int stage = from; stage < STAGE_COUNT; stage++)
    task_conclude(task, (enum stage)stage, VERDICT_UNGRADED, "--", CASE_TOO_BUSY);
}

// The machine was too busy. Wrong values that some run has shown are wrong all the same; else nothing is
// said.
static void leave_ungraded(struct task *task) {
  correctness_stage(task);
  const bool wrong = task->record->stages[STAGE_CORRECTNESS].verdict == VERDICT_FAIL;
  leave_all_ungraded(task, wrong ? STAGE_BANDWIDTH : STAGE_CORRECTNESS);
  remark(task, REMARK_TOO_BUSY);
}

// What the program shows when it runs.
static void run_program(struct task *task) {
  bool comes_back = rules_stage(task);
  if (!comes_back && task->evidence && task->evidence->unjudged) {
    leave_ungraded(task);
    return;
  }
  if (!comes_back) {
    not_reached(task, STAGE_CORRECTNESS);
    return;
  }
  const bool timed = task->grading->device == DEVICE_GPU && task->config->timed;
  if (timed && task->record->stages[STAGE_RULES].verdict == VERDICT_PASS) {
    task_progress(task, "bytes in flight");
    task->in_flight = bytes_in_flight_observe(task);
  }
  const int lock = take_gpu(task);
  correctness_stage(task);
  tell_unmet_too(task);
  if (task->config->timed && task->record->stages[STAGE_CORRECTNESS].verdict == VERDICT_PASS) {
    bandwidth_stage(task);
  } else {
    not_reached(task, STAGE_BANDWIDTH);
  }
  if (lock >= 0) close(lock);
  if (task->config->timed && task->record->stages[STAGE_RULES].verdict == VERDICT_PASS &&
      task->record->stages[STAGE_CORRECTNESS].verdict == VERDICT_PASS)
    look_at_timed_size(task);
}

static void run_stages(struct task *task) {
  if (!build_stage(task)) {
    not_reached(task, STAGE_RULES);
    if (task->record->stages[STAGE_BUILD].verdict == VERDICT_UNGRADED) leave_all_ungraded(task, STAGE_RULES);
    return;
  }
  const size_t remarks = json_array_size(task->record->remarks);
  const enum same_code same = same_code_take(task);
  if (same == SAME_CODE_AND_REPORT) return;
  if (same == SAME_CODE_NONE)
    run_program(task);
  else if (task->config->timed)
    bandwidth_stage(task);
  else
    not_reached(task, STAGE_BANDWIDTH);
  same_code_keep(task, remarks);
}

void pipeline_run(struct task *task) {
  struct exercise_record *record = task->record;
  double start = monotonic_seconds(), worked = 0;
  task->worked = &worked;
  snprintf(record->name, sizeof record->name, "%s", task->exercise->name);
  lab_config_score(&task->grading->config, record);
  run_stages(task);
  tell_warning(task);
  tell_empty_body(task);
  evidence_free(task->evidence);
  free(task->warning);
  task->worked = NULL;
  record->seconds = monotonic_seconds() - start - task->waited;
  exercise_conclude(record);
}
