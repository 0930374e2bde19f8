// Stage 4, on a GPU only: how fast the kernel moves its bytes, next to a copy of our own over the same memory. In: the built
// program. Out: a ratio. The idea: both are timed by the referee's clock, from outside, over batches long enough for that, and
// turn about, so that whatever slows the machine slows both; medians, not means; and the results are checked afterwards.
#include "referee/stages.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, PROBE_LAUNCHES = 4, MOST_LAUNCHES = 512 };
static const double BATCH_SECONDS = 0.04; // FACTS: from 10 ms on, an outside clock is good to half a percent
static const size_t MOST_BYTES = (size_t)1 << 30, LEAST_BYTES = (size_t)256 << 20, SLACK = (size_t)4 << 20;

struct race {
  const struct task *task;
  struct session session;
  struct case_run run;
  struct device_buffer scratch;        // where the trusted copy goes
  unsigned launches;                   // of the kernel, so far
  double kernel[ROUNDS], copy[ROUNDS]; // bytes per second
};

static void give_up(const struct task *task, const char *reason) {
  struct stage_record *stage =
      task_conclude(task, STAGE_BANDWIDTH, VERDICT_ERROR, "error", "could not be timed");
  stage_detail(stage, "%s\n", reason);
}

// How large input and output may be: three of them and their guards must fit into two thirds of what is free.
static size_t choose_bytes(const struct task *task) {
  struct device_options options = {0};
  char error[DEVICE_TEXT];
  size_t free_bytes = 0;
  struct device *device = device_open(DEVICE_GPU, &options, error, sizeof error);
  if (!device) return 0;
  if (device_free_memory(device, &free_bytes) != 0) free_bytes = 0;
  device_close(device);
  (void)task;
  size_t bytes = free_bytes / 9 * 2;
  return bytes > MOST_BYTES ? MOST_BYTES : bytes;
}

static bool prepare(struct race *race, size_t bytes) {
  const struct task *task = race->task;
  struct exercise_case the_case = task->exercise->bandwidth_case(bytes);
  struct device_options options = {.memory_bytes = 3 * bytes + SLACK};
  struct run_result opened;
  task_progress(task, "bandwidth, making %zu MiB of numbers", bytes >> 20);
  if (!case_prepare(&race->run, task->exercise, &the_case, false, task_seed(task, "bandwidth", 0))) {
    give_up(task, "There is not enough memory on the host for the numbers.");
    return false;
  }
  if (session_open(&race->session, task, DEVICE_GPU, &options, &opened)) return true;
  struct case_result result = {0};
  case_judge_end(&race->session, &opened, &result);
  stage_take(task, STAGE_BANDWIDTH, "failed", &result);
  case_result_free(&result);
  return false;
}

// Input, output and the copy's target, side by side.
static bool load(struct race *race) {
  struct case_run *run = &race->run;
  struct device_buffer all[3] = {
      run->buffers[0], run->buffers[1], {.name = "scratch", .bytes = run->buffers[0].bytes}};
  unsigned count = run->buffer_count + 1;
  all[count - 1] = all[2];
  struct device *device = race->session.device;
  if (device_allocate(device, all, count, run->instance.seed) == 0) {
    memcpy(run->buffers, all, run->buffer_count * sizeof *all);
    race->scratch = all[count - 1];
    if (device_write(device, &run->buffers[0], run->input) == 0) {
      if (run->buffer_count == 1) return true;
      case_poison(run);
      if (device_write(device, &run->buffers[1], run->got) == 0) return true;
    }
  }
  give_up(race->task, device_error(device));
  return false;
}

// One batch of the student's launches; false if it ended badly (the stage is concluded).
static bool time_kernel(struct race *race, unsigned launches, double *seconds) {
  struct run_result launched;
  case_launch(&race->run, &race->session, launches, &launched);
  race->launches += launches;
  struct case_result result = {0};
  bool ended = case_judge_end(&race->session, &launched, &result);
  if (ended) stage_take(race->task, STAGE_BANDWIDTH, "failed", &result);
  case_result_free(&result);
  *seconds = launched.seconds;
  return !ended;
}

