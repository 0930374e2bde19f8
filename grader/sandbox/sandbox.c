// In: a plan. Out: a running program, then how it ended and its output. The idea: one child in a session of
// its own, watched through a pidfd and one pipe; at the end all our descendants are killed until none is
// left. The child is sandbox-keep, which does the same if we die.
#include "sandbox/sandbox.h"
#include "sandbox/enclose.h"
#include "sandbox/usage.h"

#include "monotonic.h"
#include "setup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_PASSED = 3, MAX_PASSED = 8 };

// What a child gets besides the plan's descriptors; -1: none.
struct ends {
  int output, failure, filter, watch;
  unsigned user; // without walls: the user to become; 0: stay
  pid_t parent;
};

// ---- the child, between fork and exec ----

// Copies the plan's descriptors to high numbers first, so that placing one never overwrites another, whatever
// numbers they have in the parent.
static int move_away(const struct sandbox_plan *plan, int above[MAX_PASSED]) {
  if (plan->descriptor_count > MAX_PASSED) {
    errno = EINVAL;
    return -1;
  }
  for (size_t i = 0; i < plan->descriptor_count; i++)
    if ((above[i] = fcntl(plan->descriptors[i], F_DUPFD, 64)) < 0) return -1;
  return 0;
}

// Copies them to 3, 4, ...
static int place_descriptors(const struct sandbox_plan *plan, const int above[MAX_PASSED]) {
  for (size_t i = 0; i < plan->descriptor_count; i++)
    if (dup2(above[i], FIRST_PASSED + (int)i) < 0) return -1;
  return 0;
}

static int place_filter(const struct ends *ends) {
  int filter = fcntl(ends->filter, F_DUPFD, 64), watch = fcntl(ends->watch, F_DUPFD, 64);
  return filter < 0 || watch < 0 || dup2(filter, SANDBOX_FILTER_PLACE) < 0 ||
                 dup2(watch, SANDBOX_WATCH_PLACE) < 0
             ? -1
             : 0;
}

static int place_all(const struct sandbox_plan *plan, const struct ends *ends) {
  unsigned next = FIRST_PASSED + (unsigned)plan->descriptor_count;
  int above[MAX_PASSED], null = open("/dev/null", O_RDONLY);
  if (move_away(plan, above) != 0) return -1;
  if (null < 0 || dup2(null, 0) < 0 || dup2(ends->output, 1) < 0 || dup2(ends->output, 2) < 0) return -1;
  if (ends->filter >= 0 && place_filter(ends) != 0) return -1;
  if (place_descriptors(plan, above) != 0) return -1;
  if (ends->filter >= 0) {
    if (close_range(next, SANDBOX_FILTER_PLACE - 1, 0) != 0) return -1;
    next = SANDBOX_WATCH_PLACE + 1;
  }
  if (close_range(next, (unsigned)ends->failure - 1, 0) != 0) return -1;
  return close_range((unsigned)ends->failure + 1, ~0U, 0);
}

// Asks the kernel to tell us when the parent dies. It may have died before that.
static int end_with_parent(pid_t parent) {
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  if (sigprocmask(SIG_SETMASK, &awaited, NULL) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) return -1;
  if (getppid() != parent) _exit(127);
  return 0;
}

// The words of sandbox-keep, which starts the program. NULL: no memory.
static char **keeper_words(const char *failure, const char *program, char *const *words) {
  enum { OWN = 3 };
  size_t count = 0;
  while (words[count])
    count++;
  char **all = calloc(OWN + count + 1, sizeof *all);
  if (!all) return NULL;
  all[0] = "sandbox-keep";
  all[1] = (char *)failure;
  all[2] = (char *)program;
  memcpy(all + OWN, words, count * sizeof *words);
  return all;
}

