// Stage 4, on a GPU only: how fast the kernel moves its bytes, next to a yardstick of our own. In: the built program. Out: a
// verdict, a ratio with its interval, and bars. The idea: rounds are added until the verdict is clear; what would make it
// meaningless (a disturbed GPU, clocks that disagree, a speed that can't be) is found first and called by its name.
#include "referee/bar.h"
#include "referee/fairness.h"
#include "referee/race.h"
#include "referee/stages.h"
#include "referee/under-way.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const struct task *task, const char *reason) {
  struct stage_record *stage =
      task_conclude(task, STAGE_BANDWIDTH, VERDICT_ERROR, "error", "could not be timed");
  stage_detail(stage, "%s\n", reason);
}

static void describe_finding(const struct race *race, const struct race_finding *finding) {
  const struct exercise_instance *instance = &race->instance;
  char element[96], sizes[160];
  bool wrong = finding->found.wrong_outputs > 0;
  const struct matrix_shape *shape = wrong ? &instance->output : &instance->input;
  exercise_describe_element(shape, wrong ? finding->found.first_wrong : finding->found.first_changed, element,
                            sizeof element);
  exercise_describe_sizes(instance, sizes, sizeof sizes);
  struct stage_record *stage =
      task_conclude(race->task, STAGE_BANDWIDTH, VERDICT_FAIL, "wrong", "%s",
                    wrong ? "computes a wrong result on large arrays" : "changes its input on large arrays");
  stage_detail(stage, "%s\n\n%s %llu of %zu elements, the first of them %s, in launch %u of %u in a row.\n",
               sizes, wrong ? "wrong:" : "changed:",
               (unsigned long long)(wrong ? finding->found.wrong_outputs : finding->found.changed_inputs),
               matrix_elements(shape), element, finding->slot + 1, finding->launches);
  stage_detail(
      stage,
      "Each launch has buffers of its own, and numbers that were never there before. Is an index too small\n"
      "for large arrays, or does a launch rely on what one before it has left?\n");
  struct fairness fairness = {.peak = race->peak, .ratio = {.yardstick = race->baseline}};
  if (!(finding->speed <= fairness_most(&fairness)))
    stage_detail(
        stage,
        "It came back as if it had moved %.0f GB/s, and the chip's memory moves at most %.0f GB/s: it has not done its work.\n",
        finding->speed * 1e-9, fairness_most(&fairness) * 1e-9);
}

static void conclude_early(const struct race *race, const struct race_finding *finding) {
  struct stage_record *stage = task_conclude(race->task, STAGE_BANDWIDTH, VERDICT_FAIL, "early",
                                             "says that it is done before its work is");
  stage_detail(
      stage,
      "Of %u words looked at, all over the results of %u launches in a row, %u were written only after it had come back.\n"
      "Give `stream` to every launch, copy and memset: the work of other streams isn't waited for.\n",
      (unsigned)RACE_SAMPLES, race->slots, finding->samples_late);
}

// ---- what the race says besides speed ----

// The GPU wasn't the student's alone, or was slow for a while: whose doing is it?
static void conclude_disturbed(struct race *race, const struct fairness *fairness) {
  const struct task *task = race->task;
  const struct ratio *ratio = &fairness->ratio;
  double without = race_time_yardstick(race); // now that the program is gone
  bool recovered = without >= race->baseline * (1 - FAIRNESS_STEADY_WITHIN);
  bool slower = ratio->yardstick < race->baseline * (1 - FAIRNESS_STEADY_WITHIN);
  if (slower && recovered && fairness->alone.others == 0 && fairness->during.others == 0) {
    struct stage_record *stage =
        task_conclude(task, STAGE_BANDWIDTH, VERDICT_FAIL, "busy", "keeps the GPU busy between its launches");
    stage_detail(
        stage,
        "The grader's own yardstick ran at %.0f GB/s before your program was started, at %.0f GB/s while it was\n"
        "there and idle, and at %.0f GB/s once it was gone. A launcher's work must end with its launches.\n",
        race->baseline * 1e-9, ratio->yardstick * 1e-9, without * 1e-9);
    return;
  }
  char reason[500], noticed[160];
  fairness_describe(fairness, noticed, sizeof noticed);
  snprintf(
      reason, sizeof reason,
      "The GPU did not run as it should: the grader's own yardstick read %.0f GB/s at first, %.0f GB/s later, with a\n"
      "spread of %.1f %%; the chip's memory moves %.0f GB/s on paper. %s%s%s",
      race->baseline * 1e-9, ratio->yardstick * 1e-9, ratio->spread * 100, race->peak * 1e-9,
      noticed[0] ? "The driver says of the GPU: " : "Does another program use it?", noticed,
      noticed[0] ? "." : "");
  give_up(task, reason);
}

