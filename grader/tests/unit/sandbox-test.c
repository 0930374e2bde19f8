// The sandbox, in both modes: how programs end, what they receive, and that no process that they start
// outlives them. Programs are shell lines. Deadlines are those of the sandbox itself.
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct bench {
  enum sandbox_mode mode;
  char scratch[PATH_MAX];
};

static int set_up(void **state, enum sandbox_mode mode) {
  struct bench *bench = calloc(1, sizeof *bench);
  bench->mode = mode;
  *state = bench;
  return sandbox_make_scratch(bench->scratch, sizeof bench->scratch);
}

static int set_up_plain(void **state) {
  return set_up(state, SANDBOX_PLAIN);
}
static int set_up_namespaces(void **state) {
  return set_up(state, SANDBOX_NAMESPACES);
}

static int tear_down(void **state) {
  struct bench *bench = *state;
  sandbox_remove_scratch(bench->scratch);
  bool gone = access(bench->scratch, F_OK) != 0;
  free(bench);
  return gone ? 0 : -1;
}

// A machine without bubblewrap has no second mode. The test then reports that this mode was not tested.
static bool available(const struct bench *bench) {
  if (bench->mode == SANDBOX_PLAIN || sandbox_probe(NULL, 0) == SANDBOX_NAMESPACES) return true;
  print_message("namespaces are not to be had here: not tested\n");
  return false;
}

static struct sandbox_result run_limited(const struct bench *bench, const char *line,
                                         struct sandbox_limits limits) {
  const char *const arguments[] = {"/bin/sh", "-c", line, NULL};
  const char *const environment[] = {"PATH=/usr/bin:/bin", "GREETING=hello", NULL};
  struct sandbox_plan plan = {.mode = bench->mode,
                              .arguments = arguments,
                              .environment = environment,
                              .directory = bench->scratch,
                              .limits = limits};
  struct sandbox_result result;
  char error[256] = "";
  if (sandbox_run(&plan, &result, error, sizeof error) != 0) fail_msg("%s", error);
  return result;
}

static struct sandbox_result run(const struct bench *bench, const char *line) {
  return run_limited(bench, line, (struct sandbox_limits){.wall_seconds = 300, .output_bytes = 4096});
}

static void test_endings(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  static const struct {
    const char *line;
    int exit_code, signal;
  } table[] = {
      {"true", 0, 0}, {"exit 7", 7, 0}, {"kill -SEGV $$", 0, SIGSEGV}, {"kill -ABRT $$", 0, SIGABRT}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct sandbox_result result = run(bench, table[i].line);
    if (result.timed_out || result.signal != table[i].signal ||
        (!result.signal && result.exit_code != table[i].exit_code))
      fail_msg("%s: exit %d, signal %d: %s", table[i].line, result.exit_code, result.signal, result.output);
    sandbox_result_free(&result);
  }
}

static void test_output(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  struct sandbox_result result =
      run(bench, "printf out; printf err >&2; cat; echo \"$GREETING\" \"${HOME-none}\"; pwd");
  char expected[PATH_MAX + 64];
  snprintf(expected, sizeof expected, "outerrhello none\n%s\n", bench->scratch);
  assert_string_equal(result.output, expected);
  assert_false(result.output_overflowed);
  sandbox_result_free(&result);
}

static void test_deadline(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  struct sandbox_limits limits = {.wall_seconds = 0.2, .output_bytes = 4096};
  struct sandbox_result result = run_limited(bench, "sleep 100", limits);
  assert_true(result.timed_out);
  sandbox_result_free(&result);
}

