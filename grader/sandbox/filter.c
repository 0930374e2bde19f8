// In: which kind of program is to be filtered. Out: a filter's program for the kernel (BPF, made by
// libseccomp), and the names of the calls that it stopped. The idea: calls that no compiler and no launcher
// ever needs are forbidden; namespaces fence off the rest of the kernel.
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// Calls that reach into other processes, out of the namespaces or into the kernel: never needed.
static const int forbidden[] = {
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kcmp),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsmount),
    SCMP_SYS(fsconfig),
    SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(name_to_handle_at),
    SCMP_SYS(bpf),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(reboot),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(acct),
    SCMP_SYS(quotactl),
    SCMP_SYS(syslog),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(modify_ldt),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(vhangup),
    SCMP_SYS(lookup_dcookie),
    SCMP_SYS(mknod),
    SCMP_SYS(mknodat),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(personality),
};

// Calls into large, young parts of the kernel. A program that makes one is told that it doesn't exist, and
// does without. clone3 is among them because a filter can't see its flags; libraries then call clone.
static const int absent[] = {SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
                             SCMP_SYS(clone3)};

// Calls that get memory which belongs to no process, so that no process's limit counts it.
static const int uncounted[] = {SCMP_SYS(memfd_create), SCMP_SYS(memfd_secret), SCMP_SYS(shmget),
                                SCMP_SYS(msgget),       SCMP_SYS(semget),       SCMP_SYS(mq_open)};

// Attributes of files take memory of the kernel's as well, and a file system's limit doesn't count them. No
// program here needs one. setxattrat is younger than libseccomp's names for calls.
static const int attributes[] = {SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr),
                                 463 /* setxattrat */};

static const unsigned long new_namespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

static int add_all(scmp_filter_ctx *filter, uint32_t action, const int *calls, size_t count) {
  int failed = 0;
  for (size_t i = 0; i < count; i++)
    failed |= seccomp_rule_add(filter, action, calls[i], 0);
  return failed;
}

static int add_common(scmp_filter_ctx *filter, uint32_t action) {
  int failed = add_all(filter, action, forbidden, sizeof forbidden / sizeof *forbidden) |
               add_all(filter, SCMP_ACT_ERRNO(ENOSYS), absent, sizeof absent / sizeof *absent) |
               add_all(filter, SCMP_ACT_ERRNO(ENOTSUP), attributes, sizeof attributes / sizeof *attributes);
  for (unsigned bit = 0; bit < 32; bit++)
    if (new_namespaces >> bit & 1)
      failed |= seccomp_rule_add(filter, action, SCMP_SYS(clone), 1,
                                 SCMP_A0(SCMP_CMP_MASKED_EQ, 1UL << bit, 1UL << bit));
  // TIOCSTI pushes characters into somebody's terminal.
  return failed | seccomp_rule_add(filter, action, SCMP_SYS(ioctl), 1,
                                   SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffU, 0x5412 /* TIOCSTI */));
}

// A launcher is one process. It may have threads.
static int add_no_processes(scmp_filter_ctx *filter, uint32_t action) {
  return seccomp_rule_add(filter, action, SCMP_SYS(fork), 0) |
         seccomp_rule_add(filter, action, SCMP_SYS(vfork), 0) |
         seccomp_rule_add(filter, action, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
}

// New threads are allowed, and counted.
static int add_counted_threads(scmp_filter_ctx *filter, uint32_t action) {
  return seccomp_rule_add(filter, action, SCMP_SYS(clone), 1,
                          SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
}

// A lock on some bytes of a file takes memory of the kernel's, which no limit counts, and a file may have
// millions of them.
static int add_no_locks(scmp_filter_ctx *filter) {
  static const int commands[] = {F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW};
  int failed = 0;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOLCK), SCMP_SYS(fcntl), 1,
                               SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffU, (scmp_datum_t)commands[i]));
  return failed;
}

// A launcher on the virtual device needs no sockets besides the two that it is given, and signals nobody but
// itself. raise() and abort() call tgkill, so kill isn't needed. A filter of the launcher's own (seccomp)
// would answer before ours and hide what was asked. The one exec that starts the program itself is let
// through (sandbox_look).
static int add_strict(scmp_filter_ctx *filter, uint32_t action) {
  static const int more[] = {SCMP_SYS(socket),  SCMP_SYS(socketpair), SCMP_SYS(bind),
                             SCMP_SYS(connect), SCMP_SYS(kill),       SCMP_SYS(pidfd_send_signal),
                             SCMP_SYS(seccomp), SCMP_SYS(execve),     SCMP_SYS(execveat)};
  int failed = add_no_processes(filter, action) | add_counted_threads(filter, action) | add_no_locks(filter) |
               add_all(filter, action, more, sizeof more / sizeof *more) |
               add_all(filter, action, uncounted, sizeof uncounted / sizeof *uncounted);
  for (size_t i = 0; sandbox_path_call(i) >= 0; i++)
    failed |= seccomp_rule_add(filter, action, sandbox_path_call(i), 0);
  // prctl can install a filter, too; and it can make a process whose memory only root may read. The kernel
  // reads the lower half of its first argument alone.
  static const scmp_datum_t options[] = {PR_SET_SECCOMP, PR_SET_DUMPABLE};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    failed |= seccomp_rule_add(filter, action, SCMP_SYS(prctl), 1,
                               SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffU, options[i]));
  return failed;
}

