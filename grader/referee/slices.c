// Slices of a case, each made and compared by one thread. See slices.h.
#include "referee/slices.h"

#include "referee/compare.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A slice's input and output fit into the second cache of a core.
enum { SLICE_BYTES = 256 << 10, MOST_THREADS = 16 };
static const size_t LEAST_BYTES = (size_t)1 << 20; // of input and output; less is sooner made as a whole

struct judgement {
  const struct exercise_instance *instance;
  const char *input, *output; // as the device holds them; input: NULL if the case is in place
  bool by_elements;           // a slice has elements of the only row, else whole rows; both are its units
  size_t units, unit_bytes, unit_elements, each; // of the whole case; of a unit, in both arrays; of a slice
  size_t halo;                                   // units that a slice's output needs on each side
  atomic_size_t next;                            // the first unit that nobody has taken
  atomic_bool differs;
  uint32_t *sums; // of SLICES_ADDED: of all slices so far
  pthread_mutex_t adding;
};

struct worker {
  struct judgement *judgement;
  char *input, *output; // of a slice, with its halo; of SLICES_ADDED, output is the whole case's
  pthread_t thread;
  bool started;
};

static bool is_added(const struct judgement *judgement) {
  return judgement->instance->exercise->slicing == SLICES_ADDED;
}

static void set_units(struct judgement *judgement) {
  const struct matrix_shape *shape = &judgement->instance->input;
  judgement->by_elements = shape->rows == 1 && judgement->instance->exercise->slicing == SLICES_ALONE;
  judgement->units = judgement->by_elements ? shape->columns : shape->rows;
  judgement->unit_bytes = judgement->by_elements ? matrix_element_bytes(shape) : shape->pitch_bytes;
  judgement->unit_elements = judgement->by_elements ? 1 : shape->columns;
  judgement->each = SLICE_BYTES / judgement->unit_bytes;
  judgement->halo = judgement->instance->exercise->slicing == SLICES_NEIGHBOURS;
}

bool slices_suit(const struct exercise_instance *instance) {
  const struct matrix_shape *input = &instance->input, *output = &instance->output;
  struct judgement judgement = {.instance = instance};
  if (instance->exercise->slicing == SLICES_NONE || instance->part_count > 0) return false;
  if (matrix_bytes(input) + matrix_bytes(output) < LEAST_BYTES) return false;
  set_units(&judgement);
  if (is_added(&judgement)) return judgement.each > 0 && output->rows == 1 && !instance->in_place;
  return judgement.each > 0 && output->rows == input->rows && output->pitch_bytes == input->pitch_bytes;
}

// ---- one slice --------------------------------------------------------------------------------------------

static void set_shape(const struct judgement *judgement, struct matrix_shape *shape, size_t units) {
  if (judgement->by_elements) {
    shape->columns = units;
    shape->pitch_bytes = units * judgement->unit_bytes;
  } else {
    shape->rows = units;
  }
}

// Units [first, last) of the output, whose expected ones are at `expected`.
static bool holds_output(const struct judgement *judgement, const char *expected, size_t first, size_t last) {
  const char *got = judgement->output + first * judgement->unit_bytes;
  if (memcmp(expected, got, (last - first) * judgement->unit_bytes) == 0) return true;
  struct exercise_instance part = *judgement->instance;
  set_shape(judgement, &part.output, last - first);
  return compare_is_near(&part, expected, got);
}

static void add_sums(struct judgement *judgement, const uint32_t *sums) {
  const size_t count = judgement->instance->output.columns;
  pthread_mutex_lock(&judgement->adding);
  for (size_t i = 0; i < count; i++)
    judgement->sums[i] += sums[i];
  pthread_mutex_unlock(&judgement->adding);
}

