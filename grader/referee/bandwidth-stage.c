// Stage 4, on a GPU only: how fast the kernel moves its bytes, compared with a yardstick of our own. In: the
// built program. Out: a verdict, a ratio with its interval, and a bar chart. The idea: rounds are added until
// the verdict is clear; whatever makes the ratio meaningless (a disturbed GPU, clocks that disagree, an
// impossible speed) is found first and reported instead.
#include "referee/bandwidth-session.h"
#include "referee/bar-chart.h"
#include "referee/bytes-in-flight.h"
#include "referee/cases.h"
#include "referee/fairness.h"
#include "referee/prediction.h"
#include "referee/remarks.h"
#include "referee/speed.h"
#include "referee/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// `cause` is for the headline, `reason` has the numbers.
static void give_up(const struct task *task, const char *cause, const char *reason) {
  struct stage_record *stage =
      task_conclude(task, STAGE_BANDWIDTH, VERDICT_ERROR, "error", "could not be timed: %s", cause);
  stage_detail(stage, "%s\n", reason);
}

static const struct speed_unit *unit_of(const struct bandwidth_session *timed) {
  return speed_unit_of(timed->task->exercise);
}

static bool is_product(const struct bandwidth_session *timed) {
  return timed->task->exercise->traffic == TRAFFIC_PRODUCT;
}

// "The chip's .. at most 3352 GB/s".
static const char *limit_of(const struct bandwidth_session *timed) {
  return is_product(timed) ? "chip's tensor cores do" : "chip's memory moves";
}

static void describe_finding(const struct bandwidth_session *timed, const struct bandwidth_finding *finding) {
  const struct exercise_instance *instance = &timed->instance;
  char element[96], sizes[160];
  bool wrong = finding->found.wrong_outputs > 0;
  const struct matrix_shape *shape = wrong ? &instance->output : &instance->input;
  exercise_describe_element(shape, wrong ? finding->found.first_wrong : finding->found.first_changed, element,
                            sizeof element);
  exercise_describe_sizes(instance, sizes, sizeof sizes);
  struct stage_record *stage =
      task_conclude(timed->task, STAGE_BANDWIDTH, VERDICT_FAIL, "wrong", "%s",
                    wrong ? "computes a wrong result on large arrays" : "changes its input on large arrays");
  stage_detail(stage, "%s\n\n%s %llu of %zu elements, the first of them %s, in launch %u of %u in a row.\n",
               sizes, wrong ? "wrong:" : "changed:",
               (unsigned long long)(wrong ? finding->found.wrong_outputs : finding->found.changed_inputs),
               matrix_elements(shape), element, finding->slot + 1, finding->launches);
  stage_detail(
      stage, "Each launch has buffers of its own, with new numbers. Is an index too small for large arrays,\n"
             "or does a launch rely on what an earlier one has left?\n");
  struct fairness fairness = {.peak = timed->peak, .ratio = {.yardstick = timed->baseline}};
  const struct speed_unit *unit = unit_of(timed);
  if (!(finding->speed <= fairness_most(&fairness)))
    stage_detail(
        stage,
        "It came back as if it had run at %.0f %s. The %s at most %.0f, so\nit has not done its work.\n",
        finding->speed / unit->size, unit->name, limit_of(timed), fairness_most(&fairness) / unit->size);
}

static void conclude_early(const struct bandwidth_session *timed, const struct bandwidth_finding *finding) {
  struct stage_record *stage = task_conclude(timed->task, STAGE_BANDWIDTH, VERDICT_FAIL, "early",
                                             "says that it is done before its work is");
  stage_detail(
      stage,
      "Of %u words, all over the results of %u launches in a row, %u were written only after it\n"
      "had come back.\n"
      "Give `stream` to every launch, copy and memset: the work of other streams isn't waited for.\n",
      finding->samples, timed->slots, finding->samples_late);
}

// ---- findings that make the speed meaningless ----

