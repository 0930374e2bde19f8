// In: a case and a seed. Out: its buffers, on the host and on the device. The idea: large arrays are made by
// all cores.
#include "referee/cases.h"

#include "referee/compare.h"
#include "referee/slices.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 16, SERIAL_ELEMENTS = 1 << 20 };

// ---- host memory ----

enum making { MAKE_INPUT, MAKE_EXPECTED, MAKE_POISON };

struct part {
  const struct case_run *run;
  enum making making;
  const void *input; // of MAKE_EXPECTED
  void *place;
  size_t first, last; // elements; of poison, words
};

FOR_EACH_MACHINE static void fill(uint32_t *words, size_t count, uint32_t word) {
  for (size_t i = 0; i < count; i++)
    words[i] = word;
}

static void *do_part(void *argument) {
  const struct part *part = argument;
  const struct exercise_instance *instance = &part->run->instance;
  uint32_t *words = part->place;
  switch (part->making) {
  case MAKE_INPUT: instance->exercise->generate(instance, part->place, part->first, part->last); break;
  case MAKE_EXPECTED:
    instance->exercise->reference(instance, part->input, part->place, part->first, part->last);
    break;
  case MAKE_POISON: fill(words + part->first, part->last - part->first, output_poison(instance)); break;
  }
  return NULL;
}

// Does the whole part, in equal shares for the threads. `work`: elements to read or write in all, which
// decides on one or more threads.
static void do_all(const struct part *whole, size_t work) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t threads = work < SERIAL_ELEMENTS || cores < 2 ? 1
                   : cores > MOST_THREADS              ? MOST_THREADS
                                                       : (size_t)cores;
  struct part parts[MOST_THREADS];
  pthread_t started[MOST_THREADS];
  bool alone[MOST_THREADS];
  for (size_t i = 0; i < threads; i++) {
    parts[i] = *whole;
    parts[i].first = whole->last * i / threads;
    parts[i].last = whole->last * (i + 1) / threads;
    alone[i] = i + 1 == threads || pthread_create(&started[i], NULL, do_part, &parts[i]) != 0;
    if (alone[i]) do_part(&parts[i]);
  }
  for (size_t i = 0; i < threads; i++)
    if (!alone[i]) pthread_join(started[i], NULL);
}

void case_make_poison(const struct case_run *run, void *place, size_t bytes) {
  const size_t words = bytes / sizeof(uint32_t);
  do_all(&(struct part){.run = run, .making = MAKE_POISON, .place = place, .last = words}, words);
}

// Whether an array has bytes that belong to none of its elements, such as the ends of rows.
static bool has_gaps(const struct matrix_shape *shape) {
  return matrix_bytes(shape) != matrix_elements(shape) * matrix_element_bytes(shape);
}

void case_make_input(const struct case_run *run, void *place) {
  const struct matrix_shape *shape = &run->instance.input;
  const size_t elements = matrix_elements(shape);
  // The padding of the input's rows is poison, too: a kernel that reads it as float gets a NaN.
  if (has_gaps(shape)) case_make_poison(run, place, matrix_bytes(shape));
  do_all(&(struct part){.run = run, .making = MAKE_INPUT, .place = place, .last = elements}, elements);
}

// The right answers, and poison where there are none.
static void make_expected(const struct case_run *run, const void *input, void *place) {
  const struct exercise_instance *instance = &run->instance;
  const uint64_t products = instance->products;
  const size_t elements = matrix_elements(&instance->output),
               work = products ? products : matrix_elements(&instance->input);
  if (has_gaps(&instance->output) || instance->part_count > 0)
    case_make_poison(run, place, matrix_bytes(&instance->output));
  do_all(
      &(struct part){.run = run, .making = MAKE_EXPECTED, .input = input, .place = place, .last = elements},
      work);
}

bool case_begin(struct case_run *run, const struct exercise *exercise, const struct exercise_case *the_case,
                bool hidden, uint64_t seed) {
  *run = (struct case_run){.hidden = hidden};
  if (exercise_instantiate(exercise, the_case, seed, &run->instance)) return false;
  const struct matrix_shape *input = &run->instance.input, *output = &run->instance.output;
  run->instance.poison_salt = (uint32_t)exercise_mix(~seed) & POISON_SALT;
  run->buffers[0] = (struct device_buffer){.name = input->name, .bytes = matrix_bytes(input)};
  run->buffers[1] = (struct device_buffer){.name = output->name, .bytes = matrix_bytes(output)};
  run->buffer_count = run->instance.in_place ? 1 : 2;
  return true;
}

