// The options of a device, and sizes in three dimensions. This header includes no other one, so the device's
// own header can be used alone.
#ifndef VIRTUAL_HOPPER_MACHINE_OPTIONS_H
#define VIRTUAL_HOPPER_MACHINE_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define DEFAULT_BUDGET 4000000000u
#define NO_BUDGET      UINT64_MAX

enum { MOST_KERNEL_NAMES = 16 };

// Which of the clusters that are on the chip together comes first. The order matters where clusters draw work
// at run time (a counter of tiles) or wait for each other.
enum vhopper_schedule {
  SCHEDULE_BY_SEED,   // one of the others, but FIRST_LATE, for each launch; FAIR for seed 0
  SCHEDULE_FAIR,      // one after the other
  SCHEDULE_RACING,    // one gets four turns for each turn of the others
  SCHEDULE_HELD_BACK, // one gets a turn only every eighth time, while others can go on
  SCHEDULE_REVERSED,  // the last one first
  SCHEDULE_RANDOM,
  SCHEDULE_FIRST_LATE, // the first one begins when all others wait or have ended, or have done much
  SCHEDULES
};

struct vhopper_options {
  unsigned workers; // 0: one per online core
  uint64_t seed;    // orders warps, blocks and asynchronous effects
  enum vhopper_schedule schedule;
  bool check; // judge happens-before and proxies (room `order`)
  // With check: nothing is judged, and everything else goes as if it were.
  bool unjudged;
  // Which launches are judged: of kernels whose name matches a pattern, if there are any, those after the
  // first skip_launches, judge_launches of them at most (0: all).
  const char *kernels[MOST_KERNEL_NAMES];
  unsigned kernel_count;
  uint64_t skip_launches, judge_launches;
  // Judge by the letter of the PTX ISA also where NVIDIA's own code relies on less.
  bool strict;
  // For tests: each lane and each word is looked at by itself, which must come to the same.
  bool plain;
  bool rubbish;   // new memory of the program holds some, as on a chip it may
  bool unwritten; // look for reads of memory that nobody has written; needs check
  // Reports name PTX instructions, and what libcu++ and CUTLASS call them, until a module comes that includes
  // the kit's interface.
  bool foreign_words;
  // Instructions that the warps of a launch may execute, all together; 0: DEFAULT_BUDGET. Past it: error 702
  // and a fault `endless-loop`.
  uint64_t launch_budget;
  // The budget is only a first one: past it the launch is not judged (fault_put_off), and breaks no rule.
  bool puts_off;
  // Seconds of wall clock a launch may take; 0: none. It protects the machine alone: past it the launch ends
  // with error 702 and no fault, and the report says that it wasn't judged (fault_time_limit).
  double launch_deadline;
  // When it becomes another number than 0, the launch that runs ends as at its deadline. NULL: none.
  const atomic_int *stop;
  // Bytes that a program may make the device hold, all together: allocations, the kernels' malloc, modules,
  // registers, copies under way, printed text (base/budget.def); 0: any number.
  size_t memory_limit;
  size_t output_limit; // bytes of device printf kept per run; 0: 1 MiB
  FILE *trace;         // NULL: none
  const char *chip;    // keep time by the model of this chip, "h100" or "h200"; NULL: none
  bool timeline;       // with a chip: keep a picture of the launch that takes longest
  bool clocks;         // with a chip: kernels' clocks follow the model; forks a process for each launch
  // Processors that programs and kernels are told of; 0: all 132. More blocks than these hold run at a time.
  unsigned processors;
  uint64_t timer_origin; // %globaltimer, in nanoseconds, when the device is made
};

struct vhopper_dim {
  uint32_t x, y, z;
};

#endif
