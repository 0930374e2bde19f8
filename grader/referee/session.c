// In: a built program. Out: answers to requests, within a deadline. The idea: everything that can happen is
// an event of one poll: an answer, a call to the device, output, the program's end, the deadline.
#include "referee/session.h"

#include "monotonic.h"
#include "referee/patience.h"
#include "referee/remarks.h"
#include "sandbox/send-descriptor.h"
#include "virtual-hopper/base/cuda-errors.h"

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

// The kernel had no room for a descriptor on its way to the program or from it.
static void finish_crowded(struct session *session, struct run_result *result) {
  snprintf(result->text, sizeof result->text,
           "Other processes of this user's have too many descriptors on their way for the grader to go on");
  finish(session, result, RUN_TOO_BUSY);
}

// The program has closed its socket, so it should be ending: waits a moment of its work or of its sleep (on a
// busy machine an end may take much longer), then says how it ended.
static void finish_ended(struct session *session, struct run_result *result) {
  struct patience patience = patience_begin(2.0);
  enum patience_end end = PATIENCE_LASTS;
  bool by_itself;
  while (!(by_itself = sandbox_wait(&session->sandbox, PATIENCE_LOOK)) && end == PATIENCE_LASTS &&
         !session->sandbox.forbidden[0] && !session->sandbox.output_overflowed)
    end = patience_ask(&patience, session->sandbox.pid, 0, 0);
  // Its single exec waits for us: if there was none, bubblewrap has ended, for want of processes, say. Before
  // that the filter's listener comes.
  const bool walled = session->task->grading->sandbox == SANDBOX_NAMESPACES,
             never_entered = walled && !session->sandbox.listening,
             never_ran =
                 never_entered || (walled && session->kind == DEVICE_VIRTUAL && !session->sandbox.executed);
  session_end(session, result);
  if (never_entered && result->exit_code == SANDBOX_CROWDED) {
    finish_crowded(session, result);
    return;
  }
  if (never_ran) {
    broken(result, "the sandbox could not start the program", session->output ? session->output : "");
    return;
  }
  result->end = by_itself                  ? result->signal ? RUN_CRASHED : RUN_EXITED
                : end == PATIENCE_TOO_BUSY ? RUN_TOO_BUSY
                                           : RUN_NONSENSE;
  if (!by_itself)
    snprintf(result->text, sizeof result->text, "it closed its connection to the grader and kept running");
}

// ---- one request ----

static void make_printable(char *text, size_t size) {
  text[size - 1] = '\0';
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
}

// 1: an answer has come; 0: not yet; -1: the program has ended or sent something else (*result says how).
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

// Takes in what the device tells; false: that is the end of the program, and result says why.
static bool serve_device(struct session *session, struct run_result *result) {
  int state = device_serve(session->device);
  if (state == 0) return true;
  if (state == DEVICE_BROKEN) {
    session_end(session, result);
    broken(result, "the device", device_error(session->device));
    return false;
  }
  if (state == DEVICE_CROWDED) {
    finish_crowded(session, result);
    return false;
  }
  snprintf(result->text, sizeof result->text, "%s%.160s",
           state == DEVICE_SPENT ? "" : "it broke the protocol of the CUDA library: ",
           device_error(session->device));
  finish(session, result, state == DEVICE_SPENT ? RUN_SPENT : RUN_NONSENSE);
  return false;
}

struct wait_state {
  struct patience patience; // with the virtual Hopper; a GPU's kernels are only told by the clock
  double start, deadline;
  double worked; // by the device, when the wait began
  double spent;  // processor seconds before the answer
  bool answered; // the answer is there, and waits until the device has settled, with patience of its own
};

// Seconds that the device has worked since the wait began, as it says: no more than have passed.
static double served(const struct session *session, const struct wait_state *state) {
  const double claimed = device_worked(session->device) - state->worked;
  const double passed = monotonic_seconds() - state->start;
  if (!(claimed > 0)) return 0;
  return claimed < passed ? claimed : passed;
}

static double spent(const struct wait_state *state) {
  return state->spent + state->patience.used;
}

// The time is up. A program that has answered, and after that sends the rest of a message to the device for a
// whole deadline, little by little, is told so. (Where nothing more comes, the device ends the connection by
// itself.)
static void finish_late(struct session *session, const struct wait_state *state, enum run_end late,
                        struct run_result *result) {
  if (!state->answered || late != RUN_DEADLINE) {
    finish(session, result, late);
    return;
  }
  snprintf(result->text, sizeof result->text,
           "a message to the device was half sent when it answered the grader");
  finish(session, result, RUN_NONSENSE);
}

// Seconds until the deadline. The device's time doesn't count against the host's, up to a limit: small calls
// without end must end, too.
static double seconds_left(const struct session *session, const struct wait_state *state) {
  const double most = 4 * session->task->grading->launch_deadline, device = served(session, state);
  return state->start + state->deadline + (device < most ? device : most) - monotonic_seconds();
}