static void make_both(void *context, void *input, void *expected) {
  const struct case_run *run = context;
  case_make_input(run, input);
  make_expected(run, input, expected);
}

// Arrays of this run alone. False: there is no memory.
static bool make_own(struct case_run *run) {
  run->own_input = malloc(matrix_bytes(&run->instance.input));
  run->own_expected = malloc(matrix_bytes(&run->instance.output));
  run->input = run->own_input;
  run->expected = run->own_expected;
  if (!run->own_input || !run->own_expected) return false;
  make_both(run, run->own_input, run->own_expected);
  return true;
}

bool case_need_arrays(struct case_run *run) {
  if (run->got) return true;
  const size_t input_bytes = run->buffers[0].bytes, output_bytes = run->buffers[1].bytes;
  run->got = malloc(output_bytes > input_bytes ? output_bytes : input_bytes);
  const bool is_known = run->got && known_case_take(run->shared, &run->instance, make_both, run, &run->known);
  if (is_known) {
    run->input = run->known.input;
    run->expected = run->known.expected;
  }
  return is_known || (run->got && make_own(run));
}

bool case_prepare(struct case_run *run, const struct exercise *exercise, const struct exercise_case *the_case,
                  bool hidden, uint64_t seed, struct known_cases *known) {
  if (!case_begin(run, exercise, the_case, hidden, seed)) return false;
  run->shared = known;
  run->sliced = slices_suit(&run->instance);
  if (run->sliced || case_need_arrays(run)) return true;
  case_free(run);
  return false;
}

void case_free(struct case_run *run) {
  known_case_leave(&run->known);
  free(run->own_input);
  free(run->own_expected);
  free(run->got);
  *run = (struct case_run){0};
}

// ---- on the device ----

// The memory of the virtual Hopper is ours, too: what nobody keeps is made there.
static int load_input(struct case_run *run, struct session *session) {
  if (run->input) return device_write(session->device, &run->buffers[0], run->input);
  void *place = device_memory(session->device, &run->buffers[0]);
  if (place) case_make_input(run, place);
  return place ? 0 : -1;
}

int case_load(struct case_run *run, struct session *session) {
  if (device_allocate(session->device, run->buffers, run->buffer_count, run->instance.seed) != 0) return -1;
  if (load_input(run, session) != 0) return -1;
  if (run->buffer_count == 1) return 0;
  if (session->kind == DEVICE_VIRTUAL) { // its memory is ours, too
    void *place = device_memory(session->device, &run->buffers[1]);
    if (place) case_make_poison(run, place, run->buffers[1].bytes);
    return place ? 0 : -1;
  }
  case_make_poison(run, run->got, run->buffers[1].bytes);
  return device_write(session->device, &run->buffers[1], run->got) == 0 ? 0 : -1;
}

void case_launch(struct case_run *run, struct session *session, unsigned launches,
                 struct run_result *result) {
  struct runner_request request = {.version = RUNNER_VERSION, .operation = RUNNER_RUN, .launches = launches};
  for (unsigned i = 0; i < DEVICE_MAX_BUFFERS; i++)
    request.buffers[i] = run->buffers[run->instance.in_place ? 0 : i].place;
  for (unsigned i = 0; i < run->instance.scalar_count; i++)
    request.scalars[i] = run->instance.scalars[i];
  session_run(session, &request, result);
}

static struct run_result load_and_launch(struct case_run *run, struct session *session) {
  struct run_result launched = {0};
  device_clear_report(session->device);
  session_mark_output(session);
  if (case_load(run, session) == 0) {
    case_launch(run, session, 1, &launched);
  } else {
    snprintf(launched.text, sizeof launched.text, "%s", device_error(session->device));
  }
  return launched;
}

void case_perform(struct case_run *run, struct session *session, struct case_result *result) {
  const struct run_result launched = load_and_launch(run, session);
  case_judge(run, session, &launched, result);
}

void case_perform_on_virtual(struct case_run *run, struct session *session, struct case_result *rules,
                             struct case_result *values) {
  const struct run_result launched = load_and_launch(run, session);
  case_judge_apart(run, session, &launched, rules, values);
}

void case_result_free(struct case_result *result) {
  free(result->detail);
  json_decref(result->faults);
  *result = (struct case_result){0};
}
