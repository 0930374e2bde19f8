// In: a task. Out: its record. The idea: build, rules, correctness, bandwidth, in that order; a stage that makes no sense after
// the one before it is not reached, and says so.
#include "referee/pipeline.h"

#include "device/gpu-lock.h"
#include "referee/cases.h"
#include "referee/place.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void not_reached(const struct task *task, enum stage from) {
  for (int stage = from; stage < STAGE_COUNT; stage++) {
    // What this machine can't judge costs nothing, whatever went before.
    bool ungraded = stage == STAGE_BANDWIDTH && task->grading->device != DEVICE_GPU;
    task_conclude(task, (enum stage)stage, ungraded ? VERDICT_UNGRADED : VERDICT_NOT_REACHED, "--", "%s",
                  ungraded ? "is not timed: there is no Hopper GPU here"
                           : "was not looked at, since an earlier stage failed");
  }
}

// Locks the GPU until this process ends or closes what is returned; -1 on the virtual Hopper. One file for each GPU, the same for all graders
// of this machine, so that submissions on different GPUs do not wait for each other. Where /tmp gives none, a file of the grading's own,
// opened anew: descriptors that come through a fork share their lock.
static int lock_gpu(const struct task *task) {
  char path[64];
  if (task->grading->device != DEVICE_GPU) return -1;
  task_progress(task, "waiting for the GPU");
  int lock = gpu_lock_open();
  if (lock < 0) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", task->grading->gpu_lock);
    lock = open(path, O_RDWR | O_CLOEXEC);
  }
  if (lock >= 0) flock(lock, LOCK_EX);
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
  const int lock = lock_gpu(task);
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
  double start = now();
  snprintf(record->name, sizeof record->name, "%s", task->exercise->name);
  for (int stage = 0; stage < STAGE_COUNT; stage++)
    record->stages[stage].points = record->stages[stage].max_points = task->config->points[stage];
  run_stages(task);
  record->seconds = now() - start;
  exercise_conclude(record);
}
