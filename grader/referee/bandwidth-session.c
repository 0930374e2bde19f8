// Slots, rounds and clocks. The idea: a result that was computed too early, kept from the round before, or
// left out, is wrong: inputs are new in every round, outputs are poisoned after the yardstick, and some
// inputs are written only just before the start.
#include "referee/bandwidth-session.h"

#include "device/gpu-trusted.h"
#include "exercises/formulas.h"
#include "monotonic.h"
#include "referee/product-yardstick.h"
#include "referee/speed.h"
#include "sandbox/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  BASELINE_ROUNDS = 5,
  BASELINE_COPIES = 12,
  PRODUCT_WARM_UP = 24, // rounds, about half a second
  CHASE_STEPS = 4096,
  GRID = 8192,
  ROUNDS_PER_LOOK = 6
};
static const size_t ARRAY_BYTES = (size_t)2 << 30, LEAST_ARRAY_BYTES = (size_t)256 << 20,
                    BASELINE_BYTES = (size_t)1 << 30, SLACK = (size_t)4 << 20;
static const unsigned LEAST_SLOTS = 8;
static const double ONE_THREAD = 1.15;          // processors, with some room for the driver's threads
static const size_t SUMS = GPU_NOTES_BYTES / 2; // offset of the column sums in the notes, after the findings

static enum bandwidth_end broken(const struct device *device, char *error, size_t size) {
  snprintf(error, size, "%s", device_error(device));
  return BANDWIDTH_BROKEN;
}

// ---- how much, and where ----

static bool choose_case(struct bandwidth_session *timed, size_t bytes) {
  const struct exercise *exercise = timed->task->exercise;
  struct exercise_case the_case = exercise->bandwidth_case(bytes);
  if (exercise_instantiate(exercise, &the_case, task_seed(timed->task, "bandwidth", 0), &timed->instance))
    return false;
  size_t input = matrix_bytes(&timed->instance.input), output = matrix_bytes(&timed->instance.output);
  timed->strides[0] = (input + 255) / 256 * 256;
  timed->strides[1] = (output + 255) / 256 * 256;
  return true;
}

static size_t memory_needed(const struct bandwidth_session *timed) {
  return timed->slots * (timed->strides[0] + timed->strides[1]) + SLACK;
}

// Chooses the largest arrays of which LEAST_SLOTS fit into two thirds of the free memory; the student's
// program needs a context, too.
static bool choose_slots(struct bandwidth_session *timed, size_t free_bytes) {
  size_t usable = free_bytes / 3 * 2;
  for (size_t bytes = ARRAY_BYTES; bytes >= LEAST_ARRAY_BYTES; bytes /= 2) {
    if (!choose_case(timed, bytes)) continue;
    size_t slots = (usable - SLACK) / (timed->strides[0] + timed->strides[1]);
    timed->slots = slots > BANDWIDTH_MOST_SLOTS ? BANDWIDTH_MOST_SLOTS : (unsigned)slots;
    if (usable > SLACK && slots >= LEAST_SLOTS) return true;
  }
  return false;
}

// ---- the yardstick ----

static int start_read(struct device *device, uint64_t place, uint64_t bytes) {
  uint64_t in = gpu_address(device, place), quads = bytes / 16, seen = gpu_notes(device) + SUMS - 16;
  uint32_t grid[2] = {(uint32_t)((quads + 2047) / 2048), 1};
  void *arguments[] = {&in, &quads, &seen, NULL};
  return gpu_start(device, "trusted_read", grid, arguments);
}

// What the yardstick works on: places in the shared memory, one for each turn.
struct yard {
  const struct exercise_instance *instance; // of a product: the case
  uint64_t from, to;
  const uint64_t *strides;
  uint64_t bytes; // to read, or to copy
};

static int start_yardstick(struct device *device, enum exercise_traffic traffic, const struct yard *yard,
                           unsigned turn) {
  const uint64_t from = yard->from + turn * yard->strides[0], to = yard->to + turn * yard->strides[1];
  const struct product_place place = {gpu_address(device, from), gpu_address(device, to)};
  switch (traffic) {
  case TRAFFIC_READ: return start_read(device, from, yard->bytes);
  case TRAFFIC_COPY: return gpu_start_copy(device, to, from, yard->bytes);
  case TRAFFIC_PRODUCT: return product_start(device, yard->instance, &place);
  }
  return -1;
}

