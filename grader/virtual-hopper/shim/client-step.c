// One access at a time. In: a memory fault at bytes that no copy uses, in a page that a copy uses in part.
// Out: the access is made, and the page is closed again. One idea: the processor's trap flag has the thread
// stop behind the instruction. Meanwhile the page is open for other threads, too, whose accesses are not seen
// then.
#include "virtual-hopper/shim/client.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__

enum { HOST_PAGE = 4096, TRAP_FLAG = 0x100, MOST_STEPS = 16384 };

// The caller holds the guards' lock, here and below.
static struct client_step *find(struct client *client, int thread) {
  for (int i = 0; i < CLIENT_STEPS; i++)
    if (client->steps[i].thread == thread) return &client->steps[i];
  return NULL;
}

// A trap that is not ours, and that the program has no handler for, ends it.
static void on_trap(int signal, siginfo_t *info, void *context) {
  struct client *client = client_state();
  (void)info;
  const sigset_t signals = client_guards_lock(client);
  const bool ours = find(client, (int)syscall(SYS_gettid)) != NULL;
  client_step_end(client, context);
  client_guards_unlock(client, &signals);
  if (ours) return;
  const struct sigaction none = {.sa_handler = SIG_DFL};
  (void)client_set_action(signal, &none, NULL);
  (void)syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), signal);
}

bool client_steps_ready(void) {
  struct client *client = client_state();
  struct sigaction now, ours = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  if (client_set_action(SIGTRAP, NULL, &now) != 0) return false;
  if (now.sa_flags & SA_SIGINFO) return now.sa_sigaction == atomic_load(&client->trap_handler);
  if (now.sa_handler != SIG_DFL || client_set_action(SIGTRAP, &ours, NULL) != 0) return false;
  atomic_store(&client->trap_handler, on_trap);
  return true;
}

bool client_step_begin(struct client *client, char *at, void *context) {
  ucontext_t *u = context;
  const int thread = (int)syscall(SYS_gettid);
  struct client_step *step = find(client, thread);
  const bool begins = !step;
  if (begins) step = find(client, 0);
  if (!step || (begins && (client->step_count >= MOST_STEPS || !client_steps_ready()))) return false;
  if (!begins && step->page_count == CLIENT_STEP_PAGES) return false;
  if (begins) {
    *step = (struct client_step){.thread = thread, .signals = u->uc_sigmask};
    client->step_count++;
    sigfillset(&u->uc_sigmask); // another handler would be followed step by step
    sigdelset(&u->uc_sigmask, SIGSEGV);
    sigdelset(&u->uc_sigmask, SIGTRAP);
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
  }
  char *page = at - (uintptr_t)at % HOST_PAGE;
  step->pages[step->page_count++] = page;
  return mprotect(page, HOST_PAGE, PROT_READ | PROT_WRITE) == 0;
}

void client_step_end(struct client *client, void *context) {
  ucontext_t *u = context;
  struct client_step *step = find(client, (int)syscall(SYS_gettid));
  if (!step) return;
  step->thread = 0;
  u->uc_sigmask = step->signals;
  u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
  for (uint32_t i = 0; i < step->page_count; i++)
    client_guards_protect(client, step->pages[i], HOST_PAGE);
}

#else

bool client_steps_ready(void) {
  return false;
}

bool client_step_begin(struct client *client, char *at, void *context) {
  return (void)client, (void)at, (void)context, false;
}

void client_step_end(struct client *client, void *context) {
  (void)client, (void)context;
}

#endif
