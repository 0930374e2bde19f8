// In the copy of a process, a host function runs to its end, to a wait, or to whatever would leave the copy.
// In: functions and regions. Out: what is touched, in memory that both processes share. One idea: regions are
// closed, so that accesses meet a memory fault; one beside them, in the same page, is let through alone, by
// the processor's single step. System calls but for a few end the trial; sleeping and printing are left out.
#include "virtual-hopper/shim/client-probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

enum { HOST_PAGE = 4096, MOST_STEPS = 50000, STEP_PAGES = 4, MOST_SLEEPS = 256 };

static struct {
  struct client_probe *probe;
  bool is_last; // the function that is tried runs
  char *opened[STEP_PAGES];
  uint32_t opened_count, steps, sleeps;
} child;

static _Noreturn void end(enum probe_state state) {
  atomic_store(&child.probe->state, state);
  for (;;)
    (void)syscall(SYS_exit_group, 0);
}

#ifdef __x86_64__

static char *page_of(const char *at) {
  return (char *)((uintptr_t)at / HOST_PAGE * HOST_PAGE);
}

static const struct probe_region *find(const char *at, bool whole_page) {
  for (uint32_t i = 0; i < child.probe->region_count; i++) {
    const struct probe_region *r = &child.probe->regions[i];
    const char *from = whole_page ? page_of(r->start) : r->start;
    const char *past = whole_page ? page_of(r->start + r->bytes - 1) + HOST_PAGE : r->start + r->bytes;
    if (from <= at && at < past) return r;
  }
  return NULL;
}

static bool is_of_interest(const struct probe_region *r, bool wrote) {
  const bool is_last_region = r == &child.probe->regions[child.probe->region_count - 1];
  return child.is_last && (wrote || !child.probe->only_writes || !is_last_region);
}

// After that, reads in the page go on; and writes, once there was one.
static void note(char *at, bool wrote, bool shared) {
  struct client_probe *p = child.probe;
  const uint32_t count = atomic_load(&p->touch_count);
  p->touches[count] = (struct client_touch){(uint64_t)(uintptr_t)at, wrote};
  atomic_store(&p->touch_count, count + 1);
  if (count + 1 == PROBE_TOUCHES || (wrote && shared)) end(PROBE_ENDED);
  if (mprotect(page_of(at), HOST_PAGE, wrote ? PROT_READ | PROT_WRITE : PROT_READ) != 0) end(PROBE_UNKNOWN);
}

