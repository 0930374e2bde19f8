// Values that streams write and wait for, and calls that are kept behind them: a call comes after what came
// before it when the program called it, whenever it is made.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "streams-fixture.h"
#include "virtual-hopper/base/stream-value.h"

// A copy into A's memory, then the value 1 in the round that `before` tells of; B waits and copies.
static void hand_over(const struct fixture *f, uint64_t before, uint64_t value, uint64_t wanted) {
  fill(f, A, 0, 16);
  stream_order_value_written(f->order, A, WORD, STREAM_VALUE_AT_LEAST, value, before);
  stream_order_value_awaited(f->order, B, WORD, STREAM_VALUE_AT_LEAST, wanted, value);
  fill(f, B, 0, 16);
  stream_order_value_written(f->order, B, WORD + 8, STREAM_VALUE_AT_LEAST, value, value - 1);
  stream_order_value_awaited(f->order, A, WORD + 8, STREAM_VALUE_AT_LEAST, value, value);
}

static void a_value_orders_two_streams(void **state) {
  struct fixture f;
  (void)state;
  begin(&f); // a count that goes up
  hand_over(&f, 0, 1, 1);
  hand_over(&f, 1, 2, 2);
  end(&f, 0);
  begin(&f); // the first value suffices for the second round, too
  hand_over(&f, 0, 1, 1);
  hand_over(&f, 1, 2, 1);
  end(&f, 1);
  begin(&f); // reset in between, by whomever
  hand_over(&f, 0, 1, 1);
  hand_over(&f, 0, 1, 1);
  end(&f, 0);
  begin(&f); // it was there all the time
  hand_over(&f, 1, 2, 1);
  end(&f, 1);
}

static void what_is_behind_the_value_is_not_ordered(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  stream_order_value_written(f.order, A, WORD, STREAM_VALUE_EQUAL, 1, 0);
  fill(&f, A, 0, 16);
  stream_order_value_awaited(f.order, B, WORD, STREAM_VALUE_EQUAL, 1, 1);
  fill(&f, B, 0, 16);
  end(&f, 1);
}

// A call of B that is kept: the host waits for A meanwhile, and then the call is made.
static void what_is_kept_comes_after_what_it_was_called_after(void **state) {
  struct fixture f;
  (void)state;
  begin(&f); // called before the host has waited
  fill(&f, A, 0, 16);
  stream_order_mark(f.order, 1);
  stream_order_host_waits(f.order, A);
  stream_order_as_of(f.order, B, 1);
  fill(&f, B, 0, 16);
  stream_order_as_of(f.order, B, 0);
  stream_order_forget_marks(f.order, 2);
  end(&f, 1);
  begin(&f); // called after that
  fill(&f, A, 0, 16);
  stream_order_host_waits(f.order, A);
  stream_order_mark(f.order, 1);
  stream_order_as_of(f.order, B, 1);
  fill(&f, B, 0, 16);
  stream_order_as_of(f.order, B, 0);
  end(&f, 0);
  begin(&f); // the next one isn't kept
  fill(&f, A, 0, 16);
  stream_order_mark(f.order, 1);
  stream_order_host_waits(f.order, A);
  stream_order_as_of(f.order, B, 1);
  fill(&f, B, 64, 16);
  stream_order_as_of(f.order, B, 0);
  fill(&f, B, 0, 16);
  end(&f, 0);
  begin(&f); // the host's question about B is none of B's calls
  fill(&f, A, 0, 16);
  stream_order_mark(f.order, 1);
  stream_order_host_waits(f.order, A);
  stream_order_host_waits(f.order, B);
  stream_order_as_of(f.order, B, 1);
  fill(&f, B, 0, 16);
  end(&f, 1);
  begin(&f); // more marks than there is room for: more order
  fill(&f, A, 0, 16);
  for (uint64_t mark = 1; mark <= 1000; mark++)
    stream_order_mark(f.order, mark);
  stream_order_host_waits(f.order, A);
  stream_order_as_of(f.order, B, 1000);
  fill(&f, B, 0, 16);
  end(&f, 0);
}

// Behind a function that has waited for the host's word, the host has told all that it knew.
static void what_is_kept_behind_a_function_knows_what_it_was_told(void **state) {
  struct fixture f;
  (void)state;
  begin(&f);
  fill(&f, A, 0, 16);
  assert_int_not_equal(stream_order_function_called(f.order, B), 0);
  stream_order_mark(f.order, 1);
  stream_order_function_runs(f.order, B);
  stream_order_host_waits(f.order, A);
  stream_order_function_ends(f.order, B);
  stream_order_as_of(f.order, B, 1);
  fill(&f, B, 0, 16);
  end(&f, 0);
}

// The value is in memory of the device's, and a copy has written it that the host has waited for.
static void a_kept_wait_comes_after_who_has_written(void **state) {
  struct fixture f;
  (void)state;
  for (int again = 0; again < 2; again++) {
    begin(&f);
    if (again) stream_order_value_written(f.order, B, f.address, STREAM_VALUE_EQUAL, 1, 0);
    fill(&f, A, 64, 16);
    stream_order_mark(f.order, 1);
    stream_order_host_waits(f.order, A);
    fill(&f, A, 0, 4);
    stream_order_host_waits(f.order, A);
    stream_order_as_of(f.order, B, 1);
    stream_order_value_found(f.order, 0, true);
    stream_order_value_awaited(f.order, B, f.address, STREAM_VALUE_EQUAL, 1, 1);
    fill(&f, B, 64, 16);
    end(&f, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_value_orders_two_streams),
      cmocka_unit_test(what_is_behind_the_value_is_not_ordered),
      cmocka_unit_test(what_is_kept_comes_after_what_it_was_called_after),
      cmocka_unit_test(what_is_kept_behind_a_function_knows_what_it_was_told),
      cmocka_unit_test(a_kept_wait_comes_after_who_has_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
