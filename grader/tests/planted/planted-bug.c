// What somebody would do who has taken over the virtual Hopper's process: linked into
// build/planted/bin/virtual-device alone, where a message of the runner's leads here. In: what to try. Out:
// how it went, as text that a kernel printed.
#include "virtual-hopper/server/internal.h"

#include "device/walled.h"
#include "virtual-hopper/rules/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { NEEDLE = 16, NEEDLES = 3, HIDING = 0x5a, PAGE = 4096 };

static void say(struct server *server, const char *text) {
  size_t length = strlen(text);
  server->output = realloc(server->output, server->output_bytes + length);
  memcpy(server->output + server->output_bytes, text, length);
  server->output_bytes += length;
  budget_count(vhopper_budget(server->device), BUDGET_TEXT, length);
}

static void say_outcome(struct server *server, const char *what, bool done) {
  char text[80];
  snprintf(text, sizeof text, "%s %s; ", what, done ? "DONE" : errno == EPERM ? "refused" : strerror(errno));
  say(server, text);
}

#define TRY(what, ...) say_outcome(server, what, (__VA_ARGS__))

// ---- getting out ------------------------------------------------------------------------------------------

static bool connects(int family) {
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons(22), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int end = socket(family, SOCK_STREAM, 0);
  return end >= 0 || connect(WALLED_CONTROL, (struct sockaddr *)&to, sizeof to) == 0;
}

static bool reads_parent(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)0x400000, 1};
  return process_vm_readv(getppid(), &here, 1, &there, 1, 0) == 1 ||
         ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0;
}

static void break_out(struct server *server) {
  static char *const none[] = {NULL};
  TRY("open", open("/etc/passwd", O_RDONLY) >= 0 || open("/", O_RDONLY) >= 0 ||
                  open("/proc/self/maps", O_RDONLY) >= 0);
  TRY("make", open("/tmp/planted", O_CREAT | O_WRONLY, 0600) >= 0 || syscall(SYS_memfd_create, "x", 0) >= 0);
  TRY("exec", execve("/bin/sh", none, none) == 0);
  TRY("fork", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0);
  TRY("connect", connects(AF_INET) || connects(AF_UNIX));
  TRY("parent", reads_parent());
  TRY("signal", kill(getppid(), 0) == 0);
  TRY("code", mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
  TRY("mount", mount("none", "/", "tmpfs", 0, NULL) == 0 || unshare(CLONE_NEWUSER) == 0);
  TRY("shrink", ftruncate(WALLED_SHARED, 0) == 0);
}

// ---- looking around ---------------------------------------------------------------------------------------

// Without a signal handler: the kernel says whether an address can be read.
static bool is_mapped(const uint8_t *address) {
  const struct timespec now = {0, 1};
  return syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, 0x6e6f6e65, &now, NULL, 0) == 0 || errno != EFAULT;
}

static unsigned find(const uint8_t *from, const uint8_t *to, const uint8_t needle[NEEDLE]) {
  unsigned found = 0;
  for (const uint8_t *page = from; page < to; page += PAGE) {
    if (!is_mapped(page)) continue;
    for (size_t at = 0; at + NEEDLE <= PAGE; at += 4) {
      bool here = true;
      for (size_t i = 0; here && i < NEEDLE; i++)
        here = page[at + i] == (needle[i] ^ HIDING);
      found += here;
    }
  }
  return found;
}

// In the heap, around the libraries and what was mapped with them, and in the case's buffers.
static unsigned find_everywhere(struct server *server, uint64_t buffer, const uint8_t needle[NEEDLE]) {
  const uintptr_t around = (uintptr_t)128 << 20, mask = ~(uintptr_t)(PAGE - 1);
  const uintptr_t heap = (uintptr_t)server & mask, library = (uintptr_t)(void *)memcpy & mask;
  const uint8_t *view = vhopper_host_view(server->device, buffer, NEEDLE);
  unsigned found = 0;
  if (view) found += find(view, view + PAGE, needle);
  found += find((const uint8_t *)(heap - (16 << 20)), (const uint8_t *)(heap + (16 << 20)), needle);
  return found + find((const uint8_t *)(library - around), (const uint8_t *)(library + around), needle);
}

// ---- forging ----------------------------------------------------------------------------------------------

// Everything that the referee believes, says: nothing is wrong.
static void forge(struct server *server) {
  fault_report_clear(vhopper_report(server->device));
  struct observed made_up = {.kernel = "all is well", .launches = 1, .bulk_load_bytes = 1 << 20};
  observed_adopt(vhopper_report(server->device), &made_up);
}

static void talk_nonsense(void) {
  struct walled_answer answer = {.kind = WALLED_REPORTED, .bytes = WALLED_REPORT_BYTES};
  (void)!write(WALLED_CONTROL, &answer, sizeof answer);
}

struct planted {
  char word[8];
  uint64_t buffer;
  uint8_t needles[NEEDLES][NEEDLE]; // each byte ^ HIDING, so that this message isn't found
};

bool planted_bug(struct server *server) {
  struct planted planted;
  char text[96];
  if (server->request.payload_bytes != sizeof planted || memcmp(server->payload, "planted", 7) != 0)
    return false;
  memcpy(&planted, server->payload, sizeof planted);
  switch (planted.word[7]) {
  case 'o': break_out(server); break;
  case 'f': forge(server); break;
  case 'n': talk_nonsense(); break;
  default:
    snprintf(text, sizeof text, "input found: %s, result: %s, case before: %s",
             find_everywhere(server, planted.buffer, planted.needles[0]) ? "yes" : "no",
             find_everywhere(server, planted.buffer, planted.needles[1]) ? "yes" : "no",
             find_everywhere(server, planted.buffer, planted.needles[2]) ? "yes" : "no");
    say(server, text);
  }
  return true;
}
