// In: findings. Out: SARIF 2.1.0. One idea: what another program shows beside the code is the two lines and
// what each does; the fingerprint is made of rule, kernel and the lines' text, so a finding is recognised
// after edits elsewhere.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/command/formats.h"
#include "virtual-hopper/command/options.h"
#include "virtual-hopper/command/place.h"
#include "virtual-hopper/rules/rules.h"

static json_t *text_of(const char *text) {
  char *shown = printable_copy(text);
  json_t *value = json_string(shown ? shown : "");
  free(shown);
  return value;
}

static json_t *message_of(const char *text) {
  return json_pack("{s:o}", "text", text_of(text));
}

// RFC 3986: what may not stand in a path is escaped.
static json_t *uri_of(const char *before, const char *path, size_t length, const char *after) {
  static const char plain[] = "-._~/!$&'()*+,;=:@";
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return json_string("");
  fputs(before, out);
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)path[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    fprintf(out, letter || (c && strchr(plain, c)) ? "%c" : "%%%02X", c);
  }
  fputs(after, out);
  fclose(out);
  json_t *value = json_string(text);
  free(text);
  return value;
}

// ---- places -----------------------------------------------------------------------------------------------

// base: receives the repository's folder, once.
static json_t *location_of(const struct fault_place *place, const char *kernel, const char *message,
                           json_t *bases) {
  json_t *location = json_object();
  if (place->file && *place->file && place->line) {
    size_t root;
    const char *path = place_in_repository(place->file, &root);
    json_t *artifact =
        json_pack("{s:o}", "uri", uri_of(*path == '/' ? "file://" : "", path, strlen(path), ""));
    if (root) {
      json_object_set_new(artifact, "uriBaseId", json_string("SRCROOT"));
      if (!json_object_get(bases, "SRCROOT"))
        json_object_set_new(bases, "SRCROOT",
                            json_pack("{s:o}", "uri", uri_of("file://", place->file, root, "/")));
    }
    json_object_set_new(
        location, "physicalLocation",
        json_pack("{s:o,s:{s:i}}", "artifactLocation", artifact, "region", "startLine", (int)place->line));
  }
  if (kernel && *kernel)
    json_object_set_new(location, "logicalLocations",
                        json_pack("[{s:o,s:s}]", "name", text_of(kernel), "kind", "function"));
  if (message && *message) json_object_set_new(location, "message", message_of(message));
  return location;
}

// ---- results ----------------------------------------------------------------------------------------------

static uint64_t hash_text(uint64_t hash, const char *text) {
  for (; *text; text++)
    hash = (hash ^ (uint8_t)*text) * 0x00000100000001b3ull;
  return hash * 31;
}

static void fingerprint(const struct fault *fault, char text[17]) {
  char line[FAULT_LINE_BYTES];
  uint64_t hash = hash_text(0xcbf29ce484222325ull, rule_name(fault->rule));
  hash = hash_text(hash, fault->kernel);
  fault_source_line(fault->place.file, fault->place.line, line);
  hash = hash_text(hash, line);
  for (uint32_t i = 0; i < fault->related_count; i++) {
    fault_source_line(fault->related[i].place.file, fault->related[i].place.line, line);
    hash = hash_text(hash, line);
  }
  snprintf(text, 17, "%016" PRIx64, hash);
}

static json_t *message_in_full(const struct fault *fault) {
  const struct rule *rule = rule_of(fault->rule);
  char *text = NULL;
  if (asprintf(&text, "%s: %s %s", rule->title, fault->message,
               *fault->remedy ? fault->remedy : rule->remedy) < 0)
    return message_of(rule->title);
  json_t *message = message_of(text);
  free(text);
  return message;
}

static json_t *result_of(const struct finding *finding, json_t *bases) {
  const struct fault *fault = finding->fault;
  char print[17];
  fingerprint(fault, print);
  json_t *related = json_array();
  for (uint32_t i = 0; i < fault->related_count; i++)
    json_array_append_new(related, location_of(&fault->related[i].place, "", fault->related[i].role, bases));
  json_t *result =
      json_pack("{s:s,s:s,s:o,s:[o],s:o,s:{s:s}}", "ruleId", rule_name(fault->rule), "level",
                fault->severity == FAULT_WARNING ? "warning" : "error", "message", message_in_full(fault),
                "locations", location_of(&fault->place, fault->kernel, fault->role, bases),
                "relatedLocations", related, "partialFingerprints", "vhopper/v1", print);
  if (fault->count) json_object_set_new(result, "occurrenceCount", json_integer((json_int_t)fault->count));
  if (finding->accepted)
    json_object_set_new(
        result, "suppressions",
        json_pack("[{s:s,s:o}]", "kind", "external", "justification", text_of(finding->accepted->reason)));
  return result;
}

static json_t *rules_used(const struct findings *findings) {
  json_t *rules = json_array();
  for (unsigned id = RULE_NONE + 1; id < RULE_COUNT; id++) {
    bool used = false;
    for (size_t i = 0; i < findings->count && !used; i++)
      used = findings->all[i].fault->rule == (enum rule_id)id;
    if (used)
      json_array_append_new(rules,
                            json_pack("{s:s,s:{s:s},s:{s:s}}", "id", rule_name(id), "shortDescription",
                                      "text", rule_of(id)->title, "help", "text", rule_of(id)->remedy));
  }
  return rules;
}

// ---- the run ----------------------------------------------------------------------------------------------

static json_t *notes_of(const struct fault_report *report) {
  json_t *notes = json_array();
  for (size_t i = 0; i < unsupported_count(report); i++)
    json_array_append_new(notes, json_pack("{s:s,s:o}", "level", "error", "message",
                                           message_of(unsupported_at(report, i)->what)));
  if (fault_time_limit(report)[0])
    json_array_append_new(
        notes, json_pack("{s:s,s:o}", "level", "error", "message", message_of(fault_time_limit(report))));
  return notes;
}

json_t *format_sarif(const struct findings *findings, const struct run_facts *facts) {
  json_t *bases = json_object(), *results = json_array(), *notes = notes_of(findings->report);
  for (size_t i = 0; i < findings->count; i++)
    json_array_append_new(results, result_of(&findings->all[i], bases));
  json_t *invocation = json_pack("{s:b,s:o}", "executionSuccessful", json_array_size(notes) == 0,
                                 "commandLine", text_of(facts->program));
  if (WIFEXITED(facts->program_status))
    json_object_set_new(invocation, "exitCode", json_integer(WEXITSTATUS(facts->program_status)));
  json_object_set_new(invocation, "toolExecutionNotifications", notes);
  json_t *run = json_pack("{s:{s:{s:s,s:s,s:o}},s:[o],s:o}", "tool", "driver", "name", "vhopper", "version",
                          VHOPPER_VERSION, "rules", rules_used(findings), "invocations", invocation,
                          "results", results);
  if (json_object_size(bases)) json_object_set(run, "originalUriBaseIds", bases);
  json_decref(bases);
  return json_pack("{s:s,s:s,s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version",
                   "2.1.0", "runs", run);
}
