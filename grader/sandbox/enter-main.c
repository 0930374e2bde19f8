// The last step into the sandbox: `sandbox-enter USER TASKS FOLDER PROGRAM ARGUMENTS ..`, run by bubblewrap.
// In: the filter's program on one descriptor, a socket for its listener on another. Out: the program runs as
// that user, behind the filter. The idea: whatever needs privileges, or must come after bubblewrap's own
// work, is done here in few lines, and any failure ends the process.
#include "sandbox/sandbox.h"
#include "sandbox/send-descriptor.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STATUS_BROKEN = 125 };

static _Noreturn void give_up(const char *what) {
  const int status = errno == ETOOMANYREFS ? SANDBOX_CROWDED : STATUS_BROKEN;
  fprintf(stderr, "sandbox: %s: %s\n", what, strerror(errno));
  _exit(status);
}

// Called inside the sandbox, where only the sandbox's own processes count.
static void limit_tasks(rlim_t tasks) {
  struct rlimit now, limit = {tasks, tasks};
  if (tasks == 0) return;
  if (getrlimit(RLIMIT_NPROC, &now) != 0) give_up("getrlimit");
  if (now.rlim_max < tasks) limit.rlim_cur = limit.rlim_max = now.rlim_max;
  if (setrlimit(RLIMIT_NPROC, &limit) != 0) give_up("setrlimit");
}

static struct sock_fprog read_filter(void) {
  static struct sock_filter instructions[4096];
  ssize_t bytes = pread(SANDBOX_FILTER_PLACE, instructions, sizeof instructions, 0);
  if (bytes <= 0 || bytes == (ssize_t)sizeof instructions) give_up("the filter");
  return (struct sock_fprog){(unsigned short)((size_t)bytes / sizeof *instructions), instructions};
}

static void send_listener(int listener) {
  char byte = 0;
  if (!send_with_descriptor(SANDBOX_WATCH_PLACE, &byte, sizeof byte, listener, SEND_DESCRIPTOR_TRIES))
    give_up("the filter's listener");
}

static void install_filter(void) {
  struct sock_fprog filter = read_filter();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("no_new_privs");
  // Through this descriptor the kernel tells the referee which forbidden calls are made.
  long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
  if (listener < 0) give_up("the system call filter");
  send_listener((int)listener);
  close((int)listener);
}

int main(int count, char **arguments) {
  if (count < 5) {
    errno = EINVAL;
    give_up("sandbox-enter USER TASKS FOLDER PROGRAM");
  }
  const unsigned user = (unsigned)strtoul(arguments[1], NULL, 10);
  if (user != 0 && sandbox_become(user) != 0) give_up("the user cannot be given up");
  limit_tasks(strtoul(arguments[2], NULL, 10));
  if (chdir(arguments[3]) != 0) give_up(arguments[3]);
  install_filter();
  close(SANDBOX_FILTER_PLACE);
  close(SANDBOX_WATCH_PLACE);
  execv(arguments[4], arguments + 4);
  give_up(arguments[4]);
}
