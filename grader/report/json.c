// The record as the JSON of the commands' contract.
#include "report/record.h"

int report_json(FILE *out, const struct lab_record *lab) {
  struct score score = lab_score(lab);
  json_t *exercises = json_array();
  for (size_t i = 0; i < lab->exercise_count; i++)
    json_array_append_new(exercises, exercise_record_json(&lab->exercises[i]));
  char seed[24];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)lab->seed); // as text: JSON numbers end at 2^53
  json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:b, s:f, s:f, s:f, s:o}", "lab", lab->lab, "device",
                           lab->gpu ? "gpu" : "virtual", "device_description", lab->device, "seed", seed,
                           "hidden_cases", lab->hidden_cases, "seconds", lab->seconds, "score", score.points,
                           "max_score", score.maximum, "exercises", exercises);
  if (!json) return -1;
  int status = json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
  json_decref(json);
  return status == 0 && fputc('\n', out) != EOF && fflush(out) == 0 ? 0 : -1;
}
