// Compares a class with its last report. The idea: the last report's points stand in one file with everything
// that they rested on (the submission, the kit, seed and options, the device, points and overrides), so that
// the reason for a change is looked up, and never guessed.
#include "class/history.h"

#include "class/marks.h"
#include "virtual-hopper/base/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PRINTED = 20, LAST_FORM = 1 };

static const char *device_of(const struct lab_record *lab) {
  return lab->gpu ? lab->device : "the virtual Hopper";
}

void history_read(struct class *class) {
  char path[PATH_MAX];
  json_int_t since = 0, form = 0;
  class_path(class, path, "", "last", ".json");
  if (access(path, F_OK) != 0) return;
  json_t *json = json_load_file(path, 0, NULL);
  if (json_unpack(json, "{s:I, s:I}", "form", &form, "written", &since) != 0 || form != LAST_FORM) {
    roster_note(&class->roster, "last.json", "can't be read, so nothing is compared with the last report");
  } else {
    class->history->last = json_incref(json);
    class->history->since = (time_t)since;
  }
  json_decref(json);
}

const json_t *history_of(const struct class *class, const char *name) {
  return class->history ? json_object_get(json_object_get(class->history->last, "submissions"), name) : NULL;
}

// ---- what a report leaves ----

static const char *text_of(const json_t *entry, const char *key) {
  const char *text = json_string_value(json_object_get(entry, key));
  return text ? text : "";
}

static json_t *exercises_json(const struct lab_record *lab) {
  json_t *all = json_object();
  for (size_t i = 0; i < lab->exercise_count; i++) {
    const struct exercise_record *exercise = &lab->exercises[i];
    json_object_set_new(all, exercise->name,
                        json_string(exercise->not_started ? "not started" : verdict_name(exercise->verdict)));
  }
  return all;
}

// The maxima of all stages, which lab.cfg may change.
static json_t *worth_json(const struct lab_record *lab) {
  json_t *all = json_array();
  for (size_t i = 0; i < lab->exercise_count; i++)
    for (int stage = 0; stage < STAGE_COUNT; stage++)
      json_array_append_new(all, json_real(lab->exercises[i].stages[stage].max_points));
  return all;
}

static json_t *entry_json(const struct class *class, size_t index) {
  const struct outcome *outcome = &class->outcomes[index];
  const struct mark mark = mark_of(class, index);
  const json_t *before = history_of(class, class->roster.students[index].name);
  const char *files = outcome->stale ? text_of(before, "files") : outcome->files;
  json_t *basis = outcome->stale ? json_object_get(before, "rests_on") : class->basis;
  char *why = printable_copy(mark.why); // a comment may have any encoding
  json_t *json =
      json_pack("{s:f, s:f, s:f, s:s, s:s, s:s, s:o, s:o, s:O}", "points", mark.points, "maximum",
                mark.maximum, "measured", mark.measured, "device", device_of(&outcome->lab), "files", files,
                "changed", why ? why : "", "exercises", exercises_json(&outcome->lab), "worth",
                worth_json(&outcome->lab), "rests_on", basis ? basis : json_null());
  free(why);
  return json;
}

// ---- why ----

static void add(struct change *change, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct change *change, const char *format, ...) {
  size_t length = strlen(change->why);
  va_list list;
  if (length > 0 && length + 2 < CHANGE_WHY) length += (size_t)sprintf(change->why + length, "; ");
  va_start(list, format);
  vsnprintf(change->why + length, CHANGE_WHY - length, format, list);
  va_end(list);
}

static bool differ(const json_t *before, const json_t *now, const char *key) {
  return !json_equal(json_object_get(before, key), json_object_get(now, key));
}

static void explain(struct change *change, const json_t *before, const json_t *now) {
  char parts[200];
  if (differ(before, now, "files")) add(change, "the submission is another");
  basis_difference(json_object_get(before, "rests_on"), json_object_get(now, "rests_on"), parts,
                   sizeof parts);
  if (differ(before, now, "rests_on")) add(change, "another %s", parts);
  if (differ(before, now, "device"))
    add(change, "graded on %s, before on %s", text_of(now, "device"), text_of(before, "device"));
  if (differ(before, now, "worth")) add(change, "other points in lab.cfg");
  if (differ(before, now, "changed")) {
    const char *text = text_of(now, "changed");
    add(change, "%s", text[0] ? text : "what was changed by hand or taken off is changed no more");
  }
  if (!change->why[0]) add(change, "graded again, and nothing else has changed");
}