static double work_of_yardstick(enum exercise_traffic traffic, const struct yard *yard) {
  switch (traffic) {
  case TRAFFIC_READ: return (double)yard->bytes;
  case TRAFFIC_COPY: return 2.0 * (double)yard->bytes;
  case TRAFFIC_PRODUCT: return speed_work(yard->instance);
  }
  return 0;
}

// Copies, reads or multiplies `times` times, as the exercise's traffic is. Work per second, 0 on failure.
static double time_traffic(struct device *device, enum exercise_traffic traffic, const struct yard *yard,
                           unsigned times) {
  int status = gpu_synchronise(device);
  double start = monotonic_seconds();
  for (unsigned i = 0; i < times && status == 0; i++)
    status = start_yardstick(device, traffic, yard, i);
  if (status == 0) status = gpu_synchronise(device);
  double seconds = monotonic_seconds() - start;
  return status == 0 ? work_of_yardstick(traffic, yard) * times / seconds : 0;
}

double bandwidth_time_yardstick(struct bandwidth_session *timed) {
  const struct matrix_shape *input = &timed->instance.input;
  // As many bytes as the kernel moves, without the rows' padding.
  const struct yard yard = {.instance = &timed->instance,
                            .from = timed->regions[0].place,
                            .to = timed->regions[1].place,
                            .strides = timed->strides,
                            .bytes = matrix_elements(input) * matrix_element_bytes(input)};
  const enum exercise_traffic traffic = timed->task->exercise->traffic;
  // Products take so much power that the clock sinks. The student's come right after ours, so ours are timed
  // when the chip is as warm: after as many that aren't.
  if (traffic == TRAFFIC_PRODUCT && !(time_traffic(timed->session.device, traffic, &yard, timed->slots) > 0))
    return 0;
  return time_traffic(timed->session.device, traffic, &yard, timed->slots);
}

// Inputs are made in words of four bytes: two elements, if an element has two.
static struct trusted_case trusted_case_of(const struct matrix_shape *shape, uint64_t seed) {
  return (struct trusted_case){.rows = shape->rows,
                               .columns = shape->columns * matrix_element_bytes(shape) / 4,
                               .pitch_bytes = shape->pitch_bytes,
                               .key = exercise_key_of(seed),
                               .late_key = exercise_key_of(exercise_mix(seed)),
                               .late_place = (uint32_t)(seed >> 24) % TRUSTED_LATE};
}

// ---- before the student's program ----

static void measure_latency(struct bandwidth_session *timed, struct device *device, uint64_t place,
                            uint64_t bytes) {
  uint64_t in = gpu_address(device, place), words = bytes / 4, notes = gpu_notes(device), times[2] = {0};
  uint64_t clocks = notes, nanoseconds = notes + 8;
  uint32_t steps = CHASE_STEPS, grid[2] = {1, 1};
  void *arguments[] = {&in, &words, &steps, &clocks, &nanoseconds};
  if (gpu_start(device, "trusted_chase", grid, arguments) == 0 &&
      gpu_read_notes(device, 0, times, sizeof times) == 0)
    timed->latency = (double)times[1] * 1e-9 / CHASE_STEPS;
}

// Numbers to multiply: how much power a product takes, and so its speed, depends on them.
static int make_factors(const struct bandwidth_session *timed, struct device *device, uint64_t place,
                        struct exercise_instance *instance) {
  static const uint32_t grid[2] = {GRID, 1};
  const struct exercise *exercise = timed->task->exercise;
  const struct exercise_case the_case = exercise->bandwidth_case(BASELINE_BYTES);
  const uint64_t seed = task_seed(timed->task, "yardstick", 0);
  char kernel[80];
  if (exercise_instantiate(exercise, &the_case, seed, instance)) return -1;
  struct trusted_case words = trusted_case_of(&instance->input, seed);
  uint64_t array = gpu_address(device, place);
  void *arguments[] = {&array, &words, NULL};
  snprintf(kernel, sizeof kernel, "trusted_%s_make", exercise->trusted);
  return gpu_start(device, kernel, grid, arguments);
}

