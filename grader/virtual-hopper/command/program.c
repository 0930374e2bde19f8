// In: a command line. Out: a process that runs it, and a socket where its processes ask for devices.
// One idea: the socket has a name, in the abstract namespace, that the environment carries. So programs that
// fork, start others, or close every descriptor still find it, and each process has a connection of its own.
#include "virtual-hopper/command/program.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "virtual-hopper/command/options.h"
#include "virtual-hopper/command/place.h"
#include "virtual-hopper/server/protocol.h"

// For the signal handler, which gets no arguments.
static struct {
  volatile pid_t process;
  atomic_bool kernel_runs, time_is_up;
  atomic_int stop, signals;
} program;

const atomic_int *program_stop(void) {
  return &program.stop;
}

void program_kernel_runs(bool runs) {
  atomic_store(&program.kernel_runs, runs);
  if (!runs) atomic_store(&program.stop, 0); // a program that goes on after a signal may launch again
}

bool program_time_is_up(void) {
  return atomic_load(&program.time_is_up);
}

static void on_signal(int number) {
  const bool alarm = number == SIGALRM;
  if (!alarm && atomic_fetch_add(&program.signals, 1) > 0) {
    kill(program.process, SIGKILL);
    _exit(128 + number);
  }
  if (alarm) atomic_store(&program.time_is_up, true);
  // A terminal has sent SIGINT to both. A program that waits for its kernel may not see it.
  const bool waits = atomic_load(&program.kernel_runs);
  if (alarm || number != SIGINT || waits) kill(program.process, alarm ? SIGKILL : number);
  if (waits) atomic_store(&program.stop, alarm ? PROGRAM_TIME_IS_UP : number);
}

void program_end_after(double seconds) {
  struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)(fmod(seconds, 1) * 1e6)}};
  if (seconds > 0 && setitimer(ITIMER_REAL, &timer, NULL) != 0) perror("vhopper: setitimer");
}

// Returns a listening socket; `name` receives its name, which begins with @.
static int listen_somewhere(char name[64]) {
  unsigned long long key = 0;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (getrandom(&key, sizeof key, 0) != sizeof key) key = (unsigned long long)getpid();
  const int length = snprintf(name, 64, "@vhopper-%d-%016llx", (int)getpid(), key);
  memcpy(address.sun_path + 1, name + 1, (size_t)length - 1);
  const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length);
  if (file < 0 || bind(file, (struct sockaddr *)&address, size) != 0 || listen(file, 128) != 0) {
    perror("vhopper: a socket for the program");
    exit(STATUS_BROKEN);
  }
  return file;
}

static void put_first(const char *variable, const char *path) {
  const char *before = getenv(variable);
  char *joined = NULL;
  if (asprintf(&joined, "%s%s%s", path, before && *before ? ":" : "", before ? before : "") < 0)
    _exit(STATUS_BROKEN);
  setenv(variable, joined, 1);
  free(joined);
}

static _Noreturn void become_program(char **arguments, const char *socket_name, pid_t parent) {
  char libraries[PATH_MAX];
  place_libraries(libraries);
  put_first("LD_LIBRARY_PATH", libraries);
  strncat(libraries, "/libvhopper-audit.so", sizeof libraries - strlen(libraries) - 1);
  put_first("LD_AUDIT", libraries);
  setenv(PROTOCOL_SOCKET_VARIABLE, socket_name, 1);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(STATUS_BROKEN); // the parent died before prctl
  execvp(arguments[0], arguments);
  const int error = errno;
  fprintf(stderr, "vhopper: %s can't be started: %s\n", arguments[0], strerror(error));
  _exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < ENDING_SIGNALS; i++)
    sigaction(ending_signals[i], &action, NULL);
}

// Signals are blocked until the program's process is known, so that no signal ends only this process.
pid_t program_start(char **arguments, int *listener) {
  char name[64];
  *listener = listen_somewhere(name);
  sigset_t held, before;
  sigemptyset(&held);
  for (size_t i = 0; i < ENDING_SIGNALS; i++)
    sigaddset(&held, ending_signals[i]);
  sigprocmask(SIG_BLOCK, &held, &before);
  const pid_t parent = getpid(), process = fork();
  if (process < 0) {
    perror("vhopper: fork");
    exit(STATUS_BROKEN);
  }
  if (process == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    become_program(arguments, name, parent);
  }
  program.process = process;
  catch_signals();
  sigprocmask(SIG_SETMASK, &before, NULL);
  return process;
}
