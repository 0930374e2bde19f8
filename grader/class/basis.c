// The basis: what every result of a class depends on besides the submission itself. In: the kit and the
// options. Out: a JSON object; each member has the name of a part, and its hash or its value. The idea: the
// basis is hashed into the key of every result, and comparing it with the basis of the last run names what
// has changed.
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

// The device is no part of the basis: on a cluster each node has its own, and each result names it.
json_t *basis_make(const struct class *class, char *error, size_t size) {
  const struct grading *grading = class->grading;
  char part[KIT_PART], text[SHA256_TEXT];
  json_t *basis = json_object();
  if (!basis) {
    class_fail(error, size, "out of memory");
    return NULL;
  }
  for (size_t i = 0; i < KIT_PARTS; i++) {
    struct sha256 hash;
    sha256_begin(&hash);
    // A part that can't be read fails when a submission needs it.
    hash_kit_part(&hash, &grading->kit, grading->config.lab, i, part, NULL, 0);
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