static enum bandwidth_end measure(struct bandwidth_session *timed, struct device *device, char *error,
                                  size_t size) {
  struct device_buffer pair[2] = {{.name = "from", .bytes = BASELINE_BYTES},
                                  {.name = "to", .bytes = BASELINE_BYTES}};
  char module[PATH_MAX];
  kit_path(&timed->task->grading->kit, module, "build/lib/%s-trusted.fatbin", timed->task->exercise->lab);
  if (device_allocate(device, pair, 2, 1) != 0 || gpu_trusted_load(device, module) != 0)
    return broken(device, error, size);
  measure_latency(timed, device, pair[0].place, BASELINE_BYTES);
  static const uint64_t same_place[2] = {0, 0}; // both buffers are far larger than the cache
  const enum exercise_traffic traffic = timed->task->exercise->traffic;
  struct exercise_instance instance;
  const struct yard yard = {.instance = &instance,
                            .from = pair[0].place,
                            .to = pair[1].place,
                            .strides = same_place,
                            .bytes = BASELINE_BYTES};
  double speeds[BASELINE_ROUNDS];
  if (traffic == TRAFFIC_PRODUCT && make_factors(timed, device, pair[0].place, &instance) != 0)
    return broken(device, error, size);
  // A cool chip multiplies faster for a moment than it can go on doing, until its power limit sets in. Timed
  // then, it would look later as if something had slowed it down.
  for (int i = traffic == TRAFFIC_PRODUCT ? -PRODUCT_WARM_UP : -1; i < BASELINE_ROUNDS; i++) {
    double speed = time_traffic(device, traffic, &yard, BASELINE_COPIES);
    if (speed == 0) return broken(device, error, size);
    if (i >= 0) speeds[i] = speed;
  }
  timed->baseline = ratio_median(speeds, BASELINE_ROUNDS);
  return BANDWIDTH_DONE;
}

static void look(struct device *device, unsigned users, struct gpu_health *seen) {
  struct gpu_health now;
  gpu_health_read(device, users, &now);
  gpu_health_join(seen, &now);
}

void bandwidth_leave_alone(struct bandwidth_session *timed) {
  struct run_result ended;
  if (timed->session.alive) session_end(&timed->session, &ended);
  look(timed->session.device, 1, &timed->alone);
}

enum bandwidth_end bandwidth_measure_baseline(struct bandwidth_session *timed, char *error, size_t size) {
  struct device_options options = {.memory_bytes = 2 * BASELINE_BYTES + SLACK};
  struct device *device = device_open(DEVICE_GPU, &options, error, size);
  if (!device) return BANDWIDTH_NO_MEMORY;
  struct gpu_facts facts;
  gpu_facts(device, &facts);
  timed->peak = timed->task->exercise->traffic == TRAFFIC_PRODUCT ? facts.peak_operations : facts.peak;
  timed->processors = facts.processors;
  timed->persisting = facts.persisting;
  enum bandwidth_end end = measure(timed, device, error, size);
  look(device, 1, &timed->alone); // after some work, since an idle GPU isn't throttled
  size_t free_bytes = 0;
  if (end == BANDWIDTH_DONE && device_free_memory(device, &free_bytes) != 0)
    end = broken(device, error, size);
  device_close(device);
  if (end == BANDWIDTH_DONE && !choose_slots(timed, free_bytes + options.memory_bytes))
    end = BANDWIDTH_NO_MEMORY;
  return end;
}

