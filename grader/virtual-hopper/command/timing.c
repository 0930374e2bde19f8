// In: predictions of all devices. Out: lines for a person, and JSON. One idea: they are called predictions
// wherever they appear, and never stand where a measurement could be meant.
#include "virtual-hopper/command/timing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/server/protocol.h"
#include "virtual-hopper/time/predict.h"
#include "virtual-hopper/time/timeline.h"

void timing_tell_program(bool timed) {
  if (timed)
    unsetenv(PROTOCOL_UNTIMED_VARIABLE);
  else
    setenv(PROTOCOL_UNTIMED_VARIABLE, "1", 1);
}

static void collect_timeline(struct served *served, const struct vhopper *device) {
  const struct timeline *one = vhopper_timeline(device);
  if (!one || (served->timeline && served->timeline->us >= one->us)) return;
  if (!served->timeline) served->timeline = malloc(sizeof *one);
  if (!served->timeline) die("no memory for a timeline");
  *served->timeline = *one;
}

void timing_collect(struct served *served, const struct vhopper *device) {
  size_t count;
  collect_timeline(served, device);
  served->clocks_missed += vhopper_clocks_missed(device);
  const struct time_prediction *more = vhopper_predictions(device, &count);
  if (!count) return;
  const size_t all = served->prediction_count + count;
  served->predictions = reallocarray(served->predictions, all, sizeof *more);
  if (!served->predictions) die("no memory for %zu predictions", all);
  memcpy(served->predictions + served->prediction_count, more, count * sizeof *more);
  served->prediction_count = all;
}

static bool ends_in(const char *name, const char *end) {
  const size_t length = strlen(name), most = strlen(end);
  return length > most && strcmp(name + length - most, end) == 0;
}

bool timing_is_trace(const char *name) {
  return ends_in(name, ".json");
}

bool timing_names_timeline(const char *name) {
  return ends_in(name, ".svg") || ends_in(name, ".json");
}

void timing_write_timeline(FILE *out, const struct timeline *timeline, const char *name) {
  if (timing_is_trace(name))
    timeline_write_trace(timeline, out);
  else
    timeline_draw(timeline, out);
}

void timing_explain(FILE *out, const struct served *served) {
  if (!served->timeline) return;
  if (served->prediction_count > 1) {
    fputs("vhopper: ", out);
    printable_print(out, served->timeline->kernel);
    fputs(", which takes longest:\n", out);
  }
  timeline_explain(served->timeline, out);
}

static const double LAUNCH_ALONE = 1.1;

void timing_print(FILE *out, const struct served *served, const char *chip) {
  enum { MOST_LINES = 200 };
  for (size_t i = 0; i < served->prediction_count && i < MOST_LINES; i++) {
    const struct time_prediction *p = &served->predictions[i];
    char name[128];
    fault_demangle(p->kernel, name, sizeof name);
    fprintf(out, "vhopper: predicted for an %s: ", chip);
    printable_print(out, name);
    if (!p->read_bytes && !p->write_bytes && p->us < LAUNCH_ALONE * chip_find(chip)->launch_us)
      fprintf(out, " takes %.1f us, hardly more than its launch\n", p->us);
    else
      fprintf(out, " takes %.1f us, %.0f GB/s; bound by %s\n", p->us, p->gb_per_s, p->bound_by);
  }
  if (served->prediction_count > MOST_LINES)
    fprintf(out, "vhopper: and %zu launches more\n", served->prediction_count - MOST_LINES);
  if (served->clocks_missed)
    fprintf(out,
            "vhopper: of %" PRIu64 " of them the kernel's clocks don't follow the prediction: run once for "
            "the times alone, they ended with an error, or after 1 G instructions\n",
            served->clocks_missed);
}

static json_t *prediction_json(const struct time_prediction *p) {
  char name[128];
  fault_demangle(p->kernel, name, sizeof name);
  json_t *json =
      json_pack("{s:s, s:f, s:f, s:f, s:f, s:s, s:i, s:f}", "name", name, "us", p->us, "steady_us",
                p->steady_us, "gb_per_s", p->gb_per_s, "memory_busy", p->memory_busy, "bound_by", p->bound_by,
                "blocks_per_processor", (int)p->blocks_on_processor, "waves", p->waves);
  json_object_set_new(json, "read_bytes", json_integer((json_int_t)p->read_bytes));
  json_object_set_new(json, "written_bytes", json_integer((json_int_t)p->write_bytes));
  json_object_set_new(json, "memory_bytes", json_integer((json_int_t)p->memory_bytes));
  return json;
}

json_t *timing_json(const struct served *served, const char *chip) {
  json_t *kernels = json_array();
  for (size_t i = 0; i < served->prediction_count; i++)
    json_array_append_new(kernels, prediction_json(&served->predictions[i]));
  return json_pack("{s:s, s:b, s:o}", "chip", chip, "predicted", 1, "kernels", kernels);
}
