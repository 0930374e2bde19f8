// What a process and its descendants have used so far.
#ifndef SANDBOX_USAGE_H
#define SANDBOX_USAGE_H

#include <stdbool.h>
#include <sys/types.h>

struct sandbox_usage {
  double processor_seconds; // of those that still run
  bool asleep;              // none of their threads runs or waits for a processor or a disk
};

struct sandbox_usage sandbox_usage_of(pid_t process);

#endif