// Work and sleep are limited for every process in the sandbox. The clock alone never leads to either verdict.
static void test_work(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  static const struct {
    const char *line;
    struct sandbox_limits limits;
    bool timed_out, worked;
  } rows[] = {
      {"(while :; do :; done); true",
       {.wall_seconds = 300, .work_seconds = 0.5, .output_bytes = 99},
       true,
       true},
      {"sleep 100", {.wall_seconds = 300, .work_seconds = 0.5, .output_bytes = 99}, true, true},
      {"(while :; do :; done); true",
       {.wall_seconds = 0.5, .work_seconds = 90, .output_bytes = 99},
       true,
       false},
      {"sleep 0.3", {.wall_seconds = 300, .work_seconds = 90, .output_bytes = 99}, false, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct sandbox_result result = run_limited(bench, rows[i].line, rows[i].limits);
    if (result.timed_out != rows[i].timed_out || result.worked != rows[i].worked)
      fail_msg("row %zu: timed out %d, worked %d", i, result.timed_out, result.worked);
    sandbox_result_free(&result);
  }
}

static void test_too_much_output(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  struct sandbox_limits limits = {.wall_seconds = 300, .output_bytes = 1000};
  struct sandbox_result result = run_limited(bench, "yes", limits);
  assert_true(result.output_overflowed);
  assert_int_equal(result.output_length, 1000);
  sandbox_result_free(&result);
}

// The sandbox also finds a process that leaves its session and its parent.
static void test_nothing_survives(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  struct sandbox_result result = run(
      bench,
      "mkfifo fifo; setsid sh -c 'setsid sh -c \"echo here; exec sleep 1000 >fifo\" &' & sleep 0.2; true");
  sandbox_result_free(&result);
  char path[PATH_MAX + 8];
  snprintf(path, sizeof path, "%s/fifo", bench->scratch);
  // A surviving process would wait to write. Only then would a reader that does not wait find a writer.
  int fifo = open(path, O_RDONLY | O_NONBLOCK);
  assert_true(fifo >= 0);
  char byte;
  assert_int_equal(read(fifo, &byte, 1), 0);
  close(fifo);
}

// Whether another process still holds the pipe's writing end after `seconds`: only when none does, a reader
// sees the end.
static bool still_held(int reading, double seconds) {
  struct pollfd event = {reading, POLLIN, 0};
  char byte;
  return poll(&event, 1, (int)(seconds * 1000)) != 1 || read(reading, &byte, 1) != 0;
}

// A grader that is killed can't tidy up, at whatever moment: here every half millisecond after the start.
static void test_killed_grader(void **state) {
  const struct bench *bench = *state;
  enum { MOMENTS = 60, PATIENCE = 60 };
  if (!available(bench)) return;
  for (int moment = 0; moment < MOMENTS; moment++) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t grader = fork();
    if (grader == 0) {
      const char *const arguments[] = {"/bin/sh", "-c", "sleep 1000 & sleep 1000", NULL};
      const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
      struct sandbox_plan plan = {.mode = bench->mode,
                                  .arguments = arguments,
                                  .environment = environment,
                                  .directory = bench->scratch,
                                  .descriptors = &ends[1],
                                  .descriptor_count = 1,
                                  .limits = {.wall_seconds = 1000, .output_bytes = 100}};
      struct sandbox_result result;
      char error[256];
      sandbox_run(&plan, &result, error, sizeof error);
      _exit(1);
    }
    close(ends[1]);
    nanosleep(&(struct timespec){0, moment * 500000L}, NULL);
    kill(grader, SIGKILL);
    waitpid(grader, NULL, 0);
    if (still_held(ends[0], PATIENCE)) fail_msg("killed after %g ms: something is left", moment / 2.0);
    close(ends[0]);
  }
}

static void test_limits(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  struct sandbox_limits limits = {
      .wall_seconds = 300, .file_bytes = 8192, .output_bytes = 4096, .cpu_seconds = 1};
  struct sandbox_result result =
      run_limited(bench, "head -c 100000 /dev/zero >large; wc -c <large; ulimit -c; ulimit -n", limits);
  if (!strstr(result.output, "8192\n0\n1024\n")) fail_msg("%s", result.output);
  sandbox_result_free(&result);
  result = run_limited(bench, "while :; do :; done", limits);
  assert_true(result.signal == SIGXCPU || result.signal == SIGKILL);
  assert_false(result.timed_out);
  sandbox_result_free(&result);
}

