// The sandbox's outermost process: `sandbox-keep FAILURE PROGRAM NAME ARGUMENTS ..`, started with SIGCHLD and
// SIGTERM blocked, and with SIGTERM as its parent-death signal. In: descriptors that it passes on. Out: the
// program runs under NAME; it ends as the program does, and nothing of the program outlives it or its parent.
// The idea: a program's own parent-death signal comes too late where it starts others (bubblewrap's second
// process, a compiler's passes). So a process that nothing else can delay waits for both ends, and as the
// subreaper finds every descendant.
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_BROKEN = 125 };

// Tells the referee why nothing runs.
static _Noreturn void not_begun(int failure) {
  const int reason = errno;
  if (write(failure, &reason, sizeof reason) != sizeof reason) _exit(126);
  _exit(127);
}

// In the new process. A successful exec closes `failure`, and so tells the referee.
static _Noreturn void become_program(pid_t keeper, int failure, char **arguments) {
  sigset_t none;
  sigemptyset(&none);
  if (fcntl(failure, F_SETFD, FD_CLOEXEC) == 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0 &&
      prctl(PR_SET_PDEATHSIG, SIGKILL) == 0) {
    if (getppid() != keeper) _exit(STATUS_BROKEN);
    execv(arguments[0], arguments + 1);
  }
  not_begun(failure);
}

// Reaps what has ended. True once the program has, with its status.
static bool program_has_ended(pid_t program, int *status) {
  pid_t ended;
  int how;
  bool found = false;
  while ((ended = waitpid(-1, &how, WNOHANG)) > 0)
    if (ended == program) {
      *status = how;
      found = true;
    }
  return found;
}

static _Noreturn void end_alike(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  sigset_t all;
  sigfillset(&all);
  signal(WTERMSIG(status), SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &all, NULL);
  kill(getpid(), WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

int main(int count, char **arguments) {
  if (count < 4) {
    fprintf(stderr, "usage: sandbox-keep FAILURE PROGRAM NAME ARGUMENTS ..; the sandbox starts it\n");
    return STATUS_BROKEN;
  }
  const int failure = (int)strtol(arguments[1], NULL, 10);
  const pid_t keeper = getpid();
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  const pid_t program = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? fork() : -1;
  if (program < 0) not_begun(failure);
  if (program == 0) become_program(keeper, failure, arguments + 2);
  if (close_range(0, ~0U, 0) != 0) _exit(STATUS_BROKEN); // else the ends of its pipes would be hidden
  for (int signal = 0, status = 0; signal != SIGTERM;) {
    if (program_has_ended(program, &status)) {
      sandbox_kill_descendants(0);
      end_alike(status);
    }
    signal = sigwaitinfo(&awaited, NULL);
  }
  sandbox_kill_descendants(0);
  _exit(STATUS_BROKEN);
}
