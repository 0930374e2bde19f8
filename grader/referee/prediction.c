// In: a built program. Out: the ratio to the yardstick that the time model predicts, why it is no better,
// and a picture. The idea: a launch that is long enough to have a steady middle tells what a longer one
// takes: its start and end, and the middle so many times over.
#include "referee/prediction.h"

#include <math.h>
#include <stdlib.h>

#include "referee/cases.h"
#include "referee/evidence.h"
#include "referee/ratio.h"
#include "referee/speed.h"
#include "virtual-hopper/time/predict.h"

static const size_t PLAYED_BYTES = (size_t)48 << 20; // of an array that is really moved
// The same of a kernel that executes so many instructions for each byte (evidence.h) that they, and not the
// memory, bound it: each of its tiles takes long, so a quarter has its steady middle, too.
static const size_t SLOW_PLAYED_BYTES = (size_t)12 << 20;
static const double TIMED_BYTES = (double)(2LL << 30); // of an array that a GPU would get
static const char CHIP[] = "h100";

static double predicted_ratio(const struct task *task, const struct exercise_instance *instance,
                              const struct device_prediction *p) {
  const struct chip *chip = chip_find(CHIP);
  if (task->exercise->traffic == TRAFFIC_PRODUCT) return time_of_product(chip, speed_work(instance)) / p->us;
  const double larger = TIMED_BYTES / (double)matrix_bytes(&instance->input);
  const double us = p->us + (larger - 1) * p->steady_us;
  const bool reads = task->exercise->traffic == TRAFFIC_READ;
  return time_of_yardstick(chip, reads, larger * (double)instance->bytes_moved) / us;
}

static struct exercise_case played_case(const struct task *task) {
  const struct exercise *exercise = task->exercise;
  if (exercise->played_case) return exercise->played_case();
  const bool slow = task->evidence && task->evidence->slow;
  return exercise->bandwidth_case(slow ? SLOW_PLAYED_BYTES : PLAYED_BYTES);
}

bool prediction_make(const struct task *task, struct prediction *prediction) {
  const struct device_options options = {
      .workers = 1, .seed = 1, .chip = CHIP, .launch_deadline = task->grading->launch_deadline};
  const struct exercise *exercise = task->exercise;
  const struct exercise_case the_case = played_case(task);
  struct session session;
  struct run_result opened;
  struct case_run run;
  struct case_result result = {0};
  bool known = false;
  if (session_open(&session, task, DEVICE_VIRTUAL, &options, &opened) &&
      case_prepare(&run, exercise, &the_case, false, 1, task->grading->known_cases)) {
    case_perform(&run, &session, &result);
    known = result.verdict == CASE_RIGHT && device_predict(session.device, &prediction->on_device) == 0;
    if (known) prediction->ratio = predicted_ratio(task, &run.instance, &prediction->on_device);
    case_result_free(&result);
    case_free(&run);
  }
  session_close(&session);
  return known && isfinite(prediction->ratio);
}

static void explain(struct stage_record *stage, const struct prediction *prediction) {
  char *text = NULL, *picture = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out) {
    timeline_explain(&prediction->on_device.timeline, out);
    fclose(out);
    stage_detail(stage, "%s", text);
    free(text);
  }
  out = open_memstream(&picture, &size);
  if (!out) return;
  timeline_draw(&prediction->on_device.timeline, out);
  fclose(out);
  free(stage->picture);
  stage->picture = picture;
}

static void conclude(const struct task *task, const struct prediction *prediction) {
  const struct exercise_config *config = task->config;
  const bool grades = task->grading->config.without_gpu == WITHOUT_GPU_GRADE;
  const bool reached = prediction->ratio >= config->bandwidth;
  const enum verdict verdict = !grades ? VERDICT_UNGRADED : reached ? VERDICT_PASS : VERDICT_FAIL;
  char summary[32];
  snprintf(summary, sizeof summary, "~%.2f", prediction->ratio);
  struct stage_record *stage = task_conclude(task, STAGE_BANDWIDTH, verdict, summary,
                                             "is predicted to reach %.2f of %s on an H100, %s %.2f",
                                             prediction->ratio, speed_unit_of(task->exercise)->yardstick,
                                             reached ? "enough for" : "too little for", config->bandwidth);
  stage->has_predicted = true;
  stage->predicted_ratio = prediction->ratio;
  if (grades && !reached)
    stage->credit = ratio_credit(prediction->ratio, config->bandwidth_floor, config->bandwidth);
  explain(stage, prediction);
}

// A kernel that lacks what is asked for, and takes long here: its prediction would take longer still, and no
// points depend on it.
static bool is_pointless(const struct task *task) {
  const bool grades = task->grading->config.without_gpu == WITHOUT_GPU_GRADE;
  return !grades && task->unmet && task->evidence && task->evidence->slow;
}

void prediction_stage(struct task *task) {
  if (is_pointless(task)) {
    task_conclude(task, STAGE_BANDWIDTH, VERDICT_UNGRADED, "--",
                  "is not predicted: the kernel takes long here, and first has to do what is asked");
    return;
  }
  struct prediction *prediction = calloc(1, sizeof *prediction);
  const bool wanted = task->grading->config.without_gpu != WITHOUT_GPU_OFF && !task->grading->first_failure;
  if (wanted) task_progress(task, "bandwidth, predicted");
  if (wanted && prediction && prediction_make(task, prediction))
    conclude(task, prediction);
  else
    task_conclude(task, STAGE_BANDWIDTH, VERDICT_UNGRADED, "--", "is not timed: there is no Hopper GPU here");
  free(prediction);
}
