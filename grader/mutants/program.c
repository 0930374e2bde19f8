// In: a source. Out: its object; whether two objects are the same. The idea: the compiler runs in the
// source's folder, so that no path gets into the object; the name of its temporary file does, and is not
// compared.
#include "mutants/program.h"

#include "exercises/exercise.h"
#include "referee/lean-build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OBJECT_BYTES = 64 << 20 };

// In the child: becomes the compiler, and says nothing. What is relative, as the source is, is never taken
// out of lean headers.
static void become(const struct kit *kit, const char *folder, const char *own, const char *const *arguments) {
  struct lean_environment environment;
  lean_build_keep(&environment, kit, folder, own);
  putenv(environment.compiler);
  putenv(environment.keeps);
  putenv(environment.prefixes);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0 || chdir(folder) != 0) _exit(EXIT_FAILURE);
  for (int stream = 0; stream <= 2; stream++)
    dup2(nowhere, stream);
  execv(arguments[0], (char *const *)(uintptr_t)arguments);
  _exit(EXIT_FAILURE);
}

static const struct exercise *find_exercise(const char *lab, const char *name) {
  size_t count = 0;
  const struct exercise *const *exercises = exercises_of(lab, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(exercises[i]->name, name) == 0) return exercises[i];
  return NULL;
}

static bool compile(const struct kit *kit, const char *folder, const char *own,
                    const char *const *arguments) {
  int status = 0;
  const pid_t compiler = kit->nvcc[0] ? fork() : -1;
  if (compiler == 0) become(kit, folder, own, arguments);
  if (compiler < 0) return false;
  while (waitpid(compiler, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool program_compile(const struct kit *kit, const char *lab, const char *folder, const char *name,
                     const char *object) {
  char source[256], interface[PATH_MAX], own[PATH_MAX], include_interface[PATH_MAX + 2],
      include_own[PATH_MAX + 2];
  snprintf(source, sizeof source, "%.200s.cu", name);
  snprintf(include_interface, sizeof include_interface, "-I%s", kit_path(kit, interface, "interface"));
  snprintf(include_own, sizeof include_own, "-I%s", kit_path(kit, own, "labs/%s", lab));
  const char *const arguments[] = {kit->nvcc,
                                   "-ccbin",
                                   kit->host_compiler,
                                   "-c",
                                   "-std=c++17",
                                   "--no-compress",
                                   "-gencode",
                                   exercise_code(find_exercise(lab, name)),
                                   "-cudart",
                                   "shared",
                                   include_own,
                                   include_interface,
                                   source,
                                   "-o",
                                   object,
                                   NULL};
  struct lean_build lean;
  lean_build_arrange(&lean, kit, folder, arguments);
  return compile(kit, folder, own, lean.arguments) || compile(kit, folder, own, arguments);
}

static char *read_object(const char *path, size_t *length) {
  FILE *file = fopen(path, "re");
  char *bytes = file ? malloc(MOST_OBJECT_BYTES) : NULL;
  *length = bytes ? fread(bytes, 1, MOST_OBJECT_BYTES, file) : 0;
  if (file) fclose(file);
  return bytes;
}

// The length of "tmpxft_0123abcd_00000000" where it begins here, else 0.
static size_t temporary_name(const char *at, size_t left) {
  static const char prefix[] = "tmpxft_";
  enum { LENGTH = sizeof prefix - 1 + 8 + 1 + 8 };
  return left >= LENGTH && memcmp(at, prefix, sizeof prefix - 1) == 0 ? LENGTH : 0;
}

bool program_is_same(const char *object, const char *other) {
  size_t length, other_length, i = 0;
  char *left = read_object(object, &length), *right = read_object(other, &other_length);
  bool same = left && right && length == other_length && length > 0 && length < MOST_OBJECT_BYTES;
  while (same && i < length) {
    const size_t skipped = temporary_name(left + i, length - i);
    same = skipped ? temporary_name(right + i, length - i) == skipped : left[i] == right[i];
    i += skipped ? skipped : 1;
  }
  free(left);
  free(right);
  return same;
}