// The file passed as descriptor 3 arrives there, whatever its number in this process. That includes the
// numbers that the sandbox itself uses.
static void pass_descriptor(const struct bench *bench, int number) {
  int pair[2];
  assert_int_equal(pipe(pair), 0);
  assert_int_equal(dup2(pair[1], number), number);
  close(pair[1]);
  int stray = open("/dev/zero", O_RDONLY); // inheritable on purpose
  const char *const arguments[] = {"/bin/sh", "-c", "echo sent >&3; ls /proc/self/fd | wc -l", NULL},
                    *const environment[] = {NULL};
  struct sandbox_plan plan = {.mode = bench->mode,
                              .arguments = arguments,
                              .environment = environment,
                              .directory = bench->scratch,
                              .descriptors = &number,
                              .descriptor_count = 1,
                              .limits = {.wall_seconds = 300, .output_bytes = 4096}};
  struct sandbox_result result;
  char error[256], text[16] = "";
  assert_int_equal(sandbox_run(&plan, &result, error, sizeof error), 0);
  close(number);
  ssize_t got = read(pair[0], text, sizeof text - 1);
  if (got != 5 || strcmp(text, "sent\n") != 0)
    fail_msg("descriptor %d: %zd bytes came, and it printed: %s", number, got, result.output);
  // 0, 1, 2, the passed descriptor, and the one that ls reads the directory with.
  assert_int_equal(atoi(result.output), 5);
  sandbox_result_free(&result);
  close(pair[0]);
  close(stray);
}

static void test_descriptors(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  static const int numbers[] = {20, SANDBOX_FILTER_PLACE, SANDBOX_WATCH_PLACE, 64, 65, 200, 201};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    pass_descriptor(bench, numbers[i]);
}

static void test_missing_program(void **state) {
  struct bench *bench = *state;
  const char *const arguments[] = {"/nowhere/at-all", NULL}, *const environment[] = {NULL};
  struct sandbox_plan plan = {
      .mode = bench->mode, .arguments = arguments, .environment = environment, .directory = bench->scratch};
  struct sandbox_result result;
  char error[256] = "";
  assert_int_equal(sandbox_run(&plan, &result, error, sizeof error), -1);
  assert_string_equal(error, "/nowhere/at-all: No such file or directory");
}

// Only behind walls: unnamed files don't exist, the other files can't be written, the scratch folder is
// limited, and no process is root.
static void test_walls(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  char shown[PATH_MAX], secret[PATH_MAX], answer[PATH_MAX + 16], line[4 * PATH_MAX];
  assert_int_equal(sandbox_make_scratch(shown, sizeof shown), 0);
  assert_int_equal(sandbox_make_scratch(secret, sizeof secret), 0);
  assert_int_equal(chmod(shown, 0755), 0);
  snprintf(answer, sizeof answer, "%s/answer", secret);
  close(open(answer, O_CREAT | O_WRONLY, 0644));
  snprintf(line, sizeof line,
           "cd %s || echo lost; test -e %s || echo hidden; touch /usr/x 2>/dev/null || echo read-only; "
           "cd - >/dev/null; echo y >y && echo written; test $(id -u) -gt 0 && echo nobody; "
           "head -c 3000000 /dev/zero >z 2>/dev/null || echo full",
           shown, secret);
  const char *const arguments[] = {"/bin/sh", "-c", line, NULL}, *const environment[] = {"PATH=/usr/bin:/bin",
                                                                                         NULL};
  const char *const readable[] = {shown, NULL};
  struct sandbox_plan plan = {.mode = bench->mode,
                              .arguments = arguments,
                              .environment = environment,
                              .directory = bench->scratch,
                              .scratch_bytes = 2 << 20,
                              .readable = readable,
                              .limits = {.wall_seconds = 300, .output_bytes = 4096}};
  struct sandbox_result result;
  char error[256];
  assert_int_equal(sandbox_run(&plan, &result, error, sizeof error), 0);
  assert_string_equal(result.output, "hidden\nread-only\nwritten\nnobody\nfull\n");
  sandbox_result_free(&result);
  sandbox_remove_scratch(shown);
  sandbox_remove_scratch(secret);
}

