// What a program sets for memory faults. Out: sigaction and signal, in the place of the C library's. The
// idea: our handler, which watches page-locked memory (client-guards.c), stays the first; the program's own
// gets what is left, as if it were alone.
#include "virtual-hopper/shim/client.h"

#include <signal.h>

#ifdef __x86_64__
#define OF_THE_C_LIBRARY "GLIBC_2.2.5"
#else
#define OF_THE_C_LIBRARY "GLIBC_2.17"
#endif

EXPORT int watched_sigaction(int number, const struct sigaction *wanted, struct sigaction *before) {
  if (number == SIGSEGV && client_guards_set_action(wanted, before)) return 0;
  return client_set_action(number, wanted, before);
}
__asm__(".symver watched_sigaction, sigaction@@" OF_THE_C_LIBRARY);

EXPORT sighandler_t watched_signal(int number, sighandler_t handler) {
  struct sigaction wanted = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
  sigemptyset(&wanted.sa_mask);
  if (sigaddset(&wanted.sa_mask, number) != 0) return SIG_ERR;
  return watched_sigaction(number, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}
__asm__(".symver watched_signal, signal@@" OF_THE_C_LIBRARY);
