// In: a built program. Out: answers to requests, within a deadline. The idea: everything that can happen is an event of one
// poll: an answer, a device request, output, the program's end, the clock.
#include "referee/session.h"

#include "monotonic.h"
#include "referee/remarks.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OUTPUT_LIMIT = 1 << 20, START_SECONDS = 30, MOST_LIBRARY_FOLDERS = 8 };

static void broken(struct run_result *result, const char *what, const char *reason) {
  *result = (struct run_result){.end = RUN_BROKEN};
  snprintf(result->text, sizeof result->text, "%s: %s", what, reason);
}

// ---- ending ----

void session_end(struct session *session, struct run_result *result) {
  struct sandbox_result ended;
  sandbox_finish(&session->sandbox, &ended);
  session->alive = false;
  free(session->output);
  session->output = ended.output;
  session->output_length = ended.output_length;
  remark_threads(session->task, ended.threads);
  result->exit_code = ended.exit_code;
  result->signal = ended.signal;
}

static void finish(struct session *session, struct run_result *result, enum run_end end) {
  result->end = end;
  session_end(session, result);
}

// The program is ending by itself: gives it a moment, then says how it went.
static void finish_ended(struct session *session, struct run_result *result) {
  bool by_itself = sandbox_wait(&session->sandbox, 2.0);
  session_end(session, result);
  result->end = by_itself ? result->signal ? RUN_CRASHED : RUN_EXITED : RUN_NONSENSE;
  if (!by_itself)
    snprintf(result->text, sizeof result->text, "it closed its connection to the grader and went on");
}

// ---- one request ----

static void make_printable(char *text, size_t size) {
  text[size - 1] = '\0';
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
}

// 1: an answer has come, 0: not yet, -1: the program is gone or talks nonsense (result is set).
static int take_answer(struct session *session, struct run_result *result) {
  ssize_t got = recv(session->control, &result->reply, sizeof result->reply, MSG_DONTWAIT | MSG_TRUNC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (got <= 0) {
    finish_ended(session, result);
    return -1;
  }
  make_printable(result->reply.text, sizeof result->reply.text);
  if (got == (ssize_t)sizeof result->reply && result->reply.version == RUNNER_VERSION) return 1;
  snprintf(result->text, sizeof result->text,
           "it sent %zd bytes that are no answer over the grader's own socket", got);
  finish(session, result, RUN_NONSENSE);
  return -1;
}

// Serves the device for a while; returns false if the program broke its protocol (result is set).
static bool serve_device(struct session *session, struct run_result *result, bool *closed) {
  int state = device_serve(session->device);
  *closed = state == 0;
  if (state >= 0) return true;
  snprintf(result->text, sizeof result->text, "it broke the protocol of the CUDA library: %.150s",
           device_error(session->device));
  finish(session, result, RUN_NONSENSE);
  return false;
}

struct wait_state {
  double start, served, deadline;
  bool device_closed;
};

// Waits for one event and deals with it. Returns true once the request is over.
static bool step(struct session *session, struct wait_state *state, struct run_result *result) {
  short device_events = 0;
  int device = state->device_closed ? -1 : device_events_descriptor(session->device, &device_events);
  struct pollfd events[5] = {{session->control, POLLIN, 0},
                             {session->sandbox.output_pipe, POLLIN, 0},
                             {device, device_events, 0},
                             {session->sandbox.exit_event, POLLIN, 0},
                             {session->sandbox.watch, POLLIN, 0}};
  // The device's work is not the host's, up to a limit: a program may not keep us for ever with small requests.
  double most = 4 * session->task->grading->launch_deadline;
  double left =
      state->start + state->deadline + (state->served < most ? state->served : most) - monotonic_seconds();
  if (left <= 0) {
    finish(session, result, RUN_DEADLINE);
    return true;
  }
  if (poll(events, 5, session->timing ? 0 : (int)(left * 1000) + 1) < 0 && errno != EINTR) {
    broken(result, "poll", strerror(errno));
    session_end(session, result);
    return true;
  }
  if (events[1].revents) sandbox_read_output(&session->sandbox);
  if (events[4].revents && sandbox_look(&session->sandbox)) {
    snprintf(result->text, sizeof result->text, "%s", session->sandbox.forbidden);
    make_printable(result->text, sizeof result->text);
    finish(session, result, RUN_FORBIDDEN);
    return true;
  }
  if (session->sandbox.output_overflowed) {
    finish(session, result, RUN_FLOODED);
    return true;
  }
  if (events[2].revents) {
    double before = monotonic_seconds();
    if (!serve_device(session, result, &state->device_closed)) return true;
    state->served += monotonic_seconds() - before;
  }
  // The answer last: what came before it, over the other descriptors, has been taken in by then.
  if (events[0].revents && !events[2].revents) return take_answer(session, result) != 0;
  if (events[3].revents && !events[0].revents && !events[2].revents) {
    finish_ended(session, result);
    return true;
  }
  return false;
}

// Waits for an answer to what was sent at `start`.
static void await(struct session *session, double start, double deadline, struct run_result *result) {
  struct wait_state state = {.start = start, .deadline = deadline};
  *result = (struct run_result){.end = RUN_ANSWERED};
  while (!step(session, &state, result)) {
  }
  result->seconds = monotonic_seconds() - state.start;
  result->host_seconds = result->seconds - state.served;
}

static bool send_request(struct session *session, const struct runner_request *request, int descriptor) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {.space = {0}};
  struct iovec part = {(void *)request, sizeof *request};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  }
  return sendmsg(session->control, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *request;
}

