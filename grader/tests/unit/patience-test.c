// The referee's patience. In: children that work, sleep, or have been kept waiting. Out: whether work or
// sleep ends the patience. The clock alone may only report that the machine is too busy.
#include "monotonic.h"
#include "referee/cases.h"
#include "referee/patience.h"
#include "referee/stages.h"
#include "sandbox/usage.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum child {
  WORKS,
  SLEEPS,
  STOPS,
  HAS_A_CHILD_THAT_WORKS,
  ITS_THREADS_COME_AND_GO,
  ITS_CHILDREN_DO,
  HAS_WORKERS
};
enum { WORKERS = 6 };

static void *work(void *nothing) {
  for (volatile unsigned i = 0;; i++) {
  }
  return nothing;
}

static void *work_a_moment(void *nothing) {
  const clock_t end = clock() + CLOCKS_PER_SEC / 50;
  while (clock() < end) {
  }
  return nothing;
}

// No thread, or no child, works for long, but always one.
static void relay(bool by_threads) {
  for (;;) {
    pthread_t thread;
    const pid_t child = by_threads ? 0 : fork();
    if (by_threads && (pthread_create(&thread, NULL, work_a_moment, NULL) || pthread_join(thread, NULL)))
      _exit(1);
    if (!by_threads && child == 0) _exit(work_a_moment(NULL) != NULL);
    if (!by_threads) waitpid(child, NULL, 0);
  }
}

static void live(enum child what) {
  if (what == ITS_THREADS_COME_AND_GO || what == ITS_CHILDREN_DO) relay(what == ITS_THREADS_COME_AND_GO);
  if (what == SLEEPS)
    while (1)
      pause();
  if (what == STOPS) raise(SIGSTOP);
  if (what == HAS_A_CHILD_THAT_WORKS && fork() != 0)
    while (1)
      pause();
  pthread_t thread;
  for (int i = 1; what == HAS_WORKERS && i < WORKERS; i++)
    if (pthread_create(&thread, NULL, work, NULL) != 0) _exit(1);
  work(NULL);
}

static pid_t start(enum child what) {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    live(what);
    _exit(0);
  }
  assert_true(child > 0);
  setpgid(child, child);
  return child;
}

static void end(pid_t child) {
  kill(-child, SIGKILL);
  waitpid(child, NULL, 0);
}

// Polls until the patience ends, however long that takes.
static enum patience_end wait_for(enum child what, double deadline, double earlier) {
  const pid_t child = start(what);
  struct patience patience = patience_begin(deadline);
  patience.start -= earlier;
  enum patience_end found;
  while ((found = patience_ask(&patience, child, 0, 1e9)) == PATIENCE_LASTS)
    usleep(20000);
  end(child);
  return found;
}

static void test_work_and_sleep_end_it(void **state) {
  (void)state;
  for (enum child what = WORKS; what <= ITS_CHILDREN_DO; what++)
    assert_int_equal(wait_for(what, 0.3, 0), PATIENCE_SPENT);
}

// A program that wants to run, but got no processor time while time passed.
static void test_the_clock_alone_says_nothing(void **state) {
  (void)state;
  assert_int_equal(wait_for(WORKS, 100, 1e6), PATIENCE_TOO_BUSY);
}

// A program that waits for its device doesn't sleep. The device may work until its limit, and no longer.
static void test_device(void **state) {
  (void)state;
  const pid_t program = start(SLEEPS), device = start(WORKS);
  struct patience patience = patience_begin(1000);
  patience.start -= 1;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(patience_ask(&patience, program, device, 1e9), PATIENCE_LASTS);
    patience.looked -= 500;
  }
  assert_true(patience.asleep == 0);
  patience.served -= 50;
  assert_int_equal(patience_ask(&patience, program, device, 40), PATIENCE_SPENT);
  end(program);
  end(device);
}

// A device's workers don't use up its limit together, else right kernels fail where processors are many.
static void test_device_with_workers(void **state) {
  (void)state;
  const pid_t program = start(SLEEPS), device = start(HAS_WORKERS);
  struct patience patience = patience_begin(1000);
  patience.start -= 1;
  assert_int_equal(patience_ask(&patience, program, device, 1e9), PATIENCE_LASTS);
  struct sandbox_usage usage;
  do {
    usleep(20000);
    usage = sandbox_usage_of(device);
  } while (usage.processor_seconds < 0.6);
  patience.looked -= 1;
  patience.served = 0;
  assert_int_equal(patience_ask(&patience, program, device, 0.75 * usage.processor_seconds), PATIENCE_LASTS);
  end(program);
  end(device);
}

// Two that want the same processor: each of them waits while the other runs. Where the kernel doesn't count
// it, nothing is known.
static void test_waiting_for_a_processor(void **state) {
  (void)state;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  if (access("/proc/self/schedstat", R_OK) != 0) skip();
  const pid_t children[3] = {start(WORKS), start(WORKS), start(SLEEPS)};
  for (int i = 0; i < 2; i++)
    assert_int_equal(sched_setaffinity(children[i], sizeof one, &one), 0);
  while (sandbox_usage_of(children[0]).ran_seconds < 0.3)
    usleep(20000);
  struct sandbox_usage usage;
  do
    usage = sandbox_usage_of(children[0]);
  while (usage.waited_seconds < 0.05);
  assert_true(usage.ran_seconds >= 0.3 && usage.processor_seconds > 0.2);
  assert_true(sandbox_usage_of(children[2]).ran_seconds < 0.2);
  assert_true(sandbox_waited_here() >= 0);
  for (int i = 0; i < 3; i++)
    end(children[i]);
}

static void test_too_busy_is_ungraded(void **state) {
  (void)state;
  static const struct exercise_record empty;
  struct exercise_record record = empty;
  struct grading grading = {0};
  const struct task task = {.grading = &grading, .record = &record, .progress = -1};
  struct session session = {.task = &task, .control = -1};
  const struct run_result launched = {.end = RUN_TOO_BUSY};
  struct case_result result = {0};
  assert_true(case_judge_end(&session, &launched, &result));
  assert_int_equal(result.verdict, CASE_UNJUDGED);
  assert_false(result.comes_back || result.runner_usable || result.fault_count);
  record.stages[STAGE_BUILD].verdict = VERDICT_PASS;
  for (int stage = STAGE_RULES; stage < STAGE_COUNT; stage++) {
    stage_take(&task, (enum stage)stage, "failed", &result);
    assert_int_equal(record.stages[stage].verdict, VERDICT_UNGRADED);
    record.stages[stage].max_points = 10;
    assert_string_equal(record.stages[stage].headline, CASE_TOO_BUSY);
  }
  exercise_conclude(&record);
  assert_true(exercise_is_unjudged(&record));
  assert_true(exercise_score(&record).maximum == 0);
  case_result_free(&result);
  exercise_record_free(&record);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_work_and_sleep_end_it),
                                     cmocka_unit_test(test_the_clock_alone_says_nothing),
                                     cmocka_unit_test(test_device),
                                     cmocka_unit_test(test_device_with_workers),
                                     cmocka_unit_test(test_waiting_for_a_processor),
                                     cmocka_unit_test(test_too_busy_is_ungraded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
