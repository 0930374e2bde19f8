// What workers share: a meeting lets nobody go before all are there, and everybody then; a crew runs what it
// is given once in each thread, and its threads stay as long as the device; a part of a budget is always
// counted, and given back whole; a lock is held by one.
#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/schedule/crew.h"
#include "virtual-hopper/schedule/meeting.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { THREADS = 5, MEETINGS = 1000, TAKES = 20000, BYTES = 24, MOST_SHARE = 8 << 10 };

struct meeters {
  struct meeting meeting;
  atomic_uint come, wrong; // come: to the meetings up to now
};

static void *meet(void *context) {
  struct meeters *m = context;
  for (unsigned i = 1; i <= MEETINGS; i++) {
    atomic_fetch_add(&m->come, 1);
    meeting_wait(&m->meeting);
    if (atomic_load(&m->come) < i * THREADS) atomic_fetch_add(&m->wrong, 1);
    meeting_wait(&m->meeting); // the next ones come later
    if (atomic_load(&m->come) > (i + 1) * THREADS) atomic_fetch_add(&m->wrong, 1);
  }
  return NULL;
}

static void run_on_all(void *(*run)(void *), void *context) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run, context), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

static void nobody_goes_before_all_are_there(void **unused) {
  (void)unused;
  for (int looks = 0; looks < 2; looks++) {
    static struct meeters m;
    meeting_init(&m.meeting, THREADS, looks);
    atomic_store(&m.come, 0);
    run_on_all(meet, &m);
    assert_int_equal(atomic_load(&m.come), THREADS * MEETINGS);
    assert_int_equal(atomic_load(&m.wrong), 0);
  }
}

static unsigned threads_of_process(void) {
  DIR *tasks = opendir("/proc/self/task");
  assert_non_null(tasks);
  unsigned count = 0;
  for (const struct dirent *d; (d = readdir(tasks));)
    count += d->d_name[0] != '.';
  closedir(tasks);
  return count;
}