// Compilers and drivers talk to nobody either. They may ask for a socket, or for memory that nobody counts;
// the call fails and they do without.
static int add_tools(scmp_filter_ctx *filter) {
  return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                          SCMP_A0(SCMP_CMP_NE, AF_UNIX)) |
         add_all(filter, SCMP_ACT_ERRNO(ENOSYS), uncounted, sizeof uncounted / sizeof *uncounted);
}

int sandbox_filter_file(enum sandbox_filter kind) {
  bool strict = kind == SANDBOX_STRANGER;
  uint32_t action = strict ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO(EPERM);
  scmp_filter_ctx *filter = seccomp_init(SCMP_ACT_ALLOW);
  int file = memfd_create("filter", MFD_CLOEXEC);
  int failed = !filter || file < 0;
  if (!failed)
    failed = add_common(filter, action) | (strict ? add_strict(filter, action) : add_tools(filter));
  if (!failed && kind == SANDBOX_DRIVER) failed = add_no_processes(filter, action);
  if (!failed) failed = seccomp_export_bpf(filter, file);
  if (filter) seccomp_release(filter);
  if (!failed) return file;
  if (file >= 0) close(file);
  errno = ENOTSUP;
  return -1;
}

// ---- what the filter has stopped ----

static int receive_listener(int socket) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  char byte;
  int listener = -1;
  struct iovec part = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(&listener, CMSG_DATA(header), sizeof listener);
  return listener;
}

static void stop_watching(struct sandbox *sandbox) {
  close(sandbox->watch);
  sandbox->watch = -1;
}

static bool let_through(struct sandbox *sandbox, const struct seccomp_notif *call) {
  struct seccomp_notif_resp go_on = {.id = call->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  ioctl(sandbox->watch, SECCOMP_IOCTL_NOTIF_SEND, &go_on); // fails if the caller has ended
  return false;
}

static bool is_thread(const struct seccomp_notif *call) {
  const uint64_t flags = call->data.args[0];
  return call->data.nr == SCMP_SYS(clone) && flags & CLONE_THREAD && !(flags & new_namespaces);
}

static bool look_at_thread(struct sandbox *sandbox, const struct seccomp_notif *call) {
  enum { MOST_THREADS = 10000 }; // the limit on tasks is far below, so most of them have failed
  if (++sandbox->threads <= MOST_THREADS) return let_through(sandbox, call);
  snprintf(sandbox->forbidden, sizeof sandbox->forbidden, SANDBOX_THREADS);
  return true;
}

// The walls limit the bytes of files. But each file, empty or not, also takes a KiB of the kernel's memory,
// and so does each folder.
static bool makes_too_many(struct sandbox *sandbox, const struct seccomp_notif *call) {
  enum { MOST_FILES = 10000 };
  return sandbox_makes_file(call) && ++sandbox->files > MOST_FILES;
}

static bool look_at_path(struct sandbox *sandbox, const struct seccomp_notif *call) {
  char path[PATH_MAX];
  if (makes_too_many(sandbox, call)) {
    snprintf(sandbox->forbidden, sizeof sandbox->forbidden, SANDBOX_FILES);
    return true;
  }
  if (sandbox_path_is_secret(sandbox, call, path)) {
    snprintf(sandbox->forbidden, sizeof sandbox->forbidden, "%.*s", (int)sizeof sandbox->forbidden - 1, path);
    return true;
  }
  return let_through(sandbox, call);
}

bool sandbox_look(struct sandbox *sandbox) {
  if (sandbox->watch < 0) return false;
  if (!sandbox->listening) {
    int listener = receive_listener(sandbox->watch);
    stop_watching(sandbox);
    sandbox->watch = listener;
    sandbox->listening = listener >= 0;
    return false;
  }
  union {
    struct seccomp_notif call;
    char room[512]; // a newer kernel's structure may be larger than ours
  } notice = {.room = {0}};
  if (ioctl(sandbox->watch, SECCOMP_IOCTL_NOTIF_RECV, &notice) != 0) {
    // ENOENT: a signal has ended the call before it could be looked at. Else everybody who was filtered has
    // gone.
    if (errno != EINTR && errno != ENOENT) stop_watching(sandbox);
    return false;
  }
  if (notice.call.data.nr == SCMP_SYS(execve) && !sandbox->executed) {
    sandbox->executed = true;
    return let_through(sandbox, &notice.call);
  }
  if (is_thread(&notice.call)) return look_at_thread(sandbox, &notice.call);
  bool has_path = false;
  for (size_t i = 0; sandbox_path_call(i) >= 0; i++)
    has_path |= sandbox_path_call(i) == notice.call.data.nr;
  if (has_path) return look_at_path(sandbox, &notice.call);
  char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, notice.call.data.nr);
  snprintf(sandbox->forbidden, sizeof sandbox->forbidden, "%s", name ? name : "an unknown call");
  free(name);
  return true;
}
