// In: a roster whose entries say how they would like to be called, and the names that were given before. Out:
// names that differ also where capitals don't count. The idea: first everybody keeps what they had, then
// whoever is alone in wanting a name gets it, and all others get a part of a hash of their entry. So a name
// that is made up equals nobody's folder.
#include "class/names.h"

#include "report/glob-below.h"
#include "virtual-hopper/base/printable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_taken(const struct roster *roster, const char *name) {
  for (size_t i = 0; i < roster->count; i++)
    if (strcasecmp(roster->students[i].name, name) == 0) return true;
  return false;
}

// Whether another submission than `index` would like to be called so.
static bool is_wanted(const struct roster *roster, size_t index, const char *name) {
  for (size_t i = 0; i < roster->count; i++)
    if (i != index && strcasecmp(roster->students[i].wanted, name) == 0) return true;
  return false;
}

static bool is_given(const json_t *kept, const char *name) {
  const char *entry;
  json_t *given;
  json_object_foreach((json_t *)kept, entry, given) {
    const char *text = json_string_value(given);
    if (text && strcasecmp(text, name) == 0) return true;
  }
  return false;
}

// Entries may have any bytes, and jansson takes UTF-8 alone.
static char *key_of(const struct student *student) {
  char key[4 * sizeof student->entry] = "";
  char *copy = printable_copy(student->entry);
  if (!copy || strcmp(copy, student->entry) == 0) return copy;
  snprintf(key, sizeof key, "%s", copy);
  free(copy);
  roster_add_hash(student->entry, key, sizeof key);
  return strdup(key);
}

static const char *name_before(const json_t *kept, const struct student *student) {
  char *key = key_of(student);
  const char *name = key ? json_string_value(json_object_get(kept, key)) : NULL;
  free(key);
  return name;
}

static bool is_here(const struct roster *roster, const char *entry) {
  bool here = false;
  for (size_t i = 0; i < roster->count && !here; i++) {
    char *key = key_of(&roster->students[i]);
    here = key && strcmp(key, entry) == 0;
    free(key);
  }
  return here;
}

// The name of what was ann.zip before and is ann.tar.gz now.
static const char *name_of_stem(const struct roster *roster, const json_t *kept,
                                const struct student *student) {
  const char *entry, *found = NULL;
  json_t *given;
  char *key = key_of(student), stem[NAME_MAX + 1], other[NAME_MAX + 1];
  if (!key) return NULL;
  roster_stem(key, stem);
  json_object_foreach((json_t *)kept, entry, given) {
    if (strcmp(roster_stem(entry, other), stem) == 0 && !is_here(roster, entry))
      found = json_string_value(given);
  }
  free(key);
  return found;
}

static void take(const struct roster *roster, struct student *student, const char *name) {
  if (name && roster_is_name(name) && !is_taken(roster, name))
    snprintf(student->name, sizeof student->name, "%s", name);
}

static void make_up(const struct roster *roster, const json_t *kept, size_t index) {
  struct student *student = &roster->students[index];
  char stem[STUDENT_NAME], name[STUDENT_NAME];
  snprintf(stem, sizeof stem, "%s", student->wanted);
  roster_add_hash(student->entry, stem, sizeof stem);
  snprintf(name, sizeof name, "%s", stem);
  for (unsigned number = 2; is_taken(roster, name) || is_given(kept, name) || is_wanted(roster, index, name);
       number++)
    snprintf(name, sizeof name, "%.*s-%u", STUDENT_NAME - 12, stem, number);
  memcpy(student->name, name, sizeof student->name);
}

static int by_name(const void *left, const void *right) {
  return strcmp(((const struct student *)left)->name, ((const struct student *)right)->name);
}

void names_give(struct roster *roster, const json_t *kept) {
  for (size_t i = 0; i < roster->count; i++)
    roster->students[i].name[0] = '\0';
  for (size_t i = 0; i < roster->count; i++)
    take(roster, &roster->students[i], name_before(kept, &roster->students[i]));
  for (size_t i = 0; i < roster->count; i++)
    if (!roster->students[i].name[0])
      take(roster, &roster->students[i], name_of_stem(roster, kept, &roster->students[i]));
  for (size_t i = 0; i < roster->count; i++) {
    struct student *student = &roster->students[i];
    if (!student->name[0] && !is_given(kept, student->wanted)) take(roster, student, student->wanted);
  }
  for (size_t i = 0; i < roster->count; i++)
    if (!roster->students[i].name[0]) make_up(roster, kept, i);
  qsort(roster->students, roster->count, sizeof *roster->students, by_name);
}

// ---- names.json ----

static int write_json(FILE *out, const void *what) {
  return json_dumpf(what, out, JSON_INDENT(1) | JSON_SORT_KEYS) == 0 && fputc('\n', out) != EOF ? 0 : -1;
}

int names_keep(struct class *class, char *error, size_t size) {
  char path[PATH_MAX];
  json_error_t wrong = {0};
  json_t *before = NULL;
  if (class->share) return 0; // a task's entries are called as their submissions are
  class_path(class, path, "", "names", ".json");
  if (access(path, F_OK) == 0) {
    before = json_load_file(path, 0, &wrong);
    if (!json_is_object(before)) {
      json_decref(before);
      return class_fail(error, size,
                        "%s can't be read (%s). It says which submission is called what. Put it back, or "
                        "remove it, and compare overrides.csv with the new grades.csv.",
                        path, wrong.text);
    }
  }
  names_give(&class->roster, before);
  json_t *now = before ? json_deep_copy(before) : json_object();
  for (size_t i = 0; i < class->roster.count; i++) {
    char *key = key_of(&class->roster.students[i]);
    if (key) json_object_set_new(now, key, json_string(class->roster.students[i].name));
    free(key);
  }
  int status = before && json_equal(before, now) ? 0 : class_write(path, true, write_json, now, error, size);
  json_decref(before);
  json_decref(now);
  return status;
}

// ---- pages of nobody ----

static bool has_page(const struct class *class, const char *file) {
  static const char *const endings[] = {".html", ".txt", ".json"};
  for (size_t i = 0; i < class->roster.count; i++) {
    const char *name = class->roster.students[i].name;
    size_t length = strlen(name);
    for (size_t j = 0; j < sizeof endings / sizeof *endings; j++)
      if (strncmp(file, name, length) == 0 && strcmp(file + length, endings[j]) == 0)
        return class->outcomes[i].known;
  }
  return false;
}

int names_retire_pages(const struct class *class, char *error, size_t size) {
  char to[PATH_MAX];
  glob_t found;
  int status = 0;
  if (glob_below(class->output, "feedback/*", &found) == 0)
    for (size_t i = 0; i < found.gl_pathc && status == 0; i++) {
      const char *file = strrchr(found.gl_pathv[i], '/') + 1;
      if (has_page(class, file)) continue;
      if (mkdir(class_path(class, to, "", "former", ""), 0777) != 0 && errno != EEXIST)
        status = class_fail(error, size, "%s: %s", to, strerror(errno));
      else if (rename(found.gl_pathv[i], class_path(class, to, "former", file, "")) != 0)
        status =
            class_fail(error, size, "%s cannot be moved to %s: %s", found.gl_pathv[i], to, strerror(errno));
    }
  globfree(&found);
  return status;
}
