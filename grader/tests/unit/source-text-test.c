// What is read of a source: all of it up to a MiB, whatever the file says of its size.
#include "class/source-text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MIB = 1 << 20 };

static void sizes_up_to_a_mib_are_read(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 4096, MIB - 1, MIB, MIB + 1, MIB + 4096};
  char path[] = "/tmp/source-text-test-XXXXXX", error[200], *text = malloc(2 * MIB);
  const int file = mkstemp(path);
  const struct given_names none = {NULL, 0, 0};
  assert_true(file >= 0 && text);
  memset(text, 'a', 2 * MIB);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct source_text source;
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(pwrite(file, text, sizes[i], 0), sizes[i]);
    const int status = source_text_read(path, &none, &source, error, sizeof error);
    assert_int_equal(status, sizes[i] <= MIB ? 0 : -1);
    if (status == 0) assert_int_equal(source.length, sizes[i]);
    if (status != 0) assert_non_null(strstr(error, "has more than 1 MiB"));
    if (status == 0) source_text_free(&source);
  }
  close(file);
  unlink(path);
  free(text);
}

// As a file that grows while it is read: this one says that it has no bytes.
static void more_than_the_file_says_is_read(void **state) {
  (void)state;
  char error[200];
  const struct given_names none = {NULL, 0, 0};
  struct source_text source;
  assert_int_equal(source_text_read("/proc/self/status", &none, &source, error, sizeof error), 0);
  assert_memory_equal(source.text, "Name:", 5);
  assert_true(source.length > 200);
  source_text_free(&source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_up_to_a_mib_are_read),
      cmocka_unit_test(more_than_the_file_says_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
