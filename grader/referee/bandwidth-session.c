// Slots, rounds and clocks. The idea: a result computed too early, kept from the round before, or left out, can't be right: other
// numbers every round, outputs poisoned after the yardstick, and some inputs written only just before the start.
#include "referee/race.h"

#include "device/gpu-trusted.h"
#include "exercises/formulas.h"
#include "monotonic.h"

#include <stdlib.h>
#include <string.h>

enum { BASELINE_ROUNDS = 5, BASELINE_COPIES = 12, CHASE_STEPS = 4096, GRID = 8192, ROUNDS_PER_LOOK = 6 };
static const size_t ARRAY_BYTES = (size_t)2 << 30, LEAST_ARRAY_BYTES = (size_t)256 << 20,
                    BASELINE_BYTES = (size_t)1 << 30, SLACK = (size_t)4 << 20;
static const unsigned LEAST_SLOTS = 8;
static const size_t SUMS = GPU_NOTES_BYTES / 2; // where in the notes; findings lie before

static enum race_end broken(const struct device *device, char *error, size_t size) {
  snprintf(error, size, "%s", device_error(device));
  return RACE_BROKEN;
}

// ---- how much, and where ----

static bool choose_case(struct race *race, size_t bytes) {
  const struct exercise *exercise = race->task->exercise;
  struct exercise_case the_case = exercise->bandwidth_case(bytes);
  if (exercise_instantiate(exercise, &the_case, task_seed(race->task, "bandwidth", 0), &race->instance))
    return false;
  size_t input = matrix_bytes(&race->instance.input), output = matrix_bytes(&race->instance.output);
  race->strides[0] = (input + 255) / 256 * 256;
  race->strides[1] = (output + 255) / 256 * 256;
  return true;
}

static size_t memory_needed(const struct race *race) {
  return race->slots * (race->strides[0] + race->strides[1]) + SLACK;
}

