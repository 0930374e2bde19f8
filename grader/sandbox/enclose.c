// In: one of our own processes that will work on untrusted input. Out: the same process in a sandbox. One
// idea: such a process needs memory, threads, time and its open sockets. So a short list of system calls is
// allowed, and everything else fails.
#include "sandbox/enclose.h"

#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- namespaces -------------------------------------------------------------------------------------------

static bool write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
  if (file >= 0) close(file);
  return written;
}

// Inside the namespace the user is nobody; outside, the user is still the referee's.
static bool map_user(unsigned user, unsigned group) {
  char map[64];
  if (!write_file("/proc/self/setgroups", "deny")) return false;
  snprintf(map, sizeof map, "65534 %u 1", group);
  if (!write_file("/proc/self/gid_map", map)) return false;
  snprintf(map, sizeof map, "65534 %u 1", user);
  return write_file("/proc/self/uid_map", map);
}

// Makes the root an empty folder that nobody can write. Any folder can be the mount point.
static bool leave_files(void) {
  return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("none", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4096,mode=0555") == 0 &&
         chdir("/tmp") == 0 && syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0 &&
         mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 &&
         chdir("/") == 0;
}

static const char *enter_namespaces(void) {
  const bool root = geteuid() == 0;
  const unsigned user = geteuid(), group = getegid();
  const int wanted = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | (root ? 0 : CLONE_NEWUSER);
  if (unshare(wanted) != 0) return "namespaces of its own";
  if (!root && !map_user(user, group)) return "a user namespace";
  return leave_files() ? NULL : "an empty file system";
}

// ---- limits -----------------------------------------------------------------------------------------------

static bool lower(__rlimit_resource_t resource, rlim_t value) {
  struct rlimit now, limit = {value, value};
  if (getrlimit(resource, &now) != 0) return false;
  if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) return true;
  return setrlimit(resource, &limit) == 0;
}

// Limits address space to the present size (of the device with its range of memory) and some more for work.
// The sanitizers reserve terabytes.
static bool limit_memory(uint64_t work) {
#if defined(__SANITIZE_ADDRESS__)
  (void)work;
  return true;
#else
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file) return false;
  bool known = fscanf(file, "%lu", &pages) == 1;
  fclose(file);
  return known && lower(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)work);
#endif
}

// The first limit ends the process by SIGXCPU, which says why it has died; the second one holds if the
// process blocks that signal.
static bool limit_time(unsigned seconds) {
  struct rlimit now;
  if (seconds == 0) return true;
  if (!lower(RLIMIT_CPU, seconds + 1) || getrlimit(RLIMIT_CPU, &now) != 0) return false;
  now.rlim_cur = seconds < now.rlim_max ? seconds : now.rlim_max;
  return setrlimit(RLIMIT_CPU, &now) == 0;
}

static bool limit_all(uint64_t file_bytes, unsigned cpu_seconds) {
  enum { DESCRIPTORS = 8 };
  return lower(RLIMIT_CORE, 0) && lower(RLIMIT_FSIZE, file_bytes) && lower(RLIMIT_NOFILE, DESCRIPTORS) &&
         limit_time(cpu_seconds);
}

// ---- system calls -----------------------------------------------------------------------------------------

static const int allowed[] = {
    // its sockets, and stderr
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(recvfrom), SCMP_SYS(sendto),
    SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(shutdown),
    SCMP_SYS(close),
    // memory
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    // threads
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(exit), SCMP_SYS(exit_group),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall),
    // time and chance
    SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep),
    SCMP_SYS(getrandom)};

static const char *filter_calls(bool files) {
  scmp_filter_ctx *filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  int failed = !filter;
  for (size_t i = 0; !failed && i < sizeof allowed / sizeof *allowed; i++)
    failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
  if (!failed && files)
    failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(memfd_create), 0) |
             seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ftruncate), 0) |
             seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, SCMP_A1(SCMP_CMP_EQ, F_ADD_SEALS));
  // Memory, but not executable memory.
  static const int maps[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
  for (int i = 0; !failed && i < 2; i++)
    failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, maps[i], 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  // Threads, but no processes. A filter can't see the flags of clone3, so clone3 is reported as missing; the
  // C library then uses clone.
  if (!failed)
    failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)) |
             seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) |
             // abort()
             seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                              SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid())) |
             seccomp_load(filter);
  if (filter) seccomp_release(filter);
  return failed ? "a system call filter" : NULL;
}

const char *sandbox_enclose(const struct enclosure *enclosure) {
  const char *failed = NULL;
  if (!limit_memory(enclosure->work_bytes)) return "a limit on memory";
  if (enclosure->namespaces && (failed = enter_namespaces())) return failed;
  if (enclosure->user && sandbox_become(enclosure->user) != 0) return "a user of its own";
  if (!limit_all(enclosure->file_bytes, enclosure->cpu_seconds)) return "its limits";
  // A change of user clears the parent-death signal.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0 ||
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return "no new privileges";
  return filter_calls(enclosure->file_bytes != 0);
}
