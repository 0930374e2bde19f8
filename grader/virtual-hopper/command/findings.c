// In: a report and the suppressions. Out: which faults count, and the JSON of a run.
#include "virtual-hopper/command/findings.h"

#include <stdlib.h>

#include "virtual-hopper/base/arena.h"

enum { JSON_VERSION = 1 };

struct findings findings_of(const struct fault_report *report, struct suppressions *suppressions) {
  struct findings findings = {.report = report, .count = fault_count(report)};
  findings.all = calloc(findings.count + 1, sizeof *findings.all);
  if (!findings.all) die("no memory for %zu findings", findings.count);
  for (size_t i = 0; i < findings.count; i++) {
    struct finding *one = &findings.all[i];
    one->fault = fault_at(report, i);
    one->accepted = suppressions_find(suppressions, one->fault);
    if (one->accepted)
      findings.accepted++;
    else if (one->fault->severity == FAULT_WARNING)
      findings.warnings++;
    else
      findings.errors++;
  }
  return findings;
}

void findings_free(struct findings *findings) {
  free(findings->all);
  *findings = (struct findings){0};
}

json_t *findings_json(const struct findings *findings, const struct suppressions *suppressions) {
  json_t *all = fault_report_json(findings->report), *faults = json_object_get(all, "faults");
  json_t *counted = json_array(), *suppressed = json_array(), *unused = json_array();
  for (size_t i = 0; i < findings->count; i++) {
    json_t *fault = json_array_get(faults, i);
    const struct suppression *accepted = findings->all[i].accepted;
    if (accepted)
      json_object_set_new(fault, "accepted",
                          json_pack("{s:s,s:s,s:i}", "reason", accepted->reason, "file", accepted->origin,
                                    "line", (int)accepted->number));
    json_array_append(accepted ? suppressed : counted, fault);
  }
  for (size_t i = 0; i < suppressions->count; i++) {
    const struct suppression *one = &suppressions->all[i];
    if (!one->used)
      json_array_append_new(unused, json_pack("{s:s,s:i,s:s}", "file", one->origin, "line", (int)one->number,
                                              "reason", one->reason));
  }
  json_object_set_new(all, "faults", counted);
  json_object_set_new(all, "suppressed", suppressed);
  json_object_set_new(all, "unused_suppressions", unused);
  json_object_set_new(all, "version", json_integer(JSON_VERSION));
  return all;
}
