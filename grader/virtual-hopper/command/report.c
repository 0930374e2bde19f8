// In: the report of all devices. Out: text on stderr or in a file, JSON, the exit status.
#include "virtual-hopper/command/report.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "virtual-hopper/base/executable.h"
#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/command/callers.h"
#include "virtual-hopper/command/findings.h"
#include "virtual-hopper/command/formats.h"
#include "virtual-hopper/command/place.h"
#include "virtual-hopper/command/timing.h"
#include "virtual-hopper/time/timeline.h"

// ---- files ------------------------------------------------------------------------------------------------

static _Noreturn void cannot_write(const char *option, const char *path) {
  fprintf(stderr, "vhopper: --%s %s: %s\n", option, path, strerror(errno));
  exit(STATUS_BROKEN);
}

// The caller frees *path.
static FILE *open_output(const char *option, const char *pattern, pid_t process, const char *program,
                         char **path) {
  const char *wrong;
  *path = output_name(pattern, process, program, &wrong); // checked when the options were parsed
  if (!*path) exit(STATUS_BROKEN);
  if (strcmp(*path, "-") == 0) return stdout;
  FILE *file = fopen(*path, "we");
  if (!file) cannot_write(option, *path);
  return file;
}

// Sets errno if not. A file that is no file (a pipe, a terminal) is left alone.
static bool can_be_written(const char *path) {
  struct stat known;
  if (strcmp(path, "-") == 0) return true;
  if (stat(path, &known) == 0) {
    errno = EISDIR;
    return !S_ISDIR(known.st_mode) && access(path, W_OK) == 0;
  }
  if (errno != ENOENT) return false;
  char *copy = strdup(path);
  const bool can = copy && access(dirname(copy), W_OK | X_OK) == 0;
  const int why = errno;
  free(copy);
  errno = why;
  return can;
}

void report_check_files(const struct run_options *options) {
  const struct {
    const char *option, *pattern;
  } files[] = {{"json", options->json},         {"sarif", options->sarif},
               {"junit", options->junit},       {"log-file", options->log_file},
               {"timeline", options->timeline}, {"write-suppressions", options->write_suppressions}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *wrong;
    char *path =
        files[i].pattern ? output_name(files[i].pattern, getpid(), options->program[0], &wrong) : NULL;
    if (path && !can_be_written(path)) {
      fprintf(stderr, "vhopper: --%s %s: %s\n", files[i].option, path, strerror(errno));
      exit(STATUS_USAGE);
    }
    free(path);
  }
}

static void close_output(const char *option, FILE *file, char *path) {
  if (fflush(file) != 0 || ferror(file) || (file != stdout && fclose(file) != 0)) cannot_write(option, path);
  free(path);
}

static void write_json(const struct run_options *options, const char *option, const char *pattern,
                       json_t *json, pid_t process) {
  char *path;
  FILE *file = open_output(option, pattern, process, options->program[0], &path);
  if (!json || json_dumpf(json, file, JSON_INDENT(2)) != 0 || fputc('\n', file) == EOF)
    cannot_write(option, path);
  close_output(option, file, path);
  json_decref(json);
}

static void write_junit(const struct run_options *options, const struct findings *findings,
                        const struct run_facts *facts, pid_t process) {
  char *path;
  FILE *out = open_output("junit", options->junit, process, options->program[0], &path);
  format_junit(out, findings, facts);
  close_output("junit", out, path);
}

static void write_timeline(const struct run_options *options, const struct served *served, pid_t process) {
  char *path;
  if (!served->timeline) {
    fprintf(stderr, "vhopper: --timeline: no kernel %s, so there is no picture\n",
            served->launches ? "did anything that takes time" : "ran");
    return;
  }
  FILE *out = open_output("timeline", options->timeline, process, options->program[0], &path);
  timing_write_timeline(out, served->timeline, path);
  close_output("timeline", out, path);
}

// A file that accepts what was found, in whatever folder the project is checked out.
static void write_suppressions(const struct run_options *options, const struct findings *findings,
                               pid_t process) {
  char *path, day[32] = "", reason[64];
  const time_t now = time(NULL);
  FILE *out =
      open_output("write-suppressions", options->write_suppressions, process, options->program[0], &path);
  strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
  snprintf(reason, sizeof reason, "found on %s, not looked at yet", day);
  for (size_t i = 0; i < findings->count; i++) {
    const struct fault *fault = findings->all[i].fault;
    size_t root;
    const char *file = place_in_repository(fault->place.file ? fault->place.file : "", &root);
    if (!findings->all[i].accepted) suppression_write(out, fault, file, reason);
  }
  close_output("write-suppressions", out, path);
}

