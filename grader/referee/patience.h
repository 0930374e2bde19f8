// How long the referee waits for a program. The idea: a verdict depends on what the program does with its
// time, on its work and its sleep, never on how much time the machine gives it.
#ifndef REFEREE_PATIENCE_H
#define REFEREE_PATIENCE_H

#include <stdbool.h>
#include <sys/types.h>

enum patience_end {
  PATIENCE_LASTS,
  PATIENCE_SPENT, // the program has worked, or slept, for longer than it may
  // far more time has passed than it may take, and nobody knows whether it would have ended
  PATIENCE_TOO_BUSY,
};

struct patience {
  double deadline; // seconds of work, and the same of sleep
  double start;    // when the wait began
  double looked;   // when the two were last looked at; 0: never
  double worked;   // processor seconds of the program when it was first looked at
  double served;   // the same of the device's busiest thread
  double asleep;   // seconds
  double used_before;
  double used; // processor seconds of both, all threads, from the first look to the last
  bool sleeps; // both were asleep at the last look
};

struct patience patience_begin(double deadline);
// To be asked again and again, at least every PATIENCE_LOOK seconds. `device`: the process that works for the
// program, for at most `device_most` processor seconds of its busiest thread, however many workers it has.
// While it works, the program doesn't sleep. 0: none.
enum patience_end patience_ask(struct patience *patience, pid_t program, pid_t device, double device_most);

static const double PATIENCE_LOOK = 0.1;

#endif
