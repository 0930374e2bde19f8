// In: lab.cfg. Out: struct lab_config, or the first mistake with file, line and key. The idea: every key is
// read by a function that knows its type and range, and an unknown key is a mistake, too (most likely a
// typing error).
#include "referee/lab-config.h"

#include "referee/requirements.h"

#include <ctype.h>
#include <libconfig.h>
#include <math.h>
#include <string.h>

struct reader {
  const char *path;
  char *error;
  size_t error_size;
};

static int complain(const struct reader *reader, const config_setting_t *at, const char *key,
                    const char *what) {
  snprintf(reader->error, reader->error_size, "%s:%u: %s: %s", reader->path, config_setting_source_line(at),
           key, what);
  return -1;
}

static int read_text(const struct reader *reader, const config_setting_t *group, const char *key, bool needed,
                     char *text, size_t size) {
  const config_setting_t *setting = config_setting_get_member(group, key);
  text[0] = '\0';
  if (!setting) return needed ? complain(reader, group, key, "is missing: a text is needed") : 0;
  const char *value = config_setting_get_string(setting);
  if (!value || !value[0]) return complain(reader, setting, key, "must be a text in quotes, not empty");
  for (const char *c = value; *c; c++)
    if (iscntrl((unsigned char)*c)) return complain(reader, setting, key, "must be one line of plain text");
  if (snprintf(text, size, "%s", value) >= (int)size) return complain(reader, setting, key, "is too long");
  return 0;
}

static int read_number(const struct reader *reader, const config_setting_t *group, const char *key,
                       bool needed, double lowest, double highest, double *number) {
  const config_setting_t *setting = config_setting_get_member(group, key);
  if (!setting) return needed ? complain(reader, group, key, "is missing: a number is needed") : 0;
  int type = config_setting_type(setting);
  if (type == CONFIG_TYPE_FLOAT) {
    *number = config_setting_get_float(setting);
  } else if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64) {
    *number = (double)config_setting_get_int64(setting);
  } else {
    return complain(reader, setting, key, "must be a number");
  }
  char what[96];
  snprintf(what, sizeof what, "is %g: must be from %g to %g", *number, lowest, highest);
  return *number >= lowest && *number <= highest ? 0 : complain(reader, setting, key, what);
}

static int check_keys(const struct reader *reader, const config_setting_t *group, const char *const *known) {
  for (int i = 0; i < config_setting_length(group); i++) {
    const config_setting_t *member = config_setting_get_elem(group, (unsigned)i);
    const char *name = config_setting_name(member), *const *key = known;
    while (*key && strcmp(*key, name) != 0)
      key++;
    if (!*key) return complain(reader, member, name, "is an unknown key");
  }
  return 0;
}

static int read_counters(const struct reader *reader, const config_setting_t *group,
                         struct requirement *requirement) {
  const config_setting_t *list = config_setting_get_member(group, "counters");
  if (!list || !config_setting_is_array(list))
    return complain(reader, list ? list : group, "counters", "must be an array of names");
  int count = config_setting_length(list);
  if (count < 1 || count > CONFIG_MAX_COUNTERS)
    return complain(reader, list, "counters", "must hold one to four names");
  for (int i = 0; i < count; i++) {
    const char *name = config_setting_get_string_elem(list, i);
    char what[160];
    snprintf(what, sizeof what,
             "`%.64s` is no counter of the virtual Hopper (docs/reference/lab-cfg.md lists them)",
             name ? name : "?");
    if (!name || !requirement_counter_exists(name)) return complain(reader, list, "counters", what);
    snprintf(requirement->counters[i], RECORD_NAME, "%s", name);
  }
  requirement->counter_count = (unsigned)count;
  return 0;
}

static int read_step(const struct reader *reader, const config_setting_t *group, const char *key,
                     unsigned *step) {
  double number = 0;
  if (read_number(reader, group, key, false, 1, 99, &number)) return -1;
  *step = (unsigned)number;
  if (*step != number)
    return complain(reader, config_setting_get_member(group, key), key,
                    "must be a whole number, the number of a TODO");
  return 0;
}

static int read_bounds(const struct reader *reader, const config_setting_t *group,
                       struct requirement *requirement) {
  bool bounded_above = config_setting_get_member(group, "at_most") != NULL;
  requirement->at_most = INFINITY;
  if (read_number(reader, group, "at_least", !bounded_above, 0, 1e12, &requirement->at_least)) return -1;
  return read_number(reader, group, "at_most", false, requirement->at_least, 1e12, &requirement->at_most);
}

static int read_truth(const struct reader *reader, const config_setting_t *group, const char *key,
                      bool *truth) {
  const config_setting_t *setting = config_setting_get_member(group, key);
  if (setting && config_setting_type(setting) != CONFIG_TYPE_BOOL)
    return complain(reader, setting, key, "must be true or false");
  *truth = setting && config_setting_get_bool(setting);
  return 0;
}