static void ask(struct session *session, const struct runner_request *request, int descriptor,
                double deadline, struct run_result *result) {
  double start = monotonic_seconds(); // before the request: a moment between the two would be a gift
  if (send_request(session, request, descriptor)) {
    await(session, start, deadline, result);
  } else {
    *result = (struct run_result){0};
    finish_ended(session, result);
  }
}

void session_run(struct session *session, const struct runner_request *request, struct run_result *result) {
  double deadline = session->task->grading->host_deadline;
  // On a GPU the kernel's own time is spent while we wait, too.
  if (session->kind == DEVICE_GPU) deadline += session->task->grading->launch_deadline;
  ask(session, request, -1, deadline, result);
}

// ---- opening and closing ----

struct runner_command {
  struct sandbox_plan plan;
  const char *arguments[2], *environment[8], *readable[MOST_LIBRARY_FOLDERS + 4];
  struct sandbox_place placed[2];
  int descriptors[2];
  char libraries[4 * PATH_MAX], folders[4 * PATH_MAX], home[PATH_MAX + 8], shims[PATH_MAX], hidden[PATH_MAX],
      solutions[PATH_MAX], visible[256];
};

static void find_libraries(const struct session *session, char *text, size_t size) {
  const struct kit *kit = &session->task->grading->kit;
  const char *callers = getenv("LD_LIBRARY_PATH");
  if (session->kind == DEVICE_GPU) {
    // The caller's own places too: the driver's library may be found by them alone.
    snprintf(text, size, "LD_LIBRARY_PATH=%s/lib64:%s/lib%s%s", kit->cuda_home, kit->cuda_home,
             callers ? ":" : "", callers ? callers : "");
  } else {
    snprintf(text, size, "LD_LIBRARY_PATH=%s/build/lib", kit->root);
  }
}

// The folders of LD_LIBRARY_PATH, one by one.
static void show_callers_libraries(struct runner_command *command) {
  size_t count = 3;
  const char *callers = getenv("LD_LIBRARY_PATH");
  snprintf(command->folders, sizeof command->folders, "%s", callers ? callers : "");
  char *rest = command->folders;
  for (char *folder; (folder = strsep(&rest, ":")) && count < MOST_LIBRARY_FOLDERS + 3;)
    if (folder[0] == '/' && folder[1]) command->readable[count++] = folder;
}

// A GPU's driver reserves more addresses than any limit that would mean something.
static struct sandbox_limits limits_of(bool gpu) {
  return (struct sandbox_limits){
      .wall_seconds = START_SECONDS,
      .cpu_seconds = 120,
      .address_space = gpu ? 0 : (uint64_t)4 << 30,
      .data_bytes = gpu ? (uint64_t)64 << 30 : 0,
      // It also bounds the anonymous files that a driver makes for itself.
      .file_bytes = gpu ? (uint64_t)1 << 30 : 16 << 20,
      .more_processes = gpu ? 256 : 64,
      .output_bytes = OUTPUT_LIMIT,
  };
}

// How `program` is run with what the student's program gets; `control` as RUNNER_CONTROL, then the device's descriptor.
static void make_command(struct runner_command *command, const struct session *session, const char *program,
                         int control) {
  const struct task *task = session->task;
  const struct kit *kit = &task->grading->kit;
  struct device_offer offer = device_offer(session->device);
  bool gpu = session->kind == DEVICE_GPU;
  *command = (struct runner_command){
      .arguments = {program},
      .environment = {command->libraries, command->home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
                      offer.in_environment},
      .readable = {kit->cuda_home, command->shims, kit->packages},
      .placed = {{program, program}},
      .descriptors = {control, offer.descriptor},
  };
  find_libraries(session, command->libraries, sizeof command->libraries);
  snprintf(command->home, sizeof command->home, "HOME=%s", task->scratch);
  kit_path(kit, command->shims, "build/lib");
  kit_path(kit, command->hidden, "grader");
  kit_path(kit, command->solutions, "solutions");
  if (gpu) show_callers_libraries(command);
  // Where the machine's GPUs are shared out, both sides must mean the same one.
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (gpu && visible) {
    snprintf(command->visible, sizeof command->visible, "CUDA_VISIBLE_DEVICES=%s", visible);
    command->environment[offer.in_environment ? 5 : 4] = command->visible;
  }
  command->plan = (struct sandbox_plan){
      .mode = task->grading->sandbox,
      .arguments = command->arguments,
      .environment = command->environment,
      .directory = task->scratch,
      .scratch_bytes = gpu ? 64 << 20 : 16 << 20,
      .readable = command->readable,
      .placed = command->placed,
      .secret = {command->hidden, command->solutions},
      .filter = gpu ? SANDBOX_DRIVER : SANDBOX_STRANGER,
      .descriptors = command->descriptors,
      .descriptor_count = control < 0            ? 0
                          : offer.in_environment ? 2
                                                 : 1,
      .gpu = gpu,
      .limits = limits_of(gpu),
  };
}

