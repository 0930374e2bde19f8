// In: an exercise, its hidden cases, a seed. Out: the plan. The idea: runs are shuffled, then cut into
// processes of drawn lengths. Every run is asked for everything, so that a program gains nothing by knowing a
// size again. All runs of one case follow each other in one process: else a program that keeps something by
// size or by one of its buffers, such as a tensor map of the buffers before, would never be found out.
#include "referee/plan.h"

#include "referee/grading.h"

#include <stdlib.h>
#include <string.h>

enum { RULES_SCHEDULES = 4, SMALL_SCHEDULES = 2, SMALL_BYTES = 64 << 10, MOST_RUNS_OF_A_PROCESS = 16 };

static size_t elements_of(const struct exercise *exercise, const struct exercise_case *the_case) {
  struct exercise_instance instance;
  if (exercise_instantiate(exercise, the_case, 0, &instance)) return 0;
  const size_t input = matrix_elements(&instance.input), output = matrix_elements(&instance.output);
  return input > output ? input : output;
}

static unsigned schedules_of(const struct planned_case *planned, size_t elements) {
  if (planned->large || planned->kind == KIND_TINY) return 1;
  if (planned->kind == KIND_RULES) return RULES_SCHEDULES;
  return 4 * elements <= SMALL_BYTES ? SMALL_SCHEDULES : 1;
}

static void add(struct plan *plan, const struct task *task, enum case_kind kind,
                const struct exercise_case *the_case, bool large) {
  const struct exercise *exercise = task->exercise;
  struct planned_case *planned = &plan->cases[plan->case_count];
  *planned = (struct planned_case){.the_case = *the_case, .kind = kind, .large = large};
  planned->seed = task_seed(task, "case", plan->case_count++);
  const size_t elements = elements_of(exercise, the_case);
  // The first rules case may be less than a tile, the second one isn't.
  const struct exercise_case *whole = &exercise->rules_cases[exercise->rules_case_count > 1];
  planned->asked = large || (kind != KIND_TINY && elements >= elements_of(exercise, whole));
  planned->schedules = schedules_of(planned, elements);
  planned->elements = elements;
  const bool drawn = kind == KIND_HIDDEN || task_seed(task, "processors", plan->case_count) % 2;
  planned->few = large ? exercise->large_on_few : drawn;
}

static void add_cases(struct plan *plan, const struct task *task, const struct exercise_case *hidden,
                      size_t hidden_count) {
  const struct exercise *exercise = task->exercise;
  for (size_t i = 0; i < exercise->rules_case_count; i++) {
    const struct exercise_case drawn = exercise_rules_case(exercise, i, task_seed(task, "rules", i));
    add(plan, task, KIND_RULES, &drawn, i + 1 == exercise->rules_case_count);
  }
  for (size_t i = 0; i < exercise->case_count; i++)
    add(plan, task, KIND_PUBLIC, &exercise->cases[i], false);
  for (size_t i = 0; i < exercise_tiny_count(exercise); i++) {
    const struct exercise_case drawn = exercise_tiny_case(exercise, i, task_seed(task, "tiny", 0));
    add(plan, task, KIND_TINY, &drawn, false);
  }
  for (size_t i = 0; i < exercise->between_count && hidden_count > 0; i++) {
    const struct exercise_case drawn = exercise_between_case(exercise, i, task_seed(task, "between", 0));
    add(plan, task, KIND_TINY, &drawn, false);
  }
  for (size_t i = 0; i < hidden_count; i++)
    add(plan, task, KIND_HIDDEN, &hidden[i], false);
}

static void shuffle(struct planned_run *runs, size_t count, const struct task *task) {
  for (size_t i = count; i > 1; i--) {
    const size_t other = task_seed(task, "order", i) % i;
    const struct planned_run run = runs[i - 1];
    runs[i - 1] = runs[other];
    runs[other] = run;
  }
}

// Puts run `from` to place `to`. All others keep their order.
static void move(struct planned_run *runs, size_t from, size_t to) {
  const struct planned_run run = runs[from];
  if (from < to) memmove(runs + from, runs + from + 1, (to - from) * sizeof *runs);
  if (from > to) memmove(runs + to + 1, runs + to, (from - to) * sizeof *runs);
  runs[to] = run;
}

// The first run of a case that comes more than once, in the order drawn, is followed by the case's other
// ones, in the same process: one with its input where it was and its output elsewhere, the next one the other
// way round. Their inputs come in order, since exercises change one number after another.
static void make_chain(struct plan *plan) {
  for (size_t first = 0; first < plan->run_count; first++) {
    size_t last = first;
    if (plan->cases[plan->runs[first].which].kind != KIND_RULES) continue;
    for (size_t next = first + 1; next < plan->run_count; next++) {
      if (plan->runs[next].which != plan->runs[first].which) continue;
      move(plan->runs, next, ++last);
      plan->runs[last].paired = true;
      plan->runs[last].stays = 2 - (unsigned)(last - first) % 2;
    }
    for (size_t i = first; i <= last; i++)
      plan->runs[i].input = (unsigned)(i - first);
    if (last > first) return;
  }
}