static int read_requirement(const struct reader *reader, const config_setting_t *group,
                            struct requirement *requirement) {
  static const char *const known[] = {"counters", "at_least", "at_most", "of", "large",
                                      "step",     "message",  "remedy",  NULL};
  char unit[32];
  if (!config_setting_is_group(group))
    return complain(reader, group, "requirements", "must hold groups in braces");
  if (check_keys(reader, group, known) || read_counters(reader, group, requirement)) return -1;
  if (read_bounds(reader, group, requirement)) return -1;
  if (read_step(reader, group, "step", &requirement->step)) return -1;
  if (read_truth(reader, group, "large", &requirement->large)) return -1;
  if (read_text(reader, group, "of", false, unit, sizeof unit)) return -1;
  if (strcmp(unit, "input_bytes") == 0) {
    requirement->unit = REQUIREMENT_INPUT_BYTES;
  } else if (strcmp(unit, "output_bytes") == 0) {
    requirement->unit = REQUIREMENT_OUTPUT_BYTES;
  } else if (strcmp(unit, "products") == 0) {
    requirement->unit = REQUIREMENT_PRODUCTS;
  } else if (unit[0]) {
    return complain(reader, config_setting_get_member(group, "of"), "of",
                    "must be \"input_bytes\", \"output_bytes\" or \"products\"");
  }
  return read_text(reader, group, "message", true, requirement->message, sizeof requirement->message) ||
                 read_text(reader, group, "remedy", true, requirement->remedy, sizeof requirement->remedy)
             ? -1
             : 0;
}

static int read_requirements(const struct reader *reader, const config_setting_t *group,
                             struct exercise_config *exercise) {
  const config_setting_t *list = config_setting_get_member(group, "requirements");
  if (!list) return 0;
  int count = config_setting_length(list);
  if (!config_setting_is_list(list) || count > CONFIG_MAX_REQUIREMENTS)
    return complain(reader, list, "requirements", "must be a list in parentheses of at most twelve groups");
  for (int i = 0; i < count; i++)
    if (read_requirement(reader, config_setting_get_elem(list, (unsigned)i), &exercise->requirements[i]))
      return -1;
  exercise->requirement_count = (unsigned)count;
  return 0;
}

static int read_barriers(const struct reader *reader, const config_setting_t *group,
                         struct exercise_config *exercise) {
  static const char *const known[] = {"name", "step", "again", NULL};
  const config_setting_t *list = config_setting_get_member(group, "barriers");
  if (!list) return 0;
  const int count = config_setting_length(list);
  if (!config_setting_is_list(list) || count > CONFIG_MAX_BARRIERS)
    return complain(reader, list, "barriers", "must be a list in parentheses of at most four groups");
  for (int i = 0; i < count; i++) {
    const config_setting_t *one = config_setting_get_elem(list, (unsigned)i);
    struct barrier_steps *barrier = &exercise->barriers[i];
    if (!config_setting_is_group(one))
      return complain(reader, list, "barriers", "must hold groups in braces");
    if (check_keys(reader, one, known) ||
        read_text(reader, one, "name", true, barrier->name, sizeof barrier->name) ||
        read_step(reader, one, "step", &barrier->step) || read_step(reader, one, "again", &barrier->again))
      return -1;
    if (!barrier->step) return complain(reader, one, "step", "is missing");
    if (!barrier->again) barrier->again = barrier->step;
  }
  exercise->barrier_count = (unsigned)count;
  return 0;
}

static int read_points(const struct reader *reader, const config_setting_t *group,
                       struct exercise_config *exercise) {
  static const char *const known[] = {"build", "rules", "correctness", "bandwidth", NULL};
  const config_setting_t *points = config_setting_get_member(group, "points");
  if (!points || !config_setting_is_group(points))
    return complain(reader, points ? points : group, "points", "must be a group in braces");
  if (check_keys(reader, points, known)) return -1;
  for (int stage = 0; stage < STAGE_COUNT; stage++)
    if (read_number(reader, points, known[stage], stage == STAGE_RULES || stage == STAGE_CORRECTNESS, 0,
                    10000, &exercise->points[stage]))
      return -1;
  exercise->timed = config_setting_get_member(points, known[STAGE_BANDWIDTH]) != NULL;
  return 0;
}

static int read_skeleton(const struct reader *reader, const config_setting_t *group,
                         struct exercise_config *exercise) {
  char hash[32];
  if (read_text(reader, group, "skeleton", false, hash, sizeof hash)) return -1;
  size_t length = strspn(hash, "0123456789abcdef");
  if (hash[0] && (length != 16 || hash[length]))
    return complain(reader, config_setting_get_member(group, "skeleton"), "skeleton",
                    "must be 16 hexadecimal digits");
  memcpy(exercise->skeleton, hash, sizeof exercise->skeleton - 1);
  return 0;
}