static void conclude_throttled(const struct race *race, const struct fairness *fairness) {
  char reason[400], noticed[160];
  fairness_describe(fairness, noticed, sizeof noticed);
  snprintf(reason, sizeof reason,
           "The kernel reached %.3f of the yardstick, but that says little. The driver says of the GPU: %s.\n"
           "Such a GPU slows down kernels that compute more than copies.",
           fairness->ratio.ratio, noticed);
  give_up(race->task, reason);
}

static void conclude_too_fast(const struct race *race, const struct fairness *fairness) {
  struct stage_record *stage = task_conclude(race->task, STAGE_BANDWIDTH, VERDICT_FAIL, "too fast",
                                             "is faster than the memory can be");
  stage_detail(
      stage,
      "%.0f GB/s, where the chip's memory moves at most %.0f GB/s and the grader's own yardstick %.0f GB/s.\n"
      "The results were right, so not every launch can have moved its bytes between its start and its end.\n",
      fairness->ratio.kernel * 1e-9, fairness_most(fairness) * 1e-9, fairness->ratio.yardstick * 1e-9);
}

static void conclude_clocks(const struct race *race, double disagreement) {
  struct stage_record *stage = task_conclude(race->task, STAGE_BANDWIDTH, VERDICT_FAIL, "clocks",
                                             "runs outside the stream that it was given");
  stage_detail(
      stage,
      "From outside, a batch of %u launches takes %.1f %% %s than by the GPU's own events around them in their stream.\n"
      "Give `stream` to every launch, copy and memset, and do nothing else in the launcher that takes long.\n",
      race->slots, fabs(disagreement) * 100, disagreement > 0 ? "longer" : "shorter");
}

// ---- speed ----

static void print_bars(const struct race *race, const struct ratio *ratio, FILE *out) {
  const struct task *task = race->task;
  const char *yardstick = task->exercise->traffic == TRAFFIC_READ ? "a plain read" : "a plain copy";
  double target = task->config->bandwidth, most = race->peak;
  char note[120];
  if (!(most > ratio->kernel)) most = fmax(ratio->kernel, ratio->yardstick);
  snprintf(note, sizeof note, "%.3f (%.3f to %.3f, %u rounds)", ratio->ratio, ratio->low, ratio->high,
           race->rounds.count);
  bar_print(out, "your kernel", ratio->kernel / most, ratio->kernel, note);
  snprintf(note, sizeof note, "%.3f", target);
  bar_print(out, "the target", target * ratio->yardstick / most, target * ratio->yardstick, note);
  bar_print(out, yardstick, ratio->yardstick / most, ratio->yardstick, "1.000");
  if (race->peak > 0) bar_print(out, "the chip", 1, race->peak, "on paper");
}

// Little's law: what is under way at any time is the rate times the time that each byte takes.
static void print_under_way(const struct race *race, const struct ratio *ratio, FILE *out) {
  if (!(race->latency > 0) || race->processors == 0) return;
  const struct task *task = race->task;
  double reads = task->exercise->traffic == TRAFFIC_READ ? 1 : 0.5;
  double kib = reads * race->latency / race->processors / 1024;
  const struct under_way *under_way = &task->under_way;
  const unsigned blocks = under_way_blocks(under_way, race->processors);
  fputc('\n', out);
  if (under_way->block_bytes > 0)
    fprintf(
        out,
        "Your loads have up to %.1f KiB under way on each processor: %.1f KiB in a block (seen on the virtual Hopper), and as\n"
        "many as %u block%s on a processor, unless registers run out.\n",
        (double)under_way->block_bytes * blocks / 1024, (double)under_way->block_bytes / 1024, blocks,
        blocks == 1 ? "" : "s");
  fprintf(
      out,
      "A read that waits for no other takes %.0f ns here. By Little's law (rate x time) the yardstick's rate needs %.1f KiB,\n"
      "yours %.1f KiB; under load each read takes longer, so plan for several times that.\n",
      race->latency * 1e9, ratio->yardstick * kib, ratio->kernel * kib);
}

// What would otherwise go unsaid, whatever the verdict.
static void print_noticed(const struct race *race, const struct fairness *fairness, FILE *out) {
  char noticed[160];
  fairness_describe(fairness, noticed, sizeof noticed);
  if (noticed[0])
    fprintf(out,
            "\nThe driver says of the GPU: %s. The yardstick beside your kernel ran steadily all the same.\n",
            noticed);
  if (race->claimed_persisting != race->persisting)
    fprintf(
        out,
        "\nYour program sets %.1f MiB of the L2 cache aside for accesses that persist, instead of the usual %.1f MiB. It can't\n"
        "help: between two uses of an element many times the cache goes by.\n",
        (double)race->claimed_persisting / (1 << 20), (double)race->persisting / (1 << 20));
}