// Without walls, but as root: files of root alone are closed to the program, unless the program needs them.
static void test_user(void **state) {
  struct bench *bench = *state;
  char secret[] = "/tmp/sandbox-test-XXXXXX", line[400];
  if (geteuid() != 0 || bench->mode != SANDBOX_PLAIN) return;
  int file = mkstemp(secret); // its mode is 0600
  assert_true(file >= 0);
  close(file);
  snprintf(line, sizeof line, "[ $(id -u) = 0 ] && echo root; [ -r %s ] && echo read; : >made && echo made",
           secret);
  // The scratch folder is given to the program's user. A second name there must not give the secret file
  // away, too.
  char second[PATH_MAX + 8];
  struct stat status;
  snprintf(second, sizeof second, "%s/second", bench->scratch);
  assert_int_equal(link(secret, second), 0);
  struct sandbox_result result = run(bench, line);
  assert_int_equal(stat(secret, &status), 0);
  assert_int_equal(status.st_uid, 0);
  assert_string_equal(result.output, "made\n");
  sandbox_result_free(&result);
  const char *const arguments[] = {"/bin/sh", "-c", line, NULL}, *const environment[] = {"PATH=/usr/bin:/bin",
                                                                                         NULL};
  const char *const readable[] = {"/nowhere", secret, NULL};
  struct sandbox_plan plan = {.mode = bench->mode,
                              .arguments = arguments,
                              .environment = environment,
                              .directory = bench->scratch,
                              .readable = readable,
                              .limits = {.wall_seconds = 300, .output_bytes = 4096}};
  char error[256];
  assert_int_equal(sandbox_run(&plan, &result, error, sizeof error), 0);
  assert_string_equal(result.output, "root\nread\nmade\n");
  sandbox_result_free(&result);
  unlink(secret);
}

