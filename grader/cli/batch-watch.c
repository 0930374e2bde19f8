// batch --watch: grades what arrives in a folder. In: the folder, and a function that grades it once. Out:
// that function runs again whenever the folder has changed and has been still for a moment. The idea: each
// run is a batch like any other, in a process of its own, and keeps what has not changed.
#include "cli/commands.h"
#include "referee/grade.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// FNV-1a over everything that changes when a file arrives or is written. nftw passes no context.
static uint64_t print;

static void add(const void *bytes, size_t count) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++)
    print = (print ^ byte[i]) * 0x100000001b3;
}

static int add_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)kind, (void)walk;
  add(path, strlen(path) + 1);
  add(&status->st_size, sizeof status->st_size);
  if (!S_ISDIR(status->st_mode)) add(&status->st_mtim, sizeof status->st_mtim);
  return 0;
}

static uint64_t fingerprint_of(const char *folder) {
  print = 0xcbf29ce484222325;
  nftw(folder, add_entry, 16, FTW_PHYS);
  return print;
}

// Waits so many seconds, or for a signal: true if it says to stop.
static bool pause_for(const sigset_t *stopping, time_t seconds) {
  struct timespec time = {.tv_sec = seconds};
  return sigtimedwait(stopping, NULL, &time) > 0;
}

// Runs one batch. True: a signal says to stop.
static bool run_once(const sigset_t *stopping, const sigset_t *before, int (*once)(void *context),
                     void *context) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    sigprocmask(SIG_SETMASK, before, NULL);
    int status = once(context);
    fflush(NULL);
    _exit(status);
  }
  if (pid < 0) return complain("--watch: %s", strerror(errno)) != STATUS_PASSED;
  while (waitpid(pid, NULL, WNOHANG) != pid)
    if (pause_for(stopping, 1)) {
      kill(pid, SIGTERM);
      waitpid(pid, NULL, 0);
      return true;
    }
  return false;
}

int batch_watch(const char *folder, int (*once)(void *context), void *context) {
  enum { MOMENT = 2 }; // seconds that a folder has to be still
  sigset_t stopping, before;
  grade_stopping_signals(&stopping);
  sigprocmask(SIG_BLOCK, &stopping, &before);
  uint64_t graded = 0, seen = fingerprint_of(folder);
  for (bool stopped = false; !stopped;) {
    if (seen != graded) {
      graded = seen;
      stopped = run_once(&stopping, &before, once, context);
      printf("Watching %s: Ctrl-C ends it.\n", folder);
      fflush(stdout);
    }
    if (!stopped) stopped = pause_for(&stopping, MOMENT);
    // What is still being copied waits until it is whole.
    for (uint64_t now; !stopped && (now = fingerprint_of(folder)) != seen;) {
      seen = now;
      stopped = pause_for(&stopping, MOMENT);
    }
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return STATUS_PASSED;
}
