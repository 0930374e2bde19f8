// vhopper run: starts a CUDA program beside a virtual Hopper and serves it. In: options and the program's
// command line. Out: the program's own output and exit status; broken rules, on stderr and as JSON; the exit
// status of docs/reference/vhopper.1.md.
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "virtual-hopper/base/executable.h"
#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/server/protocol.h"
#include "virtual-hopper/server/server.h"

enum {
  STATUS_USAGE = 2,
  STATUS_BROKEN = 2,
  STATUS_RULE = 66,
  STATUS_UNSUPPORTED = 69,
  STATUS_NOT_JUDGED = 75, // as EX_TEMPFAIL: try again, on a machine with more time
  STATUS_NOT_EXECUTABLE = 126,
  STATUS_NOT_FOUND = 127
};

struct options {
  struct vhopper_options device;
  const char *json, *trace;
  char **program; // argv, NULL-terminated
};

static const char usage[] =
    "vhopper run [options] -- PROGRAM [ARGUMENTS]\n"
    "\n"
    "Runs a program built with `nvcc -cudart shared` on a virtual Hopper GPU: no GPU is needed. Its\n"
    "kernels' PTX is interpreted, and every rule of the memory model, the barriers and the bulk copies\n"
    "that they break is reported.\n"
    "\n"
    "  --json FILE         what broke, what is unsupported and what was observed, as JSON (- for stdout)\n"
    "  --seed N            another order of warps, blocks and asynchronous effects (default 0)\n"
    "  --schedule KIND     fair, racing, held-back, reversed or random: which of the blocks that run\n"
    "                      together comes first (default: by the seed; fair for 0)\n"
    "  --no-check          only run: don't judge the order of memory accesses; faster\n"
    "  --strict            report by the letter of the PTX ISA also what NVIDIA's code\n"
    "                      relies on, as errors\n"
    "  --trace FILE        what every warp did\n"
    "  --workers N         threads that run blocks (default: one per core)\n"
    "  --budget N          instructions that the warps of a launch may execute; one that goes on is\n"
    "                      reported as an endless loop (default 4000000000; 0: any number)\n"
    "  --deadline SECONDS  a launch that takes longer is stopped and not judged (default: none)\n"
    "  --help              this text\n"
    "\n"
    "Exit status: the program's own; 128+n if signal n ended it; 66 if it was 0 but a rule was broken;\n"
    "69 if the program needed something that the virtual Hopper hasn't got; 75 if a launch was\n"
    "stopped at the deadline, so that nothing is known about it; 2 for wrong options.\n";

// ---- options ----------------------------------------------------------------------------------------------

static _Noreturn void wrong_usage(const char *what, const char *which) {
  fprintf(stderr, "vhopper: %s%s; see vhopper --help\n", what, which);
  exit(STATUS_USAGE);
}

static unsigned long long parse_number(const char *option, const char *text, unsigned long long most) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 0);
  if (errno || *end || end == text || *text == '-' || number > most) {
    fprintf(stderr, "vhopper: %s %s: must be a whole number from 0 to %llu\n", option, text, most);
    exit(STATUS_USAGE);
  }
  return number;
}

static double parse_seconds(const char *option, const char *text) {
  char *end;
  double seconds = strtod(text, &end);
  if (*end || end == text || !(seconds >= 0 && seconds <= 1e6)) {
    fprintf(stderr, "vhopper: %s %s: must be a number of seconds, 0 to 1000000\n", option, text);
    exit(STATUS_USAGE);
  }
  return seconds;
}

static enum vhopper_schedule parse_schedule(const char *text) {
  static const char *const names[SCHEDULES] = {
      [SCHEDULE_BY_SEED] = "by-seed",     [SCHEDULE_FAIR] = "fair",         [SCHEDULE_RACING] = "racing",
      [SCHEDULE_HELD_BACK] = "held-back", [SCHEDULE_REVERSED] = "reversed", [SCHEDULE_RANDOM] = "random"};
  for (int i = 0; i < SCHEDULES; i++)
    if (strcmp(text, names[i]) == 0) return (enum vhopper_schedule)i;
  fprintf(stderr, "vhopper: --schedule %s: must be fair, racing, held-back, reversed, random or by-seed\n",
          text);
  exit(STATUS_USAGE);
}

