// A run's findings in the forms that other programs read.
#ifndef VIRTUAL_HOPPER_COMMAND_FORMATS_H
#define VIRTUAL_HOPPER_COMMAND_FORMATS_H

#include <stdio.h>

#include "virtual-hopper/command/findings.h"

struct run_facts {
  const char *program; // as it was started
  int program_status;  // as waitpid gives it
  double seconds;
};

// SARIF 2.1.0 (OASIS), for code scanning: paths are relative to the repository. New reference.
json_t *format_sarif(const struct findings *findings, const struct run_facts *facts);
// JUnit's XML, for a CI server's list of tests: one case for each kernel that ran.
void format_junit(FILE *out, const struct findings *findings, const struct run_facts *facts);

#endif
