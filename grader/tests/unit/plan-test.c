// The plan of runs. In: exercises and seeds. Out: whether a program can't distinguish runs. One size comes
// three times in a row in a process, every case comes as often as it should, and another seed yields another
// order.
#include "referee/grading.h"
#include "referee/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 40 };

static const struct exercise_case hidden[] = {{"one", {72, 8, 288}}, {"two", {4000, 100, 16000}}};
enum { HIDDEN = sizeof hidden / sizeof *hidden };

static struct task task_of(struct grading *grading, const struct exercise *exercise, uint64_t seed) {
  grading->seed = seed;
  return (struct task){.grading = grading, .exercise = exercise, .progress = -1};
}

// Whether this run is the one of many blocks with which a process begins, the first block coming last.
static bool begins_late(const struct plan *plan, size_t run) {
  return plan->runs[run].fresh && plan->runs[run].first_late &&
         plan->cases[plan->runs[run].which].elements > 2000;
}

static void check_processes(const struct plan *plan) {
  size_t first = 0, longest = 0, pairs = 0, late = 0;
  unsigned stays = 0; // a bit for each buffer, and one for none
  assert_true(plan->runs[0].fresh);
  for (size_t i = 0; i < plan->run_count; i++) {
    if (plan->runs[i].fresh) first = i;
    late += begins_late(plan, i);
    if (i + 1 - first > longest) longest = i + 1 - first;
    if (!plan->runs[i].paired) continue;
    pairs++;
    stays |= 1u << plan->runs[i].stays;
    assert_int_equal(plan->cases[plan->runs[i].which].few, plan->cases[plan->runs[i - 1].which].few);
    assert_false(plan->runs[i].fresh);
    assert_int_equal(plan->runs[i].which, plan->runs[i - 1].which);
    assert_int_not_equal(plan->runs[i].schedule, plan->runs[i - 1].schedule);
  }
  assert_int_equal(pairs, 3); // else nothing would show that a program keeps something by size
  assert_int_equal(stays, 1u << 1 | 1u << 2); // or by its input, or by its output
  // Else no test would detect what a launch leaves behind for a later one, such as a count in four bits.
  assert_true(longest > 16);
  assert_true(late >= 1);
}

static void check_cases(const struct plan *plan, const struct exercise *exercise) {
  size_t asked = 0, large = 0, by_kind[4] = {0};
  for (size_t i = 0; i < plan->case_count; i++) {
    const struct planned_case *planned = &plan->cases[i];
    unsigned runs = 0, schedules = 0, late = 0; // a bit for each schedule
    bool begins = false;
    assert_null(exercise->reject(planned->the_case.size));
    for (size_t k = 0; k < plan->run_count; k++) {
      if (plan->runs[k].which != i) continue;
      runs++;
      schedules |= 1u << plan->runs[k].schedule;
      late += plan->runs[k].first_late;
      begins |= begins_late(plan, k);
    }
    assert_int_equal(runs, planned->schedules);
    assert_int_equal(schedules, (1u << runs) - 1);
    assert_true(late == (runs > 1) || (begins && late == (runs > 1) + 1U));
    assert_true(i == 0 || planned->kind >= planned[-1].kind);
    by_kind[planned->kind]++;
    asked += planned->asked;
    large += planned->large;
    assert_true(planned->kind != KIND_HIDDEN || planned->few); // so that few blocks do much
    assert_false(planned->asked && planned->kind == KIND_TINY);
  }
  assert_int_equal(large, 1);
  assert_true(asked >= 2);
  assert_int_equal(by_kind[KIND_RULES], exercise->rules_case_count);
  assert_int_equal(by_kind[KIND_PUBLIC], exercise->case_count);
  assert_int_equal(by_kind[KIND_TINY], exercise_tiny_count(exercise) + exercise->between_count);
  assert_int_equal(by_kind[KIND_HIDDEN], HIDDEN);
}

static void test_plans(void **state) {
  (void)state;
  size_t count;
  const struct exercise *const *exercises = exercises_of("lab9", &count);
  for (size_t i = 0; i < count; i++)
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
      struct grading grading = {0};
      const struct task task = task_of(&grading, exercises[i], seed);
      struct plan plan;
      assert_true(plan_draw(&plan, &task, hidden, HIDDEN));
      check_processes(&plan);
      check_cases(&plan, exercises[i]);
      plan_free(&plan);
    }
}

// The same seed yields the same plan, and another seed yields another plan.
static void test_seeds(void **state) {
  (void)state;
  size_t count;
  struct grading grading = {0};
  struct plan plans[3];
  for (uint64_t i = 0; i < 3; i++) {
    const struct task task = task_of(&grading, exercises_of("lab9", &count)[0], 1 + i / 2);
    assert_true(plan_draw(&plans[i], &task, NULL, 0));
  }
  assert_int_equal(plans[0].run_count, plans[1].run_count);
  const size_t bytes = plans[0].run_count * sizeof *plans[0].runs;
  assert_memory_equal(plans[0].runs, plans[1].runs, bytes);
  assert_memory_not_equal(plans[0].runs, plans[2].runs, bytes);
  for (size_t i = 0; i < 3; i++)
    plan_free(&plans[i]);
}

// Where a first failure is all that is asked for, the large case comes last; all else stays as it is.
static void test_large_last(void **state) {
  (void)state;
  size_t count;
  const struct exercise *const *exercises = exercises_of("lab9", &count);
  for (size_t i = 0; i < count; i++)
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
      struct grading grading = {.first_failure = true};
      const struct task task = task_of(&grading, exercises[i], seed);
      struct plan plan;
      assert_true(plan_draw(&plan, &task, hidden, HIDDEN));
      check_processes(&plan);
      check_cases(&plan, exercises[i]);
      assert_true(plan.cases[plan.runs[plan.run_count - 1].which].large);
      plan_free(&plan);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plans), cmocka_unit_test(test_seeds),
                                     cmocka_unit_test(test_large_last)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
