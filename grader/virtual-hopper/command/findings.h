// What a run has found, with what the suppressions say about it: what every output is made from.
#ifndef VIRTUAL_HOPPER_COMMAND_FINDINGS_H
#define VIRTUAL_HOPPER_COMMAND_FINDINGS_H

#include "virtual-hopper/command/suppressions.h"
#include "virtual-hopper/rules/fault.h"

struct finding {
  const struct fault *fault;
  const struct suppression *accepted; // NULL: it counts
};

struct findings {
  const struct fault_report *report;
  struct finding *all; // in the report's order
  size_t count;
  uint64_t errors, warnings, accepted; // distinct ones; errors and warnings are those that count
};

// The report must outlive the findings. Ended by findings_free.
struct findings findings_of(const struct fault_report *report, struct suppressions *suppressions);
void findings_free(struct findings *findings);

// JSON as docs/reference/json.md has it: fault_report_json's, in which "faults" are those that count.
json_t *findings_json(const struct findings *findings, const struct suppressions *suppressions);

#endif
