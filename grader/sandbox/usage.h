// What a process and its descendants have used so far.
#ifndef SANDBOX_USAGE_H
#define SANDBOX_USAGE_H

#include <stdbool.h>
#include <sys/types.h>

struct sandbox_usage {
  double processor_seconds; // threads, and children that were waited for, count after their end, too
  double living_seconds;    // of the threads that still run
  double busiest_seconds;   // the same of the one thread that used most
  // living_seconds to the nanosecond, and for how long those threads were ready to run, but others had the
  // processors. Both are 0 where the kernel doesn't count it.
  double ran_seconds, waited_seconds;
  bool asleep; // none of their threads runs or waits for a processor or a disk
};

struct sandbox_usage sandbox_usage_of(pid_t process);
// waited_seconds of the calling thread.
double sandbox_waited_here(void);

#endif
