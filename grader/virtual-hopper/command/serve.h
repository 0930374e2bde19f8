// Serves every process of a program until the program has ended.
#ifndef VIRTUAL_HOPPER_COMMAND_SERVE_H
#define VIRTUAL_HOPPER_COMMAND_SERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "virtual-hopper/command/options.h"
#include "virtual-hopper/rules/fault.h"

struct served {
  struct fault_report *report;         // of all devices together
  int status;                          // the program's, as waitpid gives it
  bool libraries_loaded;               // a process of the program has loaded one of our CUDA libraries
  uint64_t processes;                  // that have used a device
  uint64_t launches, refused;          // refused: not counted in launches
  struct time_prediction *predictions; // with --time: one for each launch
  size_t prediction_count;
  uint64_t clocks_missed;    // launches whose clocks couldn't follow the time model
  struct timeline *timeline; // with --timeline: of the launch that takes longest; NULL: none
};

// Each process that connects gets a device of its own. Does not wait for processes that outlive the program.
void serve_program(struct served *served, const struct run_options *options, FILE *trace, pid_t process,
                   int listener);

#endif
