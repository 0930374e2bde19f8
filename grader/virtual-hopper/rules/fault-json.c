// The report as JSON: {"faults":[...],"unsupported":[...],"observed":{...}}, the format of `vhopper run
// --json` and of the grader (docs/reference/json.md). In: a report. Out: jansson values. Text that a stranger
// chose (a file name, a kernel's name) is shown as printable.h does.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/rules.h"

static json_t *json_text(const char *text) {
  char *shown = printable_copy(text);
  json_t *value = json_string(shown ? shown : "");
  free(shown);
  return value;
}

static json_t *json_triple(const uint32_t v[3]) {
  return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static void add_place(json_t *object, const struct fault_place *place) {
  json_object_set_new(object, "file", json_text(place->file));
  json_object_set_new(object, "line", json_integer(place->line));
  json_object_set_new(object, "block", place->has_thread ? json_triple(place->block) : json_null());
  json_object_set_new(object, "thread", place->has_thread ? json_triple(place->thread) : json_null());
  json_object_set_new(object, "instruction", json_text(place->instruction));
  json_object_set_new(object, "ptx_line", json_integer(place->ptx_line));
  json_t *frames = json_array();
  for (uint32_t i = 0; i < place->inlined_count; i++) {
    json_t *frame = json_object();
    json_object_set_new(frame, "file", json_text(place->inlined[i].file));
    json_object_set_new(frame, "line", json_integer(place->inlined[i].line));
    json_array_append_new(frames, frame);
  }
  json_object_set_new(object, "frames", frames);
}

// Who asked for the launch, or for what failed.
static void add_launch(json_t *object, const struct fault *fault) {
  json_t *host = json_array();
  for (uint32_t i = 0; i < fault->host_count; i++) {
    json_t *frame = json_object();
    json_object_set_new(frame, "function", json_text(fault->host[i].function));
    json_object_set_new(frame, "file", json_text(fault->host[i].file));
    json_object_set_new(frame, "line", json_integer(fault->host[i].line));
    json_array_append_new(host, frame);
  }
  json_object_set_new(object, "host", host);
  json_object_set_new(object, "launch", json_integer((json_int_t)fault->launch));
  json_object_set_new(object, "launches", json_integer((json_int_t)fault->launch_count));
  json_object_set_new(object, "symbol", json_text(fault->symbol ? fault->symbol : ""));
  json_object_set_new(object, "signature", json_text(fault->signature ? fault->signature : fault->kernel));
}

static json_t *fault_json(const struct fault *fault) {
  static const char *const severities[] = {"warning", "error", "fatal"};
  const struct rule *rule = rule_of(fault->rule);
  json_t *object = json_object();
  json_object_set_new(object, "rule", json_text(rule->name));
  json_object_set_new(object, "title", json_text(rule->title));
  json_object_set_new(object, "severity", json_text(severities[fault->severity]));
  json_object_set_new(object, "message", json_text(fault->message));
  json_object_set_new(object, "role", json_text(fault->role));
  json_object_set_new(object, "remedy", json_text(*fault->remedy ? fault->remedy : rule->remedy));
  json_object_set_new(object, "kernel", json_text(fault->kernel));
  add_launch(object, fault);
  add_place(object, &fault->place);
  json_t *related = json_array();
  for (uint32_t i = 0; i < fault->related_count; i++) {
    json_t *one = json_object();
    json_object_set_new(one, "role", json_text(fault->related[i].role));
    add_place(one, &fault->related[i].place);
    json_array_append_new(related, one);
  }
  json_object_set_new(object, "related", related);
  json_object_set_new(object, "edit", json_integer(fault->edit));
  if (fault->edit_is_guess) json_object_set_new(object, "guess", json_true());
  if (fault->missing[0]) {
    json_object_set_new(object, "missing", json_text(fault->missing));
    json_object_set_new(object, "again", json_boolean(fault->missing_again));
  }
  json_t *also = json_array();
  for (uint32_t i = 0; i < fault->also_count; i++)
    json_array_append_new(also, json_integer(fault->also[i]));
  json_object_set_new(object, "also", also);
  json_object_set_new(object, "count", json_integer((json_int_t)fault->count));
  json_object_set_new(object, "blocks", json_integer((json_int_t)fault->block_count));
  json_object_set_new(object, "device_error", json_integer(fault->device_error));
  return object;
}

json_t *fault_report_json(const struct fault_report *report) {
  json_t *faults = json_array(), *unsupported = json_array(), *observed = json_object();
  for (size_t i = 0; i < fault_count(report); i++)
    json_array_append_new(faults, fault_json(fault_at(report, i)));
  for (size_t i = 0; i < unsupported_count(report); i++) {
    const struct unsupported *u = unsupported_at(report, i);
    json_t *one = json_object();
    json_object_set_new(one, "what", json_text(u->what));
    json_object_set_new(one, "kernel", json_text(u->kernel));
    add_place(one, &u->place);
    json_array_append_new(unsupported, one);
  }
  for (size_t i = 0; i < observed_count(report); i++) {
    const struct observed *o = observed_at(report, i);
    char *kernel = printable_copy(o->kernel);
    if (kernel) json_object_set_new(observed, kernel, observed_json(o));
    free(kernel);
  }
  json_t *all =
      json_pack("{s:o,s:o,s:o}", "faults", faults, "unsupported", unsupported, "observed", observed);
  if (fault_time_limit(report)[0])
    json_object_set_new(all, "time_limit", json_text(fault_time_limit(report)));
  return all;
}
