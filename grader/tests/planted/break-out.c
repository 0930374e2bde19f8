// In: a process of ours behind its walls, taken over. Out: what it could do, in words. Linked into the
// planted builds alone.
#include "tests/planted/break-out.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, CONTROL = 4, SHARED = 5 };

static bool connects(int family) {
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons(22), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int end = socket(family, SOCK_STREAM, 0);
  return end >= 0 || connect(CONTROL, (struct sockaddr *)&to, sizeof to) == 0;
}

static bool reads_parent(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)0x400000, 1};
  return process_vm_readv(getppid(), &here, 1, &there, 1, 0) == 1 ||
         ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0;
}

// Closed again: there is room for a few descriptors only.
static bool makes_memory_file(void) {
  const int file = (int)syscall(SYS_memfd_create, "x", 0);
  return file >= 0 && close(file) == 0;
}

static void say_outcome(void (*say)(void *context, const char *text), void *context, const char *what,
                        bool done) {
  char text[80];
  snprintf(text, sizeof text, "%s %s; ", what, done ? "DONE" : errno == EPERM ? "refused" : strerror(errno));
  say(context, text);
}

#define TRY(what, ...) say_outcome(say, context, what, (__VA_ARGS__))

void planted_break_out(void (*say)(void *context, const char *text), void *context) {
  static char *const none[] = {NULL};
  TRY("open", open("/etc/passwd", O_RDONLY) >= 0 || open("/", O_RDONLY) >= 0 ||
                  open("/proc/self/maps", O_RDONLY) >= 0);
  TRY("make", open("/tmp/planted", O_CREAT | O_WRONLY, 0600) >= 0);
  // The device may: it makes the page-locked memory of the program, within a limit on its size.
  TRY("memory file", makes_memory_file());
  TRY("exec", execve("/bin/sh", none, none) == 0);
  TRY("fork", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0);
  TRY("connect", connects(AF_INET) || connects(AF_UNIX));
  TRY("parent", reads_parent());
  TRY("signal", kill(getppid(), 0) == 0);
  TRY("code", mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
  TRY("mount", mount("none", "/", "tmpfs", 0, NULL) == 0 || unshare(CLONE_NEWUSER) == 0);
  TRY("shrink", ftruncate(SHARED, 0) == 0);
}