static int become_program(const struct sandbox_plan *plan, char **namespaced, const struct ends *ends) {
  if (place_all(plan, ends) != 0) return -1;
  // What the grader ignores, a program doesn't.
  if (signal(SIGPIPE, SIG_DFL) == SIG_ERR || signal(SIGXFSZ, SIG_DFL) == SIG_ERR) return -1;
  // Opened before the user changes, who may not reach its folder; and nothing may need memory once there are
  // limits.
  char path[PATH_MAX], failure[16];
  snprintf(failure, sizeof failure, "%d", ends->failure);
  char **words = keeper_words(failure, namespaced ? SETUP_BUBBLEWRAP : plan->arguments[0],
                              namespaced ? namespaced : (char *const *)plan->arguments);
  const int keeper = open(sandbox_own_program("sandbox-keep", path), O_PATH | O_CLOEXEC);
  if (keeper < 0 || !words) return -1;
  struct sandbox_limits limits = plan->limits;
  // With walls, sandbox-enter limits the processes. Out here the kernel would also count those of other
  // containers whose user has our number, but we see only our own container's: bubblewrap could fail to
  // start.
  if (namespaced) limits.more_processes = 0;
  if (limits.more_processes) limits.more_processes++; // sandbox-keep
  // First, since the limit on tasks is per user, and a change of user resets the parent-death signal.
  if (ends->user && sandbox_become(ends->user) != 0) return -1;
  if (setsid() < 0 || end_with_parent(ends->parent) != 0 || sandbox_apply_limits(&limits) != 0) return -1;
  if (chdir(plan->directory) != 0) return -1;
  return fexecve(keeper, words, (char *const *)plan->environment);
}

static void run_child(const struct sandbox_plan *plan, char **namespaced, struct ends ends) {
  // A number above all that the program is given. A successful exec of the program closes it, and so tells
  // the parent.
  ends.failure = fcntl(ends.failure, F_DUPFD, 200);
  if (ends.failure < 0) _exit(126);
  become_program(plan, namespaced, &ends);
  int reason = errno;
  if (write(ends.failure, &reason, sizeof reason) != sizeof reason) _exit(126);
  _exit(127);
}

// ---- the parent ----

static int open_pipes(int output[2], int failure[2]) {
  if (pipe2(output, O_CLOEXEC) != 0) return -1;
  if (pipe2(failure, O_CLOEXEC) == 0) return 0;
  close(output[0]);
  close(output[1]);
  return -1;
}

static int fail(char *error, size_t size, const char *what, int number) {
  snprintf(error, size, "%s: %s", what, strerror(number));
  return -1;
}