// Units [first, last). Those at the ends of the whole case have no neighbours beyond, here as there.
static bool slice_is_right(const struct worker *worker, size_t first, size_t last) {
  struct judgement *judgement = worker->judgement;
  struct exercise_instance slice = *judgement->instance;
  const struct exercise *exercise = slice.exercise;
  const size_t halo = judgement->halo, elements = judgement->unit_elements,
               begin = first > halo ? first - halo : 0,
               end = judgement->units - last > halo ? last + halo : judgement->units,
               lead = (first - begin) * judgement->unit_bytes;
  set_shape(judgement, &slice.input, end - begin);
  slice.origin = begin * elements;
  exercise->generate(&slice, worker->input, 0, (end - begin) * elements);
  if (judgement->input && memcmp(worker->input + lead, judgement->input + first * judgement->unit_bytes,
                                 (last - first) * judgement->unit_bytes) != 0)
    return false;
  if (is_added(judgement)) {
    exercise->reference(&slice, worker->input, worker->output, 0, slice.output.columns);
    add_sums(judgement, (const uint32_t *)(const void *)worker->output);
    return true;
  }
  set_shape(judgement, &slice.output, end - begin);
  exercise->reference(&slice, worker->input, worker->output, (first - begin) * elements,
                      (last - begin) * elements);
  return holds_output(judgement, worker->output + lead, first, last);
}

// ---- all of them ------------------------------------------------------------------------------------------

static void *judge_slices(void *argument) {
  const struct worker *worker = argument;
  struct judgement *judgement = worker->judgement;
  while (!atomic_load(&judgement->differs)) {
    const size_t first = atomic_fetch_add(&judgement->next, judgement->each), rest = judgement->units - first;
    if (first >= judgement->units) break;
    if (!slice_is_right(worker, first, first + (rest < judgement->each ? rest : judgement->each)))
      atomic_store(&judgement->differs, true);
  }
  return NULL;
}

// What lies between the rows is poison.
static char *poisoned(const struct exercise_instance *instance, size_t bytes) {
  const size_t words = bytes / sizeof(uint32_t) + 1;
  uint32_t *place = malloc(words * sizeof *place);
  for (size_t i = 0; place && i < words; i++)
    place[i] = output_poison(instance);
  return (char *)place;
}

static bool prepare_worker(struct worker *worker, struct judgement *judgement) {
  const struct exercise_instance *instance = judgement->instance;
  const size_t slice = (judgement->each + 2 * judgement->halo) * judgement->unit_bytes;
  *worker = (struct worker){.judgement = judgement};
  worker->input = poisoned(instance, slice);
  worker->output = poisoned(instance, is_added(judgement) ? matrix_bytes(&instance->output) : slice);
  return worker->input && worker->output;
}

// The last worker is this thread.
static bool run_workers(struct judgement *judgement, struct worker *workers, size_t count) {
  bool ready = true;
  for (size_t i = 0; i < count; i++)
    ready = prepare_worker(&workers[i], judgement) && ready;
  for (size_t i = 0; i + 1 < count && ready; i++)
    workers[i].started = pthread_create(&workers[i].thread, NULL, judge_slices, &workers[i]) == 0;
  if (ready) judge_slices(&workers[count - 1]);
  for (size_t i = 0; i < count; i++) {
    if (workers[i].started) pthread_join(workers[i].thread, NULL);
    free(workers[i].input);
    free(workers[i].output);
  }
  return ready && !atomic_load(&judgement->differs);
}

bool slices_are_right(const struct exercise_instance *instance, const void *input, const void *output) {
  struct judgement judgement = {
      .instance = instance, .input = input, .output = output, .adding = PTHREAD_MUTEX_INITIALIZER};
  struct worker workers[MOST_THREADS];
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const size_t bytes = matrix_bytes(&instance->output);
  set_units(&judgement);
  if (is_added(&judgement) && !(judgement.sums = calloc(1, bytes))) return false;
  bool right = run_workers(&judgement, workers,
                           cores < 1              ? 1
                           : cores > MOST_THREADS ? MOST_THREADS
                                                  : (size_t)cores);
  if (is_added(&judgement)) right = right && memcmp(judgement.sums, output, bytes) == 0;
  free(judgement.sums);
  return right;
}
