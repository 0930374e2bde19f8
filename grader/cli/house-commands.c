// handout, gradescope-zip, validate: commands whose work is moving files about, which shell scripts in grader/setup do. In: a lab. Out: the
// script's exit status. The idea: the script runs with the kit as its directory, and gets absolute paths.
#include "cli/commands.h"
#include "referee/kit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int run_script(const char *script, const char *lab, const char *output) {
  struct kit kit;
  char error[600], path[PATH_MAX], absolute[PATH_MAX];
  if (kit_find(&kit, error, sizeof error) != 0) return complain("%s", error);
  kit_path(&kit, path, "grader/setup/%s", script);
  if (access(path, R_OK) != 0)
    return complain("%s is missing: students' archives don't have it, instructors' kits do", path);
  if (output && output[0] != '/') {
    char directory[PATH_MAX];
    if (!getcwd(directory, sizeof directory)) return complain("the current directory: %s", strerror(errno));
    if (snprintf(absolute, sizeof absolute, "%s/%s", directory, output) >= (int)sizeof absolute)
      return complain("-o %s: the path is too long", output);
    output = absolute;
  }
  char *command[] = {"sh", path, (char *)lab, (char *)output, NULL};
  execvp(command[0], command);
  return complain("%s cannot be run: %s", path, strerror(errno));
}

// LAB [-o FILE]
static int make_archive(const char *name, const char *script, int count, char **given) {
  if ((count == 1 || (count == 3 && strcmp(given[1], "-o") == 0)) && given[0][0] != '-')
    return run_script(script, given[0], count == 3 ? given[2] : NULL);
  return complain("usage: grader %s LAB [-o FILE]", name);
}

int command_handout(int count, char **given) {
  return make_archive("handout", "handout.sh", count, given);
}
int command_gradescope_zip(int count, char **given) {
  return make_archive("gradescope-zip", "gradescope-zip.sh", count, given);
}
int command_validate(int count, char **given) {
  if (count == 1 && given[0][0] != '-') return run_script("validate.sh", given[0], NULL);
  return complain("usage: grader validate LAB");
}