// The program has answered. Its answer counts once the device has done all that it was asked before, and
// listens no more.
static bool answer_is_ready(struct session *session, struct wait_state *state, struct run_result *result) {
  if (!state->answered && device_settle(session->device) != 0) {
    session_end(session, result);
    broken(result, "the device", device_error(session->device));
    return true;
  }
  if (!state->answered) {
    state->spent = spent(state);
    state->patience = patience_begin(state->deadline);
  }
  state->answered = true;
  return device_is_settled(session->device) && take_answer(session, result) != 0;
}

// RUN_ANSWERED: not late.
static enum run_end is_late(const struct session *session, struct wait_state *state, double left) {
  if (session->kind != DEVICE_VIRTUAL) return left <= 0 ? RUN_DEADLINE : RUN_ANSWERED;
  // Small calls without end must end, too.
  const double most = 4 * session->task->grading->launch_deadline;
  if (task_has_overdrawn(session->task, spent(state))) return RUN_OVERDRAWN;
  switch (patience_ask(&state->patience, session->sandbox.pid, device_process(session->device), most)) {
  case PATIENCE_SPENT: return RUN_DEADLINE;
  case PATIENCE_TOO_BUSY: return RUN_TOO_BUSY;
  default: return RUN_ANSWERED;
  }
}

// Waits for one event and handles it. Returns true once the request is over.
static bool step(struct session *session, struct wait_state *state, struct run_result *result) {
  short device_events = 0;
  int device = device_events_descriptor(session->device, &device_events);
  const bool waits_for_device = state->answered && !device_is_settled(session->device);
  struct pollfd events[5] = {{waits_for_device ? -1 : session->control, POLLIN, 0},
                             {session->sandbox.output_pipe, POLLIN, 0},
                             {device, device_events, 0},
                             {session->sandbox.exit_event, POLLIN, 0},
                             {session->sandbox.watch, POLLIN, 0}};
  const double left = session->kind == DEVICE_VIRTUAL ? PATIENCE_LOOK : seconds_left(session, state);
  const enum run_end late = is_late(session, state, left);
  if (late != RUN_ANSWERED) {
    finish_late(session, state, late, result);
    return true;
  }
  if (session->timing && session->while_timed) session->while_timed(session->timed_data);
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
  if (events[2].revents && !serve_device(session, result)) return true;
  // The answer comes last, so that what was sent before it over the other descriptors has been read.
  if (events[0].revents && !events[2].revents) return answer_is_ready(session, state, result);
  if (events[3].revents && !events[0].revents && !events[2].revents && !waits_for_device) {
    finish_ended(session, result);
    return true;
  }
  return false;
}

// Waits for the answer to a request that was sent at `start`.
static void await(struct session *session, double start, double deadline, struct run_result *result) {
  struct wait_state state = {.patience = patience_begin(deadline),
                             .start = start,
                             .deadline = deadline,
                             .worked = device_worked(session->device)};
  *result = (struct run_result){.end = RUN_ANSWERED};
  while (!step(session, &state, result)) {
  }
  task_spend(session->task, spent(&state));
  result->seconds = monotonic_seconds() - state.start;
  result->host_seconds = result->seconds - served(session, &state);
}

static void ask(struct session *session, const struct runner_request *request, int descriptor,
                double deadline, struct run_result *result) {
  struct runner_request sent = *request;
  double start = monotonic_seconds(); // before the request, so that all of the runner's time counts
  if (device_resume(session->device) != 0) {
    session_end(session, result);
    broken(result, "the device", device_error(session->device));
  } else if (send_with_descriptor(session->control, &sent, sizeof sent, descriptor, SEND_DESCRIPTOR_TRIES)) {
    await(session, start, deadline, result);
  } else {
    const bool crowded = errno == ETOOMANYREFS;
    *result = (struct run_result){0};
    if (crowded)
      finish_crowded(session, result);
    else
      finish_ended(session, result);
  }
}

void session_run(struct session *session, const struct runner_request *request, struct run_result *result) {
  double deadline = session->task->grading->host_deadline;
  // On a GPU, the kernels run during this wait, too.
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
    // With the caller's own folders, since the driver's library may lie there.
    snprintf(text, size, "LD_LIBRARY_PATH=%s/lib64:%s/lib%s%s", kit->cuda_home, kit->cuda_home,
             callers ? ":" : "", callers ? callers : "");
  } else {
    snprintf(text, size, "LD_LIBRARY_PATH=%s/build/lib", kit->root);
  }
}

// Makes the folders of LD_LIBRARY_PATH readable.
static void show_callers_libraries(struct runner_command *command) {
  size_t count = 3;
  const char *callers = getenv("LD_LIBRARY_PATH");
  snprintf(command->folders, sizeof command->folders, "%s", callers ? callers : "");
  char *rest = command->folders;
  for (char *folder; (folder = strsep(&rest, ":")) && count < MOST_LIBRARY_FOLDERS + 3;)
    if (folder[0] == '/' && folder[1]) command->readable[count++] = folder;
}

