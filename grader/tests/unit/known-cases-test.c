// Large cases that referees share: made once, by whoever comes first, and never written again.
#include "referee/cases.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { LARGE = 1000000, SMALL = 1000 }; // elements

static const struct exercise *copy; // of lab9's first exercise
static struct exercise counted;
static atomic_int *made; // elements of input that were generated, by all processes

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  atomic_fetch_add(made, (int)(last - first));
  copy->generate(instance, input, first, last);
}

static int set_up(void **state) {
  size_t count;
  (void)state;
  copy = exercises_of("lab9", &count)[0];
  counted = *copy;
  counted.generate = generate;
  counted.slicing = SLICES_NONE;
  made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return made == MAP_FAILED ? -1 : 0;
}

// The case's arrays are those of a run that makes its own. Returns how many elements were generated for it.
static int prepare(struct known_cases *known, size_t elements, uint64_t seed) {
  const struct exercise_case the_case = {"", {elements}};
  struct case_run run, own;
  const int before = atomic_load(made);
  assert_true(case_prepare(&run, &counted, &the_case, false, seed, known));
  const int after = atomic_load(made);
  assert_true(case_prepare(&own, copy, &the_case, false, seed, NULL));
  assert_int_equal(own.sliced, elements == LARGE || elements == LARGE + 4);
  assert_true(case_need_arrays(&own));
  assert_memory_equal(run.input, own.input, elements * 4);
  assert_memory_equal(run.expected, own.expected, elements * 4);
  case_free(&run);
  case_free(&own);
  return after - before;
}

static void made_once(void **state) {
  struct known_cases *known = known_cases_open((size_t)64 << 20);
  (void)state;
  assert_non_null(known);
  assert_int_equal(prepare(known, LARGE, 1), LARGE);
  assert_int_equal(prepare(known, LARGE, 1), 0);
  assert_int_equal(prepare(known, LARGE, 2), LARGE);         // another seed
  assert_int_equal(prepare(known, LARGE + 4, 1), LARGE + 4); // another size
  assert_int_equal(prepare(known, LARGE, 2), 0);
  assert_int_equal(prepare(NULL, LARGE, 1), LARGE);
  known_cases_close(known);
}

static void small_ones_are_not_kept(void **state) {
  struct known_cases *known = known_cases_open((size_t)64 << 20);
  (void)state;
  assert_int_equal(prepare(known, SMALL, 1), SMALL);
  assert_int_equal(prepare(known, SMALL, 1), SMALL);
  known_cases_close(known);
}

static void another_process_has_it(void **state) {
  struct known_cases *known = known_cases_open((size_t)64 << 20);
  int status;
  (void)state;
  const pid_t child = fork();
  if (child == 0) _exit(prepare(known, LARGE, 3) != LARGE);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(prepare(known, LARGE, 3), 0);
  known_cases_close(known);
}

// Where there is no room each makes its own.
static void full(void **state) {
  struct known_cases *known = known_cases_open((size_t)10 << 20);
  (void)state;
  assert_int_equal(prepare(known, LARGE, 1), LARGE); // 8 MB
  assert_int_equal(prepare(known, LARGE, 2), LARGE);
  assert_int_equal(prepare(known, LARGE, 2), LARGE);
  assert_int_equal(prepare(known, LARGE, 1), 0);
  known_cases_close(known);
}

// Who writes to a known case dies, and leaves it as it was.
static void cannot_be_written(void **state) {
  const struct exercise_case the_case = {"", {LARGE}};
  struct known_cases *known = known_cases_open((size_t)64 << 20);
  struct case_run run;
  int status;
  (void)state;
  assert_true(case_prepare(&run, &counted, &the_case, false, 1, known));
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    *(volatile uint32_t *)(uintptr_t)run.expected = 0;
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  case_free(&run);
  assert_int_equal(prepare(known, LARGE, 1), 0);
  known_cases_close(known);
}

// No program that a referee starts has the file.
static void no_program_has_it(void **state) {
  struct known_cases *known = known_cases_open((size_t)64 << 20);
  (void)state;
  assert_int_equal(prepare(known, LARGE, 1), LARGE);
  assert_int_equal(system("ls -l /proc/$PPID/fd | grep -q memfd:known-cases"), 0);
  assert_int_not_equal(system("ls -l /proc/$$/fd | grep -q memfd:known-cases"), 0);
  known_cases_close(known);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(made_once),
      cmocka_unit_test(small_ones_are_not_kept),
      cmocka_unit_test(another_process_has_it),
      cmocka_unit_test(full),
      cmocka_unit_test(cannot_be_written),
      cmocka_unit_test(no_program_has_it),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
