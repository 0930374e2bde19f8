// In: how a launch ended, and the device. Out: the case's verdict and its message. The idea: checks go from
// cause to consequence, and the first that finds something decides: our own failure, broken rules, the
// program's end, CUDA errors; then memory and values (case-values.c).
#include "referee/case-parts.h"
#include "referee/cases.h"
#include "referee/diagnostics.h"
#include "referee/remarks.h"
#include "referee/source-line.h"
#include "virtual-hopper/base/cuda-errors.h"
#include "virtual-hopper/rules/fault.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_LINES = 8, OUTPUT_COLUMNS = 240 };

void case_set(struct case_result *result, enum case_verdict verdict, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(result->headline, sizeof result->headline, format, list);
  va_end(list);
  result->verdict = verdict;
}

FILE *case_open_detail(struct case_result *result, size_t *size) {
  free(result->detail);
  result->detail = NULL;
  return open_memstream(&result->detail, size);
}

// ---- what the program printed ----

char *case_printed(const struct session *session) {
  const char *printed = session_output(session);
  return printed[0] ? diagnostics_excerpt(printed, OUTPUT_LINES, OUTPUT_COLUMNS) : NULL;
}

void case_add_output(FILE *out, const struct session *session) {
  char *printed = case_printed(session);
  if (printed) fprintf(out, "\nIt printed:\n%s", printed);
  free(printed);
}

// ---- what the virtual device has found ----

// The folder of the submission's files that the compiler has read.
static const char *source_folder(const struct task *task, char folder[PATH_MAX]) {
  snprintf(folder, PATH_MAX, "%.*s/source", PATH_MAX - 16, task->scratch);
  return folder;
}

// Prints a fault as fault_print does, without its indentation, and without the line "More about it: ..",
// since the report has its own.
static void print_fault(FILE *out, const struct fault *fault, const struct fault_sources *sources) {
  char *text = NULL;
  size_t size;
  bool blank = false; // whether blank lines precede: they become one, and none at the end
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return;
  fault_print(stream, fault, sources, false);
  fclose(stream);
  if (text) kit_strip_prefix(text, sources->built);
  for (const char *line = text; line && *line;) {
    size_t length = strcspn(line, "\n"), indent = strspn(line, " ");
    const char *shown = line + (indent > 2 ? 2 : indent);
    if (strncmp(shown, "More about it:", 14) == 0) break;
    if (indent == length) {
      blank = true;
    } else {
      if (blank) fputc('\n', out);
      blank = false;
      fprintf(out, "%.*s\n", (int)(line + length - shown), shown);
    }
    line += length + (line[length] == '\n');
  }
  free(text);
}

static const struct fault *first_fault(const struct fault_report *report, size_t *count) {
  const struct fault *first = NULL;
  *count = 0;
  for (size_t i = 0; i < fault_count(report); i++) {
    const struct fault *fault = fault_at(report, i);
    if (fault->severity == FAULT_WARNING) continue;
    if (!first) first = fault;
    ++*count;
  }
  return first;
}

static bool has_fatal(const struct fault_report *report) {
  bool fatal = false;
  for (size_t i = 0; i < fault_count(report) && !fatal; i++)
    fatal = fault_at(report, i)->severity == FAULT_FATAL;
  return fatal;
}