// The large case takes longest, and most failures show without it.
static void put_large_last(struct plan *plan) {
  for (size_t i = 0; i < plan->run_count; i++) {
    if (!plan->cases[plan->runs[i].which].large) continue;
    move(plan->runs, i, plan->run_count - 1);
    return;
  }
}

// Brings the runs with few processors together, first or last as they come in the order drawn: what a program
// is told of its device can't change within a process.
static bool gather_few(struct plan *plan) {
  struct planned_run *sorted = calloc(plan->run_count, sizeof *sorted);
  if (!sorted) return false;
  size_t count = 0;
  const bool first = plan->cases[plan->runs[0].which].few;
  for (int rest = 0; rest < 2; rest++)
    for (size_t i = 0; i < plan->run_count; i++)
      if ((plan->cases[plan->runs[i].which].few == first) == !rest) sorted[count++] = plan->runs[i];
  free(plan->runs);
  plan->runs = sorted;
  return true;
}

static bool is_few(const struct plan *plan, size_t run) {
  return plan->cases[plan->runs[run].which].few;
}

// How many runs from `first` on have as many processors as that one.
static size_t alike(const struct plan *plan, size_t first) {
  size_t end = first + 1;
  while (end < plan->run_count && is_few(plan, end) == is_few(plan, first))
    end++;
  return end - first;
}

// One process has a long row of runs: who counts launches in too few bits, or loses something with each, is
// found out. All others are shorter, so that there are many of them.
static void cut(struct plan *plan, const struct task *task) {
  const size_t first = alike(plan, 0);
  const size_t row = first < plan->run_count - first ? first : 0; // where the long one begins
  size_t end = 0;                                                 // of the present process
  for (size_t i = 0; i < plan->run_count; i++) {
    struct planned_run *run = &plan->runs[i];
    run->fresh = (i >= end && !run->paired) || i == 0 || i == first;
    if (run->fresh) end = i + 1 + task_seed(task, "process", i) % MOST_RUNS_OF_A_PROCESS;
    if (i == row) end = i + alike(plan, i) * 3 / 4;
  }
}

// Whether this run may change its place with another one.
static bool is_loose(const struct plan *plan, size_t run) {
  const bool leads = run + 1 < plan->run_count && plan->runs[run + 1].paired;
  return !plan->runs[run].paired && !leads && !plan->cases[plan->runs[run].which].large;
}

static size_t elements_in(const struct plan *plan, size_t run) {
  return plan->cases[plan->runs[run].which].elements;
}

// One process begins with a run of many blocks, the first of which comes last: what only a process's first
// launch meets, such as a flag that is never taken back, is found out there.
static void begin_late(struct plan *plan) {
  size_t first = plan->run_count, large = plan->run_count;
  for (size_t i = 0; i < plan->run_count; i++)
    if (is_loose(plan, i) && (large == plan->run_count || elements_in(plan, i) > elements_in(plan, large)))
      large = i;
  for (size_t i = 0; i < plan->run_count && large < plan->run_count && first == plan->run_count; i++)
    if (plan->runs[i].fresh && is_loose(plan, i) && is_few(plan, i) == is_few(plan, large)) first = i;
  if (first == plan->run_count) return;
  const struct planned_run before = plan->runs[first];
  const bool fresh = plan->runs[large].fresh;
  plan->runs[first] = plan->runs[large];
  plan->runs[large] = before;
  plan->runs[large].fresh = fresh;
  plan->runs[first].fresh = plan->runs[first].first_late = true;
}

bool plan_draw(struct plan *plan, const struct task *task, const struct exercise_case *hidden,
               size_t hidden_count) {
  const struct exercise *exercise = task->exercise;
  const size_t most = exercise->rules_case_count + exercise->case_count + exercise_tiny_count(exercise) +
                      exercise->between_count + hidden_count;
  *plan = (struct plan){.cases = calloc(most, sizeof *plan->cases),
                        .runs = calloc(most * RULES_SCHEDULES, sizeof *plan->runs)};
  if (!plan->cases || !plan->runs) {
    plan_free(plan);
    return false;
  }
  add_cases(plan, task, hidden, hidden_count);
  for (size_t i = 0; i < plan->case_count; i++)
    for (unsigned schedule = 0; schedule < plan->cases[i].schedules; schedule++)
      plan->runs[plan->run_count++] = (struct planned_run){
          .which = i,
          .schedule = schedule,
          .input = schedule,
          .first_late = schedule > 0 && schedule + 1 == plan->cases[i].schedules,
      };
  shuffle(plan->runs, plan->run_count, task);
  make_chain(plan);
  if (!gather_few(plan)) {
    plan_free(plan);
    return false;
  }
  if (task->grading->first_failure) put_large_last(plan);
  cut(plan, task);
  begin_late(plan);
  return true;
}

void plan_free(struct plan *plan) {
  free(plan->cases);
  free(plan->runs);
  *plan = (struct plan){0};
}
