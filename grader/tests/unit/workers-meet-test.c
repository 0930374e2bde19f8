// What workers share: a meeting lets nobody go before all are there, and everybody then; a part of a budget
// is always counted, and given back whole.
#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/schedule/meeting.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { THREADS = 5, MEETINGS = 1000, TAKES = 20000, BYTES = 24 };

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
    meeting_init(&m.meeting, THREADS);
    m.meeting.looks = looks;
    atomic_store(&m.come, 0);
    run_on_all(meet, &m);
    assert_int_equal(atomic_load(&m.come), THREADS * MEETINGS);
    assert_int_equal(atomic_load(&m.wrong), 0);
  }
}

static void *take(void *context) {
  for (int i = 0; i < TAKES; i++) {
    budget_part_count(context, BYTES);
    if (i % 2) budget_part_give(context, BYTES);
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
  assert_int_equal(atomic_load(&part.held), held);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_goes_before_all_are_there),
      cmocka_unit_test(a_part_is_counted_and_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
