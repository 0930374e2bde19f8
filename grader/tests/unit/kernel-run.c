// See kernel-run.h.
#include "kernel-run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t or_one(uint32_t value) {
  return value ? value : 1;
}

static void launch(struct kernel_run *run, struct vhopper *v, struct vhopper_module *module) {
  struct {
    uint64_t out;
    uint32_t n;
  } parameters = {0, run->n};
  struct vhopper_function *function = vhopper_module_function(module, "k");
  run->status = -1;
  if (!function || vhopper_hand(v, sizeof run->words, "out", &parameters.out)) return;
  vhopper_fill(v, parameters.out, 0, 4, sizeof run->words);
  struct vhopper_launch_config config = {.grid = {or_one(run->grid), 1, 1},
                                         .block = {run->block ? run->block : 32, 1, 1},
                                         .dynamic_shared_bytes = run->dynamic_shared,
                                         .cooperative = run->cooperative};
  if (run->cluster) config.cluster = (struct vhopper_dim){run->cluster, 1, 1};
  run->status = vhopper_launch(v, function, &config, &parameters);
  vhopper_read(v, run->words, parameters.out, sizeof run->words);
}

static void collect(struct kernel_run *run, struct vhopper *v) {
  struct fault_report *report = vhopper_report(v);
  run->faults = fault_count(report);
  run->unsupported = unsupported_count(report);
  if (run->faults) {
    const struct fault *f = fault_at(report, 0);
    snprintf(run->rule, sizeof run->rule, "%s", rule_name(f->rule));
    snprintf(run->message, sizeof run->message, "%s", f->message);
    snprintf(run->file, sizeof run->file, "%s", f->place.file);
    run->line = f->place.line;
    run->block_of_fault = f->place.block[0];
    run->blocks_with_fault = (uint32_t)f->block_count;
  }
  snprintf(run->time_limit, sizeof run->time_limit, "%s", fault_time_limit(report));
  if (run->unsupported) snprintf(run->what, sizeof run->what, "%s", unsupported_at(report, 0)->what);
  if (observed_count(report)) run->observed = *observed_at(report, 0);
  size_t length;
  char *text = vhopper_take_output(v, &length);
  snprintf(run->output, sizeof run->output, "%s", text);
  free(text);
}

void kernel_run(struct kernel_run *run) {
  struct vhopper_options options = {.workers = or_one(run->workers),
                                    .seed = run->seed,
                                    .check = run->check,
                                    .launch_deadline = run->deadline,
                                    .launch_budget = run->budget,
                                    .puts_off = run->puts_off,
                                    .output_limit = sizeof run->output / 2};
  struct vhopper *v = vhopper_create(&options);
  struct vhopper_module *module;
  char *error;
  run->status = vhopper_module_load(v, run->ptx, strlen(run->ptx), &module, &error);
  if (run->status)
    snprintf(run->message, sizeof run->message, "%s", error ? error : "");
  else
    launch(run, v, module);
  free(error);
  collect(run, v);
  vhopper_destroy(v);
}