// The yardstick was slow or unsteady: was it the student's program, or another one?
static void conclude_disturbed(struct bandwidth_session *timed, const struct fairness *fairness) {
  const struct task *task = timed->task;
  const struct ratio *ratio = &fairness->ratio;
  const struct speed_unit *unit = unit_of(timed);
  const double without = bandwidth_time_yardstick(timed); // the program has ended by now
  if (fairness_was_kept_busy(fairness, without)) {
    struct stage_record *stage =
        task_conclude(task, STAGE_BANDWIDTH, VERDICT_FAIL, "busy", "keeps the GPU busy between its launches");
    stage_detail(stage,
                 "The grader's own yardstick ran at %.0f %s before your program was started, at %.0f %s\n"
                 "while it was there and idle, and at %.0f %s once it was gone.\n"
                 "A launcher's work must end with its launches.\n",
                 timed->baseline / unit->size, unit->name, ratio->yardstick / unit->size, unit->name,
                 without / unit->size, unit->name);
    return;
  }
  char reason[700], noticed[160];
  fairness_describe(fairness, noticed, sizeof noticed);
  snprintf(reason, sizeof reason,
           "The GPU did not run as it should: the grader's own yardstick reached %.0f %s at first,\n"
           "%.0f %s in %u rounds beside your program, with a spread of %.1f %%, and %.0f %s afterwards.\n"
           "It may fall or spread by %.0f %%. The %s %.0f %s on paper.\n%s%s%s",
           timed->baseline / unit->size, unit->name, ratio->yardstick / unit->size, unit->name,
           timed->rounds.count, ratio->spread * 100, without / unit->size, unit->name,
           fairness_steady_within(fairness) * 100, limit_of(timed), timed->peak / unit->size, unit->name,
           noticed[0] ? "The driver says of the GPU: " : "Does another program use it? Grade it again.",
           noticed, noticed[0] ? ". Grade it again." : "");
  give_up(task, fairness_reason(fairness), reason);
}

static void conclude_too_busy(const struct bandwidth_session *timed, double waited) {
  struct stage_record *stage =
      task_conclude(timed->task, STAGE_BANDWIDTH, VERDICT_UNGRADED, "--", CASE_TOO_BUSY);
  stage_detail(stage,
               "Other programs had the processors for %.1f %% of the time in which your kernel or the\n"
               "grader's own yardstick was to be started or waited for, so its speed says little. Grade it\n"
               "again when the machine has less to do.\n",
               waited * 100);
  remark(timed->task, REMARK_TOO_BUSY);
}

static void conclude_throttled(const struct bandwidth_session *timed, const struct fairness *fairness) {
  char reason[400], noticed[160];
  fairness_describe(fairness, noticed, sizeof noticed);
  snprintf(reason, sizeof reason,
           "The kernel reached %.3f of the yardstick, but that says little. The driver says of the GPU: %s.\n"
           "Such a GPU slows down kernels that compute more than copies.",
           fairness->ratio.ratio, noticed);
  give_up(timed->task, fairness_reason(fairness), reason);
}

static void conclude_too_fast(const struct bandwidth_session *timed, const struct fairness *fairness) {
  const struct speed_unit *unit = unit_of(timed);
  struct stage_record *stage =
      task_conclude(timed->task, STAGE_BANDWIDTH, VERDICT_FAIL, "too fast", "is faster than the %s can be",
                    is_product(timed) ? "tensor cores" : "memory");
  stage_detail(stage,
               "%.0f %s, where the %s at most %.0f %s and the grader's own yardstick %.0f %s.\n"
               "The results were right, so not every launch can have done its work between its start and its "
               "end.\n",
               fairness->ratio.kernel / unit->size, unit->name, limit_of(timed),
               fairness_most(fairness) / unit->size, unit->name, fairness->ratio.yardstick / unit->size,
               unit->name);
}

static void conclude_clocks(const struct bandwidth_session *timed, double disagreement) {
  struct stage_record *stage = task_conclude(timed->task, STAGE_BANDWIDTH, VERDICT_FAIL, "clocks",
                                             "runs outside the stream that it was given");
  stage_detail(stage,
               "By the grader's clock, a batch of %u launches takes %.1f %% %s than by events around them\n"
               "in their stream.\n"
               "Give `stream` to every launch, copy and memset, and do nothing else in the launcher\n"
               "that takes long.\n",
               timed->slots, fabs(disagreement) * 100, disagreement > 0 ? "longer" : "shorter");
}

// ---- speed ----