static int start_runner(struct session *session, int runner_control, struct run_result *result) {
  struct runner_command command;
  char error[300];
  make_command(&command, session, session->task->program, runner_control);
  int status = sandbox_start(&session->sandbox, &command.plan, error, sizeof error);
  if (status != 0) broken(result, "the runner cannot be started", error);
  return status;
}

// Has the loader say which libraries the program needs, and whether they are there. It runs none of the program's code for that, so what it says
// is true, whatever status the program has ended with. False: one is missing, or the sandbox runs nothing here; *result says so.
static bool can_be_loaded(const struct session *session, struct run_result *result) {
  struct runner_command command;
  struct sandbox_result loader = {0};
  char error[300] = "";
  make_command(&command, session, session->task->program, -1);
  size_t last = 0;
  while (command.environment[last])
    last++;
  command.environment[last] = "LD_TRACE_LOADED_OBJECTS=1";
  bool ran = sandbox_run(&command.plan, &loader, error, sizeof error) == 0;
  const char *missing = ran ? strstr(loader.output, "not found") : NULL;
  if (missing) {
    while (missing > loader.output && missing[-1] != '\n')
      missing--;
    missing += strspn(missing, " \t");
    snprintf(error, sizeof error, "%.*s", (int)strcspn(missing, "\n"), missing);
  }
  bool loadable = ran && !missing && !loader.timed_out && !loader.signal && loader.exit_code == 0;
  if (!loadable)
    broken(result, missing ? "the runner cannot be loaded" : "the sandbox runs no program here",
           missing || !ran ? error : loader.output);
  sandbox_result_free(&loader);
  return loadable;
}

// On a GPU: hands the memory over.
static void attach(struct session *session, struct run_result *result) {
  struct device_offer offer = device_offer(session->device);
  if (offer.in_environment) return;
  struct runner_request request = {
      .version = RUNNER_VERSION, .operation = RUNNER_ATTACH, .attached_bytes = offer.bytes};
  ask(session, &request, offer.descriptor, START_SECONDS, result);
}

bool session_open(struct session *session, const struct task *task, enum device_kind kind,
                  const struct device_options *options, struct run_result *result) {
  char error[DEVICE_TEXT];
  int pair[2];
  *session = (struct session){
      .task = task, .kind = kind, .control = -1, .sandbox = {.exit_event = -1, .output_pipe = -1}};
  session->device = device_open(kind, options, error, sizeof error);
  if (!session->device) {
    broken(result, "the device cannot be opened", error);
    return false;
  }
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    broken(result, "socketpair", strerror(errno));
    return false;
  }
  session->control = pair[0];
  int status = start_runner(session, pair[1], result);
  close(pair[1]);
  if (status != 0) return false;
  device_offer_taken(session->device);
  session->alive = true;
  await(session, monotonic_seconds(), START_SECONDS, result);
  result->starting = result->end != RUN_ANSWERED;
  if (result->end == RUN_ANSWERED && result->reply.stage == RUNNER_READY) attach(session, result);
  // Before it was ready: the student's doing (code that runs before main), unless nothing of the kind can be run here.
  if ((result->end == RUN_EXITED || result->end == RUN_CRASHED) && !can_be_loaded(session, result))
    return false;
  if (result->end != RUN_ANSWERED || result->reply.stage == RUNNER_READY) return result->end == RUN_ANSWERED;
  // The virtual device is ours and always there: who says that it isn't, or says something else, is not our runner.
  bool claim = kind != DEVICE_GPU || result->reply.stage != RUNNER_SET_UP_FAILED;
  char text[RUNNER_TEXT];
  snprintf(text, sizeof text, "%s", result->reply.text);
  session_end(session, result);
  broken(result, "the runner cannot use the device", text);
  if (!claim) return false;
  result->end = RUN_NONSENSE;
  snprintf(result->text, sizeof result->text, "before main, it answered in the runner's place");
  return false;
}

void session_mark_output(struct session *session) {
  session->output_mark = session->alive ? session->sandbox.output_length : session->output_length;
}

const char *session_output(const struct session *session) {
  const char *output = session->alive ? session->sandbox.output : session->output;
  size_t length = session->alive ? session->sandbox.output_length : session->output_length;
  return output && session->output_mark < length ? output + session->output_mark : "";
}

void session_close(struct session *session) {
  struct run_result ignored = {0};
  // Closing our end lets a runner that is well leave by itself, which is quicker than killing a GPU's.
  if (session->control >= 0) close(session->control);
  session->control = -1;
  if (session->sandbox.pid > 0) session_end(session, &ignored);
  device_close(session->device);
  free(session->output);
  *session = (struct session){.control = -1};
}
