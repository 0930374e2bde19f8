// In: what a launch left in memory. Out: the case's verdict and its message. The idea: most runs are right
// to the last bit and need one comparison; of the others stray writes come before wrong values.
#include "referee/case-parts.h"
#include "referee/cases.h"
#include "referee/compare.h"
#include "referee/slices.h"
#include "referee/source-line.h"
#include "virtual-hopper/rules/fault.h"

#include <stdlib.h>

static void print_case(FILE *out, const struct case_run *run, struct case_result *result) {
  result->names_case = true;
  char sizes[160];
  exercise_describe_sizes(&run->instance, sizes, sizeof sizes);
  if (run->hidden) {
    fprintf(out, "a hidden case: %s\n\n", sizes);
  } else {
    fprintf(out, "case \"%s\": %s\n\n", run->instance.the_case.name, sizes);
  }
}

// Reads a buffer. True if that failed: the program has freed it (the student's mistake), or the device failed
// (ours).
static bool read_back(struct session *session, const struct device_buffer *buffer, void *memory,
                      struct case_result *result) {
  int status = device_read(session->device, buffer, memory);
  if (status == 0) return false;
  if (status == DEVICE_GONE) {
    case_set(result, CASE_WRONG, "frees memory that is not its own");
  } else {
    case_set(result, CASE_ERROR, "could not be judged");
  }
  result->runner_usable = false;
  case_explain(session, result, device_error(session->device));
  return true;
}

static void stray(struct case_run *run, struct session *session, struct case_result *result,
                  const char *headline, const char *where, const char *advice) {
  size_t size;
  case_set(result, CASE_WRONG, "%s", headline);
  result->line = source_line_of_word(session->task, "shared_to_global(");
  if (!result->line) result->line = source_line_of_step(session->task, session->task->config->result_step);
  FILE *out = case_open_detail(result, &size);
  if (!out) return;
  print_case(out, run, result);
  fprintf(out, "%s\n%s\n", where, advice);
  case_add_output(out, session);
  fclose(out);
}

static bool judge_guards(struct case_run *run, struct session *session, struct case_result *result) {
  bool intact = false;
  char where[240] = "";
  if (device_check_guards(session->device, &intact, where, sizeof where) != 0) {
    case_set(result, CASE_ERROR, "could not be judged");
    case_explain(session, result, device_error(session->device));
    return true;
  }
  if (intact) return false;
  stray(run, session, result, "writes out of bounds", where,
        "That memory is not part of the array. How long is the last tile?");
  return true;
}

static bool judge_untouched(struct case_run *run, struct session *session, struct case_result *result) {
  const struct exercise_instance *instance = &run->instance;
  char where[160], text[260];
  if (!instance->in_place) {
    if (read_back(session, &run->buffers[0], run->got, result)) return true;
    size_t changed = compare_unchanged(&instance->input, run->input, run->got, true, where, sizeof where);
    if (changed > 0) {
      snprintf(text, sizeof text, "%zu bytes of the input have changed, first in %s.", changed, where);
      stray(run, session, result, "changes its input", text,
            "Have source and destination of the store changed places? "
            "With a tensor map: was it made for the output?");
      return true;
    }
  }
  const struct device_buffer *output = &run->buffers[run->buffer_count - 1];
  if (read_back(session, output, run->got, result)) return true;
  size_t changed = compare_unchanged(&instance->output, run->expected, run->got, false, where, sizeof where);
  if (changed == 0) return false;
  snprintf(text, sizeof text, "%zu bytes between the rows have changed, first in %s.", changed, where);
  stray(run, session, result, "writes between the rows", text,
        "A row ends at the next multiple of 16 bytes; the rest up to pitch_bytes is not part of the matrix.");
  return true;
}

static bool slices_are_as_expected(const struct case_run *run, struct session *session) {
  const struct device_buffer *input = &run->buffers[0], *output = &run->buffers[run->buffer_count - 1];
  const bool in_place = run->instance.in_place;
  const void *before = in_place ? NULL : device_memory(session->device, input),
             *after = device_memory(session->device, output);
  return (in_place || before) && after && slices_are_right(&run->instance, before, after);
}

// Most runs are right to the last bit, between the rows as well, or as near as asked: then nothing has to be
// kept.
static bool is_as_expected(const struct case_run *run, struct session *session) {
  const struct device_buffer *output = &run->buffers[run->buffer_count - 1];
  if (!run->input) return slices_are_as_expected(run, session);
  if (!run->instance.in_place && !device_holds(session->device, &run->buffers[0], run->input)) return false;
  if (device_holds(session->device, output, run->expected)) return true;
  const void *got = session->kind == DEVICE_VIRTUAL ? device_memory(session->device, output) : NULL;
  return got && compare_is_near(&run->instance, run->expected, got);
}

// Only the virtual Hopper knows which kernels have run.
static bool no_kernel_ran(const struct session *session) {
  const struct fault_report *report = device_report(session->device);
  return report && observed_count(report) == 0;
}

static void judge_values(struct case_run *run, struct session *session, struct case_result *result) {
  struct comparison comparison;
  compare_output(&run->instance, run->input, run->expected, run->got, &comparison);
  if (comparison.wrong == 0) {
    result->verdict = CASE_RIGHT;
    return;
  }
  size_t size;
  const bool absent = no_kernel_ran(session);
  result->no_kernel = absent;
  result->nothing_right = comparison.wrong == comparison.total;
  if (!absent)
    result->silence = comparison.total == 1         ? 3
                      : comparison.pattern.step     ? 0
                      : comparison.pattern.explains ? 1
                                                    : 2;
  case_set(result, CASE_WRONG, "%s", absent ? "starts no kernel" : CASE_WRONG_VALUES);
  result->line = absent ? source_line_of_launcher(session->task)
                        : source_line_of_step(session->task, comparison.pattern.step
                                                                 ? comparison.pattern.step
                                                                 : session->task->config->result_step);
  result->is_guess = !absent && !comparison.pattern.step;
  FILE *out = case_open_detail(result, &size);
  if (!out) return;
  print_case(out, run, result);
  if (absent)
    fputs("The launcher returned cudaSuccess, and no kernel has run: does it come to a launch,\n"
          "kernel<<<blocks, threads, bytes, stream>>>(..)?\n\n",
          out);
  fprintf(out, "first wrong element    %s\n", comparison.element);
  fprintf(out, "              expected    %s\n", comparison.expected);
  fprintf(out, "                   got    %s\n", comparison.got);
  fprintf(out, "wrong elements         %zu of %zu\n", comparison.wrong, comparison.total);
  if (comparison.pattern.text[0]) fprintf(out, "\n%s\n", comparison.pattern.text);
  if (comparison.pattern.picture[0]) fprintf(out, "\n%s", comparison.pattern.picture);
  case_add_output(out, session);
  fclose(out);
}

void case_judge_values(struct case_run *run, struct session *session, struct case_result *result) {
  if (judge_guards(run, session, result)) return;
  if (is_as_expected(run, session)) {
    result->verdict = CASE_RIGHT;
    return;
  }
  if (!case_need_arrays(run)) {
    case_set(result, CASE_ERROR, "could not be judged: out of memory");
    return;
  }
  if (!judge_untouched(run, session, result)) judge_values(run, session, result);
}