// A GPU's driver reserves more addresses than any useful limit, so its data is limited instead.
static struct sandbox_limits limits_of(bool gpu) {
  return (struct sandbox_limits){
      .wall_seconds = START_SECONDS,
      .cpu_seconds = 120,
      .address_space = gpu ? 0 : (uint64_t)4 << 30,
      .data_bytes = gpu ? (uint64_t)64 << 30 : 0,
      // This also limits the anonymous files that a driver makes for itself.
      .file_bytes = gpu ? (uint64_t)1 << 30 : 16 << 20,
      .more_processes = gpu ? 256 : 64,
      .output_bytes = OUTPUT_LIMIT,
  };
}

// Makes the plan for running `program` as the student's program runs, with `control` as RUNNER_CONTROL, then
// the device's descriptor. `control` -1: neither.
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
  // If GPUs are assigned, both sides must use the same one.
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
      .spared = device_process(session->device),
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

// Asks the loader whether all libraries of the program can be found. It runs none of the program's code for
// that, so its answer can be trusted. False: one is missing, or the sandbox can't run any program here;
// *result says which.
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

// On a GPU: hands the shared memory to the runner.
static void attach(struct session *session, struct run_result *result) {
  struct device_offer offer = device_offer(session->device);
  if (offer.in_environment) return;
  struct runner_request request = {
      .version = RUNNER_VERSION, .operation = RUNNER_ATTACH, .attached_bytes = offer.bytes};
  ask(session, &request, offer.descriptor, START_SECONDS, result);
}

bool session_is_own_doing(const char *replaced, const struct runner_reply *reply) {
  static const int32_t not_the_programs[] = {ERROR_NONE, ERROR_MEMORY_ALLOCATION, ERROR_DEVICES_UNAVAILABLE,
                                             ERROR_ECC_UNCORRECTABLE, ERROR_NVLINK_UNCORRECTABLE};
  bool own = replaced[0] && reply->stage == RUNNER_SET_UP_FAILED;
  for (size_t i = 0; i < sizeof not_the_programs / sizeof *not_the_programs; i++)
    own = own && reply->error != not_the_programs[i];
  return own;
}

// The runner could not use the GPU, and says so; *result gets whose doing that is.
static void conclude_unstarted(struct session *session, struct run_result *result) {
  const char *replaced = session->task->replaced;
  const bool own = session_is_own_doing(replaced, &result->reply);
  char text[RUNNER_TEXT];
  snprintf(text, sizeof text, "%s", result->reply.text);
  session_end(session, result);
  broken(result, "the runner cannot use the device", text);
  if (!own) return;
  result->end = RUN_UNSTARTED;
  snprintf(result->text, sizeof result->text,
           "It puts functions of its own in the place of a library's: %.200s.\n"
           "The GPU's driver calls them, too, and does not start with them: %.140s.",
           replaced, text);
}

bool session_open(struct session *session, const struct task *task, enum device_kind kind,
                  const struct device_options *options, struct run_result *result) {
  char error[DEVICE_TEXT];
  int pair[2];
  *session = (struct session){
      .task = task, .kind = kind, .control = -1, .sandbox = {.exit_event = -1, .output_pipe = -1}};
  struct device_options known = *options;
  known.program = task->program;
  known.namespaces = task->grading->sandbox == SANDBOX_NAMESPACES;
  known.user = sandbox_user(&(struct sandbox_plan){0});
  session->device = device_open(kind, &known, error, sizeof error);
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
  // A GPU's driver takes its time to start; a program on the virtual Hopper needs none of its own.
  await(session, monotonic_seconds(), kind == DEVICE_GPU ? START_SECONDS : task->grading->host_deadline,
        result);
  result->starting = result->end != RUN_ANSWERED;
  if (result->end == RUN_ANSWERED && result->reply.stage == RUNNER_READY) attach(session, result);
  // A program that ends before it is ready is the student's mistake (code that runs before main), unless it
  // can't be loaded here.
  if ((result->end == RUN_EXITED || result->end == RUN_CRASHED) && !can_be_loaded(session, result))
    return false;
  if (result->end != RUN_ANSWERED || result->reply.stage == RUNNER_READY) return result->end == RUN_ANSWERED;
  // The virtual device is always usable. If the answer says otherwise, or says something else, it isn't our
  // runner that answers.
  if (kind == DEVICE_GPU && result->reply.stage == RUNNER_SET_UP_FAILED) {
    conclude_unstarted(session, result);
    return false;
  }
  session_end(session, result);
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
  // Closing our end makes a working runner exit by itself; with a GPU that is faster than killing it.
  if (session->control >= 0) close(session->control);
  session->control = -1;
  if (session->sandbox.pid > 0) session_end(session, &ignored);
  device_close(session->device);
  free(session->output);
  *session = (struct session){.control = -1};
}