static struct options parse_options(int count, char **arguments) {
  enum { JSON = 256, SEED, NO_CHECK, STRICT, TRACE, WORKERS, SCHEDULE, BUDGET, DEADLINE, HELP };
  static const struct option known[] = {
      {"json", required_argument, NULL, JSON},
      {"seed", required_argument, NULL, SEED},
      {"no-check", no_argument, NULL, NO_CHECK},
      {"strict", no_argument, NULL, STRICT},
      {"trace", required_argument, NULL, TRACE},
      {"workers", required_argument, NULL, WORKERS},
      {"schedule", required_argument, NULL, SCHEDULE},
      {"budget", required_argument, NULL, BUDGET},
      {"deadline", required_argument, NULL, DEADLINE},
      {"help", no_argument, NULL, HELP},
      {0},
  };
  struct options options = {.device = {.check = true}};
  for (int option; (option = getopt_long(count, arguments, "+h", known, NULL)) != -1;) {
    switch (option) {
    case JSON: options.json = optarg; break;
    case SEED: options.device.seed = parse_number("--seed", optarg, ULLONG_MAX); break;
    case NO_CHECK: options.device.check = false; break;
    case STRICT: options.device.strict = true; break;
    case TRACE: options.trace = optarg; break;
    case WORKERS: options.device.workers = (unsigned)parse_number("--workers", optarg, 1024); break;
    case SCHEDULE: options.device.schedule = parse_schedule(optarg); break;
    case BUDGET:
      options.device.launch_budget = parse_number("--budget", optarg, ULLONG_MAX);
      if (!options.device.launch_budget) options.device.launch_budget = NO_BUDGET;
      break;
    case DEADLINE: options.device.launch_deadline = parse_seconds("--deadline", optarg); break;
    case 'h':
    case HELP: fputs(usage, stdout); exit(0);
    default: wrong_usage("wrong option", "");
    }
  }
  if (optind >= count) wrong_usage("no program is given", "");
  options.program = arguments + optind;
  return options;
}

// ---- the program's process --------------------------------------------------------------------------------

static pid_t program_process;                // for the signal handler, which gets no arguments
static volatile sig_atomic_t kernel_may_run; // a running kernel can't be asked to stop

static void on_signal(int number) {
  if (number != SIGINT) kill(program_process, number); // a terminal has sent SIGINT to both
  if (kernel_may_run) {
    kill(program_process, number);
    _exit(128 + number);
  }
}

// The directory that holds our CUDA libraries: ../lib, as seen from this executable.
static void find_libraries(char *path, size_t size) {
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) {
    fprintf(stderr, "vhopper: cannot find out where it lies: %s (is /proc mounted?)\n", strerror(errno));
    exit(STATUS_BROKEN);
  }
  self[length] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
  }
  // no file can have such a long path
  if ((size_t)snprintf(path, size, "%s/lib", self) >= size) exit(STATUS_BROKEN);
  static const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12", "libcuda.so.1"};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    char file[PATH_MAX + 32];
    snprintf(file, sizeof file, "%s/%s", path, libraries[i]);
    if (access(file, R_OK) == 0) continue;
    fprintf(stderr, "vhopper: %s is missing; build the kit anew\n", file);
    exit(STATUS_BROKEN);
  }
}

static _Noreturn void become_program(const struct options *options, int socket) {
  char libraries[PATH_MAX], number[16];
  find_libraries(libraries, sizeof libraries);
  const char *before = getenv("LD_LIBRARY_PATH");
  char *joined = NULL;
  if (asprintf(&joined, "%s%s%s", libraries, before && *before ? ":" : "", before ? before : "") < 0)
    _exit(STATUS_BROKEN);
  snprintf(number, sizeof number, "%d", socket);
  setenv("LD_LIBRARY_PATH", joined, 1);
  setenv(PROTOCOL_SOCKET_VARIABLE, number, 1);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execvp(options->program[0], options->program);
  int error = errno;
  fprintf(stderr, "vhopper: %s can't be started: %s\n", options->program[0], strerror(error));
  _exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < ENDING_SIGNALS; i++)
    sigaction(ending_signals[i], &action, NULL);
}

// Signals are blocked until the program's process is known, so that no signal ends only this process.
static pid_t start_program(const struct options *options, int *socket) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    perror("vhopper: socketpair");
    exit(STATUS_BROKEN);
  }
  sigset_t held, before;
  sigemptyset(&held);
  for (size_t i = 0; i < ENDING_SIGNALS; i++)
    sigaddset(&held, ending_signals[i]);
  sigprocmask(SIG_BLOCK, &held, &before);
  program_process = fork();
  if (program_process < 0) {
    perror("vhopper: fork");
    exit(STATUS_BROKEN);
  }
  if (program_process == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    become_program(options, dup(ends[1])); // the copy is inherited, the original is not
  }
  catch_signals();
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  *socket = ends[0];
  return program_process;
}

// ---- serving ----------------------------------------------------------------------------------------------

// Serves until the program must send more. False when the connection has ended.
static bool serve_waiting(struct server *server) {
  enum server_state state;
  do {
    kernel_may_run = 1;
    state = server_step(server);
    kernel_may_run = 0;
  } while (state == SERVER_HANDLED);
  if (state == SERVER_DROPPED)
    fprintf(stderr, "vhopper: the program broke the protocol: %s\n", server_reason(server));
  return state == SERVER_WAITING;
}

// Returns the program's wait status. Does not wait for children of the program that still hold the socket.
static int serve(struct server *server, pid_t process, int socket) {
  int process_file = (int)syscall(SYS_pidfd_open, process, 0);
  struct pollfd files[2] = {{.fd = socket}, {.fd = process_file, .events = POLLIN}};
  int status = 0;
  for (;;) {
    files[0].events = server_events(server);
    if (poll(files, 2, process_file < 0 ? 20 : -1) < 0 && errno != EINTR) break;
    if (files[0].fd >= 0 && files[0].revents && !serve_waiting(server)) files[0].fd = -1;
    if (files[1].revents || process_file < 0) {
      if (waitpid(process, &status, WNOHANG) != process) continue;
      if (files[0].fd >= 0) (void)serve_waiting(server);
      break;
    }
  }
  if (process_file >= 0) close(process_file);
  return status;
}

