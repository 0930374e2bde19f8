// In: a wall's number. Out: whether it holds. The idea: sandbox-climb is run inside with everything it needs to succeed: a socket that
// listens outside, a secret in the environment, a process to signal. Then only the wall can stop it.
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

struct climb {
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

static void listen_outside(struct climb *climb) {
  struct sockaddr_in internet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  socklen_t length = sizeof internet;
  climb->internet = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  climb->local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(climb->internet, (struct sockaddr *)&internet, sizeof internet) == 0 &&
      listen(climb->internet, 1) == 0)
    getsockname(climb->internet, (struct sockaddr *)&internet, &length);
  snprintf(climb->port, sizeof climb->port, "%u", ntohs(internet.sin_port));
  snprintf(climb->name, sizeof climb->name, "tma-lab-doctor-%d", (int)getpid());
  memcpy(local.sun_path + 1, climb->name, strlen(climb->name));
  length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(climb->name));
  if (bind(climb->local, (struct sockaddr *)&local, length) == 0) listen(climb->local, 1);
}

static void set_arguments(struct climb *climb, const char *wall, const char *const *kept) {
  const char **next = climb->arguments;
  *next++ = climb->program;
  *next++ = wall;
  if (strcmp(wall, "network") == 0) *next++ = climb->port, *next++ = climb->name;
  if (strcmp(wall, "processes") == 0) *next++ = climb->self;
  if (strcmp(wall, "memory") == 0) *next++ = "2000000000";
  if (strcmp(wall, "tasks") == 0) *next++ = "64";
  if (strcmp(wall, "environment") == 0) *next++ = SECRET;
  if (strcmp(wall, "disk") == 0) {
    *next++ = "67108864"; // MOST_DISK
    *next++ = climb->scratch;
    *next++ = "/tmp";
    *next++ = "/dev/shm";
  }
  if (strcmp(wall, "files") == 0 || strcmp(wall, "writing") == 0)
    for (; *kept && next < climb->arguments + MOST_ARGUMENTS - 1; kept++)
      *next++ = *kept;
  *next = NULL;
}

static bool prepare(struct climb *climb, const char *wall, enum sandbox_mode mode, const char *const *kept) {
  *climb = (struct climb){.internet = -1, .local = -1, .held = {-1, -1}};
  sandbox_enter_path(climb->program);
  char *slash = strrchr(climb->program, '/');
  if (!slash || sandbox_make_scratch(climb->scratch, sizeof climb->scratch) != 0 || pipe(climb->held) != 0)
    return false;
  strcpy(slash, "/sandbox-climb");
  snprintf(climb->self, sizeof climb->self, "%d", (int)getpid());
  climb->environment[0] = "PATH=/usr/bin:/bin";
  climb->placed[0] = (struct sandbox_place){climb->program, climb->program};
  set_arguments(climb, wall, kept);
  bool survival = strcmp(wall, "survival") == 0;
  climb->plan =
      (struct sandbox_plan){.mode = mode,
                            .arguments = climb->arguments,
                            .environment = climb->environment,
                            .directory = climb->scratch,
                            .scratch_bytes = SCRATCH,
                            .placed = climb->placed,
                            .filter = SANDBOX_TOOLS, // the other one would stop most climbers at once
                            .descriptors = &climb->held[1],
                            .descriptor_count = survival ? 1 : 0,
                            .limits = {.wall_seconds = strcmp(wall, "time") == 0 ? 0.3 : 10,
                                       .address_space = 1 << 30,
                                       .file_bytes = MOST_DISK / 4,
                                       .more_processes = MOST_TASKS,
                                       .output_bytes = 4096}};
  return true;
}

static void clean_up(struct climb *climb) {
  int all[] = {climb->internet, climb->local, climb->held[0], climb->held[1]};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] >= 0) close(all[i]);
  sandbox_remove_scratch(climb->scratch);
}

// Whoever still holds the other end has outlived the run.
static bool all_gone(struct climb *climb) {
  close(climb->held[1]);
  climb->held[1] = -1;
  struct pollfd event = {climb->held[0], POLLIN, 0};
  return poll(&event, 1, 100) == 1 && (event.revents & POLLHUP);
}

static bool judge(struct climb *climb, const char *wall, const struct sandbox_result *result, char *text,
                  size_t size) {
  snprintf(text, size, "%.*s", (int)strcspn(result->output, "\n"), result->output);
  if (strcmp(wall, "time") == 0) return result->timed_out;
  if (strcmp(wall, "output") == 0) return result->output_overflowed && result->output_length <= 4096;
  if (result->timed_out) snprintf(text, size, "the climber did not come back");
  if (strcmp(wall, "survival") == 0 && !all_gone(climb)) {
    snprintf(text, size, "a process is left");
    return false;
  }
  return !result->timed_out && !result->signal && result->exit_code == 0;
}

bool wall_holds(size_t index, enum sandbox_mode mode, const char *const *kept, char *text, size_t size) {
  struct climb climb;
  struct sandbox_result result;
  snprintf(text, size, "it could not be tried");
  bool prepared = prepare(&climb, walls[index].name, mode, kept), held = false;
  if (prepared) {
    listen_outside(&climb);
    setenv(SECRET, "1", 1);
    set_arguments(&climb, walls[index].name, kept);
    if (sandbox_run(&climb.plan, &result, text, size) == 0) {
      held = judge(&climb, walls[index].name, &result, text, size);
      sandbox_result_free(&result);
    }
    unsetenv(SECRET);
  }
  clean_up(&climb);
  return held;
}