static void print_bars(const struct bandwidth_session *timed, const struct ratio *ratio, FILE *out) {
  const struct task *task = timed->task;
  const struct speed_unit *unit = unit_of(timed);
  double target = task->config->bandwidth, most = timed->peak;
  char note[120];
  if (!(most > ratio->kernel)) most = fmax(ratio->kernel, ratio->yardstick);
  snprintf(note, sizeof note, "%.3f (%.3f to %.3f, %u rounds)", ratio->ratio, ratio->low, ratio->high,
           timed->rounds.count);
  bar_chart_print(out, "your kernel", ratio->kernel / most, ratio->kernel, unit, note);
  snprintf(note, sizeof note, "%.3f", target);
  bar_chart_print(out, "the target", target * ratio->yardstick / most, target * ratio->yardstick, unit, note);
  bar_chart_print(out, unit->yardstick, ratio->yardstick / most, ratio->yardstick, unit, "1.000");
  if (timed->peak > 0) bar_chart_print(out, "the chip", 1, timed->peak, unit, "on paper");
}

// Little's law: the bytes in flight are the rate times the time that each byte takes.
static void print_bytes_in_flight(const struct bandwidth_session *timed, const struct ratio *ratio,
                                  FILE *out) {
  if (!(timed->latency > 0) || timed->processors == 0 || is_product(timed)) return;
  const struct task *task = timed->task;
  double reads = task->exercise->traffic == TRAFFIC_READ ? 1 : 0.5;
  double kib = reads * timed->latency / timed->processors / 1024;
  const struct bytes_in_flight *in_flight = &task->in_flight;
  const unsigned blocks = bytes_in_flight_blocks(in_flight, timed->processors);
  fputc('\n', out);
  if (in_flight->block_bytes > 0)
    fprintf(out,
            "Your loads have up to %.1f KiB in flight on each processor: %.1f KiB in a block (seen on the\n"
            "virtual Hopper) and as many as %u block%s on a processor, unless registers run out.\n",
            (double)in_flight->block_bytes * blocks / 1024, (double)in_flight->block_bytes / 1024, blocks,
            blocks == 1 ? "" : "s");
  fprintf(out,
          "A read that waits for no other takes %.0f ns here. By Little's law (rate x time), the\n"
          "yardstick's rate needs %.1f KiB in flight, yours %.1f KiB. Under load each read takes longer,\n"
          "so plan for several times that.\n",
          timed->latency * 1e9, ratio->yardstick * kib, ratio->kernel * kib);
}

// Prints what else was noticed, whatever the verdict.
static void print_noticed(const struct bandwidth_session *timed, const struct fairness *fairness, FILE *out) {
  char noticed[160];
  fairness_describe(fairness, noticed, sizeof noticed);
  if (noticed[0])
    fprintf(out,
            "\nThe driver says of the GPU: %s. The yardstick beside your kernel ran steadily all the same.\n",
            noticed);
  if (timed->claimed_persisting != timed->persisting)
    fprintf(out,
            "\nYour program sets %.1f MiB of the L2 cache aside for accesses that persist, instead of\n"
            "the usual %.1f MiB. That can't help: between two uses of an element, many times the cache's\n"
            "size is moved.\n",
            (double)timed->claimed_persisting / (1 << 20), (double)timed->persisting / (1 << 20));
}

static void conclude_speed(struct bandwidth_session *timed, const struct fairness *fairness,
                           enum ratio_verdict verdict) {
  const struct task *task = timed->task;
  const struct ratio *ratio = &fairness->ratio;
  bool reached = verdict == RATIO_REACHED;
  char summary[32], sizes[160], *text = NULL;
  size_t length;
  snprintf(summary, sizeof summary, "%.3f", ratio->ratio);
  struct stage_record *stage = task_conclude(task, STAGE_BANDWIDTH, reached ? VERDICT_PASS : VERDICT_FAIL,
                                             summary, reached ? "is fast enough" : "is right, but too slow");
  stage->has_ratio = true;
  stage->ratio = ratio->ratio;
  if (!reached)
    stage->credit = ratio_credit(ratio->ratio, task->config->bandwidth_floor, task->config->bandwidth);
  exercise_describe_sizes(&timed->instance, sizes, sizeof sizes);
  FILE *out = open_memstream(&text, &length);
  if (!out) return;
  fprintf(out, "%s\n\n", sizes);
  print_bars(timed, ratio, out);
  print_bytes_in_flight(timed, ratio, out);
  print_noticed(timed, fairness, out);
  if (!reached)
    fprintf(out, "\n%.0f tenths of the points: all from %.2f on, none up to %.2f.\n", stage->credit * 10,
            task->config->bandwidth, task->config->bandwidth_floor);
  fclose(out);
  stage_detail(stage, "%s", text);
  free(text);
}