// A forbidden system call ends the stranger's program and is named, whichever process makes the call. The
// same holds for opening a secret path, by whatever name.
static void test_forbidden(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  static const struct {
    const char *arguments[6], *named;
  } rows[] = {
      {{"/bin/sh", "-c", "/bin/true | /bin/true"}, "clone"},
      {{"/bin/sh", "-c", "exec /bin/true"}, "execve"},
      {{"/usr/bin/unshare", "-U", "true"}, "unshare"},
      {{"/bin/mount", "-t", "tmpfs", "x", "/tmp"}, "mount"},
      {{"/bin/sh", "-c", "test -e /nowhere/secret; test -e /nowhere/secret-not"}, "/nowhere/secret"},
      {{"/bin/sh", "-c", "cd /usr/lib; : <../../nowhere//./secret/deep"}, "/nowhere/secret/deep"},
      {{"/bin/sh", "-c", "cd /usr; : </proc/self/cwd/../nowhere/secret"}, "/nowhere/secret"},
      {{"/bin/sh", "-c", "exec 9</usr/lib; : </proc/self/fd/9/../../nowhere/secret/x"}, "/nowhere/secret/x"},
      {{"/bin/sh", "-c", ": </proc/self/task/../root/../nowhere/secret"}, "/nowhere/secret"},
      {{"/bin/sh", "-c", "cd /usr; : </proc/self/cwd/../etc/passwd"}, ""},
      {{"/bin/cat", "/proc/1/environ"}, "/proc/1/environ"},
      {{"/bin/sh", "-c", "i=0; while test $i -lt 20000; do : >/tmp/$i; i=$((i + 1)); done"}, SANDBOX_FILES},
      {{"/bin/sh", "-c", "i=0; while test $i -lt 20000; do : </etc/passwd; i=$((i + 1)); done"}, ""},
      {{"/bin/sh", "-c", "test -e /lib/77; test -e /proc; test -e /proc/"}, ""},
      {{"/bin/cat", "/proc/self/stat", "/proc/self/task", "/nowhere/secrets", "/etc/passwd"}, ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    struct sandbox_plan plan = {.mode = bench->mode,
                                .arguments = rows[i].arguments,
                                .environment = environment,
                                .directory = bench->scratch,
                                .filter = SANDBOX_STRANGER,
                                .secret = {"/nowhere/secret"},
                                .limits = {.wall_seconds = 300, .output_bytes = 4096}};
    struct sandbox_result result;
    char error[256];
    assert_int_equal(sandbox_run(&plan, &result, error, sizeof error), 0);
    if (strcmp(result.forbidden, rows[i].named) != 0 || result.timed_out)
      fail_msg("%s %s: `%s` was named: %s", rows[i].arguments[0], rows[i].arguments[1], result.forbidden,
               result.output);
    sandbox_result_free(&result);
  }
}

// ---- signals during watched calls ----

enum { SIGNALS = 20000 };
static volatile sig_atomic_t signals;
static pthread_t called;

static void count_signal(int signal) {
  (void)signal;
  signals++;
}

// Signals the other thread after pauses of all lengths, so that some come at every moment of a watched call.
static void *signal_often(void *wanted) {
  for (unsigned i = 0; signals < *(const int *)wanted; i++) {
    pthread_kill(called, SIGUSR1);
    for (volatile unsigned pause = i * 7919u % 20000; pause > 0;)
      pause--;
  }
  return NULL;
}

// Watched calls until so many signals have come. Returns how many of the calls were interrupted.
static unsigned open_often(int wanted, int flags) {
  struct sigaction action = {.sa_handler = count_signal, .sa_flags = flags};
  pthread_t sender;
  unsigned interrupted = 0;
  called = pthread_self();
  sigaction(SIGUSR1, &action, NULL);
  if (pthread_create(&sender, NULL, signal_often, &wanted) != 0) return 0;
  while (signals < wanted)
    if (open("/nowhere", O_RDONLY) < 0 && errno == EINTR) interrupted++;
  pthread_join(sender, NULL);
  return interrupted;
}

// The program inside. A signal ends some calls with EINTR; then signals make the kernel begin them anew; then
// it makes a forbidden call.
static int be_signalled(void) {
  const unsigned interrupted = open_often(SIGNALS, 0);
  if (open_often(2 * SIGNALS, SA_RESTART) != 0) return 3;
  printf("%s\n", interrupted > 1000 ? "thousands of calls interrupted" : "few calls interrupted");
  fflush(stdout);
  socket(AF_INET, SOCK_STREAM, 0);
  return 4;
}

// Looks at each call a moment after it was announced, when a signal may have ended it. True if one of them
// was forbidden.
static bool look_late(struct sandbox *sandbox) {
  const struct timespec moment = {.tv_nsec = 20000};
  for (;;) {
    struct pollfd events[3] = {
        {sandbox->watch, POLLIN, 0}, {sandbox->exit_event, POLLIN, 0}, {sandbox->output_pipe, POLLIN, 0}};
    if (poll(events, 3, 300000) <= 0) return false;
    if (sandbox->listening) nanosleep(&moment, NULL);
    if (events[2].revents) sandbox_read_output(sandbox);
    if (events[0].revents && sandbox_look(sandbox)) return true;
    if (events[1].revents) return false;
  }
}

// Thousands of signals during watched calls don't make the referee look away: the call after them is named.
static void test_signals(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  char self[PATH_MAX] = "";
  assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  const char *const arguments[] = {self, "be-signalled", NULL}, *const environment[] = {NULL};
  const struct sandbox_place placed[] = {{self, self}, {NULL, NULL}};
  struct sandbox_plan plan = {.mode = bench->mode,
                              .arguments = arguments,
                              .environment = environment,
                              .directory = bench->scratch,
                              .placed = placed,
                              .filter = SANDBOX_STRANGER,
                              .limits = {.output_bytes = 4096}};
  struct sandbox sandbox;
  struct sandbox_result result;
  char error[256];
  assert_int_equal(sandbox_start(&sandbox, &plan, error, sizeof error), 0);
  const bool named = look_late(&sandbox);
  sandbox_finish(&sandbox, &result);
  if (!named || strcmp(result.forbidden, "socket") != 0)
    fail_msg("`%s` was named, exit %d: %s", result.forbidden, result.exit_code, result.output);
  assert_string_equal(result.output, "thousands of calls interrupted\n");
  sandbox_result_free(&result);
}

// When a GPU's launcher tries to start a process, the call fails. A compiler may start processes. Neither may
// have memory that belongs to no process. A compiler has no devices that are read without end.
static void test_tools(void **state) {
  struct bench *bench = *state;
  if (!available(bench)) return;
  static const struct {
    enum sandbox_filter filter;
    const char *line;
    bool works;
  } rows[] = {
      {SANDBOX_TOOLS, "/bin/true | /bin/true", true},
      {SANDBOX_DRIVER, "/bin/true | /bin/true", false},
      {SANDBOX_TOOLS, "exec ipcmk -M 4096", false},
      {SANDBOX_DRIVER, "exec ipcmk -M 4096", false},
      {SANDBOX_DRIVER, "exec ipcmk --version", true},
      {SANDBOX_TOOLS, "echo x >/dev/null && ! test -e /dev/zero", true},
      {SANDBOX_TOOLS, "head -c 1 /dev/random", false},
      {SANDBOX_DRIVER, "exec test -c /dev/random", true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *const arguments[] = {"/bin/sh", "-c", rows[i].line, NULL};
    const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    struct sandbox_plan plan = {.mode = bench->mode,
                                .arguments = arguments,
                                .environment = environment,
                                .directory = bench->scratch,
                                .few_devices = rows[i].filter == SANDBOX_TOOLS,
                                .filter = rows[i].filter,
                                .limits = {.wall_seconds = 300, .output_bytes = 4096}};
    struct sandbox_result result;
    char error[256];
    assert_int_equal(sandbox_run(&plan, &result, error, sizeof error), 0);
    assert_string_equal(result.forbidden, "");
    if ((result.exit_code == 0) != rows[i].works)
      fail_msg("%s: exit code %d: %s", rows[i].line, result.exit_code, result.output);
    sandbox_result_free(&result);
  }
}

#define BOTH(test)                                                \
  cmocka_unit_test_setup_teardown(test, set_up_plain, tear_down), \
      cmocka_unit_test_setup_teardown(test, set_up_namespaces, tear_down)

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "be-signalled") == 0) return be_signalled();
  const struct CMUnitTest tests[] = {
      BOTH(test_endings),
      BOTH(test_user),
      BOTH(test_output),
      BOTH(test_deadline),
      BOTH(test_work),
      BOTH(test_too_much_output),
      BOTH(test_nothing_survives),
      BOTH(test_killed_grader),
      BOTH(test_limits),
      BOTH(test_descriptors),
      cmocka_unit_test_setup_teardown(test_missing_program, set_up_plain, tear_down),
      cmocka_unit_test_setup_teardown(test_walls, set_up_namespaces, tear_down),
      cmocka_unit_test_setup_teardown(test_forbidden, set_up_namespaces, tear_down),
      cmocka_unit_test_setup_teardown(test_signals, set_up_namespaces, tear_down),
      cmocka_unit_test_setup_teardown(test_tools, set_up_namespaces, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