static int compare_one(struct class *class, size_t index) {
  struct history *history = class->history;
  const json_t *before = history_of(class, class->roster.students[index].name);
  if (!before || (!class->outcomes[index].known && !mark_of(class, index).given)) return 0;
  json_t *now = entry_json(class, index);
  int status = now ? 0 : -1;
  if (status == 0 &&
      (differ(before, now, "points") || differ(before, now, "maximum") || differ(before, now, "exercises"))) {
    struct change *more = realloc(history->changes, (history->count + 1) * sizeof *more);
    if (more) {
      struct change *change = &more[history->count++];
      *change = (struct change){.student = index};
      change->points_before = json_number_value(json_object_get(before, "points"));
      change->maximum_before = json_number_value(json_object_get(before, "maximum"));
      change->points = json_number_value(json_object_get(now, "points"));
      change->maximum = json_number_value(json_object_get(now, "maximum"));
      explain(change, before, now);
      history->changes = more;
    }
    status = more ? 0 : -1;
  }
  json_decref(now);
  return status;
}

int history_compare(struct class *class, char *error, size_t size) {
  class->history->count = 0;
  for (size_t i = 0; i < class->roster.count; i++)
    if (compare_one(class, i) != 0) return class_fail(error, size, "out of memory");
  return 0;
}

// ---- files ----

static void print_changes(const struct class *class) {
  const struct history *history = class->history;
  if (history->count == 0) return;
  puts("Changed since the last report:");
  for (size_t i = 0; i < history->count && i < PRINTED; i++) {
    const struct change *change = &history->changes[i];
    printf("  %s: %g of %g, was %g of %g: %s\n", class->roster.students[change->student].name, change->points,
           change->maximum, change->points_before, change->maximum_before, change->why);
  }
  if (history->count > PRINTED) printf("  and %zu more, in changes.csv\n", history->count - PRINTED);
}

static int append_changes(const struct class *class, char *error, size_t size) {
  const struct history *history = class->history;
  char path[PATH_MAX], when[32];
  time_t now = time(NULL);
  struct tm parts;
  if (history->count == 0) return 0;
  class_path(class, path, "", "changes", ".csv");
  bool begun = access(path, F_OK) == 0;
  FILE *out = fopen(path, "ae");
  if (!out) return class_fail(error, size, "%s cannot be written: %s", path, strerror(errno));
  if (!begun) fputs("date,submission,name,before,max_before,now,max_now,why\n", out);
  strftime(when, sizeof when, "%Y-%m-%d %H:%M", localtime_r(&now, &parts));
  for (size_t i = 0; i < history->count; i++) {
    const struct change *change = &history->changes[i];
    const struct student *student = &class->roster.students[change->student];
    fprintf(out, "%s,", when);
    grades_text(out, student->name);
    fputc(',', out);
    grades_text(out, student->full_name);
    fprintf(out, ",%g,%g,%g,%g,", change->points_before, change->maximum_before, change->points,
            change->maximum);
    grades_text(out, change->why);
    fputc('\n', out);
  }
  return fclose(out) == 0 ? 0 : class_fail(error, size, "%s: %s", path, strerror(errno));
}

static int write_json(FILE *out, const void *what) {
  return json_dumpf(what, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0 && fputc('\n', out) != EOF ? 0
                                                                                                        : -1;
}

// Whoever is not graded now keeps the earlier entry: a batch that was stopped must not look like a change.
int history_save(const struct class *class, char *error, size_t size) {
  char path[PATH_MAX];
  json_t *all = json_copy(json_object_get(class->history->last, "submissions"));
  print_changes(class);
  if (append_changes(class, error, size) != 0) {
    json_decref(all);
    return -1;
  }
  if (!all) all = json_object();
  for (size_t i = 0; i < class->roster.count; i++)
    if (class->outcomes[i].known || mark_of(class, i).given)
      json_object_set_new(all, class->roster.students[i].name, entry_json(class, i));
  bool same = json_equal(all, json_object_get(class->history->last, "submissions"));
  json_t *json =
      json_pack("{s:i, s:I, s:o}", "form", LAST_FORM, "written", (json_int_t)time(NULL), "submissions", all);
  int status = json ? 0 : class_fail(error, size, "out of memory");
  class_path(class, path, "", "last", ".json");
  if (status == 0 && !same) status = class_write(path, true, write_json, json, error, size);
  json_decref(json);
  return status;
}

void history_free(struct history *history) {
  if (!history) return;
  json_decref(history->last);
  free(history->changes);
  *history = (struct history){0};
}
