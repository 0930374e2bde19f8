// Fuzzes what the grader makes of the system calls that its filter has stopped. In: a script that plays the
// kernel's end of the filter's listener: calls of the submission's, with paths in its memory, and signals
// that end a call before it is looked at, or interrupt whoever looks. Whatever came before, a call that is
// forbidden must be named while its caller waits, and no other call; each other call must be let through
// once.
#include "sandbox/sandbox.h"
#include "virtual-hopper/base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MOST_CALLS = 64, PATHS = 2 * PATH_MAX };
static const char secret[] = "/hidden/lab9";

struct played_call {
  struct seccomp_notif notice;
  bool ended;       // by a signal, before it was looked at
  bool let_through; // the referee has said so
  bool wrong;       // must be named, not let through
  char name[SANDBOX_NAME];
};

static struct kernel {
  struct played_call calls[MOST_CALLS];
  size_t count, next; // next: the first that nobody has taken
  bool executed;      // the exec that starts the program
  bool interrupted;   // the referee gets a signal at its next look
  int listener, root; // root: a descriptor of the folder "/"
  char *paths;        // a page that can't be read follows
} kernel;

// ---- the kernel's end -------------------------------------------------------------------------------------

static int receive(struct seccomp_notif *notice) {
  if (kernel.interrupted) {
    kernel.interrupted = false;
    errno = EINTR;
    return -1;
  }
  if (kernel.next == kernel.count) die("the referee would wait for a call that nobody makes");
  const struct played_call *call = &kernel.calls[kernel.next++];
  errno = ENOENT;
  if (call->ended) return -1;
  *notice = call->notice;
  return 0;
}

static int respond(const struct seccomp_notif_resp *answer) {
  for (size_t i = 0; i < kernel.next; i++) {
    if (kernel.calls[i].notice.id != answer->id) continue;
    if (kernel.calls[i].let_through) die("a call gets two answers");
    if (answer->flags != SECCOMP_USER_NOTIF_FLAG_CONTINUE || answer->error || answer->val)
      die("a call gets an answer in the kernel's place");
    kernel.calls[i].let_through = true;
    return 0;
  }
  die("an answer to a call that nobody made");
}

// In the place of the C library's.
int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *place = va_arg(arguments, void *);
  va_end(arguments);
  if (file == kernel.listener && request == SECCOMP_IOCTL_NOTIF_RECV) return receive(place);
  if (file == kernel.listener && request == SECCOMP_IOCTL_NOTIF_SEND) return respond(place);
  errno = ENOTTY;
  return -1;
}

// ---- scripts ----------------------------------------------------------------------------------------------

struct script {
  const uint8_t *at, *end;
};

static uint8_t take(struct script *script) {
  return script->at < script->end ? *script->at++ : 0;
}

// Appends what leads nowhere else, so that the path means the same.
static void add_detour(char *path, uint8_t which) {
  static const char *const detours[] = {"",          "/", "/.", "//./", "/x/..", "/../..", "/proc/self/root",
                                        "/a/b/../.."};
  const char *detour = detours[which % (sizeof detours / sizeof *detours)];
  const bool climbs = strcmp(detour, "/../..") == 0 || strcmp(detour, "/proc/self/root") == 0;
  if (strlen(path) + strlen(detour) < PATH_MAX - 64 && (!climbs || !path[0])) strcat(path, detour);
}

// Writes a path to the end of the page. True if it leads to what is hidden.
static bool make_path(struct script *script, uint64_t *address, bool relative) {
  static const char *const places[] = {"/hidden", "/usr", "/hidde", "/hidden", "", "/dev"},
                           *const rests[] = {"/lab9", "/lab9/1", "/lab99", "/lab", "", "/../hidden/lab9"};
  char path[PATH_MAX] = "";
  const uint8_t place = take(script) % 6, rest = take(script) % 6;
  for (int i = take(script) % 4; i > 0; i--)
    add_detour(path, take(script));
  strcat(path, places[place]);
  if (take(script) & 1) strcat(path, "/.");
  strcat(path, rests[rest]);
  for (int i = take(script) % 4; i > 0; i--)
    add_detour(path, take(script));
  char *start = path;
  while (relative && *start == '/')
    start++;
  const size_t bytes = strlen(start) + 1;
  char *at = kernel.paths + PATHS - bytes;
  memcpy(at, start, bytes);
  *address = (uint64_t)(uintptr_t)at;
  return rest == 5 || ((place == 0 || place == 3) && rest < 2);
}

