// similar: names files of a class that are alike. In: the output folder of `grader batch`, and those of
// earlier classes. Out: OUT/similar.html, and the pairs on standard output. The idea: it compares what was
// graded, so that archives, exports and names are the batch's business.
#include "class/similar-page.h"
#include "class/similar.h"
#include "cli/commands.h"
#include "exercises/exercise.h"
#include "referee/kit.h"
#include "report/glob-below.h"
#include "virtual-hopper/base/printable.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_CLASSES = 32, MOST_EXERCISES = 64, ERROR = 700 };

struct request {
  char lab[RECORD_NAME];
  const char *only; // an exercise; NULL: all
  const char *classes[MOST_CLASSES];
  size_t class_count; // the first is the class, the others are earlier ones
};

static const char usage[] =
    "usage: grader similar LAB[/EXERCISE] GRADES [--against EARLIER_GRADES].., where\n"
    "  GRADES is a folder that `grader batch` or `make grade` has written";

static int read_request(int count, char **given, struct request *request) {
  if (count < 2 || given[0][0] == '-' || given[1][0] == '-') return complain("%s", usage);
  const char *slash = strchr(given[0], '/');
  snprintf(request->lab, sizeof request->lab, "%.*s",
           slash ? (int)(slash - given[0]) : (int)sizeof request->lab - 1, given[0]);
  request->only = slash ? slash + 1 : NULL;
  request->classes[request->class_count++] = given[1];
  for (int i = 2; i < count; i += 2) {
    if (strcmp(given[i], "--against") != 0 || i + 1 == count) return complain("%s", usage);
    if (request->class_count == MOST_CLASSES) return complain("similar: at most %d folders", MOST_CLASSES);
    request->classes[request->class_count++] = given[i + 1];
  }
  return STATUS_PASSED;
}

// ---- names ----

// The student's full name from the result, or else the name of the folder. The caller frees it.
static char *student_name(const char *grades, const char *folder) {
  char path[PATH_MAX];
  const char *full = NULL;
  json_t *result = NULL;
  if (snprintf(path, sizeof path, "%s/results/%s.json", grades, folder) < (int)sizeof path)
    result = json_load_file(path, 0, NULL);
  json_unpack(result, "{s:{s:s}}", "student", "full_name", &full);
  char *name = strdup(full && full[0] ? full : folder);
  json_decref(result);
  return name;
}

// ---- files ----

// What may be compared of one exercise: the kit's own files, and which names they give.
static int hand_out(const struct kit *kit, const struct request *request, const char *exercise,
                    struct given_names *given, struct similar *similar, char *error) {
  static const char *const interface[] = {
      "tma-interface.cuh", "tma-cache.cuh", "tma-cluster.cuh", "tma-cta.cuh",  "tma-map-update.cuh",
      "tma-reduce.cuh",    "tma-wgmma.cuh", "timeline.cuh",    "tensor-map.h", "cuda-check.h"};
  char path[PATH_MAX];
  struct source_text skeleton = {NULL, 0, NULL, 0};
  int status = 0;
  for (size_t i = 0; i < sizeof interface / sizeof *interface && status == 0; i++)
    status = given_names_add(given, kit_path(kit, path, "interface/%s", interface[i]), error, ERROR);
  kit_path(kit, path, "labs/%s/%s.cu", request->lab, exercise);
  if (status == 0) status = given_names_add(given, path, error, ERROR);
  given_names_sort(given);
  if (status == 0) status = source_text_read(path, given, &skeleton, error, ERROR);
  if (status == 0) status = similar_hand_out(similar, &skeleton, error, ERROR);
  source_text_free(&skeleton);
  return status;
}

// One student's file that can't be read must not keep the others from being compared.
static int leave_out(struct similar_exercise *exercise, const char *why, char *error) {
  char *before = exercise->left_out, *both = NULL;
  if (asprintf(&both, "%s%s\n", before ? before : "", why) < 0) {
    snprintf(error, ERROR, "out of memory");
    return -1;
  }
  free(before);
  exercise->left_out = both;
  return 0;
}

static int add_file(const char *grades, bool earlier, const char *path, const struct given_names *given,
                    struct similar_exercise *exercise, char *error) {
  struct source_text source;
  char folder[PATH_MAX];
  const char *end = strrchr(path, '/'), *begin = end;
  while (begin > path && begin[-1] != '/')
    begin--;
  snprintf(folder, sizeof folder, "%.*s", (int)(end - begin), begin);
  char *name = student_name(grades, folder);
  int status = name ? source_text_take(path, given, &source, error, ERROR) : -1;
  if (name && earlier) { // so that nobody takes them for this year's
    char *both = malloc(strlen(name) + strlen(grades) + 4);
    if (both) sprintf(both, "%s (%s)", name, grades);
    free(name);
    name = both;
  }
  if (status == 0 && name) status = similar_add(&exercise->similar, name, earlier, &source, error, ERROR);
  if (status != 0) free(name);
  return status == 1 ? leave_out(exercise, error, error) : status;
}

