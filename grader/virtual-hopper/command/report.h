// What a run ends with: the report for a person, JSON, the summary.
#ifndef VIRTUAL_HOPPER_COMMAND_REPORT_H
#define VIRTUAL_HOPPER_COMMAND_REPORT_H

#include <stdbool.h>
#include <sys/types.h>

#include "virtual-hopper/command/options.h"
#include "virtual-hopper/command/serve.h"

struct outcome {
  bool unsupported, unjudged, time_is_up;
  double seconds;
  pid_t process;
};

// Ends the process with STATUS_USAGE if a file that the options ask for can't be written: better said before
// a long run than after it.
void report_check_files(const struct run_options *options);
// Prints and writes all that the options ask for. Returns the exit status of docs/reference/vhopper.1.md.
int report_run(struct run_options *options, const struct served *served, struct outcome *outcome);

#endif
