// In: findings. Out: JUnit's XML: one suite, named after the program, with a case for each kernel that ran,
// and one for the program where something was not supported or not judged.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/command/formats.h"
#include "virtual-hopper/rules/rules.h"

static void print_escaped(FILE *out, const char *given) {
  char *text = printable_copy(given);
  for (const char *at = text; at && *at; at++) {
    switch (*at) {
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '&': fputs("&amp;", out); break;
    case '"': fputs("&quot;", out); break;
    default: fputc(*at, out);
    }
  }
  free(text);
}

static void print_attribute(FILE *out, const char *name, const char *value) {
  fprintf(out, " %s=\"", name);
  print_escaped(out, value);
  fputc('"', out);
}

static void begin_case(FILE *out, const char *suite, const char *name) {
  fputs("    <testcase", out);
  print_attribute(out, "classname", suite);
  print_attribute(out, "name", name);
  fputs(" time=\"0\">\n", out);
}

// All faults of a kernel stand in one failure, because readers take one for each case.
static uint64_t print_failures(FILE *out, const struct findings *findings, const char *kernel) {
  uint64_t failures = 0;
  for (size_t i = 0; i < findings->count; i++) {
    const struct fault *fault = findings->all[i].fault;
    if (findings->all[i].accepted || fault->severity == FAULT_WARNING || strcmp(fault->kernel, kernel) != 0)
      continue;
    if (!failures++) {
      fputs("      <failure", out);
      print_attribute(out, "message", rule_of(fault->rule)->title);
      print_attribute(out, "type", rule_name(fault->rule));
      fputs(">", out);
    }
    char *text = NULL;
    size_t size;
    FILE *printed = open_memstream(&text, &size);
    if (!printed) continue;
    fault_print(printed, fault, NULL, false);
    fclose(printed);
    print_escaped(out, text);
    free(text);
  }
  if (failures) fputs("</failure>\n", out);
  return failures;
}

// Names of the kernels that ran, and of those in faults, once each. Returns how many.
static size_t list_kernels(const struct findings *findings, char (**names)[256]) {
  const struct fault_report *report = findings->report;
  size_t count = 0;
  *names = calloc(observed_count(report) + findings->count + 1, sizeof **names);
  for (size_t i = 0; *names && i < observed_count(report) + findings->count; i++) {
    char name[256];
    const bool observed = i < observed_count(report);
    if (observed)
      fault_demangle(observed_at(report, i)->kernel, name, sizeof name);
    else
      snprintf(name, sizeof name, "%s", findings->all[i - observed_count(report)].fault->kernel);
    size_t at = 0;
    while (at < count && strcmp((*names)[at], name) != 0)
      at++;
    if (at == count) memcpy((*names)[count++], name, sizeof name);
  }
  return *names ? count : 0;
}

static void print_error(FILE *out, const char *suite, const char *what, const char *text) {
  begin_case(out, suite, suite);
  fputs("      <error", out);
  print_attribute(out, "message", text);
  print_attribute(out, "type", what);
  fputs("/>\n    </testcase>\n", out);
}

void format_junit(FILE *out, const struct findings *findings, const struct run_facts *facts) {
  const struct fault_report *report = findings->report;
  const char *slash = strrchr(facts->program, '/'), *suite = slash ? slash + 1 : facts->program;
  const bool unsupported = unsupported_count(report) > 0, unjudged = fault_time_limit(report)[0];
  char(*names)[256], *cases = NULL;
  size_t size, failed = 0;
  const size_t count = list_kernels(findings, &names);
  FILE *body = open_memstream(&cases, &size);
  if (!body) return;
  for (size_t i = 0; i < count; i++) {
    begin_case(body, suite, names[i][0] ? names[i] : "host code");
    failed += print_failures(body, findings, names[i]) > 0;
    fputs("    </testcase>\n", body);
  }
  if (unsupported)
    print_error(body, suite, "unsupported", unsupported_at(report, 0)->what);
  else if (unjudged)
    print_error(body, suite, "not-judged", fault_time_limit(report));
  const int errors = unsupported || unjudged;
  fclose(body);
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
  print_attribute(out, "name", suite);
  fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"0\"", count + (size_t)errors, failed,
          errors);
  fprintf(out, " time=\"%.3f\">\n%s  </testsuite>\n</testsuites>\n", facts->seconds, cases);
  free(cases);
  free(names);
}
