// build/bin/lean-compiler: stands in for the host's compiler while nvcc compiles. In: nvcc's arguments;
// LEAN_COMPILER, the compiler; LEAN_KEEPS, the folders whose declarations all stay. Out: what the compiler
// makes. The idea: nine tenths of the megabyte that nvcc's tools read four times are declarations of headers
// that a source never names. They are taken out of what the compiler has preprocessed.
#include "lean/reach.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), most = strlen(end);
  return length >= most && strcmp(text + length - most, end) == 0;
}

// Runs the compiler. Returns its exit status.
static int compile(char **arguments) {
  pid_t process;
  int status = 0;
  if (posix_spawnp(&process, arguments[0], NULL, NULL, arguments, environ) != 0) {
    fprintf(stderr, "lean-compiler: %s: %s\n", arguments[0], strerror(errno));
    return 1;
  }
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static char *read_all(const char *path, size_t *length) {
  FILE *file = fopen(path, "re");
  char *text = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0) {
    const long end = ftell(file);
    rewind(file);
    text = end > 0 ? malloc((size_t)end) : NULL;
    *length = text ? fread(text, 1, (size_t)end, file) : 0;
  }
  if (file) fclose(file);
  return text;
}

// Makes the preprocessed file lean: all of it, or nothing.
static bool make_lean(const char *path, const char *keeps) {
  size_t length, lean_length;
  char *text = read_all(path, &length), *beside = NULL;
  if (!text || asprintf(&beside, "%s.lean", path) < 0) return false;
  char *lean = lean_text(text, length, keeps, &lean_length);
  FILE *file = fopen(beside, "we");
  bool written = file && fwrite(lean, 1, lean_length, file) == lean_length;
  if (file) written = fclose(file) == 0 && written;
  return written && rename(beside, path) == 0;
}

// The same in a process of its own: if that one ends early, the file stays as it was, and all is well.
static void try_to_make_lean(const char *path, const char *keeps) {
  const pid_t process = fork();
  if (process == 0) _exit(make_lean(path, keeps) ? 0 : 1);
  while (process > 0 && waitpid(process, NULL, 0) < 0 && errno == EINTR) {
  }
}

int main(int count, char **arguments) {
  const char *keeps = getenv("LEAN_KEEPS"), *preprocessed = NULL;
  bool preprocesses = false, stub = false;
  static char no_functions[] = "-D__COMMON_FUNCTIONS_H__";
  char **passed = calloc((size_t)count + 2, sizeof *passed);
  int passed_count = 0;
  if (!passed || !getenv("LEAN_COMPILER") || !keeps) {
    fprintf(stderr, "lean-compiler: LEAN_COMPILER and LEAN_KEEPS say what to do\n");
    return 2;
  }
  passed[passed_count++] = getenv("LEAN_COMPILER");
  for (int i = 1; i < count; i++) {
    preprocesses = preprocesses || strcmp(arguments[i], "-E") == 0;
    if (i > 1 && strcmp(arguments[i - 1], "-o") == 0 && ends_with(arguments[i], ".ii"))
      preprocessed = arguments[i];
    stub = stub || ends_with(arguments[i], ".cudafe1.cpp");
    passed[passed_count++] = arguments[i];
  }
  // The code that starts kernels includes all of CUDA's functions once more, and uses none of them.
  if (stub && !preprocesses) passed[passed_count++] = no_functions;
  if (!preprocesses || !preprocessed) {
    execvp(passed[0], passed);
    fprintf(stderr, "lean-compiler: %s: %s\n", passed[0], strerror(errno));
    return 1;
  }
  const int status = compile(passed);
  if (status == 0) try_to_make_lean(preprocessed, keeps);
  return status;
}