static int read_speed(const struct reader *reader, const config_setting_t *group,
                      struct exercise_config *exercise) {
  if (read_text(reader, group, "speed", false, exercise->speed, sizeof exercise->speed)) return -1;
  if (!exercise->speed[0]) snprintf(exercise->speed, sizeof exercise->speed, "bandwidth");
  if (strcmp(exercise->speed, "bandwidth") == 0 || strcmp(exercise->speed, "tflops") == 0) return 0;
  return complain(reader, config_setting_get_member(group, "speed"), "speed",
                  "must be \"bandwidth\" or \"tflops\"");
}

static int read_exercise(const struct reader *reader, const config_setting_t *group,
                         struct exercise_config *exercise) {
  static const char *const known[] = {"name",
                                      "skeleton",
                                      "points",
                                      "speed",
                                      "bandwidth",
                                      "bandwidth_floor",
                                      "correctness_floor",
                                      "result_step",
                                      "requirements",
                                      "done",
                                      "barriers",
                                      NULL};
  if (!config_setting_is_group(group))
    return complain(reader, group, "exercises", "must hold groups in braces");
  if (check_keys(reader, group, known) ||
      read_text(reader, group, "name", true, exercise->name, sizeof exercise->name))
    return -1;
  for (const char *c = exercise->name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '-')
      return complain(reader, group, "name", "may hold letters, digits and - only");
  if (read_skeleton(reader, group, exercise) || read_points(reader, group, exercise)) return -1;
  exercise->line = config_setting_source_line(config_setting_get_member(group, "name"));
  if (read_speed(reader, group, exercise)) return -1;
  const config_setting_t *ratio = config_setting_get_member(group, "bandwidth");
  if (ratio && !exercise->timed)
    return complain(reader, ratio, "bandwidth", "there are no points for it: points has no bandwidth");
  if (read_number(reader, group, "bandwidth", exercise->timed, 0.01, 1.2, &exercise->bandwidth)) return -1;
  exercise->bandwidth_floor = exercise->bandwidth;
  if (read_number(reader, group, "bandwidth_floor", false, 0, exercise->bandwidth,
                  &exercise->bandwidth_floor))
    return -1;
  exercise->correctness_floor = 1;
  if (read_number(reader, group, "correctness_floor", false, 0, 0.99, &exercise->correctness_floor))
    return -1;
  if (read_step(reader, group, "result_step", &exercise->result_step)) return -1;
  if (read_text(reader, group, "done", false, exercise->done, sizeof exercise->done)) return -1;
  if (read_barriers(reader, group, exercise)) return -1;
  return read_requirements(reader, group, exercise);
}

// "2026-11-20 23:59", in this machine's time zone.
static int read_deadline(const struct reader *reader, const config_setting_t *root, time_t *deadline) {
  char text[32];
  struct tm parts = {.tm_isdst = -1};
  if (read_text(reader, root, "deadline", false, text, sizeof text)) return -1;
  if (!text[0]) return 0;
  const char *end = strptime(text, "%Y-%m-%d %H:%M", &parts);
  *deadline = end && !*end ? mktime(&parts) : -1;
  if (*deadline > 0) return 0;
  return complain(reader, config_setting_get_member(root, "deadline"), "deadline",
                  "must be a day and a time, such as \"2026-11-20 23:59\"");
}

static int read_late(const struct reader *reader, const config_setting_t *root, struct lab_config *config) {
  const config_setting_t *list = config_setting_get_member(root, "late");
  if (!list) return 0;
  int count = config_setting_is_array(list) ? config_setting_length(list) : 0;
  if (count < 1 || count > CONFIG_MAX_LATE)
    return complain(reader, list, "late", "must be an array of 1 to 32 numbers, one per day");
  for (int i = 0; i < count; i++) {
    const config_setting_t *number = config_setting_get_elem(list, (unsigned)i);
    const int type = config_setting_type(number);
    if (type == CONFIG_TYPE_FLOAT)
      config->late[i] = config_setting_get_float(number);
    else if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64)
      config->late[i] = (double)config_setting_get_int64(number);
    else // "0.9" would be read as 0
      return complain(reader, list, "late", "must hold numbers, without quotes");
    if (!(config->late[i] >= 0 && config->late[i] <= 1))
      return complain(reader, list, "late", "must hold numbers from 0.0 to 1.0");
  }
  config->late_count = (unsigned)count;
  return 0;
}