static bool time_copy(struct race *race, unsigned times, double *seconds) {
  const struct device_buffer *input = &race->run.buffers[0];
  if (device_time_copies(race->session.device, race->scratch.place, input->place, input->bytes, times,
                         seconds) == 0)
    return true;
  give_up(race->task, device_error(race->session.device));
  return false;
}

static unsigned batch_size(double probe_seconds) {
  double each = probe_seconds / PROBE_LAUNCHES, wanted = BATCH_SECONDS / (each > 1e-6 ? each : 1e-6);
  return wanted < PROBE_LAUNCHES ? PROBE_LAUNCHES : wanted > MOST_LAUNCHES ? MOST_LAUNCHES : (unsigned)wanted;
}

static bool run_race(struct race *race) {
  double seconds;
  for (int probe = 0; probe < 2; probe++) // the first launch also loads the module
    if (!time_kernel(race, PROBE_LAUNCHES, &seconds)) return false;
  unsigned launches = batch_size(seconds);
  if (!time_copy(race, PROBE_LAUNCHES, &seconds)) return false;
  unsigned copies = batch_size(seconds);
  for (int round = 0; round < ROUNDS; round++) {
    task_progress(race->task, "bandwidth, round %d of %d", round + 1, ROUNDS);
    if (!time_copy(race, copies, &seconds)) return false;
    race->copy[round] = 2.0 * (double)race->run.buffers[0].bytes * copies / seconds;
    if (!time_kernel(race, launches, &seconds)) return false;
    race->kernel[round] = (double)race->run.instance.bytes_moved * launches / seconds;
  }
  return true;
}

static int by_size(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double median(double *values) {
  qsort(values, ROUNDS, sizeof *values, by_size);
  return values[ROUNDS / 2];
}

static void conclude(struct race *race) {
  const struct task *task = race->task;
  double kernel = median(race->kernel), copy = median(race->copy), ratio = kernel / copy,
         target = task->config->bandwidth;
  bool reached = ratio >= target;
  char summary[32];
  snprintf(summary, sizeof summary, "%.2f", ratio);
  struct stage_record *stage = task_conclude(task, STAGE_BANDWIDTH, reached ? VERDICT_PASS : VERDICT_FAIL,
                                             summary, reached ? "is fast enough" : "is right, but too slow");
  stage->has_ratio = true;
  stage->ratio = ratio;
  char sizes[160];
  exercise_describe_sizes(&race->run.instance, sizes, sizeof sizes);
  stage_detail(
      stage,
      "%s\nyour kernel       %6.0f GB/s\na plain copy      %6.0f GB/s\nratio             %6.3f    asked for %.2f\n",
      sizes, kernel * 1e-9, copy * 1e-9, ratio, target);
}

// A fast kernel that computes nothing is not fast.
static bool results_right(struct race *race) {
  struct run_result fine = {.end = RUN_ANSWERED};
  struct case_result result;
  task_progress(race->task, "bandwidth, checking the results");
  if (race->run.instance.in_place) {
    race->run.instance.launches = race->launches;
    case_expect(&race->run);
  }
  case_judge(&race->run, &race->session, &fine, &result);
  bool right = result.verdict == CASE_RIGHT;
  if (!right) stage_take(race->task, STAGE_BANDWIDTH, "wrong", &result);
  case_result_free(&result);
  return right;
}

void bandwidth_stage(struct task *task) {
  if (task->grading->device != DEVICE_GPU) {
    task_conclude(task, STAGE_BANDWIDTH, VERDICT_UNGRADED, "--", "is not timed: there is no Hopper GPU here");
    return;
  }
  size_t bytes = choose_bytes(task);
  if (bytes < LEAST_BYTES) {
    task_conclude(task, STAGE_BANDWIDTH, VERDICT_UNGRADED, "--",
                  "is not timed: less than 1.2 GB of the GPU's memory is free");
    return;
  }
  struct race race = {.task = task,
                      .session = {.control = -1, .sandbox = {.exit_event = -1, .output_pipe = -1}}};
  if (prepare(&race, bytes) && load(&race) && run_race(&race) && results_right(&race)) conclude(&race);
  session_close(&race.session);
  case_free(&race.run);
}
