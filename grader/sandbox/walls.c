// In: a wall's number. Out: whether it holds. The idea: sandbox-escape runs inside with everything that it
// needs to succeed: a socket that listens outside, a secret in the environment, a process to signal. Then
// only the wall can stop it.
#include "sandbox/walls.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 16, SCRATCH = 4 << 20, MOST_DISK = 64 << 20, MOST_TASKS = 16 };
#define SECRET "TMA_LAB_SECRET"

struct attempt {
  struct sandbox_plan plan;
  char program[PATH_MAX], scratch[PATH_MAX], port[16], name[64], self[16];
  const char *arguments[MOST_ARGUMENTS], *environment[2];
  struct sandbox_place placed[2];
  int internet, local, held[2];
};

static const struct wall walls[] = {
    {"network", "no network, and no sockets of other processes"},
    {"files", "no hidden cases, solutions, homes or other submissions"},
    {"writing", "nothing can be written outside the scratch folder"},
    {"processes", "other processes can be neither seen nor signalled"},
    {"privileges", "an unprivileged user, who stays one"},
    {"memory", "memory has a limit"},
    {"disk", "the scratch folder has a limit"},
    {"tasks", "processes have a limit"},
    {"time", "the time has a limit"},
    {"output", "output has a limit"},
    {"environment", "the grader's environment is not handed on"},
    {"descriptors", "no open files but its own"},
    {"survival", "nothing outlives the run"},
};

size_t wall_count(void) {
  return sizeof walls / sizeof *walls;
}
struct wall wall_at(size_t index) {
  return walls[index];
}

static void listen_outside(struct attempt *attempt) {
  struct sockaddr_in internet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  socklen_t length = sizeof internet;
  attempt->internet = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  attempt->local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(attempt->internet, (struct sockaddr *)&internet, sizeof internet) == 0 &&
      listen(attempt->internet, 1) == 0)
    getsockname(attempt->internet, (struct sockaddr *)&internet, &length);
  snprintf(attempt->port, sizeof attempt->port, "%u", ntohs(internet.sin_port));
  snprintf(attempt->name, sizeof attempt->name, "tma-lab-doctor-%d", (int)getpid());
  memcpy(local.sun_path + 1, attempt->name, strlen(attempt->name));
  length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(attempt->name));
  if (bind(attempt->local, (struct sockaddr *)&local, length) == 0) listen(attempt->local, 1);
}

static void set_arguments(struct attempt *attempt, const char *wall, const char *const *kept) {
  const char **next = attempt->arguments;
  *next++ = attempt->program;
  *next++ = wall;
  if (strcmp(wall, "network") == 0) *next++ = attempt->port, *next++ = attempt->name;
  if (strcmp(wall, "processes") == 0) *next++ = attempt->self;
  if (strcmp(wall, "memory") == 0) *next++ = "2000000000";
  if (strcmp(wall, "tasks") == 0) *next++ = "64";
  if (strcmp(wall, "environment") == 0) *next++ = SECRET;
  if (strcmp(wall, "disk") == 0) {
    *next++ = "67108864"; // MOST_DISK
    *next++ = attempt->scratch;
    *next++ = "/tmp";
    *next++ = "/dev/shm";
  }
  if (strcmp(wall, "files") == 0 || strcmp(wall, "writing") == 0)
    for (; *kept && next < attempt->arguments + MOST_ARGUMENTS - 1; kept++)
      *next++ = *kept;
  *next = NULL;
}

static bool prepare(struct attempt *attempt, const char *wall, enum sandbox_mode mode,
                    const char *const *kept) {
  *attempt = (struct attempt){.internet = -1, .local = -1, .held = {-1, -1}};
  sandbox_enter_path(attempt->program);
  char *slash = strrchr(attempt->program, '/');
  if (!slash || sandbox_make_scratch(attempt->scratch, sizeof attempt->scratch) != 0 ||
      pipe(attempt->held) != 0)
    return false;
  strcpy(slash, "/sandbox-escape");
  snprintf(attempt->self, sizeof attempt->self, "%d", (int)getpid());
  attempt->environment[0] = "PATH=/usr/bin:/bin";
  attempt->placed[0] = (struct sandbox_place){attempt->program, attempt->program};
  set_arguments(attempt, wall, kept);
  bool survival = strcmp(wall, "survival") == 0;
  attempt->plan =
      (struct sandbox_plan){.mode = mode,
                            .arguments = attempt->arguments,
                            .environment = attempt->environment,
                            .directory = attempt->scratch,
                            .scratch_bytes = SCRATCH,
                            .placed = attempt->placed,
                            .filter = SANDBOX_TOOLS, // SANDBOX_STRANGER would stop most attempts at once
                            .descriptors = &attempt->held[1],
                            .descriptor_count = survival ? 1 : 0,
                            .limits = {.wall_seconds = strcmp(wall, "time") == 0 ? 0.3 : 10,
                                       .address_space = 1 << 30,
                                       .file_bytes = MOST_DISK / 4,
                                       .more_processes = MOST_TASKS,
                                       .output_bytes = 4096}};
  return true;
}

static void clean_up(struct attempt *attempt) {
  int all[] = {attempt->internet, attempt->local, attempt->held[0], attempt->held[1]};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] >= 0) close(all[i]);
  sandbox_remove_scratch(attempt->scratch);
}

// A process that still holds the other end of the pipe has outlived the run.
static bool all_gone(struct attempt *attempt) {
  close(attempt->held[1]);
  attempt->held[1] = -1;
  struct pollfd event = {attempt->held[0], POLLIN, 0};
  return poll(&event, 1, 5000) == 1 && (event.revents & POLLHUP);
}

static bool judge(struct attempt *attempt, const char *wall, const struct sandbox_result *result, char *text,
                  size_t size) {
  snprintf(text, size, "%.*s", (int)strcspn(result->output, "\n"), result->output);
  if (strcmp(wall, "time") == 0) return result->timed_out;
  if (strcmp(wall, "output") == 0) return result->output_overflowed && result->output_length <= 4096;
  if (result->timed_out) snprintf(text, size, "the attempt did not end in time");
  if (strcmp(wall, "survival") == 0 && !all_gone(attempt)) {
    snprintf(text, size, "a process is left");
    return false;
  }
  return !result->timed_out && !result->signal && result->exit_code == 0;
}

bool wall_holds(size_t index, enum sandbox_mode mode, const char *const *kept, char *text, size_t size) {
  struct attempt attempt;
  struct sandbox_result result;
  snprintf(text, size, "it could not be tried");
  bool prepared = prepare(&attempt, walls[index].name, mode, kept), held = false;
  if (prepared) {
    listen_outside(&attempt);
    setenv(SECRET, "1", 1);
    set_arguments(&attempt, walls[index].name, kept);
    if (sandbox_run(&attempt.plan, &result, text, size) == 0) {
      held = judge(&attempt, walls[index].name, &result, text, size);
      sandbox_result_free(&result);
    }
    unsetenv(SECRET);
  }
  clean_up(&attempt);
  return held;
}