enum bandwidth_end bandwidth_open(struct bandwidth_session *timed, struct run_result *launched, char *error,
                                  size_t size) {
  struct device_options options = {.memory_bytes = memory_needed(timed)};
  char module[PATH_MAX];
  kit_path(&timed->task->grading->kit, module, "build/lib/%s-trusted.fatbin", timed->task->exercise->lab);
  if (!session_open(&timed->session, timed->task, DEVICE_GPU, &options, launched)) return BANDWIDTH_STOPPED;
  timed->session.timing = true;
  for (int i = 0; i < 2; i++)
    timed->regions[i] =
        (struct device_buffer){.name = i ? timed->instance.output.name : timed->instance.input.name,
                               .bytes = timed->slots * timed->strides[i]};
  struct device *device = timed->session.device;
  if (device_allocate(device, timed->regions, 2, timed->instance.seed) != 0 ||
      gpu_trusted_load(device, module) != 0)
    return broken(device, error, size);
  return BANDWIDTH_DONE;
}

void bandwidth_close(struct bandwidth_session *timed) {
  session_close(&timed->session);
}

// ---- one round ----

static struct trusted_case case_of(const struct bandwidth_session *timed, unsigned round, unsigned slot) {
  uint64_t seed = task_seed(timed->task, "slot", (uint64_t)round * BANDWIDTH_MOST_SLOTS + slot);
  struct trusted_case the_case = trusted_case_of(&timed->instance.input, seed);
  if (timed->instance.exercise->trust) timed->instance.exercise->trust(&timed->instance, &the_case);
  return the_case;
}

// Starts trusted_EXERCISE_WHAT on one of a slot's arrays. `third` and `fourth` are further arguments, or
// NULL.
static int start(struct bandwidth_session *timed, const char *what, unsigned region, unsigned slot,
                 struct trusted_case *the_case, const uint32_t grid[2], uint64_t *third, uint64_t *fourth) {
  char kernel[80];
  snprintf(kernel, sizeof kernel, "trusted_%s_%s", timed->instance.exercise->trusted, what);
  uint64_t array =
      gpu_address(timed->session.device, timed->regions[region].place + slot * timed->strides[region]);
  void *arguments[] = {&array, the_case, third, fourth, NULL};
  return gpu_start(timed->session.device, kernel, grid, arguments);
}

static int make_inputs(struct bandwidth_session *timed, unsigned round) {
  static const uint32_t grid[2] = {GRID, 1};
  int status = 0;
  for (unsigned slot = 0; slot < timed->slots && status == 0; slot++) {
    struct trusted_case the_case = case_of(timed, round, slot);
    the_case.late_key.before++; // at first, late elements hold other numbers
    status = start(timed, "make", 0, slot, &the_case, grid, NULL, NULL);
  }
  return status == 0 ? gpu_synchronise(timed->session.device) : status;
}

static int poison_outputs(struct bandwidth_session *timed) {
  static const uint32_t grid[2] = {GRID, 1};
  uint64_t out = gpu_address(timed->session.device, timed->regions[1].place),
           words = timed->regions[1].bytes / 4;
  void *arguments[] = {&out, &words, NULL};
  return gpu_start(timed->session.device, "trusted_poison", grid, arguments);
}

static int write_late_inputs(struct bandwidth_session *timed, unsigned round) {
  static const uint32_t grid[2] = {64, 1};
  int status = 0;
  for (unsigned slot = 0; slot < timed->slots && status == 0; slot++) {
    struct trusted_case the_case = case_of(timed, round, slot);
    status = start(timed, "late", 0, slot, &the_case, grid, NULL, NULL);
  }
  return status == 0 ? gpu_synchronise(timed->session.device) : status;
}

// ---- samples ----

// Words of the results, at places that no program can foresee.
struct samples {
  struct device *device;
  struct gpu_samples sets[3];
  uint32_t at_once[GPU_MOST_SAMPLES], later[GPU_MOST_SAMPLES];
};

// `most` words all over `bytes`, or all that there are.
static struct gpu_samples choose_words(uint64_t place, size_t bytes, size_t most, uint64_t seed) {
  const size_t word = sizeof(uint32_t), all = bytes / word, count = all < most ? all : most;
  const size_t stride = all / count;
  return (struct gpu_samples){place + seed % stride * word, stride * word, count};
}