// True if the report decides the case.
static bool judge_report(struct session *session, struct case_result *result) {
  struct fault_report *report = device_report(session->device);
  if (!report) return false;
  size_t size;
  if (unsupported_count(report) > 0) {
    const struct unsupported *unsupported = unsupported_at(report, 0);
    case_set(result, CASE_ERROR, "uses something that the virtual Hopper cannot do");
    FILE *out = case_open_detail(result, &size);
    if (!out) return true;
    fprintf(out, "%s\n", unsupported->what);
    if (unsupported->place.line) fprintf(out, "  %s:%u\n", unsupported->place.file, unsupported->place.line);
    fclose(out);
    kit_strip_prefix(result->detail, session->task->built_in);
    return true;
  }
  if (fault_time_limit(report)[0]) {
    case_set(result, CASE_ERROR, "was not judged: this machine is too busy");
    FILE *out = case_open_detail(result, &size);
    if (!out) return true;
    fprintf(out, "%s\n", fault_time_limit(report));
    fclose(out);
    return true;
  }
  const struct fault *fault = first_fault(report, &result->fault_count);
  if (!fault) return false;
  char folder[PATH_MAX];
  source_folder(session->task, folder);
  const struct fault_sources sources = {
      .named = grading_called(session->task->grading), .built = session->task->built_in, .folder = folder};
  fault_read_sources(report, &sources);
  case_set(result, CASE_WRONG, "breaks the rule %s", rule_name(fault->rule));
  result->only_error = false;
  snprintf(result->rule, sizeof result->rule, "%s", rule_name(fault->rule));
  // All later calls of this process return the error, although their cases need not be the reason: a program
  // that has put its own functions in the place of CUDA's may have kept the runner from hearing of it.
  if (has_fatal(report)) result->runner_usable = false;
  json_t *all = fault_report_json(report);
  result->faults = kit_strip_prefix_json(json_object_get(all, "faults"), session->task->built_in);
  json_decref(all);
  FILE *out = case_open_detail(result, &size);
  if (!out) return true;
  print_fault(out, fault, &sources);
  if (result->fault_count > 1)
    fprintf(out, "%zu more broken rule%s after it; mend this one first.\n", result->fault_count - 1,
            result->fault_count > 2 ? "s" : "");
  case_add_output(out, session);
  fclose(out);
  return true;
}

// ---- how the program ended ----

void case_explain(struct session *session, struct case_result *result, const char *text) {
  size_t size;
  FILE *out = case_open_detail(result, &size);
  if (!out) return;
  fprintf(out, "%s\n", text);
  case_add_output(out, session);
  fclose(out);
}

// Looks for the message of tensor-map.h on stderr: "FILE:LINE: tensor map: ARGUMENT = VALUE: must be ..".
// True if that is why the launcher returned an error.
static bool judge_map_error(struct session *session, const struct runner_reply *reply,
                            struct case_result *result) {
  const char *output = session_output(session), *said = strstr(output, "tensor map: ");
  if (!said) return false;
  while (said > output && said[-1] != '\n')
    said--;
  size_t length = strcspn(said, "\n"), size;
  char *line = diagnostics_excerpt(said, 1, 480);
  if (!line) return false;
  kit_strip_prefix(line, session->task->built_in);
  kit_strip_prefix(line, session->task->grading->directory);
  case_set(result, CASE_WRONG, "encodes a tensor map that is not allowed");
  result->line = source_line_of_word(session->task, "tensor_map_encode");
  if (!result->line) result->line = source_line_of_word(session->task, "encode_"); // of the lab's header
  FILE *out = case_open_detail(result, &size);
  if (out) {
    fprintf(out,
            "%s\nThe launcher returned its error, %s.\n"
            "All rules for maps: make explain RULE=bad-tensor-map-argument\n",
            line, reply->text);
    if (said > output || said[length + (said[length] == '\n')]) case_add_output(out, session);
    fclose(out);
  }
  free(line);
  return true;
}

static void judge_cuda_error(struct session *session, const struct runner_reply *reply,
                             struct case_result *result) {
  bool launching = reply->stage != RUNNER_SYNCHRONISED;
  result->comes_back = reply->error != ERROR_LAUNCH_TIMEOUT;
  if (launching && judge_map_error(session, reply, result)) return;
  case_set(result, CASE_WRONG, launching ? "returns a CUDA error" : "ends with a CUDA error");
  result->only_error = true;
  const struct fault_report *report = device_report(session->device);
  const char *refusal = report ? fault_refusal(report) : "";
  const struct task *task = session->task;
  static const char setter[] = "cudaFuncSetAttribute"; // a refusal of this call begins with its name
  if (refusal[0])
    result->line = source_line_of_word(task, strncmp(refusal, setter, strlen(setter)) == 0 ? setter : "<<<");
  if (!launching) result->line = source_line_of_word(task, "__global__");
  if (!result->line) result->line = source_line_of_launcher(task);
  char text[RUNNER_TEXT + 640];
  snprintf(text, sizeof text, "%s\n%s%s%s", reply->text, refusal, refusal[0] ? "\n" : "",
           launching
               ? "The launcher itself returned it, so it comes from one of its calls or launches."
               : "It was reported when the grader waited for the kernel, so it happened on the device.");
  case_explain(session, result, text);
}