// ---- text -------------------------------------------------------------------------------------------------

// Of the program's own text.
static void complain_of(FILE *out, const char *what, const char *text) {
  fprintf(out, "vhopper: %s: ", what);
  printable_print(out, text);
  fputc('\n', out);
}

static void print_unsupported(FILE *out, const struct unsupported *one) {
  char *text = NULL;
  size_t size;
  FILE *line = open_memstream(&text, &size);
  if (!line) return;
  fputs(one->what, line);
  if (one->kernel[0]) fprintf(line, " (kernel %s)", one->kernel);
  if (one->place.file && one->place.file[0]) fprintf(line, " at %s:%u", one->place.file, one->place.line);
  if (one->place.instruction && one->place.instruction[0])
    fprintf(line, "\n         PTX line %u: %s", one->place.ptx_line, one->place.instruction);
  fclose(line);
  complain_of(out, "not supported", text);
  free(text);
}

// The program never used a device. Explains why, if it can't.
static bool explain_absence(FILE *out, const struct run_options *options, const struct served *served) {
  char path[PATH_MAX];
  if (served->processes || !executable_find(options->program[0], path, sizeof path)) return false;
  const struct executable program = executable_inspect(path);
  if (program.needs_cuda && !served->libraries_loaded) {
    fprintf(out,
            "vhopper: %s loaded another CUDA library than the virtual Hopper's, so nothing was checked:\n"
            "         it needs a CUDA that is neither 12 nor 13, or it has set-user-ID\n",
            options->program[0]);
    return true;
  }
  if (!program.has_kernels || program.needs_cuda || served->libraries_loaded) return false;
  fprintf(
      out,
      "vhopper: %s has kernels, but the CUDA runtime is linked into it statically, where the virtual Hopper "
      "can't reach it:\n         build it with nvcc -cudart shared "
      "(CMake: CMAKE_CUDA_RUNTIME_LIBRARY=Shared)\n",
      options->program[0]);
  return true;
}

static void print_faults(FILE *out, const struct run_options *options, const struct findings *findings) {
  const struct fault_report *report = findings->report;
  const bool colour = out == stderr && fault_colours(STDERR_FILENO);
  uint64_t shown = 0;
  for (size_t i = 0; i < unsupported_count(report); i++)
    print_unsupported(out, unsupported_at(report, i));
  if (fault_unjudged_count(report))
    complain_of(out, "not judged", "what went wrong after that, because it may follow from it");
  for (size_t i = 0; i < findings->count; i++) {
    if (findings->all[i].accepted || (options->print_limit && shown == options->print_limit)) continue;
    if (shown++) fputc('\n', out);
    fault_print(out, findings->all[i].fault, NULL, colour);
  }
  const uint64_t all = findings->errors + findings->warnings;
  if (shown < all)
    fprintf(out, "vhopper: %" PRIu64 " more of them are not printed (--print-limit)\n", all - shown);
  if (fault_refusal(report)[0]) complain_of(out, "refused", fault_refusal(report));
  if (fault_time_limit(report)[0]) complain_of(out, "not judged", fault_time_limit(report));
}

static void advise_lines(FILE *out, const struct findings *findings) {
  for (size_t i = 0; i < findings->count; i++) {
    const struct fault_place *place = &findings->all[i].fault->place;
    if (findings->all[i].accepted || place->line || !place->instruction || !*place->instruction) continue;
    fputs("vhopper: the binary has no line numbers of its kernels: build it with nvcc -lineinfo\n", out);
    return;
  }
}

static void print_unused(FILE *out, const struct suppressions *suppressions) {
  for (size_t i = 0; i < suppressions->count; i++) {
    const struct suppression *one = &suppressions->all[i];
    if (!one->used)
      fprintf(out, "vhopper: %s:%u accepts nothing here (%s)\n", one->origin, one->number, one->reason);
  }
}