static void conclude_speed(struct race *race, const struct fairness *fairness, enum ratio_verdict verdict) {
  const struct task *task = race->task;
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
  exercise_describe_sizes(&race->instance, sizes, sizeof sizes);
  FILE *out = open_memstream(&text, &length);
  if (!out) return;
  fprintf(out, "%s\n\n", sizes);
  print_bars(race, ratio, out);
  print_under_way(race, ratio, out);
  print_noticed(race, fairness, out);
  if (!reached)
    fprintf(out, "\n%.0f tenths of the points: all from %.2f on, none up to %.2f.\n", stage->credit * 10,
            task->config->bandwidth, task->config->bandwidth_floor);
  fclose(out);
  stage_detail(stage, "%s", text);
  free(text);
}

static void conclude(struct race *race, const struct ratio *ratio, enum ratio_verdict verdict) {
  double disagreement[RATIO_MOST_ROUNDS];
  memcpy(disagreement, race->disagreement, sizeof disagreement);
  race_leave_alone(race);
  const struct fairness fairness = {.ratio = *ratio,
                                    .baseline = race->baseline,
                                    .peak = race->peak,
                                    .apart = ratio_median(disagreement, race->rounds.count),
                                    .during = race->during,
                                    .alone = race->alone};
  switch (fairness_judge(&fairness, verdict)) {
  case FAIRNESS_UNSTEADY:
  case FAIRNESS_CROWDED: conclude_disturbed(race, &fairness); break;
  case FAIRNESS_TOO_FAST: conclude_too_fast(race, &fairness); break;
  case FAIRNESS_CLOCKS: conclude_clocks(race, fairness.apart); break;
  case FAIRNESS_THROTTLED: conclude_throttled(race, &fairness); break;
  case FAIRNESS_FAIR: conclude_speed(race, &fairness, verdict); break;
  }
}

// ---- the stage ----

static void conclude_stopped(struct race *race, const struct run_result *launched) {
  struct case_result result = {0};
  if (case_judge_end(&race->session, launched, &result)) {
    stage_take(race->task, STAGE_BANDWIDTH, "failed", &result);
  } else {
    give_up(race->task, "The runner answered, and then was taken for gone.");
  }
  case_result_free(&result);
}

static void run(struct race *race) {
  struct run_result launched = {0};
  struct race_finding finding;
  struct ratio ratio = {0};
  char error[DEVICE_TEXT] = "";
  enum ratio_verdict verdict = RATIO_OPEN;
  task_progress(race->task, "bandwidth, the yardstick alone");
  enum race_end end = race_measure_baseline(race, error, sizeof error);
  if (end == RACE_DONE) end = race_open(race, &launched, error, sizeof error);
  for (unsigned number = 0; end == RACE_DONE && verdict == RATIO_OPEN; number++) {
    task_progress(race->task, "bandwidth, round %u", number);
    end = race_round(race, number, number > 0, &launched, &finding); // the first one also loads the module
    ratio_of(&race->rounds, &ratio);
    verdict = ratio_decide(&ratio, race->rounds.count, race->task->config->bandwidth);
  }
  switch (end) {
  case RACE_DONE: conclude(race, &ratio, verdict); break;
  case RACE_NO_MEMORY:
    task_conclude(race->task, STAGE_BANDWIDTH, VERDICT_UNGRADED, "--",
                  "is not timed: not enough of the GPU's memory is free");
    break;
  case RACE_STOPPED: conclude_stopped(race, &launched); break;
  case RACE_WRONG: describe_finding(race, &finding); break;
  case RACE_EARLY: conclude_early(race, &finding); break;
  case RACE_BROKEN: give_up(race->task, error[0] ? error : device_error(race->session.device)); break;
  }
}

void bandwidth_stage(struct task *task) {
  if (task->grading->device != DEVICE_GPU) {
    task_conclude(task, STAGE_BANDWIDTH, VERDICT_UNGRADED, "--", "is not timed: there is no Hopper GPU here");
    return;
  }
  struct race *race = calloc(1, sizeof *race);
  if (!race) {
    give_up(task, "Out of memory.");
    return;
  }
  race->task = task;
  race->session = (struct session){.control = -1, .sandbox = {.exit_event = -1, .output_pipe = -1}};
  run(race);
  if (race->session.device) race_close(race);
  free(race);
}
