// The words for a wait that returned at once, because its phase was already complete (conflict.h). In: the
// barrier and its phases. Out: what the wait asked for, and what to write instead.
#include <stdio.h>

#include "virtual-hopper/rules/conflict.h"

void stale_wait_words(const struct stale_wait *wait, char *text, size_t size) {
  char phase[160];
  if (wait->by_token) {
    snprintf(text, size,
             wait->phases > 0
                 ? "The wait is given an old token of the %s: that of phase %u, which the thread had already "
                   "seen complete. So it returns at once"
                 : "The wait is given a token that no arrival on the %s has returned: no phase of it was "
                   "complete. So it returns at once",
             wait->barrier, wait->phases - 1);
    return;
  }
  if (wait->phases > 0)
    snprintf(
        phase, sizeof phase,
        ": that is phase %u, which the thread had already seen complete, and the next one is phase %u, of "
        "parity %u",
        wait->phases - 1, wait->phases, wait->phases & 1);
  else
    snprintf(phase, sizeof phase, ", none of whose phases was complete: that parity then counts as complete");
  snprintf(text, size, "The wait asks for parity %u of the %s%s. So it returns at once",
           (wait->phases + 1) & 1, wait->barrier, phase);
}

static const char remedy_of_parity[] =
    "Is this the right barrier, the one of this stage? Its first phase has parity 0, and the parity flips "
    "once for each of its phases: after each completed wait for it, so in a ring once for each round and not "
    "for each turn. The phases go on from tile to tile: a parity that is set back to 0 for each tile is "
    "wrong from the second one on.";
static const char remedy_of_first_parity[] =
    "Is this the right barrier? The first phase of a barrier has parity 0, so whoever waits for a load "
    "begins with 0. (Only a thread that fills a stage begins with 1, on the barrier that tells that the "
    "stage is empty.) From then on the parity flips once for each phase of this barrier: in a ring once for "
    "each round and not for each turn.";
static const char remedy_of_token[] =
    "Wait with the token that this turn's own arrival on this barrier has returned. A token stands for one "
    "phase of one barrier: take a new one in each turn, and in a ring one of each stage.";

const char *stale_wait_remedy(const struct stale_wait *wait) {
  if (wait->by_token) return remedy_of_token;
  return wait->phases > 0 ? remedy_of_parity : remedy_of_first_parity;
}