static void step(char *at, bool wrote, bool shared, ucontext_t *context) {
  enum { TRAP_FLAG = 0x100 };
  if ((wrote && shared) || child.opened_count == STEP_PAGES || ++child.steps > MOST_STEPS ||
      mprotect(page_of(at), HOST_PAGE, PROT_READ | PROT_WRITE) != 0)
    end(PROBE_UNKNOWN);
  child.opened[child.opened_count++] = page_of(at);
  context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void on_fault(int signal, siginfo_t *info, void *context) {
  enum { WRITE_ACCESS = 2 };
  ucontext_t *c = context;
  const bool wrote = c->uc_mcontext.gregs[REG_ERR] & WRITE_ACCESS;
  const struct probe_region *exact = find(info->si_addr, false), *page = find(info->si_addr, true);
  (void)signal;
  if (!page) end(PROBE_UNKNOWN);
  if (exact && is_of_interest(exact, wrote))
    note(info->si_addr, wrote, exact->shared);
  else
    step(info->si_addr, wrote, page->shared, c);
}

static void on_step(int signal, siginfo_t *info, void *context) {
  enum { TRAP_FLAG = 0x100 };
  ucontext_t *c = context;
  (void)signal;
  (void)info;
  c->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
  while (child.opened_count)
    if (mprotect(child.opened[--child.opened_count], HOST_PAGE, PROT_NONE) != 0) end(PROBE_UNKNOWN);
}

// ---- system calls -----------------------------------------------------------------------------------------

// What is read here is gone for the others. But where nothing is there yet, the function waits for it.
static _Noreturn void end_at_read(int file) {
  struct pollfd wanted = {.fd = file, .events = POLLIN};
  end(poll(&wanted, 1, 0) == 0 ? PROBE_WAITS : PROBE_UNKNOWN);
}

static void on_system_call(int signal, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  greg_t written = 0;
  (void)signal;
  switch (info->si_syscall) {
  case SYS_nanosleep:
  case SYS_clock_nanosleep: // nobody else runs here, so what sleeps so often waits for what doesn't come
    if (++child.sleeps == MOST_SLEEPS) end(PROBE_WAITS);
    break;
  case SYS_write: written = registers[REG_RDX]; break;
  case SYS_writev:
    for (greg_t i = 0; i < registers[REG_RDX]; i++)
      written += (greg_t)((const struct iovec *)(uintptr_t)registers[REG_RSI])[i].iov_len;
    break;
  case SYS_read:
  case SYS_recvfrom:
  case SYS_recvmsg: end_at_read((int)registers[REG_RDI]);
  default: end(PROBE_UNKNOWN);
  }
  registers[REG_RAX] = written;
}

static bool keep_in(void) {
  enum { NUMBER = 0, MOST = 40 };
  static const unsigned allowed[] = {
      SYS_futex,          SYS_sched_yield, SYS_clock_gettime, SYS_gettimeofday, SYS_rt_sigreturn,
      SYS_rt_sigprocmask, SYS_mprotect,    SYS_mmap,          SYS_munmap,       SYS_brk,
      SYS_madvise,        SYS_exit_group,  SYS_gettid,        SYS_getpid,       SYS_getcpu,
      SYS_poll,           SYS_ppoll,       SYS_getrandom,     SYS_newfstatat,   SYS_fstat};
  enum { COUNT = sizeof allowed / sizeof *allowed };
  struct sock_filter code[MOST] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                                   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  unsigned short length = 4;
  for (unsigned i = 0; i < COUNT; i++)
    code[length++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], (unsigned char)(COUNT - i), 0);
  code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {.len = length, .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

// ---- memory -----------------------------------------------------------------------------------------------

// A line of /proc/self/maps: "START-END rw-s ..". Whatever is shared must not be written.
static bool close_shared(const char *line) {
  char *rest;
  const unsigned long long from = strtoull(line, &rest, 16);
  if (*rest != '-') return false;
  const unsigned long long past = strtoull(rest + 1, &rest, 16);
  const char *own = (const char *)child.probe;
  if (rest[0] != ' ' || rest[2] != 'w' || rest[4] != 's') return true;
  if ((unsigned long long)(uintptr_t)own >= from && (unsigned long long)(uintptr_t)own < past) return true;
  return mprotect((void *)(uintptr_t)from, past - from, PROT_READ) == 0;
}

static bool close_all_shared(void) {
  static char text[1 << 16];
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  size_t held = 0;
  ssize_t got = 1;
  bool done = file >= 0;
  while (done && got > 0) {
    got = read(file, text + held, sizeof text - 1 - held);
    if (got > 0) held += (size_t)got;
    text[held] = '\0';
    char *line = text;
    for (char *end_of_line; done && (end_of_line = strchr(line, '\n')); line = end_of_line + 1)
      done = close_shared(line);
    held -= (size_t)(line - text);
    memmove(text, line, held);
  }
  return done && got == 0;
}

// Guards may have closed it.
static bool copy_pages(char *from, size_t bytes) {
  const int protection = PROT_READ | PROT_WRITE;
  char *copy = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED || mprotect(from, bytes, PROT_READ) != 0) return false;
  memcpy(copy, from, bytes);
  return mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, from) == from;
}

static bool copy_regions(const struct client_probe *p) {
  for (uint32_t i = 0; i < p->region_count; i++) {
    const struct probe_region *r = &p->regions[i];
    if (r->copied && !copy_pages(r->start, (r->bytes + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE)) return false;
  }
  return true;
}

static bool close_regions(const struct client_probe *p) {
  for (uint32_t i = 0; i < p->region_count; i++) {
    char *from = page_of(p->regions[i].start);
    const size_t bytes = (size_t)(page_of(p->regions[i].start + p->regions[i].bytes - 1) + HOST_PAGE - from);
    if (mprotect(from, bytes, PROT_NONE) != 0) return false;
  }
  return true;
}

static bool set_handler(int number, void (*handler)(int, siginfo_t *, void *)) {
  const struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
  return client_set_action(number, &action, NULL) == 0;
}

_Noreturn void client_probe_child(struct client_probe *probe) {
  sigset_t ours;
  child.probe = probe;
  sigemptyset(&ours);
  sigaddset(&ours, SIGSEGV);
  sigaddset(&ours, SIGTRAP);
  sigaddset(&ours, SIGSYS);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || !set_handler(SIGSEGV, on_fault) ||
      !set_handler(SIGTRAP, on_step) || !set_handler(SIGSYS, on_system_call) ||
      pthread_sigmask(SIG_UNBLOCK, &ours, NULL) != 0 || !copy_regions(probe) || !close_all_shared() ||
      !keep_in() || !close_regions(probe))
    end(PROBE_UNKNOWN);
  for (uint32_t i = 0; i < probe->call_count; i++) {
    child.is_last = i + 1 == probe->call_count;
    probe->calls[i].function(probe->calls[i].data);
  }
  end(PROBE_ENDED);
}

#else

_Noreturn void client_probe_child(struct client_probe *probe) {
  child.probe = probe;
  end(PROBE_UNKNOWN);
}

#endif
