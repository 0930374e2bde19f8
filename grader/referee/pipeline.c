// In: a task. Out: its record. The idea: build, rules, correctness, bandwidth, in that order; a stage that makes no sense after
// the one before it is not reached, and says so.
#include "referee/pipeline.h"

#include "device/gpu-lock.h"
#include "monotonic.h"
#include "referee/cases.h"
#include "referee/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void not_reached(const struct task *task, enum stage from) {
  for (int stage = from; stage < STAGE_COUNT; stage++) {
    // What this machine can't judge costs nothing, whatever went before.
    bool ungraded = stage == STAGE_BANDWIDTH && task->grading->device != DEVICE_GPU;
    task_conclude(task, (enum stage)stage, ungraded ? VERDICT_UNGRADED : VERDICT_NOT_REACHED, "--", "%s",
                  ungraded ? "is not timed: there is no Hopper GPU here"
                           : "was not looked at, since an earlier stage failed");
  }
}

// Takes a GPU until this process ends or closes what is returned; -1 on the virtual Hopper. Of several, the one taken becomes the only visible one, for
// the driver in this process, which isn't initialised yet, and for the runner, which gets the same.
static int take_gpu(struct task *task) {
  const struct gpu_list *gpus = &task->grading->gpus;
  size_t which;
  int lock = GPU_LOCK_BUSY;
  if (task->grading->device != DEVICE_GPU) return -1;
  const double start = monotonic_seconds();
  while (lock == GPU_LOCK_BUSY) {
    task_progress(task, "waiting for a GPU"); // again and again: a worker that says nothing is ended
    lock = gpu_lock_take(gpus, task->grading->gpu_lock, 60, &which);
  }
  task->waited = monotonic_seconds() - start;
  if (gpus->count > 1) setenv("CUDA_VISIBLE_DEVICES", gpus->names[which], 1);
  return lock;
}

// A requirement that isn't met is told also where the result is wrong: the one may well be why the other is.
static void tell_unmet_too(const struct task *task) {
  struct stage_record *stage = &task->record->stages[STAGE_CORRECTNESS];
  if (!task->unmet || stage->verdict != VERDICT_FAIL || strcmp(stage->headline, CASE_WRONG_VALUES) != 0)
    return;
  stage_detail(stage, "\nNor does it do what is asked: %s.\n%s\n", task->unmet->message, task->unmet->remedy);
  const unsigned line = place_of_step(task, task->unmet->step);
  if (line) stage->line = line;
}

static void run_stages(struct task *task) {
  if (!build_stage(task)) {
    not_reached(task, STAGE_RULES);
    return;
  }
  bool comes_back = rules_stage(task);
  if (!comes_back) {
    not_reached(task, STAGE_CORRECTNESS);
    return;
  }
  if (task->grading->device == DEVICE_GPU && task->record->stages[STAGE_RULES].verdict == VERDICT_PASS) {
    task_progress(task, "bytes under way");
    task->under_way = under_way_observe(task);
  }
  const int lock = take_gpu(task);
  correctness_stage(task);
  tell_unmet_too(task);
  if (task->record->stages[STAGE_CORRECTNESS].verdict == VERDICT_PASS) {
    bandwidth_stage(task);
  } else {
    not_reached(task, STAGE_BANDWIDTH);
  }
  if (lock >= 0) close(lock);
}

void pipeline_run(struct task *task) {
  struct exercise_record *record = task->record;
  double start = monotonic_seconds();
  snprintf(record->name, sizeof record->name, "%s", task->exercise->name);
  lab_config_score(&task->grading->config, record);
  run_stages(task);
  record->seconds = monotonic_seconds() - start - task->waited;
  exercise_conclude(record);
}