static int read_without_gpu(const struct reader *reader, const config_setting_t *root,
                            enum without_gpu *without_gpu) {
  static const char *const words[] = {
      [WITHOUT_GPU_SHOW] = "show", [WITHOUT_GPU_GRADE] = "grade", [WITHOUT_GPU_OFF] = "off"};
  char word[32];
  *without_gpu = WITHOUT_GPU_SHOW;
  if (read_text(reader, root, "bandwidth_without_gpu", false, word, sizeof word)) return -1;
  if (!word[0]) return 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(word, words[i]) != 0) continue;
    *without_gpu = (enum without_gpu)i;
    return 0;
  }
  return complain(reader, config_setting_get_member(root, "bandwidth_without_gpu"), "bandwidth_without_gpu",
                  "must be \"show\", \"grade\" or \"off\"");
}

static int read_lab(const struct reader *reader, const config_setting_t *root, struct lab_config *config) {
  static const char *const known[] = {"lab",      "title", "in_order",  "bandwidth_without_gpu",
                                      "deadline", "late",  "exercises", NULL};
  if (check_keys(reader, root, known) ||
      read_text(reader, root, "lab", true, config->lab, sizeof config->lab))
    return -1;
  if (read_text(reader, root, "title", true, config->title, sizeof config->title)) return -1;
  if (read_truth(reader, root, "in_order", &config->in_order)) return -1;
  if (read_without_gpu(reader, root, &config->without_gpu)) return -1;
  if (read_deadline(reader, root, &config->deadline) || read_late(reader, root, config)) return -1;
  config->lab_line = config_setting_source_line(config_setting_get_member(root, "lab"));
  const config_setting_t *list = config_setting_get_member(root, "exercises");
  if (!list || !config_setting_is_list(list) || config_setting_length(list) < 1 ||
      config_setting_length(list) > RECORD_MAX_EXERCISES)
    return complain(reader, list ? list : root, "exercises",
                    "must be a list in parentheses of 1 to 16 groups");
  config->exercises_line = config_setting_source_line(list);
  config->exercise_count = (unsigned)config_setting_length(list);
  for (unsigned i = 0; i < config->exercise_count; i++) {
    if (read_exercise(reader, config_setting_get_elem(list, i), &config->exercises[i])) return -1;
    for (unsigned before = 0; before < i; before++)
      if (strcmp(config->exercises[before].name, config->exercises[i].name) == 0)
        return complain(reader, config_setting_get_elem(list, i), "name", "another exercise is called so");
  }
  return 0;
}

int lab_config_read(const char *path, struct lab_config *config, char *error, size_t error_size) {
  struct reader reader = {path, error, error_size};
  config_t file;
  config_init(&file);
  *config = (struct lab_config){0};
  int status = -1;
  if (config_read_file(&file, path)) {
    status = read_lab(&reader, config_root_setting(&file), config);
  } else {
    snprintf(error, error_size, "%s:%d: %s", path, config_error_line(&file), config_error_text(&file));
  }
  config_destroy(&file);
  return status;
}

bool lab_config_score(const struct lab_config *config, struct exercise_record *exercise) {
  bool others = false;
  for (unsigned i = 0; i < config->exercise_count; i++) {
    if (strcmp(config->exercises[i].name, exercise->name) != 0) continue;
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
      double points = config->exercises[i].points[stage];
      others |= exercise->stages[stage].max_points != points;
      exercise->stages[stage].max_points = points;
    }
  }
  return others;
}

static void write_judging(const config_setting_t *setting, FILE *out) {
  const char *name = config_setting_name(setting);
  if (name && (strcmp(name, "points") == 0 || strcmp(name, "title") == 0 || strcmp(name, "done") == 0 ||
               strcmp(name, "deadline") == 0 || strcmp(name, "late") == 0))
    return;
  fprintf(out, "%s=", name ? name : "");
  switch (config_setting_type(setting)) {
  case CONFIG_TYPE_INT:
  case CONFIG_TYPE_INT64: fprintf(out, "%lld;", config_setting_get_int64(setting)); break;
  case CONFIG_TYPE_FLOAT: fprintf(out, "%.17g;", config_setting_get_float(setting)); break;
  case CONFIG_TYPE_BOOL: fprintf(out, "%d;", config_setting_get_bool(setting)); break;
  case CONFIG_TYPE_STRING: fprintf(out, "\"%s\";", config_setting_get_string(setting)); break;
  default:
    fputc('(', out);
    for (int i = 0; i < config_setting_length(setting); i++)
      write_judging(config_setting_get_elem(setting, (unsigned)i), out);
    fputc(')', out);
  }
}

char *lab_config_judging(const char *path) {
  char *text = NULL;
  size_t length;
  config_t file;
  config_init(&file);
  FILE *out = config_read_file(&file, path) ? open_memstream(&text, &length) : NULL;
  if (out) {
    write_judging(config_root_setting(&file), out);
    fclose(out);
  }
  config_destroy(&file);
  return text;
}