static void judge_deadline(struct session *session, struct case_result *result, char *text, size_t size) {
  const struct grading *grading = session->task->grading;
  case_set(result, CASE_WRONG, CASE_NO_RETURN);
  if (session->kind == DEVICE_GPU) {
    snprintf(
        text, size,
        "Launcher and kernel took more than %g s and were stopped. Either the launcher loops, or the\n"
        "kernel waits for something that never happens: a barrier whose bytes or arrivals don't add up, say.",
        grading->host_deadline + grading->launch_deadline);
  } else {
    snprintf(text, size,
             "The launcher spent more than %g s on the host and was stopped. It has to start the kernel and\n"
             "return, without waiting.",
             grading->host_deadline);
  }
}

// What a program has tried by a forbidden system call or path, in an instructor's words. The first row that
// fits counts.
static const struct forbidden_act {
  const char *path;                      // how the path begins; NULL: it isn't a path
  const char *calls;                     // names of system calls between blanks; NULL: any call
  const char *headline, *before, *after; // before and after: the text around its name
} forbidden_acts[] = {
#define HIDDEN    "asked for ", ", which the sandbox hides"
#define FORBIDDEN "called ", "(), which the sandbox forbids"
    {"/proc/", NULL, "tries to look into another process", HIDDEN},
    {"/", NULL, "looks for the hidden cases or the solutions", HIDDEN},
    {NULL, " " SANDBOX_THREADS " ", "starts threads without end", "called ", "() thousands of times"},
    {NULL, " " SANDBOX_FILES " ", "makes files without end", "made ", " by the thousand"},
    {NULL, " clone fork vfork ", "tries to start another process", FORBIDDEN},
    {NULL, " execve execveat ", "tries to become another program", FORBIDDEN},
    {NULL, " socket socketpair bind connect ", "tries to use the network", FORBIDDEN},
    {NULL, " ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp ",
     "tries to look into another process", FORBIDDEN},
    {NULL,
     " mount umount2 pivot_root chroot move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr "
     "unshare setns open_by_handle_at name_to_handle_at mknod mknodat ",
     "tries to leave its sandbox", FORBIDDEN},
    {NULL, " memfd_create memfd_secret shmget msgget semget mq_open ",
     "tries to hold memory that no limit counts", FORBIDDEN},
    {NULL, " kill pidfd_send_signal ", "sends signals to processes", FORBIDDEN},
    {NULL, " seccomp prctl ", "tries to hide what it does", FORBIDDEN},
    {NULL, " settimeofday clock_settime adjtimex clock_adjtime ", "tries to set the machine's clock",
     FORBIDDEN},
    {NULL, NULL, "makes a system call that no launcher needs", FORBIDDEN},
#undef HIDDEN
#undef FORBIDDEN
};

static const struct forbidden_act *forbidden_act_of(const char *what) {
  char word[64];
  snprintf(word, sizeof word, " %.32s ", what);
  const struct forbidden_act *act = forbidden_acts;
  while (act->path ? strncmp(what, act->path, strlen(act->path)) != 0
                   : act->calls && !strstr(act->calls, word))
    act++;
  return act;
}

// The most likely reason why host code dies of this signal.
static const char *why_killed(int number) {
  switch (number) {
  case SIGXFSZ: return "It wrote a file larger than the grader allows; a launcher writes none.";
  case SIGXCPU: return "It used up its processor time: a launcher starts the kernel and returns.";
  case SIGABRT: return "It called abort(): an assertion, or an exception that nobody caught?";
  case SIGFPE: return "Does it divide by zero?";
  case SIGILL: return "It executed something that is no instruction: does a function end without its return?";
  case SIGKILL:
    return "It was killed, most likely because memory ran out; or it ended itself with that status.";
  default: return "Does the launcher touch device memory on the host?";
  }
}

