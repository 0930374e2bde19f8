// What every result of a class rests on beside the submission itself. In: the kit and the options. Out: a JSON object, from what it is called to a hash of it,
// or to its value. The idea: its own hash is part of every result's key, and the object of the last run tells what has changed since.
#include "class/class.h"
#include "class/hash-files.h"

#include <stdlib.h>
#include <string.h>

static void add_text(json_t *basis, const char *name, const char *value) {
  json_object_set_new(basis, name, json_string(value));
}

static void add_number(json_t *basis, const char *name, unsigned long long value) {
  char text[24];
  snprintf(text, sizeof text, "%llu", value);
  add_text(basis, name, text);
}

// The device is not among it: on a cluster it is the node's, and stands in the result itself.
json_t *basis_make(const struct class *class) {
  const struct grading *grading = class->grading;
  char part[KIT_PART], text[SHA256_TEXT];
  json_t *basis = json_object();
  for (size_t i = 0; i < KIT_PARTS; i++) {
    struct sha256 hash;
    sha256_begin(&hash);
    hash_kit_part(&hash, &grading->kit, grading->config.lab, i,
                  part); // what can't be read now fails when it is needed
    sha256_end(&hash, text);
    add_text(basis, part, text);
  }
  add_text(basis, "nvcc", grading->kit.nvcc);
  add_text(basis, "the exercises asked for", grading->only);
  add_number(basis, "--seed", class->seed);
  add_number(basis, "--deadline", grading->host_deadline);
  add_number(basis, "--build-deadline", grading->build_deadline);
  return basis;
}

void basis_hash(const json_t *basis, struct sha256 *hash) {
  char *text = json_dumps(basis, JSON_COMPACT | JSON_SORT_KEYS);
  sha256_add_text(hash, text ? text : "");
  free(text);
}

char *basis_difference(const json_t *before, const json_t *now, char *text, size_t size) {
  enum { NAMED = 3 };
  const char *name;
  json_t *value, *all = json_deep_copy(before);
  size_t length = 0, count = 0;
  text[0] = '\0';
  json_object_update(all, (json_t *)now);
  json_object_foreach(all, name, value) {
    if (json_equal(json_object_get(before, name), json_object_get(now, name))) continue;
    if (count++ < NAMED && length < size)
      length += (size_t)snprintf(text + length, size - length, "%s%s", count > 1 ? ", " : "", name);
  }
  if (count > NAMED && length < size) snprintf(text + length, size - length, " and %zu more", count - NAMED);
  json_decref(all);
  return text;
}
