// In: a plan. Out: the bubblewrap command line around it. The idea: the whole file system read-only, then the few places
// that differ, in an order in which each line may undo a part of those before it.
#include "sandbox/sandbox.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
  char **items;
  size_t count, capacity;
  bool failed;
};

static void add_one(struct arguments *arguments, const char *text) {
  if (arguments->count + 2 > arguments->capacity) {
    size_t capacity = arguments->capacity ? 2 * arguments->capacity : 64;
    char **items = realloc(arguments->items, capacity * sizeof *items);
    if (!items) {
      arguments->failed = true;
      return;
    }
    arguments->items = items;
    arguments->capacity = capacity;
  }
  char *copy = strdup(text);
  if (!copy) {
    arguments->failed = true;
    return;
  }
  arguments->items[arguments->count++] = copy;
  arguments->items[arguments->count] = NULL;
}

static void add_all(struct arguments *arguments, const char *const *texts) {
  for (; *texts; texts++)
    add_one(arguments, *texts);
}

#define ADD(arguments, ...) add_all(arguments, (const char *const[]){__VA_ARGS__, NULL})

static void add_gpu(struct arguments *arguments) {
  glob_t devices;
  if (glob("/dev/nvidia*", 0, NULL, &devices) != 0) return;
  for (size_t i = 0; i < devices.gl_pathc; i++)
    ADD(arguments, "--dev-bind", devices.gl_pathv[i], devices.gl_pathv[i]);
  globfree(&devices);
}

static void add_paths(struct arguments *arguments, const char *option, const char *const *paths) {
  for (const char *const *path = paths; path && *path; path++)
    if (access(*path, F_OK) == 0) ADD(arguments, option, *path, *path);
}

char **sandbox_namespace_arguments(const struct sandbox_plan *plan) {
  struct arguments arguments = {0};
  ADD(&arguments, "bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session");
  // Nobody inside; outside it is still our user, so that the scratch directory can be written.
  ADD(&arguments, "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL", "--hostname", "sandbox");
  ADD(&arguments, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp");
  if (plan->gpu) add_gpu(&arguments);
  add_paths(&arguments, "--ro-bind", plan->readable);
  for (const char *const *path = plan->hidden; path && *path; path++)
    if (access(*path, F_OK) == 0) ADD(&arguments, "--tmpfs", *path);
  add_paths(&arguments, "--ro-bind", plan->exceptions);
  ADD(&arguments, "--bind", plan->directory, plan->directory, "--chdir", plan->directory, "--");
  for (const char *const *argument = plan->arguments; *argument; argument++)
    add_one(&arguments, *argument);
  if (arguments.failed) {
    sandbox_arguments_free(arguments.items);
    return NULL;
  }
  return arguments.items;
}

void sandbox_arguments_free(char **arguments) {
  for (char **argument = arguments; argument && *argument; argument++)
    free(*argument);
  free(arguments);
}