static void conclude(struct bandwidth_session *timed, const struct ratio *ratio, enum ratio_verdict verdict) {
  double disagreement[RATIO_MOST_ROUNDS], waited[RATIO_MOST_ROUNDS];
  memcpy(disagreement, timed->disagreement, sizeof disagreement);
  memcpy(waited, timed->waited, sizeof waited);
  bandwidth_leave_alone(timed);
  const struct fairness fairness = {.product = is_product(timed),
                                    .ratio = *ratio,
                                    .baseline = timed->baseline,
                                    .peak = timed->peak,
                                    .apart = ratio_median(disagreement, timed->rounds.count),
                                    .waited = ratio_median(waited, timed->rounds.count),
                                    .during = timed->during,
                                    .alone = timed->alone};
  switch (fairness_judge(&fairness, verdict)) {
  case FAIRNESS_TOO_BUSY: conclude_too_busy(timed, fairness.waited); break;
  case FAIRNESS_UNSTEADY:
  case FAIRNESS_CROWDED: conclude_disturbed(timed, &fairness); break;
  case FAIRNESS_TOO_FAST: conclude_too_fast(timed, &fairness); break;
  case FAIRNESS_CLOCKS: conclude_clocks(timed, fairness.apart); break;
  case FAIRNESS_THROTTLED: conclude_throttled(timed, &fairness); break;
  case FAIRNESS_FAIR: conclude_speed(timed, &fairness, verdict); break;
  }
}

// ---- the stage ----

static void conclude_stopped(struct bandwidth_session *timed, const struct run_result *launched) {
  struct case_result result = {0};
  if (case_judge_end(&timed->session, launched, &result)) {
    stage_take(timed->task, STAGE_BANDWIDTH, "failed", &result);
  } else {
    give_up(timed->task, "the program was lost", "The runner answered, and then counted as gone.");
  }
  case_result_free(&result);
}

static void run(struct bandwidth_session *timed) {
  struct run_result launched = {0};
  struct bandwidth_finding finding;
  struct ratio ratio = {0};
  char error[DEVICE_TEXT] = "";
  enum ratio_verdict verdict = RATIO_OPEN;
  task_progress(timed->task, "bandwidth, the yardstick alone");
  enum bandwidth_end end = bandwidth_measure_baseline(timed, error, sizeof error);
  if (end == BANDWIDTH_DONE) end = bandwidth_open(timed, &launched, error, sizeof error);
  for (unsigned number = 0; end == BANDWIDTH_DONE && verdict == RATIO_OPEN; number++) {
    task_progress(timed->task, "bandwidth, round %u", number);
    // the first round also loads the module
    end = bandwidth_round(timed, number, number > 0, &launched, &finding);
    ratio_of(&timed->rounds, &ratio);
    verdict = ratio_decide(&ratio, timed->rounds.count, timed->task->config->bandwidth);
  }
  switch (end) {
  case BANDWIDTH_DONE: conclude(timed, &ratio, verdict); break;
  case BANDWIDTH_NO_MEMORY:
    task_conclude(timed->task, STAGE_BANDWIDTH, VERDICT_UNGRADED, "--",
                  "is not timed: not enough of the GPU's memory is free");
    break;
  case BANDWIDTH_STOPPED: conclude_stopped(timed, &launched); break;
  case BANDWIDTH_WRONG: describe_finding(timed, &finding); break;
  case BANDWIDTH_EARLY: conclude_early(timed, &finding); break;
  case BANDWIDTH_BROKEN:
    give_up(timed->task, "the grader's own work on the GPU failed",
            error[0] ? error : device_error(timed->session.device));
    break;
  }
}

void bandwidth_stage(struct task *task) {
  if (task->grading->device != DEVICE_GPU) {
    prediction_stage(task);
    return;
  }
  struct bandwidth_session *timed = calloc(1, sizeof *timed);
  if (!timed) {
    give_up(task, "the grader has no memory left", "Out of memory.");
    return;
  }
  timed->task = task;
  timed->session = (struct session){.control = -1, .sandbox = {.exit_event = -1, .output_pipe = -1}};
  run(timed);
  task->timed_case = timed->instance.the_case;
  if (timed->session.device) bandwidth_close(timed);
  free(timed);
}
