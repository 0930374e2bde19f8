// In: an exercise, its hidden cases, a seed. Out: the plan. The idea: runs are shuffled, then cut into
// processes of drawn lengths. No size comes twice in a process, so that none can be recognised there.
#include "referee/plan.h"

#include "referee/grading.h"

#include <stdlib.h>
#include <string.h>

enum { RULES_SCHEDULES = 3, SMALL_SCHEDULES = 2, SMALL_BYTES = 64 << 10, MOST_RUNS_OF_A_PROCESS = 16 };

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
  planned->asked = large || elements >= elements_of(exercise, whole);
  planned->schedules = schedules_of(planned, elements);
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

// The large case takes longest, and most failures show without it.
static void put_large_last(struct plan *plan) {
  for (size_t i = 0; i < plan->run_count; i++) {
    const struct planned_run run = plan->runs[i], last = plan->runs[plan->run_count - 1];
    if (!plan->cases[run.which].large) continue;
    plan->runs[i] = last;
    plan->runs[plan->run_count - 1] = run;
    return;
  }
}

static bool has_size(const struct plan *plan, size_t first, size_t end, const size_t *size) {
  for (size_t i = first; i < end; i++)
    if (memcmp(plan->cases[plan->runs[i].which].the_case.size, size, EXERCISE_MAX_SIZES * sizeof *size) == 0)
      return true;
  return false;
}

static void cut(struct plan *plan, const struct task *task) {
  size_t first = 0, length = 0; // of the present process
  for (size_t i = 0; i < plan->run_count; i++) {
    struct planned_run *run = &plan->runs[i];
    run->fresh = i == first + length || has_size(plan, first, i, plan->cases[run->which].the_case.size);
    if (!run->fresh) continue;
    first = i;
    length = 1 + task_seed(task, "process", i) % MOST_RUNS_OF_A_PROCESS;
  }
}

bool plan_draw(struct plan *plan, const struct task *task, const struct exercise_case *hidden,
               size_t hidden_count) {
  const struct exercise *exercise = task->exercise;
  const size_t most =
      exercise->rules_case_count + exercise->case_count + exercise_tiny_count(exercise) + hidden_count;
  *plan = (struct plan){.cases = calloc(most, sizeof *plan->cases),
                        .runs = calloc(most * RULES_SCHEDULES, sizeof *plan->runs)};
  if (!plan->cases || !plan->runs) {
    plan_free(plan);
    return false;
  }
  add_cases(plan, task, hidden, hidden_count);
  for (size_t i = 0; i < plan->case_count; i++)
    for (unsigned schedule = 0; schedule < plan->cases[i].schedules; schedule++)
      plan->runs[plan->run_count++] = (struct planned_run){.which = i, .schedule = schedule};
  shuffle(plan->runs, plan->run_count, task);
  if (task->grading->first_failure) put_large_last(plan);
  cut(plan, task);
  return true;
}

void plan_free(struct plan *plan) {
  free(plan->cases);
  free(plan->runs);
  *plan = (struct plan){0};
}