// The largest arrays of which enough fit; two thirds of what is free, since the student's program has a context, too.
static bool choose_slots(struct race *race, size_t free_bytes) {
  size_t usable = free_bytes / 3 * 2;
  for (size_t bytes = ARRAY_BYTES; bytes >= LEAST_ARRAY_BYTES; bytes /= 2) {
    if (!choose_case(race, bytes)) continue;
    size_t slots = (usable - SLACK) / (race->strides[0] + race->strides[1]);
    race->slots = slots > RACE_MOST_SLOTS ? RACE_MOST_SLOTS : (unsigned)slots;
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

// Copies or reads what the exercise's traffic is, once for each slot. Bytes per second, 0 on failure.
static double time_traffic(struct device *device, enum exercise_traffic traffic, uint64_t from, uint64_t to,
                           const uint64_t strides[2], uint64_t bytes, unsigned times) {
  int status = gpu_synchronise(device);
  double start = monotonic_seconds();
  for (unsigned i = 0; i < times && status == 0; i++)
    status = traffic == TRAFFIC_READ
                 ? start_read(device, from + i * strides[0], bytes)
                 : gpu_start_copy(device, to + i * strides[1], from + i * strides[0], bytes);
  if (status == 0) status = gpu_synchronise(device);
  double seconds = monotonic_seconds() - start;
  return status == 0 ? (traffic == TRAFFIC_READ ? 1.0 : 2.0) * (double)bytes * times / seconds : 0;
}

double race_time_yardstick(struct race *race) {
  uint64_t bytes =
      matrix_elements(&race->instance.input) * 4; // what the kernel moves, without the rows' padding
  return time_traffic(race->session.device, race->task->exercise->traffic, race->regions[0].place,
                      race->regions[1].place, race->strides, bytes, race->slots);
}

// ---- before the student's program ----

static void measure_latency(struct race *race, struct device *device, uint64_t place, uint64_t bytes) {
  uint64_t in = gpu_address(device, place), words = bytes / 4, notes = gpu_notes(device), times[2] = {0};
  uint64_t clocks = notes, nanoseconds = notes + 8;
  uint32_t steps = CHASE_STEPS, grid[2] = {1, 1};
  void *arguments[] = {&in, &words, &steps, &clocks, &nanoseconds};
  if (gpu_start(device, "trusted_chase", grid, arguments) == 0 &&
      gpu_read_notes(device, 0, times, sizeof times) == 0)
    race->latency = (double)times[1] * 1e-9 / CHASE_STEPS;
}

static enum race_end measure(struct race *race, struct device *device, char *error, size_t size) {
  struct device_buffer pair[2] = {{.name = "from", .bytes = BASELINE_BYTES},
                                  {.name = "to", .bytes = BASELINE_BYTES}};
  char module[PATH_MAX];
  kit_path(&race->task->grading->kit, module, "build/lib/%s-trusted.fatbin", race->task->exercise->lab);
  if (device_allocate(device, pair, 2, 1) != 0 || gpu_trusted_load(device, module) != 0)
    return broken(device, error, size);
  measure_latency(race, device, pair[0].place, BASELINE_BYTES);
  uint64_t same_place[2] = {0, 0}; // each far larger than the cache
  double speeds[BASELINE_ROUNDS];
  for (int i = -1; i < BASELINE_ROUNDS; i++) {
    double speed = time_traffic(device, race->task->exercise->traffic, pair[0].place, pair[1].place,
                                same_place, BASELINE_BYTES, BASELINE_COPIES);
    if (speed == 0) return broken(device, error, size);
    if (i >= 0) speeds[i] = speed;
  }
  race->baseline = ratio_median(speeds, BASELINE_ROUNDS);
  return RACE_DONE;
}

static void look(struct device *device, unsigned users, struct gpu_health *seen) {
  struct gpu_health now;
  gpu_health_read(device, users, &now);
  gpu_health_join(seen, &now);
}

void race_leave_alone(struct race *race) {
  struct run_result ended;
  if (race->session.alive) session_end(&race->session, &ended);
  look(race->session.device, 1, &race->alone);
}

enum race_end race_measure_baseline(struct race *race, char *error, size_t size) {
  struct device_options options = {.memory_bytes = 2 * BASELINE_BYTES + SLACK};
  struct device *device = device_open(DEVICE_GPU, &options, error, size);
  if (!device) return RACE_NO_MEMORY;
  struct gpu_facts facts;
  gpu_facts(device, &facts);
  race->peak = facts.peak;
  race->processors = facts.processors;
  race->persisting = facts.persisting;
  enum race_end end = measure(race, device, error, size);
  look(device, 1, &race->alone); // after some work: only then do clocks show what holds them back
  size_t free_bytes = 0;
  if (end == RACE_DONE && device_free_memory(device, &free_bytes) != 0) end = broken(device, error, size);
  device_close(device);
  if (end == RACE_DONE && !choose_slots(race, free_bytes + options.memory_bytes)) end = RACE_NO_MEMORY;
  return end;
}

enum race_end race_open(struct race *race, struct run_result *launched, char *error, size_t size) {
  struct device_options options = {.memory_bytes = memory_needed(race)};
  char module[PATH_MAX];
  kit_path(&race->task->grading->kit, module, "build/lib/%s-trusted.fatbin", race->task->exercise->lab);
  if (!session_open(&race->session, race->task, DEVICE_GPU, &options, launched)) return RACE_STOPPED;
  race->session.timing = true;
  for (int i = 0; i < 2; i++)
    race->regions[i] =
        (struct device_buffer){.name = i ? race->instance.output.name : race->instance.input.name,
                               .bytes = race->slots * race->strides[i]};
  struct device *device = race->session.device;
  if (device_allocate(device, race->regions, 2, race->instance.seed) != 0 ||
      gpu_trusted_load(device, module) != 0)
    return broken(device, error, size);
  return RACE_DONE;
}

void race_close(struct race *race) {
  session_close(&race->session);
}

// ---- one round ----

static struct trusted_case case_of(const struct race *race, unsigned round, unsigned slot) {
  const struct matrix_shape *shape = &race->instance.input;
  uint64_t seed = task_seed(race->task, "slot", (uint64_t)round * RACE_MOST_SLOTS + slot);
  struct trusted_case the_case = {.rows = shape->rows,
                                  .columns = shape->columns,
                                  .pitch_bytes = shape->pitch_bytes,
                                  .key = exercise_key_of(seed),
                                  .late_key = exercise_key_of(exercise_mix(seed)),
                                  .late_place = (uint32_t)(seed >> 24) % TRUSTED_LATE};
  if (race->instance.exercise->trust) race->instance.exercise->trust(&race->instance, &the_case);
  return the_case;
}

// Starts trusted_EXERCISE_WHAT on one of a slot's arrays. `more` arguments come after array and case.
static int start(struct race *race, const char *what, unsigned region, unsigned slot,
                 struct trusted_case *the_case, const uint32_t grid[2], uint64_t *third, uint64_t *fourth) {
  char kernel[80];
  snprintf(kernel, sizeof kernel, "trusted_%s_%s", race->instance.exercise->trusted, what);
  uint64_t array =
      gpu_address(race->session.device, race->regions[region].place + slot * race->strides[region]);
  void *arguments[] = {&array, the_case, third, fourth, NULL};
  return gpu_start(race->session.device, kernel, grid, arguments);
}

static int make_inputs(struct race *race, unsigned round) {
  static const uint32_t grid[2] = {GRID, 1};
  int status = 0;
  for (unsigned slot = 0; slot < race->slots && status == 0; slot++) {
    struct trusted_case the_case = case_of(race, round, slot);
    the_case.late_key.before++; // what comes late is something else at first
    status = start(race, "make", 0, slot, &the_case, grid, NULL, NULL);
  }
  return status == 0 ? gpu_synchronise(race->session.device) : status;
}

static int poison_outputs(struct race *race) {
  static const uint32_t grid[2] = {GRID, 1};
  uint64_t out = gpu_address(race->session.device, race->regions[1].place),
           words = race->regions[1].bytes / 4;
  void *arguments[] = {&out, &words, NULL};
  return gpu_start(race->session.device, "trusted_poison", grid, arguments);
}

static int write_late_inputs(struct race *race, unsigned round) {
  static const uint32_t grid[2] = {64, 1};
  int status = 0;
  for (unsigned slot = 0; slot < race->slots && status == 0; slot++) {
    struct trusted_case the_case = case_of(race, round, slot);
    status = start(race, "late", 0, slot, &the_case, grid, NULL, NULL);
  }
  return status == 0 ? gpu_synchronise(race->session.device) : status;
}

static void launch(struct race *race, struct run_result *launched) {
  struct runner_request request = {
      .version = RUNNER_VERSION, .operation = RUNNER_RUN, .launches = race->slots, .flags = RUNNER_TIMED};
  for (unsigned i = 0; i < 2; i++) {
    unsigned region = race->instance.in_place ? 0 : i;
    request.buffers[i] = race->regions[region].place;
    request.strides[i] = race->strides[region];
  }
  memcpy(request.scalars, race->instance.scalars, sizeof request.scalars);
  session_run(&race->session, &request, launched);
}

// ---- checking ----

static int start_check(struct race *race, unsigned round, unsigned slot) {
  static const uint32_t grid[2] = {GRID, 1};
  struct trusted_case the_case = case_of(race, round, slot);
  uint64_t notes = gpu_notes(race->session.device);
  uint64_t finding = notes + slot * sizeof(struct trusted_finding);
  uint64_t sums = notes + SUMS + slot * race->strides[1];
  uint64_t in = gpu_address(race->session.device, race->regions[0].place + slot * race->strides[0]);
  if (race->instance.in_place) return start(race, "check", 0, slot, &the_case, grid, &finding, NULL);
  if (race->instance.exercise->traffic != TRAFFIC_READ)
    return start(race, "check", 1, slot, &the_case, grid, &finding, &in);
  uint32_t each[2] = {(uint32_t)((the_case.columns + 255) / 256), (uint32_t)((the_case.rows + 1023) / 1024)};
  int status = start(race, "sum", 0, slot, &the_case, each, &finding, &sums);
  return status == 0 ? start(race, "check", 1, slot, &the_case, grid, &finding, &sums) : status;
}

// Some words of all slots' results, by places that nobody can foresee; all of them if they are few.
static int read_samples(struct race *race, unsigned round, uint32_t words[RACE_SAMPLES]) {
  const struct device_buffer *results = &race->regions[race->instance.in_place ? 0 : 1];
  const size_t all = results->bytes / sizeof *words, count = all < RACE_SAMPLES ? all : RACE_SAMPLES;
  const size_t stride = all / count * sizeof *words; // every slot has 64 words at least
  const size_t first = task_seed(race->task, "samples", round) % (stride / sizeof *words) * sizeof *words;
  memset(words, 0, RACE_SAMPLES * sizeof *words);
  return gpu_read_samples(race->session.device, results->place + first, stride, count, words);
}

static unsigned count_differences(const uint32_t *words, const uint32_t *others, unsigned count) {
  unsigned differences = 0;
  for (unsigned i = 0; i < count; i++)
    differences += words[i] != others[i];
  return differences;
}

static enum race_end check(struct race *race, unsigned round, struct race_finding *finding) {
  struct device *device = race->session.device;
  struct trusted_finding found[RACE_MOST_SLOTS];
  void *zeros = calloc(1, GPU_NOTES_BYTES - SUMS);
  for (unsigned slot = 0; slot < race->slots; slot++)
    found[slot] = (struct trusted_finding){0, 0, UINT64_MAX, UINT64_MAX};
  int status = zeros ? gpu_write_notes(device, SUMS, zeros, GPU_NOTES_BYTES - SUMS) : -1;
  free(zeros);
  if (status == 0) status = gpu_write_notes(device, 0, found, race->slots * sizeof *found);
  // The last launch first: an answer that came before the work was done finds it missing there.
  for (unsigned slot = race->slots; slot > 0 && status == 0; slot--)
    status = start_check(race, round, slot - 1);
  if (status == 0) status = gpu_read_notes(device, 0, found, race->slots * sizeof *found);
  if (status != 0) return RACE_BROKEN;
  for (unsigned slot = 0; slot < race->slots; slot++) {
    if (found[slot].wrong_outputs == 0 && found[slot].changed_inputs == 0) continue;
    *finding = (struct race_finding){found[slot], slot, race->slots, finding->speed, 0};
    return RACE_WRONG;
  }
  return RACE_DONE;
}

enum race_end race_round(struct race *race, unsigned number, bool keep, struct run_result *launched,
                         struct race_finding *finding) {
  if (make_inputs(race, number) != 0 || gpu_forget_kept_lines(race->session.device) != 0) return RACE_BROKEN;
  double yardstick = race_time_yardstick(race);
  if (yardstick == 0 || poison_outputs(race) != 0 || write_late_inputs(race, number) != 0) return RACE_BROKEN;
  uint32_t at_once[RACE_SAMPLES], later[RACE_SAMPLES];
  launch(race, launched);
  if (launched->end == RUN_BROKEN) return RACE_BROKEN;
  if (launched->end != RUN_ANSWERED || launched->reply.error != 0) return RACE_STOPPED;
  // Before anything else: the first kernel of ours may have to wait for those that are still running.
  if (read_samples(race, number, at_once) != 0) return RACE_BROKEN;
  finding->speed = (double)race->instance.bytes_moved * race->slots / launched->seconds;
  if (keep) {
    unsigned i = race->rounds.count++;
    race->rounds.yardstick[i] = yardstick;
    race->rounds.kernel[i] = finding->speed;
    race->disagreement[i] = launched->seconds / launched->reply.device_seconds - 1;
    race->claimed_persisting = launched->reply.persisting_bytes;
    if (i % ROUNDS_PER_LOOK == 0) look(race->session.device, 2, &race->during);
  }
  const enum race_end end = check(race, number, finding);
  if (end == RACE_BROKEN || read_samples(race, number, later) != 0) return RACE_BROKEN;
  finding->samples_late = count_differences(at_once, later, RACE_SAMPLES);
  return finding->samples_late > 0 ? RACE_EARLY : end;
}
