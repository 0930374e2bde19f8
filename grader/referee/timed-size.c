// In: the case that was timed. Out: the record. The idea: this run is made like all others on the virtual
// Hopper (a process of its own, a drawn seed, the same input and poison), so nothing tells it apart; values
// aren't compared, since the GPU's were.
#include "referee/timed-size.h"

#include "device/gpu-lock.h"
#include "monotonic.h"
#include "referee/cases.h"
#include "referee/evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const size_t SLACK = (size_t)2 << 30; // what a program may hold besides its buffers

// Bytes that this machine can give without swapping; 0: unknown.
static size_t available_memory(void) {
  FILE *file = fopen("/proc/meminfo", "re");
  char line[120];
  unsigned long long kib = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
  if (file) fclose(file);
  return (size_t)kib << 10;
}

static int wait_for_turn(struct task *task) {
  static const struct gpu_list turn = {.names = {"c0de"}, .count = 1}; // a lock file's name has hex digits
  struct gpu_queue queue;
  size_t which;
  int lock;
  const double start = monotonic_seconds();
  gpu_queue_join(&queue, &turn, task->grading->gpu_lock);
  do {
    task_progress(task, "waiting to run the size that was timed on the virtual Hopper");
    lock = gpu_queue_wait(&queue, 60, &which);
  } while (lock == GPU_LOCK_BUSY);
  task->waited += monotonic_seconds() - start;
  return lock;
}

// Writes input and poison where the device has them, without a copy.
static int load(struct case_run *run, struct session *session) {
  if (device_allocate(session->device, run->buffers, run->buffer_count, run->instance.seed) != 0) return -1;
  for (unsigned i = 0; i < run->buffer_count; i++) {
    void *place = device_memory(session->device, &run->buffers[i]);
    if (!place) return -1;
    if (i == 0) {
      case_make_input(run, place);
    } else {
      case_make_poison(run, place, run->buffers[i].bytes);
    }
  }
  return 0;
}

static void judge(struct task *task, const struct case_run *run, struct session *session,
                  const struct run_result *launched) {
  struct case_evidence found = {.instance = run->instance, .runs = 1};
  case_judge_rules(session, launched, &found.broken);
  if (found.broken.verdict == CASE_ERROR || found.broken.verdict == CASE_UNJUDGED) {
    stage_take(task, STAGE_BANDWIDTH, "--", &found.broken);
  } else {
    if (found.broken.verdict == CASE_RIGHT)
      found.unmet = requirements_unmet(task->config, device_report(session->device), &run->instance, true);
    rules_take(task, &found, false);
  }
  case_result_free(&found.broken);
}

static void cannot_run(struct task *task, const char *what, const char *why) {
  struct stage_record *stage =
      task_conclude(task, STAGE_BANDWIDTH, VERDICT_UNGRADED, "--",
                    "is not graded: the size that was timed could not be run on the virtual Hopper");
  stage_detail(stage, "%s: %s\n", what, why);
}

static size_t memory_needed(const struct case_run *run) {
  return run->buffers[0].bytes + (run->buffer_count > 1 ? run->buffers[1].bytes : 0) + SLACK;
}

static void perform(struct task *task, struct case_run *run, const struct device_options *options) {
  struct session session;
  struct run_result launched = {0};
  if (!session_open(&session, task, DEVICE_VIRTUAL, options, &launched)) {
    judge(task, run, &session, &launched);
  } else if (load(run, &session) != 0) {
    cannot_run(task, "the virtual Hopper's memory", device_error(session.device));
  } else {
    case_launch(run, &session, 1, &launched);
    judge(task, run, &session, &launched);
  }
  session_close(&session);
}

void timed_size_judge(struct task *task) {
  struct case_run run;
  char text[160];
  const uint64_t seed = task_seed(task, "timed size", 0);
  const struct exercise *exercise = task->exercise;
  const struct exercise_case judged =
      exercise->stand_in ? exercise->stand_in(&task->timed_case) : task->timed_case;
  if (!case_begin(&run, exercise, &judged, false, seed)) return;
  const int lock = wait_for_turn(task);
  const size_t needed = memory_needed(&run), available = available_memory();
  const struct device_options options = {.workers = task->grading->workers,
                                         .seed = seed,
                                         .memory_bytes = needed,
                                         .launch_deadline = task->grading->launch_deadline};
  task_progress(task, "the size that was timed, on the virtual Hopper");
  snprintf(text, sizeof text, "%.1f GiB are needed, %.1f are free", (double)needed / (1 << 30),
           (double)available / (1 << 30));
  if (available && available < needed) {
    cannot_run(task, "this machine's memory", text);
  } else {
    perform(task, &run, &options);
  }
  case_free(&run);
  if (lock >= 0) close(lock);
}
