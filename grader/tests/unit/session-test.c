// Whose doing it is when a runner cannot use a GPU. In: what the program replaces, and the answer. Out: the
// program's, or nobody's.
#include "referee/session.h"
#include "virtual-hopper/base/cuda-errors.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool own_doing(const char *replaced, enum runner_stage stage, int error) {
  return session_is_own_doing(replaced, &(struct runner_reply){.stage = stage, .error = error});
}

static void test_own_doing(void **state) {
  (void)state;
  assert_true(own_doing("clock_gettime", RUNNER_SET_UP_FAILED, ERROR_SYSTEM_NOT_READY));
  assert_true(own_doing("ioctl, open", RUNNER_SET_UP_FAILED, ERROR_NO_DEVICE));
  assert_false(own_doing("", RUNNER_SET_UP_FAILED, ERROR_SYSTEM_NOT_READY));
  assert_false(own_doing("clock_gettime", RUNNER_READY, ERROR_SYSTEM_NOT_READY));
  // The memory that the referee shares could not be mapped: the runner says only text.
  assert_false(own_doing("clock_gettime", RUNNER_SET_UP_FAILED, ERROR_NONE));
  assert_false(own_doing("clock_gettime", RUNNER_SET_UP_FAILED, ERROR_MEMORY_ALLOCATION));
  assert_false(own_doing("clock_gettime", RUNNER_SET_UP_FAILED, ERROR_DEVICES_UNAVAILABLE));
  assert_false(own_doing("clock_gettime", RUNNER_SET_UP_FAILED, ERROR_ECC_UNCORRECTABLE));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_own_doing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