static const char BEFORE_MAIN[] =
    "\nThat happened before main: in the constructor of a global object, for example.";

static void judge_forbidden(const char *what, struct case_result *result, char *text, size_t size) {
  const struct forbidden_act *act = forbidden_act_of(what);
  case_set(result, CASE_WRONG, "%s", act->headline);
  snprintf(text, size,
           "It %s%.150s%s, and was stopped there. A launcher makes CUDA calls and\n"
           "returns; it needs no other process, no network, and nothing of the machine around it.",
           act->before, what, act->after);
}

// It has been stopped because of what it takes of the machine, counted and not timed.
static void judge_costly(struct session *session, const struct run_result *launched,
                         struct case_result *result, char *text, size_t size) {
  if (launched->end == RUN_OVERDRAWN) {
    case_set(result, CASE_WRONG, "takes far too long");
    snprintf(text, size,
             "All its runs together took more than %g s of processor time, and the rest was not tried. The "
             "solution\ntakes a few seconds.",
             task_allowance(session->task));
    return;
  }
  case_set(result, CASE_WRONG, "asks too much of the device");
  snprintf(text, size,
           "It was stopped at %.200s: all its calls of one case together may not\n"
           "take that much of the device. A launcher makes some calls, and returns. Is there a loop without "
           "an end\naround a call, or a number of rows where bytes are meant?",
           launched->text);
  session_mark_output(session); // the CUDA library has said that all ends
}

// The program has ended, which isn't our failure: says how in `text` and the headline.
static void judge_gone(struct session *session, const struct run_result *launched, struct case_result *result,
                       char *text, size_t size) {
  static const char *const on_host[] = {" memset(", " memcpy("}; // which write memory of the host only
  result->line = source_line_of_launcher(session->task);
  switch (launched->end) {
  case RUN_EXITED:
    case_set(result, CASE_WRONG, "ends the program instead of returning");
    snprintf(
        text, size,
        "The process ended with status %d before the launcher %s. A launcher must return its CUDA error\n"
        "and leave the rest to its caller: no exit(), no abort().%s",
        launched->exit_code, launched->starting ? "was called" : "had returned",
        launched->starting ? BEFORE_MAIN : "");
    result->comes_back = true;
    break;
  case RUN_CRASHED:
    case_set(result, CASE_WRONG, "crashes on the host: %s", strsignal(launched->signal));
    snprintf(text, size, "The process died in host code, not in a kernel. %s%s", why_killed(launched->signal),
             launched->starting ? BEFORE_MAIN : "");
    result->comes_back = true;
    for (size_t i = 0; !launched->starting && i < sizeof on_host / sizeof *on_host; i++)
      if (source_line_of_word(session->task, on_host[i])) // the likely one
        result->line = source_line_of_word(session->task, on_host[i]);
    break;
  case RUN_DEADLINE:
    if (launched->starting) {
      case_set(result, CASE_WRONG, CASE_NO_RETURN);
      snprintf(text, size, "The program did not get as far as its launcher, and was stopped.%s", BEFORE_MAIN);
    } else {
      judge_deadline(session, result, text, size);
    }
    break;
  case RUN_SPENT:
  case RUN_OVERDRAWN: judge_costly(session, launched, result, text, size); break;
  case RUN_FLOODED:
    case_set(result, CASE_WRONG, "prints more than 1 MiB and was stopped");
    result->line = source_line_of_word(session->task, "printf");
    snprintf(text, size,
             "Is there a printf in a loop, or in every thread of a kernel? Thousands of threads print a line "
             "each.\nLet one thread print: if (blockIdx.x == 0 && threadIdx.x == 0) printf(..);");
    break;
  case RUN_UNSTARTED:
    case_set(result, CASE_WRONG, "keeps the GPU's driver from starting");
    snprintf(text, size, "%s", launched->text);
    break;
  case RUN_FORBIDDEN: judge_forbidden(launched->text, result, text, size); break;
  default:
    case_set(result, CASE_WRONG, "meddles with the grader's connection");
    snprintf(text, size, "%s", launched->text);
  }
}

