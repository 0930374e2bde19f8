// In: a program's process and the socket that its processes connect to. Out: what their devices reported.
// One idea: a process that connects gets a device of its own, as processes on a GPU have contexts of their
// own; one loop serves all. While a kernel runs, the others wait.
#include "virtual-hopper/command/serve.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/command/program.h"
#include "virtual-hopper/command/timing.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/server/server.h"

struct session {
  int socket;
  struct vhopper *device; // NULL until the process sends something
  struct server *server;
};

struct house {
  struct served *served;
  const struct run_options *options;
  FILE *trace;
  int listener;
  struct session *sessions;
  size_t count, room;
};

// ---- sessions ---------------------------------------------------------------------------------------------

static void begin_session(struct house *house, struct session *session) {
  struct vhopper_options wanted = house->options->device;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  wanted.timer_origin = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  wanted.trace = house->trace;
  wanted.stop = program_stop();
  session->device = vhopper_create(&wanted);
  session->server = server_create(session->device, session->socket,
                                  &(struct server_limits){.real_time = !wanted.chip,
                                                          .host_faults = house->options->api_errors,
                                                          .leaks = house->options->leak_check});
}

static uint64_t launches_of(const struct fault_report *report) {
  uint64_t launches = 0;
  for (size_t i = 0; i < observed_count(report); i++)
    launches += observed_at(report, i)->launches;
  return launches;
}

static void end_session(struct house *house, struct session *session) {
  if (session->device) {
    const struct server_counters *counters = server_counters(session->server);
    house->served->processes += counters->processes;
    const uint64_t ran = launches_of(vhopper_report(session->device));
    house->served->launches += ran;
    house->served->refused +=
        counters->launches + counters->failed_launches + vhopper_child_launches(session->device) - ran;
    timing_collect(house->served, session->device);
    if (!program_time_is_up()) server_judge_host(session->server);
    fault_report_merge(house->served->report, vhopper_report(session->device));
    server_destroy(session->server);
    vhopper_destroy(session->device);
  }
  close(session->socket);
  *session = house->sessions[--house->count];
}

// Another user can find the socket's name, and gets nothing.
static bool is_ours(int socket) {
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return geteuid() == 0 || peer.uid == geteuid() || peer.uid == getuid();
}

static void accept_all(struct house *house) {
  for (int socket; (socket = accept4(house->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
    if (!is_ours(socket)) {
      close(socket);
      continue;
    }
    house->served->libraries_loaded = true;
    if (house->count == house->room) {
      house->room = house->room ? 2 * house->room : 8;
      house->sessions = reallocarray(house->sessions, house->room, sizeof *house->sessions);
      if (!house->sessions) die("no memory for %zu connections", house->room);
    }
    house->sessions[house->count++] = (struct session){.socket = socket};
  }
}

// Serves until the process must send more. False when the connection has ended. A library that is loaded
// connects and sends nothing, so that its being there is known.
static bool serve_session(struct house *house, struct session *session) {
  char first;
  if (!session->device) {
    const ssize_t seen = recv(session->socket, &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (seen == 0 || (seen < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (seen < 0) return true;
    begin_session(house, session);
  }
  enum server_state state;
  do {
    program_kernel_runs(true);
    state = server_step(session->server);
    program_kernel_runs(false);
  } while (state == SERVER_HANDLED);
  if (state == SERVER_DROPPED)
    fprintf(stderr, "vhopper: %s%s\n",
            server_is_crowded(session->server) ? "the device ended the connection: "
                                               : "the program broke the protocol: ",
            server_reason(session->server));
  return state == SERVER_WAITING;
}

static void serve_ready(struct house *house, const struct pollfd *files) {
  for (size_t i = house->count; i-- > 0;)
    if (files[i].revents && !serve_session(house, &house->sessions[i]))
      end_session(house, &house->sessions[i]);
}

// The program has ended; what it has sent before is still in the sockets.
static void serve_rest(struct house *house) {
  accept_all(house);
  while (house->count) {
    struct session *last = &house->sessions[house->count - 1];
    (void)serve_session(house, last);
    end_session(house, last);
  }
}

// ---- the loop ---------------------------------------------------------------------------------------------

// files: [0] the listener, [1] the process, then the sessions.
static size_t list_files(const struct house *house, int process_file, struct pollfd **files, size_t *room) {
  const size_t count = house->count + 2;
  if (count > *room) {
    *room = 2 * count;
    *files = reallocarray(*files, *room, sizeof **files);
    if (!*files) die("no memory to wait for %zu connections", count);
  }
  (*files)[0] = (struct pollfd){.fd = house->listener, .events = POLLIN};
  (*files)[1] = (struct pollfd){.fd = process_file, .events = POLLIN};
  for (size_t i = 0; i < house->count; i++) {
    const struct session *session = &house->sessions[i];
    const short events = session->server ? server_events(session->server) : POLLIN;
    (*files)[i + 2] = (struct pollfd){.fd = session->socket, .events = events};
  }
  return count;
}

void serve_program(struct served *served, const struct run_options *options, FILE *trace, pid_t process,
                   int listener) {
  struct house house = {.served = served, .options = options, .trace = trace, .listener = listener};
  const int process_file = (int)syscall(SYS_pidfd_open, process, 0);
  struct pollfd *files = NULL;
  size_t room = 0;
  served->report = fault_report_create();
  for (;;) {
    const size_t count = list_files(&house, process_file, &files, &room);
    if (poll(files, count, process_file < 0 ? 20 : -1) < 0) {
      if (errno != EINTR) die("waiting for the program failed: %s", strerror(errno));
      continue;
    }
    serve_ready(&house, files + 2);
    if (files[0].revents) accept_all(&house);
    if ((files[1].revents || process_file < 0) && waitpid(process, &served->status, WNOHANG) == process)
      break;
  }
  serve_rest(&house);
  if (process_file >= 0) close(process_file);
  close(listener);
  free(house.sessions);
  free(files);
}