// A copy takes its time for each word. So a few words are read first: of the last launch, whose results are
// missing if the answer came too early, and of all, if the program does its work in another order.
static void choose_samples(const struct bandwidth_session *timed, unsigned round, struct samples *samples) {
  const unsigned region = timed->instance.in_place ? 0 : 1;
  const struct device_buffer *results = &timed->regions[region];
  const size_t stride = timed->strides[region], last = (timed->slots - 1) * stride;
  uint64_t seed = task_seed(timed->task, "samples", round);
  samples->device = timed->session.device;
  samples->sets[0] = choose_words(results->place + last, stride, BANDWIDTH_QUICK_SAMPLES, seed);
  samples->sets[1] =
      choose_words(results->place, results->bytes, BANDWIDTH_QUICK_SAMPLES, exercise_mix(seed));
  samples->sets[2] = choose_words(results->place, results->bytes, BANDWIDTH_SAMPLES, exercise_mix(seed + 1));
}

static int read_samples(const struct samples *samples, uint32_t *words) {
  return gpu_read_samples(samples->device, samples->sets, 3, words);
}

static void keep_sampling(void *data) {
  const struct samples *samples = data;
  gpu_keep_sampling(samples->device, samples->sets, 2);
}

// ---- how busy the machine is ----

struct reading {
  double when, waited; // our own thread
  struct sandbox_usage program;
};

static struct reading read_now(const struct bandwidth_session *timed) {
  return (struct reading){monotonic_seconds(), sandbox_waited_here(),
                          sandbox_usage_of(timed->session.sandbox.pid)};
}

// The part of the time since then for which other programs had the processors. One thread of the student's
// program has work to do, and either runs or waits; a program that keeps more of them busy is in its own way.
static double waited_since(const struct bandwidth_session *timed, const struct reading *then) {
  const struct reading now = read_now(timed);
  const double passed = now.when - then->when, ran = now.program.ran_seconds - then->program.ran_seconds,
               waited = now.program.waited_seconds - then->program.waited_seconds;
  if (!(ran + waited <= ONE_THREAD * passed)) return 0;
  return (now.waited - then->waited + waited) / passed;
}

// ---- the batch ----

static void launch(struct bandwidth_session *timed, struct samples *samples, struct run_result *launched) {
  struct runner_request request = {
      .version = RUNNER_VERSION, .operation = RUNNER_RUN, .launches = timed->slots, .flags = RUNNER_TIMED};
  for (unsigned i = 0; i < 2; i++) {
    unsigned region = timed->instance.in_place ? 0 : i;
    request.buffers[i] = timed->regions[region].place;
    request.strides[i] = timed->strides[region];
  }
  memcpy(request.scalars, timed->instance.scalars, sizeof request.scalars);
  timed->session.while_timed = keep_sampling;
  timed->session.timed_data = samples;
  session_run(&timed->session, &request, launched);
  timed->session.while_timed = NULL;
}

// ---- checking ----

static int start_check(struct bandwidth_session *timed, unsigned round, unsigned slot) {
  static const uint32_t grid[2] = {GRID, 1};
  struct trusted_case the_case = case_of(timed, round, slot);
  uint64_t notes = gpu_notes(timed->session.device);
  uint64_t finding = notes + slot * sizeof(struct trusted_finding);
  uint64_t sums = notes + SUMS + slot * timed->strides[1];
  uint64_t in = gpu_address(timed->session.device, timed->regions[0].place + slot * timed->strides[0]);
  if (timed->instance.in_place) return start(timed, "check", 0, slot, &the_case, grid, &finding, NULL);
  if (timed->instance.exercise->traffic == TRAFFIC_PRODUCT) {
    const uint64_t out = timed->regions[1].place + slot * timed->strides[1];
    const struct product_place place = {in, gpu_address(timed->session.device, out)};
    if (product_start_compare(timed->session.device, &timed->instance, &place, finding) != 0) return -1;
  }
  if (timed->instance.exercise->traffic != TRAFFIC_READ)
    return start(timed, "check", 1, slot, &the_case, grid, &finding, &in);
  uint32_t each[2] = {(uint32_t)((the_case.columns + 255) / 256), (uint32_t)((the_case.rows + 1023) / 1024)};
  int status = start(timed, "sum", 0, slot, &the_case, each, &finding, &sums);
  return status == 0 ? start(timed, "check", 1, slot, &the_case, grid, &finding, &sums) : status;
}