// What was not judged for lack of room is no verdict, and the reader should know.
static void print_outgrown(FILE *out, const struct fault_report *report) {
  for (size_t i = 0; i < observed_count(report); i++) {
    const struct observed *one = observed_at(report, i);
    char name[256];
    if (!one->launches_outgrown) continue;
    fault_demangle(one->kernel, name, sizeof name);
    fprintf(out,
            "vhopper: of %s, the order between blocks in global memory was not judged to the end: it touches "
            "too much.\n         Try less data, or fewer blocks.\n",
            name);
  }
}

static void print_count(FILE *out, const char *before, uint64_t count, const char *what, const char *many) {
  fprintf(out, "%s%" PRIu64 " %s%s", before, count, what, count == 1 ? "" : many);
}

static void print_summary(FILE *out, const struct served *served, const struct findings *findings,
                          double seconds) {
  if (served->launches) {
    print_count(out, "vhopper: ", observed_count(served->report), "kernel", "s");
    print_count(out, ", ", served->launches, "launch", "es");
  } else {
    fputs("vhopper: no kernel ran, so nothing was checked", out);
  }
  if (served->refused) fprintf(out, ", %" PRIu64 " refused", served->refused);
  if (served->launches || findings->count) {
    print_count(out, ": ", findings->errors, "fault", "s");
    print_count(out, ", ", findings->warnings, "warning", "s");
    if (findings->accepted) fprintf(out, ", %" PRIu64 " suppressed", findings->accepted);
  }
  fprintf(out, "; %.1f s\n", seconds);
}

// The report for a person.
static void print_report(const struct run_options *options, const struct served *served,
                         const struct findings *findings, struct outcome *outcome) {
  char *path = NULL;
  FILE *out = stderr;
  if (options->log_file)
    out = open_output("log-file", options->log_file, outcome->process, options->program[0], &path);
  const bool absent = explain_absence(out, options, served);
  print_faults(out, options, findings);
  advise_lines(out, findings);
  if (outcome->time_is_up)
    fprintf(out, "vhopper: not judged: the program was ended after %g seconds (--time-limit)\n",
            options->time_limit);
  const bool missed = options->require_kernel && !served->launches;
  outcome->unsupported = absent || missed || unsupported_count(served->report) > 0;
  outcome->unjudged = outcome->time_is_up || fault_time_limit(served->report)[0];
  if (!options->quiet) {
    if (findings->errors + findings->warnings) fputc('\n', out);
    print_outgrown(out, served->report);
    print_unused(out, &options->suppressions);
    if (options->device.chip) timing_print(out, served, options->device.chip);
    timing_explain(out, served);
    print_summary(out, served, findings, outcome->seconds);
  }
  if (options->log_file) close_output("log-file", out, path);
}

static int status_of(const struct run_options *options, int status, bool broken,
                     const struct outcome *outcome) {
  if (broken && options->error_status != NO_ERROR_STATUS) return options->error_status;
  if (outcome->unsupported) return STATUS_UNSUPPORTED;
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) return 128 + WTERMSIG(status);
  if (outcome->unjudged) return STATUS_NOT_JUDGED;
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  if (WEXITSTATUS(status)) return WEXITSTATUS(status);
  return broken ? STATUS_RULE : 0;
}

int report_run(struct run_options *options, const struct served *served, struct outcome *outcome) {
  callers_resolve(served->report);
  fault_read_sources(served->report, NULL);
  struct findings findings = findings_of(served->report, &options->suppressions);
  print_report(options, served, &findings, outcome);
  const struct run_facts facts = {options->program[0], served->status, outcome->seconds};
  const pid_t process = outcome->process;
  if (options->json) {
    json_t *json = findings_json(&findings, &options->suppressions);
    if (options->device.chip) json_object_set_new(json, "time", timing_json(served, options->device.chip));
    write_json(options, "json", options->json, json, process);
  }
  if (options->sarif) write_json(options, "sarif", options->sarif, format_sarif(&findings, &facts), process);
  if (options->junit) write_junit(options, &findings, &facts, process);
  if (options->timeline) write_timeline(options, served, process);
  if (options->write_suppressions) write_suppressions(options, &findings, process);
  const int status = status_of(options, served->status, findings.errors > 0, outcome);
  findings_free(&findings);
  return status;
}
