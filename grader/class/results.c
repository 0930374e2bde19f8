// A student's result as a file, and back. The idea: the file holds the record that `grader grade` prints, and
// besides it the student, the notes and the key.
#include "class/class.h"

#include "virtual-hopper/base/printable.h"

#include <stdlib.h>
#include <string.h>

static int write_json(FILE *out, const void *what) {
  return json_dumpf(what, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0 && fputc('\n', out) != EOF ? 0
                                                                                                        : -1;
}

// A name from a platform may have any encoding, and jansson takes UTF-8 alone.
static json_t *name_json(const char *text) {
  char *copy = printable_copy(text);
  json_t *json = json_string(copy ? copy : "?");
  free(copy);
  return json;
}

static json_t *person_json(const char *full_name, const char *id, const char *email) {
  return json_pack("{s:o, s:o, s:o}", "full_name", name_json(full_name), "id", name_json(id), "email",
                   name_json(email));
}

static json_t *student_json(const struct student *student) {
  json_t *json = person_json(student->full_name, student->id, student->email), *partners = json_array();
  json_object_set_new(json, "late", json_boolean(student->late));
  for (size_t i = 0; i < student->partner_count; i++) {
    const struct person *partner = &student->partners[i];
    json_array_append_new(partners, person_json(partner->full_name, partner->id, partner->email));
  }
  json_object_set_new(json, "partners", partners);
  return json;
}

static json_t *result_json(const struct class *class, size_t index) {
  const struct outcome *outcome = &class->outcomes[index];
  json_t *json = lab_record_json(&outcome->lab);
  if (!json) return NULL;
  json_object_set_new(json, "key", json_string(outcome->key));
  json_object_set_new(json, "submission", json_string(class->roster.students[index].name));
  json_object_set_new(json, "student", student_json(&class->roster.students[index]));
  json_object_set_new(json, "notes", name_json(outcome->notes));
  return json;
}

static char *result_path(const struct class *class, size_t index, char path[PATH_MAX]) {
  return class_path(class, path, "results", class->roster.students[index].name, ".json");
}

int result_save(const struct class *class, size_t index, char *error, size_t size) {
  char path[PATH_MAX];
  json_t *json = result_json(class, index);
  if (!json) return class_fail(error, size, "out of memory");
  int status = class_write(result_path(class, index, path), true, write_json, json, error, size);
  json_decref(json);
  return status;
}

int result_renew(const struct class *class, size_t index, char *error, size_t size) {
  char path[PATH_MAX];
  json_t *json = result_json(class, index);
  json_t *before = json_load_file(result_path(class, index, path), 0, NULL);
  int status = before && json_equal(json, before) ? 0 : result_save(class, index, error, size);
  json_decref(json);
  json_decref(before);
  return status;
}

bool result_read(struct class *class, size_t index) {
  struct outcome *outcome = &class->outcomes[index];
  char path[PATH_MAX];
  json_t *json = json_load_file(result_path(class, index, path), 0, NULL);
  const char *key = json_string_value(json_object_get(json, "key"));
  lab_record_free(&outcome->lab);
  outcome->lab = (struct lab_record){0};
  bool good = key && strcmp(key, outcome->key) == 0 && lab_record_from_json(json, &outcome->lab);
  json_decref(json);
  return good;
}

// Scores by the lab's present points. Returns whether they are others than before.
static bool score(struct class *class, size_t index) {
  struct lab_record *lab = &class->outcomes[index].lab;
  bool others = false;
  for (size_t i = 0; i < lab->exercise_count; i++)
    others |= lab_config_score(&class->grading->config, &lab->exercises[i]);
  return others;
}

bool result_read_stale(struct class *class, size_t index) {
  struct outcome *outcome = &class->outcomes[index];
  char path[PATH_MAX];
  json_t *json = json_load_file(result_path(class, index, path), 0, NULL);
  const char *key = json_string_value(json_object_get(json, "key"));
  if (key) snprintf(outcome->key, sizeof outcome->key, "%s", key);
  json_decref(json);
  if (!result_read(class, index)) return false;
  score(class, index);
  return true;
}

static bool same_device(const struct class *class, const struct lab_record *lab) {
  bool gpu = class->grading->device == DEVICE_GPU;
  return lab->gpu == gpu && (!gpu || strcmp(lab->device, class->grading->device_description) == 0);
}

bool result_load(struct class *class, size_t index) {
  struct lab_record *lab = &class->outcomes[index].lab;
  // A grader error is not kept: the next run grades again.
  if (!result_read(class, index) || !same_device(class, lab) || lab_verdict(lab) == VERDICT_ERROR)
    return false;
  class->rescored += score(class, index);
  return true;
}