// True if seconds, which protect the machine, have ended the run: then nothing is known about the program.
static bool judge_busy(struct session *session, const struct run_result *launched,
                       struct case_result *result) {
  const struct fault_report *report = session->device ? device_report(session->device) : NULL;
  const char *kernel = report ? fault_time_limit(report) : "";
  if (launched->end != RUN_TOO_BUSY && !kernel[0]) return false;
  *result = (struct case_result){.verdict = CASE_UNJUDGED};
  case_set(result, CASE_UNJUDGED, CASE_TOO_BUSY);
  char text[560];
  snprintf(
      text, sizeof text,
      "%.420s.\nIt has neither ended nor been seen to hang. Grade it again when the machine has less to do.",
      kernel[0]           ? kernel
      : launched->text[0] ? launched->text
                          : "The launcher has hardly been given any time of a processor");
  case_explain(session, result, text);
  return true;
}

bool case_judge_end(struct session *session, const struct run_result *launched, struct case_result *result) {
  char text[600];
  result->comes_back = result->runner_usable = false;
  if (launched->end == RUN_BROKEN) {
    case_set(result, CASE_ERROR, "could not be run");
    case_explain(session, result, launched->text);
  } else if (judge_busy(session, launched, result)) {
    return true;
  } else if (launched->end != RUN_ANSWERED) {
    judge_gone(session, launched, result, text, sizeof text);
    case_explain(session, result, text);
  } else {
    result->comes_back = result->runner_usable = true;
    if (launched->reply.error == 0) return false;
    result->runner_usable = false; // most CUDA errors stay with the process for ever
    judge_cuda_error(session, &launched->reply, result);
  }
  return true;
}

// What the device has said of the case can't be believed, so nothing is said of the program.
static void judge_broken_device(struct session *session, struct case_result *result) {
  case_result_free(result);
  *result = (struct case_result){.verdict = CASE_ERROR};
  case_set(result, CASE_ERROR, "could not be judged");
  case_explain(session, result, device_error(session->device));
}

void case_judge(struct case_run *run, struct session *session, const struct run_result *launched,
                struct case_result *result) {
  *result = (struct case_result){.verdict = CASE_ERROR};
  bool ended = case_judge_end(session, launched, result);
  remark_modules(session->task, device_report(session->device));
  if (launched->end != RUN_BROKEN && device_is_broken(session->device)) {
    judge_broken_device(session, result);
    return;
  }
  // A broken rule explains a failed launch better than its CUDA error does.
  bool by_report =
      launched->end != RUN_BROKEN && result->verdict != CASE_UNJUDGED && judge_report(session, result);
  if (ended || by_report) return;
  case_judge_values(run, session, result);
}

static void copy_result(struct case_result *copy, const struct case_result *result) {
  *copy = *result;
  copy->detail = result->detail ? strdup(result->detail) : NULL;
  json_incref(copy->faults);
}

bool case_judge_rules(struct session *session, const struct run_result *launched, struct case_result *rules) {
  *rules = (struct case_result){.verdict = CASE_RIGHT};
  const bool ended = case_judge_end(session, launched, rules);
  remark_modules(session->task, device_report(session->device));
  if (launched->end != RUN_BROKEN && device_is_broken(session->device)) {
    judge_broken_device(session, rules);
    return true;
  }
  const bool by_report =
      launched->end != RUN_BROKEN && rules->verdict != CASE_UNJUDGED && judge_report(session, rules);
  return ended || (by_report && rules->verdict == CASE_ERROR);
}

void case_judge_apart(struct case_run *run, struct session *session, const struct run_result *launched,
                      struct case_result *rules, struct case_result *values) {
  *values = (struct case_result){.verdict = CASE_ERROR, .comes_back = true, .runner_usable = true};
  if (case_judge_rules(session, launched, rules)) {
    copy_result(values, rules);
    return;
  }
  case_judge_values(run, session, values);
  // The runner has spoilt its buffers: a failed run, as well as wrong values.
  if (rules->verdict == CASE_RIGHT && !values->runner_usable) copy_result(rules, values);
}
