// The record as the JSON that --format json prints, and back.
#include "report/output-format.h"

#include <stdlib.h>
#include <string.h>

json_t *lab_record_json(const struct lab_record *lab) {
  struct score score = lab_score(lab);
  json_t *exercises = json_array();
  for (size_t i = 0; i < lab->exercise_count; i++)
    json_array_append_new(exercises, exercise_record_json(&lab->exercises[i]));
  char seed[24];
  // As text: numbers in JSON are exact up to 2^53 only.
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)lab->seed);
  return json_pack("{s:s, s:s, s:s, s:s, s:b, s:f, s:f, s:f, s:o}", "lab", lab->lab, "device",
                   lab->gpu ? "gpu" : "virtual", "device_description", lab->device, "seed", seed,
                   "hidden_cases", lab->hidden_cases, "seconds", lab->seconds, "score", score.points,
                   "max_score", score.maximum, "exercises", exercises);
}

bool lab_record_from_json(const json_t *json, struct lab_record *lab) {
  const char *name, *device, *description, *seed;
  int hidden_cases;
  json_t *exercises;
  *lab = (struct lab_record){0};
  if (json_unpack((json_t *)json, "{s:s, s:s, s:s, s:s, s:b, s:F, s:o}", "lab", &name, "device", &device,
                  "device_description", &description, "seed", &seed, "hidden_cases", &hidden_cases, "seconds",
                  &lab->seconds, "exercises", &exercises) != 0)
    return false;
  if (json_array_size(exercises) == 0 || json_array_size(exercises) > RECORD_MAX_EXERCISES) return false;
  snprintf(lab->lab, sizeof lab->lab, "%s", name);
  snprintf(lab->device, sizeof lab->device, "%s", description);
  lab->gpu = strcmp(device, "gpu") == 0;
  lab->seed = strtoull(seed, NULL, 10);
  lab->hidden_cases = hidden_cases;
  for (size_t i = 0; i < json_array_size(exercises); i++) {
    lab->exercise_count = i + 1;
    if (!exercise_record_from_json(json_array_get(exercises, i), &lab->exercises[i])) return false;
  }
  return true;
}

int report_dump(FILE *out, json_t *json, size_t flags) {
  if (!json) return -1;
  int status = json_dumpf(json, out, flags);
  json_decref(json);
  return status == 0 && fputc('\n', out) != EOF && fflush(out) == 0 ? 0 : -1;
}

int report_json(FILE *out, const struct lab_record *lab) {
  return report_dump(out, lab_record_json(lab), JSON_INDENT(2) | JSON_REAL_PRECISION(9));
}