static int add_class(const struct request *request, size_t index, const char *exercise,
                     const struct given_names *given, struct similar_exercise *into, char *error) {
  const char *grades = request->classes[index];
  char pattern[RECORD_NAME + 32];
  glob_t found;
  int status = 0;
  snprintf(pattern, sizeof pattern, "submissions/*/%s.cu", exercise);
  if (glob_below(grades, pattern, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc && status == 0; i++)
      status = add_file(grades, index > 0, found.gl_pathv[i], given, into, error);
  globfree(&found);
  return status;
}

static int compare(const struct kit *kit, const struct request *request, const char *name,
                   struct similar_exercise *exercise, char *error) {
  struct given_names given = {NULL, 0, 0};
  exercise->name = name;
  int status = hand_out(kit, request, name, &given, &exercise->similar, error);
  for (size_t i = 0; i < request->class_count && status == 0; i++)
    status = add_class(request, i, name, &given, exercise, error);
  given_names_free(&given);
  return status == 0 ? similar_compare(&exercise->similar, error, ERROR) : status;
}

// ---- the command ----

static void print_pairs(const struct similar_exercise *exercise) {
  const struct similar *similar = &exercise->similar;
  printf("%s: %zu file%s, %zu pair%s alike\n", exercise->name, similar->count, similar->count == 1 ? "" : "s",
         similar->pair_count, similar->pair_count == 1 ? "" : "s");
  for (size_t i = 0; i < similar->pair_count && i < SIMILAR_MOST_SHOWN; i++) {
    const struct similar_pair *pair = &similar->pairs[i];
    char words[SIMILAR_WORDS];
    fputs("  ", stdout);
    printable_print(stdout, similar->files[pair->first].name);
    fputs(", ", stdout);
    printable_print(stdout, similar->files[pair->second].name);
    printf(": %s\n", similar_describe(pair, words));
  }
  if (exercise->left_out) {
    fputs("Not compared:\n", stdout);
    printable_print(stdout, exercise->left_out);
  }
}

static int check_classes(const struct request *request) {
  for (size_t i = 0; i < request->class_count; i++) {
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof path, "%s/submissions", request->classes[i]) < (int)sizeof path &&
        stat(path, &status) == 0 && S_ISDIR(status.st_mode))
      continue;
    return complain("%s holds no grades: give a folder that `grader batch` or `make grade` has written",
                    request->classes[i]);
  }
  return STATUS_PASSED;
}

static int compare_all(const struct kit *kit, const struct request *request,
                       struct similar_exercise *exercises, size_t *count) {
  size_t known;
  char error[ERROR] = "", path[PATH_MAX], title[2 * RECORD_NAME];
  const struct exercise *const *list = exercises_of(request->lab, &known);
  if (!list) return complain("there is no lab `%.40s`", request->lab);
  for (size_t i = 0; i < known && *count < MOST_EXERCISES; i++) {
    if (request->only && strcmp(request->only, list[i]->name) != 0) continue;
    if (compare(kit, request, list[i]->name, &exercises[(*count)++], error) != 0)
      return complain("%s", error);
    print_pairs(&exercises[*count - 1]);
  }
  if (*count == 0) return complain("%s has no exercise `%.60s`", request->lab, request->only);
  snprintf(title, sizeof title, "%s: files that are alike", request->lab);
  if (snprintf(path, sizeof path, "%s/similar.html", request->classes[0]) >= (int)sizeof path)
    return complain("%s: the path is too long", request->classes[0]);
  if (similar_page_save(path, title, exercises, *count, error, sizeof error) != 0)
    return complain("%s", error);
  printf("Side by side: %s\n", path);
  return STATUS_PASSED;
}

int command_similar(int count, char **given) {
  struct request request = {.class_count = 0};
  struct kit kit;
  char error[ERROR];
  size_t used = 0;
  int status = read_request(count, given, &request);
  if (status == STATUS_PASSED) status = check_classes(&request);
  if (status == STATUS_PASSED && kit_find(&kit, error, sizeof error) != 0) return complain("%s", error);
  struct similar_exercise *exercises = calloc(MOST_EXERCISES, sizeof *exercises);
  if (!exercises) return complain("out of memory");
  if (status == STATUS_PASSED) status = compare_all(&kit, &request, exercises, &used);
  for (size_t i = 0; i < used; i++) {
    for (size_t j = 0; j < exercises[i].similar.count; j++)
      free((char *)(uintptr_t)exercises[i].similar.files[j].name);
    similar_free(&exercises[i].similar);
    free(exercises[i].left_out);
  }
  free(exercises);
  return status;
}
