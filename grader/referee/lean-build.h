// The first attempt at compiling a source: with headers from which most has been taken out.
#ifndef REFEREE_LEAN_BUILD_H
#define REFEREE_LEAN_BUILD_H

#include "referee/grading.h"

enum { LEAN_ARGUMENTS = 32 };
struct lean_build {
  char compiler[PATH_MAX]; // what stands in for the host's compiler
  const char *arguments[LEAN_ARGUMENTS];
};

// Makes the arguments of that attempt from those of nvcc. A source that doesn't compile so is compiled as
// `compile` says, and judged by that.
void lean_build_make(struct lean_build *build, const struct task *task, const char *const *compile);
// The same of a source that no task builds; `folder` has it and the headers that came with it.
void lean_build_arrange(struct lean_build *build, const struct kit *kit, const char *folder,
                        const char *const *compile);

// What the compiler that stands in has to know, as variables of the environment.
struct lean_environment {
  char compiler[PATH_MAX + 16], keeps[3 * PATH_MAX + 16], prefixes[PATH_MAX + 16];
};
void lean_build_environment(struct lean_environment *environment, const struct task *task);
// The same without a task: of the folders (or files) `first` and `last` nothing is taken out.
void lean_build_keep(struct lean_environment *environment, const struct kit *kit, const char *first,
                     const char *last);

#endif