static void make_path_call(struct script *script, struct played_call *call) {
  static const struct {
    int number, path, folder;
  } calls[] = {{SCMP_SYS(openat), 1, 0}, {SCMP_SYS(open), 0, -1},  {SCMP_SYS(stat), 0, -1},
               {SCMP_SYS(statx), 1, 0},  {SCMP_SYS(mkdir), 0, -1}, {SCMP_SYS(readlinkat), 1, 0}};
  const uint8_t which = take(script) % (sizeof calls / sizeof *calls);
  const bool relative = calls[which].folder >= 0 && take(script) & 1;
  __u64 *arguments = call->notice.data.args;
  call->notice.data.nr = calls[which].number;
  if (calls[which].folder >= 0) arguments[calls[which].folder] = (__u64)(relative ? kernel.root : AT_FDCWD);
  uint64_t address;
  call->wrong = make_path(script, &address, relative);
  arguments[calls[which].path] = address;
  if (call->wrong) snprintf(call->name, sizeof call->name, "%s", secret);
}

static void make_other_call(struct script *script, struct played_call *call) {
  static const struct {
    int number;
    const char *name;
  } calls[] = {{SCMP_SYS(ptrace), "ptrace"}, {SCMP_SYS(socket), "socket"},
               {SCMP_SYS(kill), "kill"},     {SCMP_SYS(memfd_create), "memfd_create"},
               {SCMP_SYS(fork), "fork"},     {SCMP_SYS(userfaultfd), "userfaultfd"},
               {SCMP_SYS(prctl), "prctl"}};
  const uint8_t which = take(script) % (sizeof calls / sizeof *calls);
  call->notice.data.nr = calls[which].number;
  call->notice.data.args[0] = take(script);
  call->wrong = true;
  snprintf(call->name, sizeof call->name, "%s", calls[which].name);
}

// A thread; or a process, or a thread with a namespace of its own.
static void make_clone(struct script *script, struct played_call *call) {
  static const uint64_t flags[] = {CLONE_THREAD | CLONE_VM, CLONE_VM, CLONE_THREAD | CLONE_NEWUSER,
                                   CLONE_VFORK};
  const uint8_t which = take(script) % 4;
  call->notice.data.nr = SCMP_SYS(clone);
  call->notice.data.args[0] = flags[which];
  call->wrong = which > 0;
  snprintf(call->name, sizeof call->name, "clone");
}

static void make_exec(struct played_call *call) {
  call->notice.data.nr = SCMP_SYS(execve);
  call->wrong = kernel.executed;
  snprintf(call->name, sizeof call->name, "execve");
}

// Paths of calls that wait share the page's end: a call with one is looked at before the next is made.
static struct played_call *make_call(struct script *script) {
  struct played_call *call = &kernel.calls[kernel.count];
  *call = (struct played_call){.notice = {.id = 1000 + kernel.count, .pid = (__u32)getpid()}};
  kernel.count++;
  const uint8_t kind = take(script);
  if (kind < 96)
    make_path_call(script, call);
  else if (kind < 144)
    make_clone(script, call);
  else if (kind < 176)
    make_exec(call);
  else
    make_other_call(script, call);
  call->ended = take(script) % 3 == 0;
  kernel.interrupted = take(script) % 3 == 0;
  return call;
}

// ---- the referee ------------------------------------------------------------------------------------------

// Looks until the call has been taken. True if it was named.
static bool look(struct sandbox *sandbox, const struct played_call *call) {
  const size_t taken = (size_t)(call - kernel.calls) + 1;
  for (int turns = 0; kernel.next < taken; turns++) {
    if (turns > 4) die("a call waits, and nobody looks");
    if (sandbox->watch < 0) die("the listener is closed while a call waits");
    if (sandbox_look(sandbox)) return true;
  }
  return false;
}

static void check(const struct sandbox *sandbox, const struct played_call *call, bool named) {
  if (call->ended) {
    if (named || call->let_through) die("a call is judged that has ended");
    return;
  }
  if (named != call->wrong || call->let_through == call->wrong)
    die("call %d is %s", call->notice.data.nr, call->wrong ? "let through" : "forbidden");
  if (named && strncmp(sandbox->forbidden, call->name, strlen(call->name)) != 0)
    die("%s is called %s", call->name, sandbox->forbidden);
  kernel.executed |= call->notice.data.nr == SCMP_SYS(execve);
}

static void begin(void) {
  kernel.listener = eventfd(0, EFD_CLOEXEC);
  kernel.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  kernel.paths = mmap(NULL, PATHS + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (kernel.listener < 0 || kernel.root < 0 || kernel.paths == MAP_FAILED) die("nothing to play with");
  if (mprotect(kernel.paths + PATHS, 4096, PROT_NONE) != 0) die("the page's end can be read");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  struct script script = {bytes, bytes + length};
  if (!kernel.paths) begin();
  kernel.count = kernel.next = 0;
  kernel.executed = kernel.interrupted = false;
  struct sandbox sandbox = {.watch = kernel.listener, .listening = true, .exit_event = -1, .output_pipe = -1};
  strcpy(sandbox.secret[0], secret);
  while (script.at < script.end && kernel.count < MOST_CALLS) {
    const struct played_call *call = make_call(&script);
    const bool named = look(&sandbox, call);
    check(&sandbox, call, named);
    if (named) break; // the program is ended
  }
  return 0;
}