// Ends a child whose exec has failed, if there is one, and says why.
static int not_begun(const struct sandbox_plan *plan, pid_t pid, int number, char *error, size_t size) {
  if (pid > 0) {
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  return fail(error, size, plan->arguments[0], number);
}

static int begin_child(struct sandbox *sandbox, const struct sandbox_plan *plan, char **namespaced,
                       const int filter[2], char *error, size_t size) {
  unsigned user = namespaced ? 0 : sandbox_plain_user(plan);
  int output[2], failure[2], reason = 0;
  if (open_pipes(output, failure) != 0) return fail(error, size, "cannot make a pipe for the sandbox", errno);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0)
    run_child(plan, namespaced, (struct ends){output[1], failure[1], filter[0], filter[1], user, parent});
  close(output[1]);
  close(failure[1]);
  ssize_t got = -1;
  while (pid > 0 && (got = read(failure[0], &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  int exit_event = pid > 0 && got == 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
  int number = got > 0 ? reason : errno;
  close(failure[0]);
  if (exit_event < 0) {
    close(output[0]);
    return not_begun(plan, pid, number, error, size);
  }
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  sandbox->pid = pid;
  sandbox->exit_event = exit_event;
  sandbox->output_pipe = output[0];
  sandbox->output_limit = plan->limits.output_bytes;
  return 0;
}

// With walls: hands over the filter's program, and the socket through which its listener will come.
static int begin_filtered(struct sandbox *sandbox, const struct sandbox_plan *plan, char *error,
                          size_t error_size) {
  unsigned user = sandbox_user(plan);
  // A directory that isn't made for this run alone has to belong to the program's user while it runs.
  if (user && !plan->scratch_bytes && sandbox_give_away(plan->directory, user) != 0)
    return fail(error, error_size, plan->directory, errno);
  int pair[2], filter = sandbox_filter_file(plan->filter);
  if (filter < 0) return fail(error, error_size, "the system call filter", errno);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    close(filter);
    return fail(error, error_size, "socketpair", errno);
  }
  sandbox->watch = pair[0];
  char **namespaced = sandbox_namespace_arguments(plan);
  int status = namespaced
                   ? begin_child(sandbox, plan, namespaced, (int[]){filter, pair[1]}, error, error_size)
                   : fail(error, error_size, "bubblewrap's arguments", ENOMEM);
  sandbox_arguments_free(namespaced);
  close(filter);
  close(pair[1]);
  if (status == 0) return 0;
  close(sandbox->watch);
  sandbox->watch = -1;
  return status;
}

int sandbox_start(struct sandbox *sandbox, const struct sandbox_plan *plan, char *error, size_t error_size) {
  *sandbox = (struct sandbox){.exit_event = -1, .output_pipe = -1, .watch = -1, .spared = plan->spared};
  for (size_t i = 0; i < SANDBOX_SECRETS && plan->secret[i]; i++)
    snprintf(sandbox->secret[i], sizeof sandbox->secret[i], "%s", plan->secret[i]);
  // A process that outlives its parent becomes our child, so that it can be found and killed.
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) return fail(error, error_size, "prctl", errno);
  if (plan->mode == SANDBOX_NAMESPACES) return begin_filtered(sandbox, plan, error, error_size);
  return begin_child(sandbox, plan, NULL, (const int[]){-1, -1}, error, error_size);
}

static void keep_output(struct sandbox *sandbox, const char *bytes, size_t count) {
  size_t room = sandbox->output_limit - sandbox->output_length;
  if (count > room) {
    sandbox->output_overflowed = true;
    count = room;
  }
  char *output = count ? realloc(sandbox->output, sandbox->output_length + count + 1) : NULL;
  if (!output) return;
  memcpy(output + sandbox->output_length, bytes, count);
  sandbox->output = output;
  sandbox->output_length += count;
  output[sandbox->output_length] = '\0';
}

void sandbox_read_output(struct sandbox *sandbox) {
  char bytes[16384];
  // Bounded, so that a program that prints without end can't keep us past its deadline.
  for (int turn = 0; turn < 64 && sandbox->output_pipe >= 0; turn++) {
    ssize_t got = read(sandbox->output_pipe, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;
    if (got == 0) {
      close(sandbox->output_pipe);
      sandbox->output_pipe = -1;
      return;
    }
    keep_output(sandbox, bytes, (size_t)got);
  }
}

bool sandbox_wait(struct sandbox *sandbox, double seconds) {
  double end = monotonic_seconds() + seconds;
  for (;;) {
    double left = end - monotonic_seconds();
    struct pollfd events[3] = {
        {sandbox->exit_event, POLLIN, 0}, {sandbox->output_pipe, POLLIN, 0}, {sandbox->watch, POLLIN, 0}};
    int ready = poll(events, 3, left > 0 ? (int)(left * 1000) + 1 : 0);
    if (ready < 0 && errno != EINTR) return false;
    if (ready > 0 && events[2].revents && sandbox_look(sandbox)) return false;
    if (ready > 0) sandbox_read_output(sandbox);
    if (ready > 0 && events[0].revents) return true;
    if (left <= 0 || sandbox->output_overflowed) return false;
  }
}

static void read_status(int status, struct sandbox_result *result) {
  if (WIFSIGNALED(status)) {
    result->signal = WTERMSIG(status);
  } else {
    result->exit_code = WEXITSTATUS(status);
    // bubblewrap, like a shell, returns 128 + n for a program that was killed by signal n.
    if (result->exit_code > 128 && result->exit_code <= 128 + 64) result->signal = result->exit_code - 128;
  }
}

void sandbox_finish(struct sandbox *sandbox, struct sandbox_result *result) {
  *result = (struct sandbox_result){0};
  if (sandbox->pid > 0) {
    struct pollfd event = {sandbox->exit_event, POLLIN, 0};
    result->timed_out = poll(&event, 1, 0) != 1 && !sandbox->forbidden[0] && !sandbox->output_overflowed;
    bool stopped = poll(&event, 1, 0) != 1;
    kill(-sandbox->pid, SIGKILL);
    int status = 0;
    while (waitpid(sandbox->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!stopped) read_status(status, result);
    sandbox_kill_descendants(sandbox->spared);
    sandbox_read_output(sandbox);
  }
  if (sandbox->output_pipe >= 0) close(sandbox->output_pipe);
  if (sandbox->exit_event >= 0) close(sandbox->exit_event);
  if (sandbox->watch >= 0) close(sandbox->watch);
  memcpy(result->forbidden, sandbox->forbidden, sizeof result->forbidden);
  result->output = sandbox->output ? sandbox->output : calloc(1, 1);
  result->output_length = sandbox->output_length;
  result->threads = sandbox->threads;
  result->output_overflowed = sandbox->output_overflowed;
  *sandbox = (struct sandbox){.exit_event = -1, .output_pipe = -1, .watch = -1};
}

void sandbox_result_free(struct sandbox_result *result) {
  free(result->output);
  result->output = NULL;
}

// Waits for the direct child's end. True if work_seconds, of work or of sleep, have ended the wait.
static bool wait_while_it_works(struct sandbox *sandbox, const struct sandbox_limits *limits) {
  static const double LOOK = 0.25;
  const double end = monotonic_seconds() + limits->wall_seconds;
  double asleep = 0;
  for (;;) {
    const double before = monotonic_seconds(), left = end - before;
    if (sandbox_wait(sandbox, left < LOOK ? left : LOOK)) return false;
    if (left <= 0 || sandbox->output_overflowed || sandbox->forbidden[0]) return false;
    const struct sandbox_usage usage = sandbox_usage_of(sandbox->pid);
    if (usage.asleep) asleep += monotonic_seconds() - before;
    if (usage.processor_seconds > limits->work_seconds || asleep > limits->work_seconds) return true;
  }
}

int sandbox_run(const struct sandbox_plan *plan, struct sandbox_result *result, char *error,
                size_t error_size) {
  struct sandbox sandbox;
  *result = (struct sandbox_result){0};
  if (sandbox_start(&sandbox, plan, error, error_size) != 0) return -1;
  bool worked = false;
  if (plan->limits.work_seconds > 0)
    worked = wait_while_it_works(&sandbox, &plan->limits);
  else
    sandbox_wait(&sandbox, plan->limits.wall_seconds);
  sandbox_finish(&sandbox, result);
  result->worked = worked && result->timed_out;
  return 0;
}

static enum sandbox_mode lacks(char *missing, size_t size, const char *what, const char *why) {
  if (missing) snprintf(missing, size, "%s: %.*s", what, (int)strcspn(why, "\n"), why);
  return SANDBOX_PLAIN;
}

enum sandbox_mode sandbox_probe(char *missing, size_t size) {
  char enter[PATH_MAX], error[256];
  if (missing && size) missing[0] = '\0';
  if (access(SETUP_BUBBLEWRAP, X_OK) != 0)
    return lacks(missing, size, "bubblewrap is not installed", "make setup installs it");
  if (access(sandbox_enter_path(enter), X_OK) != 0)
    return lacks(missing, size, "build/bin/sandbox-enter is missing", "make grader-parts builds it");
  const char *const arguments[] = {"/bin/true", NULL}, *const environment[] = {NULL};
  struct sandbox_plan plan = {.mode = SANDBOX_NAMESPACES,
                              .arguments = arguments,
                              .environment = environment,
                              .directory = "/tmp",
                              .scratch_bytes = 1 << 20,
                              .filter = SANDBOX_STRANGER,
                              .limits = {.wall_seconds = 10, .more_processes = 8, .output_bytes = 4096}};
  struct sandbox_result result;
  if (sandbox_run(&plan, &result, error, sizeof error) != 0)
    return lacks(missing, size, "bubblewrap cannot be started", error);
  bool works = !result.timed_out && result.signal == 0 && result.exit_code == 0;
  if (!works) lacks(missing, size, SANDBOX_NO_WALLS, result.output[0] ? result.output : "no reason given");
  sandbox_result_free(&result);
  return works ? SANDBOX_NAMESPACES : SANDBOX_PLAIN;
}
