// handout, gradescope-zip, validate, hint, cases: commands about a lab. All but cases are done by shell
// scripts. In: a lab. Out: the exit status. The idea: this process becomes the script, and gives it absolute
// paths.
#include "cli/commands.h"
#include "exercises/exercise.h"
#include "referee/kit.h"
#include "referee/stages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run_script(const char *script, const char *lab, const char *more) {
  struct kit kit;
  char error[600], path[PATH_MAX];
  if (kit_find(&kit, error, sizeof error) != 0) return complain("%s", error);
  kit_path(&kit, path, "grader/setup/%s", script);
  if (access(path, R_OK) != 0)
    return complain("%s is missing: students' archives don't have it, instructors' kits do", path);
  char *command[] = {"sh", path, (char *)lab, (char *)more, NULL};
  execvp(command[0], command);
  return complain("%s cannot be run: %s", path, strerror(errno));
}

// Arguments: LAB [-o FILE].
static int make_archive(const char *name, const char *script, int count, char **given) {
  char directory[PATH_MAX], absolute[PATH_MAX];
  const bool right = (count == 1 || (count == 3 && strcmp(given[1], "-o") == 0)) && given[0][0] != '-';
  if (!right) return complain("usage: grader %s LAB [-o FILE]", name);
  const char *output = count == 3 ? given[2] : NULL;
  if (output && output[0] != '/') {
    if (!getcwd(directory, sizeof directory)) return complain("the current directory: %s", strerror(errno));
    if (snprintf(absolute, sizeof absolute, "%s/%s", directory, output) >= (int)sizeof absolute)
      return complain("-o %s: the path is too long", output);
    output = absolute;
  }
  return run_script(script, given[0], output);
}

int command_handout(int count, char **given) {
  return make_archive("handout", "handout.sh", count, given);
}
int command_gradescope_zip(int count, char **given) {
  return make_archive("gradescope-zip", "gradescope-zip.sh", count, given);
}
int command_validate(int count, char **given) {
  struct arguments arguments;
  if (count != 1 && count != 3) return complain("usage: grader validate LAB [--mutants N]");
  if (arguments_read("validate", TAKES_MUTANTS, count, given, &arguments) != 0) return STATUS_ERROR;
  if (arguments.exercise || (count == 3 && strcmp(given[1], "--mutants") != 0))
    return complain("usage: grader validate LAB [--mutants N]");
  return run_script("validate.sh", arguments.lab, count == 3 ? given[2] : NULL);
}

// ---- hint: prints what `make hint-N` prints, by the same script ----

int command_hint(int count, char **given) {
  struct kit kit;
  char error[600], path[PATH_MAX], lab[RECORD_NAME], number[16];
  const char *slash = count > 0 ? strchr(given[0], '/') : NULL;
  size_t digits = slash ? strspn(slash + 1, "0123456789") : 0;
  if ((count != 1 && count != 3) || digits == 0 || digits >= sizeof number || slash - given[0] >= RECORD_NAME)
    return complain("usage: grader hint LAB/EXERCISE [--step N]; LAB is a folder of labs/");
  if (count == 3 && strcmp(given[1], "--step") != 0) return complain("hint has no option %s", given[1]);
  snprintf(lab, sizeof lab, "%.*s", (int)(slash - given[0]), given[0]);
  snprintf(number, sizeof number, "%.*s", (int)digits, slash + 1);
  if (kit_find(&kit, error, sizeof error) != 0) return complain("%s", error);
  kit_path(&kit, path, "grader/cli/student.sh");
  if (chdir(kit.root) != 0) return complain("%s: %s", kit.root, strerror(errno));
  setenv("LAB", lab, 1);
  setenv("STEP", count == 3 ? given[2] : "", 1);
  char *command[] = {"sh", path, "hint", number, NULL};
  execvp(command[0], command);
  return complain("%s cannot be run: %s", path, strerror(errno));
}

// ---- cases: for scripts, a line EXERCISE|KIND|NAME|SIZES for each case; KIND is public, rules or hidden. A
// line EXERCISE|doubt|WORDS| says what may be wrong with the cases ----

static void print_cases(const struct exercise *exercise, const char *kind, const struct exercise_case *cases,
                        size_t count) {
  for (size_t i = 0; i < count; i++) {
    printf("%s|%s|%s|", exercise->name, kind, cases[i].name);
    for (unsigned size = 0; size < exercise->size_count; size++)
      printf("%s%zu", size ? "," : "", cases[i].size[size]);
    putchar('\n');
  }
}

// Inputs that repeat themselves hide wrong indices.
static void doubt_input(const struct exercise *exercise) {
  for (size_t i = 0; i < exercise->case_count; i++) {
    const size_t period = exercise_input_period(exercise, &exercise->cases[i]);
    if (period == 0) continue;
    printf(
        "%s|doubt|the input of the case \"%s\" repeats itself every %zu elements, so that a wrong index may "
        "find the right value|\n",
        exercise->name, exercise->cases[i].name, period);
    return;
  }
}

int command_cases(int count, char **given) {
  struct kit kit;
  char error[600], path[PATH_MAX];
  struct exercise_case hidden[HIDDEN_MAX_CASES];
  size_t exercises;
  if (count != 1) return complain("usage: grader cases LAB");
  const struct exercise *const *list = exercises_of(given[0], &exercises);
  if (!list) return complain("there is no lab `%.40s`", given[0]);
  if (kit_find(&kit, error, sizeof error) != 0) return complain("%s", error);
  for (size_t i = 0; i < exercises; i++) {
    kit_path(&kit, path, "grader/hidden/%s/%s.cfg", given[0], list[i]->name);
    int hidden_count = hidden_cases_read(path, list[i], hidden, error, sizeof error);
    if (hidden_count < 0) return complain("%s", error);
    print_cases(list[i], "public", list[i]->cases, list[i]->case_count);
    print_cases(list[i], "rules", list[i]->rules_cases, list[i]->rules_case_count);
    print_cases(list[i], "hidden", hidden, (size_t)hidden_count);
    doubt_input(list[i]);
  }
  return STATUS_PASSED;
}