// A thread that has been joined may be listed for a moment longer.
static void expect_threads(unsigned count) {
  for (int looks = 0; threads_of_process() > count && looks < 60000; looks++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  assert_int_equal(threads_of_process(), count);
}

enum { MOST_CALLED = 40, CALLS = 300 }; // more than a word has bits

struct called {
  struct meeting meeting;
  atomic_uint times[MOST_CALLED];
  pthread_t who[MOST_CALLED], caller;
  atomic_bool wrong;
};

static void be_called(void *context, unsigned number) {
  struct called *c = context;
  const bool first = !c->who[number], same = !first && pthread_equal(c->who[number], pthread_self());
  if (!first && !same) atomic_store(&c->wrong, true); // another thread than last time
  c->who[number] = pthread_self();
  if (number == 0 && !pthread_equal(c->caller, pthread_self())) atomic_store(&c->wrong, true);
  meeting_wait(&c->meeting); // all run at the same time, or this never ends
  atomic_fetch_add(&c->times[number], 1);
}

static void a_crew_runs_each_number_once(void **unused) {
  (void)unused;
  static const unsigned counts[] = {1, 4, 2, MOST_CALLED, 3, 33, 1, 5};
  static struct called c;
  const unsigned before = threads_of_process();
  struct crew *crew = crew_create();
  c.caller = pthread_self();
  for (unsigned call = 0; call < CALLS; call++) {
    const unsigned count = counts[call % (sizeof counts / sizeof *counts)];
    meeting_init(&c.meeting, count, false);
    memset(c.times, 0, sizeof c.times);
    crew_run(crew, count, be_called, &c);
    for (unsigned i = 0; i < MOST_CALLED; i++)
      assert_int_equal(atomic_load(&c.times[i]), i < count);
  }
  assert_false(atomic_load(&c.wrong));
  assert_int_equal(threads_of_process(), before + MOST_CALLED - 1);
  crew_destroy(crew);
  expect_threads(before);
  crew_destroy(crew_create()); // nobody was called
}

// Each thread writes a word.
static const char writes[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n"
    "mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, 1024, %r0;\nmul.wide.u32 %rd1, %r2, 4;\n"
    "add.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r2;\nret;\n}\n";

static void threads_stay_as_long_as_the_device(void **unused) {
  (void)unused;
  enum { WORKERS = 3, LAUNCHES = 3, BLOCKS = 64 };
  const unsigned before = threads_of_process();
  struct vhopper *v = vhopper_create(&(struct vhopper_options){.workers = WORKERS});
  struct vhopper_module *module;
  char *error;
  uint64_t out;
  assert_int_equal(vhopper_module_load(v, writes, strlen(writes), &module, &error), 0);
  assert_int_equal(vhopper_allocate(v, BLOCKS * 4096, &out), 0);
  assert_int_equal(threads_of_process(), before); // none before it is needed
  const struct vhopper_launch_config config = {.grid = {BLOCKS, 1, 1}, .block = {1024, 1, 1}};
  for (int i = 0; i < LAUNCHES; i++) {
    assert_int_equal(vhopper_launch(v, vhopper_module_function(module, "k"), &config, &out), 0);
    assert_int_equal(threads_of_process(), before + WORKERS - 1);
  }
  const uint32_t *words = vhopper_host_view(v, out, BLOCKS * 4096);
  for (uint32_t i = 0; i < BLOCKS * 1024; i++)
    if (words[i] != i) fail_msg("word %u is %u", i, words[i]);
  assert_int_equal(fault_count(vhopper_report(v)), 0);
  vhopper_destroy(v);
  expect_threads(before);
}

static void *take(void *context) {
  struct budget_share share = {0};
  for (int i = 0; i < TAKES; i++) {
    budget_share_count(context, &share, BYTES);
    if (i % 2) budget_share_give(&share, BYTES); // for the next to come
  }
  return NULL;
}

static void a_part_is_counted_and_given_back(void **unused) {
  (void)unused;
  struct budget budget = {.limit = (size_t)1 << 30};
  struct budget_part part;
  budget_count(&budget, BUDGET_TEXT, 1000);
  budget_part_begin(&part, &budget, BUDGET_ORDER);
  run_on_all(take, &part);
  const size_t held = (size_t)THREADS * TAKES / 2 * BYTES;
  assert_in_range(atomic_load(&part.held), held, held + THREADS * MOST_SHARE);
  assert_in_range(budget.limit - budget_left(&budget), 1000 + held, 1000 + held + (held >> 1));
  budget_part_count(&part, (size_t)1 << 29); // more than a piece at a time
  assert_in_range(budget.limit - budget_left(&budget), 1000 + held + ((size_t)1 << 29),
                  1000 + 2 * held + ((size_t)1 << 29));
  budget_part_end(&part);
  assert_int_equal(budget_left(&budget), budget.limit - 1000);
  budget_part_begin(&part, NULL, BUDGET_ORDER); // without a limit
  budget_part_count(&part, 5);
  budget_part_end(&part);
}

struct counted {
  struct lone_lock lock;
  unsigned count, inside, most; // inside: of the lock
};

static void *count(void *context) {
  struct counted *c = context;
  for (int i = 0; i < TAKES; i++) {
    lone_lock_take(&c->lock);
    c->most = ++c->inside > c->most ? c->inside : c->most;
    c->count++;
    if (i % 500 == 0) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL); // the others sleep
    c->inside--;
    lone_lock_give(&c->lock);
  }
  return NULL;
}

static void a_lock_is_held_by_one(void **unused) {
  (void)unused;
  static struct counted c;
  run_on_all(count, &c);
  assert_int_equal(c.count, THREADS * TAKES);
  assert_int_equal(c.most, 1);
  assert_int_equal(atomic_load(&c.lock.state), LONE_LOCK_FREE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_goes_before_all_are_there),
      cmocka_unit_test(a_crew_runs_each_number_once),
      cmocka_unit_test(threads_stay_as_long_as_the_device),
      cmocka_unit_test(a_part_is_counted_and_given_back),
      cmocka_unit_test(a_lock_is_held_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
