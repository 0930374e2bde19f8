// The referee's end of walled.h, where a device that was taken over says nothing. In: a device played by this
// test. Out: the referee comes back, and says why the device is of no more use.
#include "device/walled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct device *open_played(int ends[3]) {
  const struct device_options options = {.workers = 1};
  char error[DEVICE_TEXT];
  struct device *device = device_open_played(&options, ends, error, sizeof error);
  if (!device) fail_msg("%s", error);
  return device;
}

static void close_played(struct device *device, const int ends[3]) {
  device_close(device);
  for (int i = 0; i < 3; i++)
    close(ends[i]);
}

// A device that never takes a request in: the referee asks on and on, and must not wait for room.
static void test_deaf(void **state) {
  (void)state;
  int ends[3];
  struct device *device = open_played(ends);
  alarm(500); // instead of a test that hangs
  for (int i = 0; i < 100000 && !device_is_broken(device); i++) {
    device_set_order(device, 1, false);
    device_resume(device);
    device_settle(device);
  }
  alarm(0);
  assert_true(device_is_broken(device));
  assert_string_equal(device_error(device), "the virtual Hopper's process takes no requests");
  close_played(device, ends);
}

// As many requests as a long session has between two answers find room.
static void test_patient(void **state) {
  (void)state;
  int ends[3];
  struct device *device = open_played(ends);
  for (int i = 0; i < 50; i++)
    device_set_order(device, 1, false);
  assert_false(device_is_broken(device));
  close_played(device, ends);
}

static void test_gone(void **state) {
  (void)state;
  int ends[3];
  struct device *device = open_played(ends);
  shutdown(ends[1], SHUT_RDWR);
  device_set_order(device, 1, false);
  assert_true(device_is_broken(device));
  assert_int_equal(device_serve(device), DEVICE_BROKEN);
  assert_non_null(strstr(device_error(device), "has ended"));
  close_played(device, ends);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_deaf), cmocka_unit_test(test_patient),
                                     cmocka_unit_test(test_gone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
