// vhopper: the commands. `vhopper run` starts a CUDA program beside a virtual Hopper and serves it;
// `vhopper timeline` draws what was measured on a GPU; `vhopper explain` prints the page of a rule. In: the
// command line. Out: the program's own output and exit status; broken rules, on stderr and as JSON; the
// exit status of docs/reference/vhopper.1.md.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monotonic.h"
#include "virtual-hopper/command/explain.h"
#include "virtual-hopper/command/options.h"
#include "virtual-hopper/command/program.h"
#include "virtual-hopper/command/report.h"
#include "virtual-hopper/command/serve.h"
#include "virtual-hopper/command/timeline-command.h"
#include "virtual-hopper/command/timing.h"

static const char usage[] =
    "vhopper run [options] -- PROGRAM [ARGUMENTS]    run a CUDA program on a virtual Hopper, and check it\n"
    "vhopper explain [RULE]                          the page of a rule; without RULE: the list of rules\n"
    "vhopper timeline FILE [PICTURE.svg]             what interface/timeline.cuh has measured, as a picture\n"
    "vhopper run --help                              the options of run\n"
    "vhopper --version\n";

static int run(struct run_options *options, FILE *trace) {
  int listener;
  struct served served = {0};
  struct outcome outcome = {0};
  const double began = monotonic_seconds();
  timing_tell_program(options->device.chip != NULL);
  outcome.process = program_start(options->program, &listener);
  program_end_after(options->time_limit);
  serve_program(&served, options, trace, outcome.process, listener);
  outcome.seconds = monotonic_seconds() - began;
  outcome.time_is_up = program_time_is_up();
  const int status = report_run(options, &served, &outcome);
  fault_report_destroy(served.report);
  free(served.predictions);
  free(served.timeline);
  return status;
}

static int run_command(int count, char **arguments) {
  struct run_options options = options_parse(count, arguments);
  report_check_files(&options);
  FILE *trace = options.trace ? fopen(options.trace, "we") : NULL;
  if (options.trace && !trace) {
    fprintf(stderr, "vhopper: --trace %s: %s\n", options.trace, strerror(errno));
    return STATUS_USAGE;
  }
  int status = run(&options, trace);
  suppressions_free(&options.suppressions);
  if (!trace) return status;
  bool written = !ferror(trace);
  if (fclose(trace) == 0 && written) return status;
  fprintf(stderr, "vhopper: --trace %s cannot be written: %s\n", options.trace, strerror(errno));
  return STATUS_BROKEN;
}

static bool asks_for(int count, char **arguments, const char *option, const char *letter) {
  return count > 1 && (strcmp(arguments[1], option) == 0 || strcmp(arguments[1], letter) == 0);
}

// `word` is no command. Users of other tools write `vhopper PROGRAM`, or options first.
static int misused(const char *word) {
  if (!word)
    fputs("vhopper: no command is given; see vhopper --help\n", stderr);
  else if (word[0] == '-')
    fprintf(stderr,
            "vhopper: there is no option %s here; those of a run come behind the word: vhopper run %s ..\n",
            word, word);
  else if (strchr(word, '/') && access(word, X_OK) == 0)
    fprintf(stderr, "vhopper: there is no command %s; a program is run by: vhopper run -- %s\n", word, word);
  else
    fprintf(stderr, "vhopper: there is no command %s; see vhopper --help\n", word);
  return STATUS_USAGE;
}

int main(int count, char **arguments) {
  if (asks_for(count, arguments, "--help", "-h") || asks_for(count, arguments, "help", "help")) {
    fputs(usage, stdout);
    return 0;
  }
  if (asks_for(count, arguments, "--version", "-V")) {
    puts("vhopper " VHOPPER_VERSION);
    return 0;
  }
  if (asks_for(count, arguments, "run", "run")) return run_command(count - 1, arguments + 1);
  if (asks_for(count, arguments, "timeline", "timeline")) {
    if (!asks_for(count - 1, arguments + 1, "--help", "-h"))
      return timeline_command(count - 2, arguments + 2);
    fputs(usage, stdout);
    return 0;
  }
  if (asks_for(count, arguments, "explain", "explain")) {
    if (!asks_for(count - 1, arguments + 1, "--help", "-h")) return explain_command(count - 2, arguments + 2);
    fputs(usage, stdout);
    return 0;
  }
  if (asks_for(count, arguments, "--list-options", "--list-options")) { // for the shells' completion
    options_list(stdout);
    return 0;
  }
  return misused(count < 2 ? NULL : arguments[1]);
}
