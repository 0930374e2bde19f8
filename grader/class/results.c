// A student's result as a file, and back. The idea: what is in it is the record of `grader grade`, with who, from what, and the key.
#include "class/class.h"

#include "report/whole-file.h"

#include <stdlib.h>
#include <string.h>

static int write_json(FILE *out, const void *what) {
  return json_dumpf(what, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0 && fputc('\n', out) != EOF ? 0
                                                                                                        : -1;
}

// A name from a platform may be in any encoding; a result must not fail for it.
static json_t *name_json(const char *text) {
  json_t *json = json_string(text);
  return json ? json : json_string("?");
}

int result_save(const struct class *class, size_t index) {
  const struct student *student = &class->roster.students[index];
  const struct outcome *outcome = &class->outcomes[index];
  char path[PATH_MAX];
  json_t *json = lab_record_json(&outcome->lab);
  if (!json) return -1;
  json_object_set_new(json, "key", json_string(outcome->key));
  json_object_set_new(json, "submission", json_string(student->name));
  json_object_set_new(json, "student",
                      json_pack("{s:o, s:o, s:o, s:b}", "full_name", name_json(student->full_name), "id",
                                name_json(student->id), "email", name_json(student->email), "late",
                                student->late));
  json_object_set_new(json, "notes", name_json(outcome->notes));
  int status =
      whole_file_write(class_path(class, path, "results", student->name, ".json"), true, write_json, json);
  json_decref(json);
  return status;
}

bool result_read(struct class *class, size_t index) {
  struct outcome *outcome = &class->outcomes[index];
  char path[PATH_MAX];
  json_error_t error;
  json_t *json = json_load_file(
      class_path(class, path, "results", class->roster.students[index].name, ".json"), 0, &error);
  const char *key = json_string_value(json_object_get(json, "key"));
  lab_record_free(&outcome->lab);
  outcome->lab = (struct lab_record){0};
  bool good = key && strcmp(key, outcome->key) == 0 && lab_record_from_json(json, &outcome->lab);
  json_decref(json);
  return good;
}

static bool same_device(const struct class *class, const struct lab_record *lab) {
  bool gpu = class->grading->device == DEVICE_GPU;
  if (class->any_device) return true;
  return lab->gpu == gpu && (!gpu || strcmp(lab->device, class->grading->device_description) == 0);
}

bool result_load(struct class *class, size_t index) {
  // The grader's own errors are no result to keep: the next run tries again.
  return result_read(class, index) && same_device(class, &class->outcomes[index].lab) &&
         lab_verdict(&class->outcomes[index].lab) != VERDICT_ERROR;
}
