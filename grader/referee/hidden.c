// In: a hidden-case file. Out: cases whose sizes the exercise accepts, or the first mistake by file and line.
#include "referee/stages.h"

#include <ctype.h>
#include <libconfig.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 256 << 20 }; // of an array, since the virtual Hopper has to process all of it

static int complain(const char *path, const config_setting_t *at, const char *key, const char *what,
                    char *error, size_t size) {
  snprintf(error, size, "%s:%u: %s: %s", path, config_setting_source_line(at), key, what);
  return -1;
}

static int read_case(const char *path, const config_setting_t *group, const struct exercise *exercise,
                     struct exercise_case *the_case, char *error, size_t size) {
  const char *name;
  if (!config_setting_is_group(group))
    return complain(path, group, "cases", "each must be a group in braces", error, size);
  for (int i = 0; i < config_setting_length(group); i++) {
    const config_setting_t *member = config_setting_get_elem(group, (unsigned)i);
    const char *key = config_setting_name(member);
    if (strcmp(key, "name") != 0 && strcmp(key, "sizes") != 0)
      return complain(path, member, key, "is an unknown key", error, size);
  }
  if (!config_setting_lookup_string(group, "name", &name) || !name[0] || strlen(name) >= EXERCISE_NAME)
    return complain(path, group, "name", "is needed: a text in quotes of at most 47 letters", error, size);
  for (const char *c = name; *c; c++)
    if (iscntrl((unsigned char)*c) || *c == '|')
      return complain(path, group, "name", "must be one line of plain text, without |", error, size);
  const config_setting_t *sizes = config_setting_get_member(group, "sizes");
  char what[128];
  snprintf(what, sizeof what, "must be an array of %u whole number%s", exercise->size_count,
           exercise->size_count == 1 ? "" : "s");
  if (!sizes || !config_setting_is_array(sizes) || config_setting_length(sizes) != (int)exercise->size_count)
    return complain(path, sizes ? sizes : group, "sizes", what, error, size);
  *the_case = (struct exercise_case){0};
  snprintf(the_case->name, sizeof the_case->name, "%s", name);
  for (unsigned i = 0; i < exercise->size_count; i++) {
    const config_setting_t *element = config_setting_get_elem(sizes, i);
    if (config_setting_type(element) != CONFIG_TYPE_INT || config_setting_get_int(element) < 0)
      return complain(path, sizes, "sizes", what, error, size);
    the_case->size[i] = (size_t)config_setting_get_int(element);
  }
  struct exercise_instance instance;
  const char *reason = exercise_instantiate(exercise, the_case, 0, &instance);
  if (reason) return complain(path, sizes, "sizes", reason, error, size);
  bool small = matrix_bytes(&instance.input) <= MOST_BYTES && matrix_bytes(&instance.output) <= MOST_BYTES;
  return small ? 0
               : complain(path, sizes, "sizes",
                          "ask for arrays of more than 256 MiB, which is too much for a case", error, size);
}

static int read_cases(const char *path, config_t *file, const struct exercise *exercise,
                      struct exercise_case *cases, char *error, size_t size) {
  const config_setting_t *root = config_root_setting(file), *list = config_lookup(file, "cases");
  for (int i = 0; i < config_setting_length(root); i++) {
    const config_setting_t *member = config_setting_get_elem(root, (unsigned)i);
    if (member != list)
      return complain(path, member, config_setting_name(member), "is an unknown key", error, size);
  }
  int count = list && config_setting_is_list(list) ? config_setting_length(list) : 0;
  if (count < 1 || count > HIDDEN_MAX_CASES)
    return complain(path, list ? list : root, "cases", "must be a list in parentheses of 1 to 32 groups",
                    error, size);
  for (int i = 0; i < count; i++)
    if (read_case(path, config_setting_get_elem(list, (unsigned)i), exercise, &cases[i], error, size))
      return -1;
  return count;
}

int hidden_cases_read(const char *path, const struct exercise *exercise, struct exercise_case *cases,
                      char *error, size_t size) {
  if (access(path, F_OK) != 0) return 0;
  config_t file;
  config_init(&file);
  int count = -1;
  if (config_read_file(&file, path)) {
    count = read_cases(path, &file, exercise, cases, error, size);
  } else {
    snprintf(error, size, "%s:%d: %s", path, config_error_line(&file), config_error_text(&file));
  }
  config_destroy(&file);
  return count;
}