static void count_late(const struct samples *samples, struct bandwidth_finding *finding) {
  finding->samples = finding->samples_late = 0;
  for (unsigned set = 0; set < 3; set++)
    finding->samples += (unsigned)samples->sets[set].count;
  for (unsigned i = 0; i < finding->samples; i++)
    finding->samples_late += samples->at_once[i] != samples->later[i];
}

static enum bandwidth_end check(struct bandwidth_session *timed, unsigned round,
                                struct bandwidth_finding *finding) {
  struct device *device = timed->session.device;
  struct trusted_finding found[BANDWIDTH_MOST_SLOTS];
  void *zeros = calloc(1, GPU_NOTES_BYTES - SUMS);
  for (unsigned slot = 0; slot < timed->slots; slot++)
    found[slot] = (struct trusted_finding){0, 0, UINT64_MAX, UINT64_MAX};
  int status = zeros ? gpu_write_notes(device, SUMS, zeros, GPU_NOTES_BYTES - SUMS) : -1;
  free(zeros);
  if (status == 0) status = gpu_write_notes(device, 0, found, timed->slots * sizeof *found);
  // The last launch first: if the answer came before the work was done, its results are the ones that are
  // missing.
  for (unsigned slot = timed->slots; slot > 0 && status == 0; slot--)
    status = start_check(timed, round, slot - 1);
  if (status == 0) status = gpu_read_notes(device, 0, found, timed->slots * sizeof *found);
  if (status != 0) return BANDWIDTH_BROKEN;
  for (unsigned slot = 0; slot < timed->slots; slot++) {
    if (found[slot].wrong_outputs == 0 && found[slot].changed_inputs == 0) continue;
    found[slot].first_changed *= 4 / matrix_element_bytes(&timed->instance.input); // it counts words
    *finding = (struct bandwidth_finding){found[slot], slot, timed->slots, finding->speed, 0, 0};
    return BANDWIDTH_WRONG;
  }
  return BANDWIDTH_DONE;
}

enum bandwidth_end bandwidth_round(struct bandwidth_session *timed, unsigned number, bool keep,
                                   struct run_result *launched, struct bandwidth_finding *finding) {
  if (make_inputs(timed, number) != 0 || gpu_forget_kept_lines(timed->session.device) != 0)
    return BANDWIDTH_BROKEN;
  struct reading before = read_now(timed);
  double yardstick = bandwidth_time_yardstick(timed);
  double waited = waited_since(timed, &before);
  if (yardstick == 0 || poison_outputs(timed) != 0 || write_late_inputs(timed, number) != 0)
    return BANDWIDTH_BROKEN;
  struct samples samples;
  choose_samples(timed, number, &samples);
  before = read_now(timed);
  launch(timed, &samples, launched);
  waited = fmax(waited, waited_since(timed, &before));
  if (launched->end == RUN_BROKEN) return BANDWIDTH_BROKEN;
  if (launched->end != RUN_ANSWERED || launched->reply.error != 0) return BANDWIDTH_STOPPED;
  // Before anything else: a kernel of ours might wait for the student's kernels that are still running.
  if (read_samples(&samples, samples.at_once) != 0) return BANDWIDTH_BROKEN;
  finding->speed = speed_work(&timed->instance) * timed->slots / launched->seconds;
  if (keep) {
    unsigned i = timed->rounds.count++;
    timed->waited[i] = waited;
    timed->rounds.yardstick[i] = yardstick;
    timed->rounds.kernel[i] = finding->speed;
    timed->disagreement[i] = launched->seconds / launched->reply.device_seconds - 1;
    timed->claimed_persisting = launched->reply.persisting_bytes;
    if (i % ROUNDS_PER_LOOK == 0) look(timed->session.device, 2, &timed->during);
  }
  const enum bandwidth_end end = check(timed, number, finding);
  if (end == BANDWIDTH_BROKEN || read_samples(&samples, samples.later) != 0) return BANDWIDTH_BROKEN;
  count_late(&samples, finding);
  return finding->samples_late > 0 ? BANDWIDTH_EARLY : end;
}