// ---- the report -------------------------------------------------------------------------------------------

// Prints the report for a person. Returns true when a rule was broken.
// Of the program's own text.
static void complain_of(const char *what, const char *text) {
  fprintf(stderr, "vhopper: %s: ", what);
  printable_print(stderr, text);
  fputc('\n', stderr);
}

static void print_unsupported(const struct unsupported *one) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return;
  fputs(one->what, out);
  if (one->kernel[0]) fprintf(out, " (kernel %s)", one->kernel);
  if (one->place.file && one->place.file[0]) fprintf(out, " at %s:%u", one->place.file, one->place.line);
  if (one->place.instruction && one->place.instruction[0])
    fprintf(out, "\n         PTX line %u: %s", one->place.ptx_line, one->place.instruction);
  fclose(out);
  complain_of("not supported", text);
  free(text);
}

static bool print_faults(const struct fault_report *report) {
  bool broken = false, colour = fault_colours(STDERR_FILENO);
  for (size_t i = 0; i < unsupported_count(report); i++)
    print_unsupported(unsupported_at(report, i));
  if (fault_unjudged_count(report))
    complain_of("not judged", "what went wrong after that, because it may follow from it");
  for (size_t i = 0; i < fault_count(report); i++) {
    const struct fault *fault = fault_at(report, i);
    if (fault->severity != FAULT_WARNING) broken = true;
    fault_print(stderr, fault, NULL, colour);
  }
  if (fault_refusal(report)[0]) complain_of("refused", fault_refusal(report));
  if (fault_time_limit(report)[0]) complain_of("not judged", fault_time_limit(report));
  return broken;
}

static void write_json(const struct fault_report *report, const char *path) {
  json_t *json = fault_report_json(report);
  bool to_stdout = strcmp(path, "-") == 0;
  FILE *file = to_stdout ? stdout : fopen(path, "w");
  if (!json || !file || json_dumpf(json, file, JSON_INDENT(2)) != 0 || fputc('\n', file) == EOF ||
      fflush(file) != 0) {
    fprintf(stderr, "vhopper: --json %s: %s\n", path, strerror(errno));
    exit(STATUS_BROKEN);
  }
  if (!to_stdout) fclose(file);
  json_decref(json);
}

// The program never used the device. Explains why, if it can't use the device.
static bool explain_absence(const struct options *options) {
  char path[PATH_MAX];
  if (!executable_find(options->program[0], path, sizeof path)) return false;
  struct executable program = executable_inspect(path);
  if (!program.has_kernels || program.needs_cuda) return false;
  fprintf(
      stderr,
      "vhopper: %s has kernels, but the CUDA runtime is linked into it statically, where the virtual Hopper "
      "can't reach it:\n         build it with nvcc -cudart shared\n",
      options->program[0]);
  return true;
}

static int run(const struct options *options, FILE *trace) {
  int socket;
  pid_t process = start_program(options, &socket);
  struct vhopper_options device_options = options->device;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  device_options.timer_origin = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  device_options.trace = trace;
  struct vhopper *device = vhopper_create(&device_options);
  struct server *server = server_create(device, socket, &(struct server_limits){.real_time = true});
  int status = serve(server, process, socket);
  const struct fault_report *report = vhopper_report(device);
  bool absent = server_counters(server)->processes == 0 && explain_absence(options);
  bool unsupported = unsupported_count(report) > 0 || absent;
  bool broken = print_faults(report), judged = !fault_time_limit(report)[0];
  if (options->json) write_json(report, options->json);
  server_destroy(server);
  close(socket);
  vhopper_destroy(device);
  if (unsupported) return STATUS_UNSUPPORTED;
  if (!judged) return STATUS_NOT_JUDGED;
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  if (WEXITSTATUS(status)) return WEXITSTATUS(status);
  return broken ? STATUS_RULE : 0;
}

int main(int count, char **arguments) {
  if (count < 2) wrong_usage("no command is given", "");
  if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
    fputs(usage, stdout);
    return 0;
  }
  if (strcmp(arguments[1], "run") != 0) wrong_usage("there is no command ", arguments[1]);
  struct options options = parse_options(count - 1, arguments + 1);
  FILE *trace = options.trace ? fopen(options.trace, "we") : NULL;
  if (options.trace && !trace) {
    fprintf(stderr, "vhopper: --trace %s: %s\n", options.trace, strerror(errno));
    return STATUS_USAGE;
  }
  int status = run(&options, trace);
  if (!trace) return status;
  bool written = !ferror(trace);
  if (fclose(trace) == 0 && written) return status;
  fprintf(stderr, "vhopper: --trace %s cannot be written: %s\n", options.trace, strerror(errno));
  return STATUS_BROKEN;
}
