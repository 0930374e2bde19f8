// Holes in the sandbox that were once there. In: a program of this test's, or the kernel's part played. Out:
// the call is named, the folder is hidden, no byte is written beside a buffer.
#include "sandbox/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

// Runs the arguments inside. False: there are no walls on this machine.
static bool run_inside(const char *const *arguments, enum sandbox_filter filter, const char *secret,
                       struct sandbox_result *result) {
  char scratch[PATH_MAX], self[PATH_MAX] = "", error[256] = "";
  if (sandbox_probe(NULL, 0) != SANDBOX_NAMESPACES) return false;
  assert_int_equal(sandbox_make_scratch(scratch, sizeof scratch), 0);
  assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
  const char *const readable[] = {secret, NULL};
  const struct sandbox_place placed[] = {{self, self}, {NULL, NULL}};
  struct sandbox_plan plan = {.mode = SANDBOX_NAMESPACES,
                              .arguments = arguments,
                              .environment = environment,
                              .directory = scratch,
                              .scratch_bytes = 1 << 20,
                              .readable = readable,
                              .placed = placed,
                              .secret = {secret},
                              .filter = filter,
                              .limits = {.wall_seconds = 300, .output_bytes = 4096}};
  const int status = sandbox_run(&plan, result, error, sizeof error);
  sandbox_remove_scratch(scratch);
  if (status != 0) fail_msg("%s", error);
  return true;
}

// ---- numbers of which the kernel reads the lower half ----

static int call_with_high_bits(void) {
  syscall(SYS_prctl, 1UL << 32 | PR_SET_DUMPABLE, 0, 0, 0, 0);
  return 0;
}

static void test_high_bits(void **state) {
  (void)state;
  char self[PATH_MAX] = "";
  struct sandbox_result result;
  assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  const char *const arguments[] = {self, "high-bits", NULL};
  if (!run_inside(arguments, SANDBOX_STRANGER, NULL, &result)) skip();
  assert_string_equal(result.forbidden, "prctl");
  sandbox_result_free(&result);
}

// ---- a kit that lies where the system's own files do ----

static void test_covered(void **state) {
  (void)state;
  static const char *const secrets[] = {"/usr/include", "/usr/share/doc"};
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
    char line[200];
    struct sandbox_result result;
    snprintf(line, sizeof line, "ls -A %s; test -d %s && touch %s/x 2>/dev/null || echo closed", secrets[i],
             secrets[i], secrets[i]);
    const char *const arguments[] = {"/bin/sh", "-c", line, NULL};
    if (access(secrets[i], F_OK) != 0) continue;
    if (!run_inside(arguments, SANDBOX_TOOLS, secrets[i], &result)) skip();
    assert_string_equal(result.output, "closed\n");
    sandbox_result_free(&result);
  }
}

// ---- a page that appears between two reads ----

static unsigned reads;
static size_t largest;

// Stands in for the C library's: the first read of a caller's memory fails, the next one gives all that is
// asked for.
ssize_t pread(int file, void *to, size_t count, off_t offset) {
  (void)file, (void)offset;
  if (count > largest) largest = count;
  if (reads++ == 0) {
    errno = EIO;
    return -1;
  }
  memset(to, 'a', count < PATH_MAX ? count : PATH_MAX);
  return (ssize_t)count;
}

static void test_page_between_reads(void **state) {
  (void)state;
  const struct sandbox sandbox = {.exit_event = -1};
  struct seccomp_notif call = {.pid = (unsigned)getpid(), .data = {.nr = SCMP_SYS(open)}};
  char path[PATH_MAX];
  call.data.args[0] = 0x10000; // the beginning of a page
  reads = 0;
  largest = 0;
  assert_false(sandbox_path_is_secret(&sandbox, &call, path));
  assert_int_equal(reads, 2);
  assert_in_range(largest, 1, PATH_MAX - 1);
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "high-bits") == 0) return call_with_high_bits();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_page_between_reads),
      cmocka_unit_test(test_high_bits),
      cmocka_unit_test(test_covered),
  };
  return cmocka_run_group_tests_name("sandbox-holes", tests, NULL, NULL);
}
