// build/bin/lean-compiler: stands in for the host's compiler while nvcc compiles. In: nvcc's arguments;
// LEAN_COMPILER, the compiler; LEAN_KEEPS, the folders whose declarations all stay; LEAN_PREFIXES, the folder
// of what is preprocessed already. Out: what the compiler makes. LEAN_MAKES=yes: makes a prefix of an empty
// source, too. The idea: nine tenths of the megabyte that nvcc's tools read four times are declarations of
// headers that a source never names. They are taken out of what the compiler has preprocessed.
#include "lean/prefix.h"
#include "lean/reach.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct command {
  char **arguments; // the compiler's, with room for three more
  int count;
  bool preprocesses, compiles_stub;
  char *made;  // the preprocessed file, if that is what it makes
  int include; // where the arguments have cuda_runtime.h, to be included first, or 0
  const char *keeps, *prefixes;
};

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

// The whole file, with a zero byte behind it.
static char *read_all(const char *path, size_t *length) {
  FILE *file = fopen(path, "re");
  char *text = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0) {
    const long end = ftell(file);
    rewind(file);
    text = end > 0 ? malloc((size_t)end + 1) : NULL;
    *length = text ? fread(text, 1, (size_t)end, file) : 0;
    if (text) text[*length] = '\0';
  }
  if (file) fclose(file);
  return text;
}

// Makes the preprocessed file lean: all of it, or nothing. `prefix`: what it lacks, or NULL.
static bool make_lean(const struct command *command, const struct prefix *prefix) {
  size_t length, lean_length;
  char *text = read_all(command->made, &length), *beside = NULL;
  if (text && prefix) text = prefix_join(prefix, text, length, &length);
  if (!text || asprintf(&beside, "%s.lean", command->made) < 0) return false;
  char *lean = lean_text(text, length, command->keeps, &lean_length);
  FILE *file = fopen(beside, "we");
  bool written = file && fwrite(lean, 1, lean_length, file) == lean_length;
  if (file) written = fclose(file) == 0 && written;
  return written && rename(beside, command->made) == 0;
}

// The same in a process of its own: if that one ends early, the file stays as it was.
static bool try_to_make_lean(const struct command *command, const struct prefix *prefix) {
  int status = 1;
  const pid_t process = fork();
  if (process == 0) _exit(make_lean(command, prefix) ? 0 : 1);
  while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return process > 0 && status == 0;
}

// Preprocesses with a prefix. False: there is none that fits, or something has gone wrong.
static bool use_prefix(const struct command *command) {
  static char include[] = "-include";
  struct prefix prefix;
  char **arguments = command->arguments, *const header = arguments[command->include];
  if (!command->include || !command->prefixes ||
      !prefix_find(&prefix, arguments + 1, command->prefixes, command->keeps))
    return false;
  arguments[command->include] = prefix.system_macros;
  arguments[command->count] = include;
  arguments[command->count + 1] = prefix.macros;
  const bool made = compile(arguments) == 0 && try_to_make_lean(command, &prefix);
  arguments[command->include] = header;
  arguments[command->count] = arguments[command->count + 1] = NULL;
  prefix_free(&prefix);
  return made;
}

// What the command makes when `option` is added to it, and `first` is included first; NULL: nothing.
static char *make_with(const struct command *command, char *option, char *first) {
  char **arguments = command->arguments, *const header = arguments[command->include];
  size_t length;
  arguments[command->count] = option;
  arguments[command->include] = first;
  const bool made = compile(arguments) == 0;
  arguments[command->count] = NULL;
  arguments[command->include] = header;
  return made ? read_all(command->made, &length) : NULL;
}

static bool make_prefix(const struct command *command) {
  static char nothing[] = "/dev/null", at_end[] = "-dM", in_place[] = "-dD";
  char *const header = command->arguments[command->include];
  if (!command->include || !command->prefixes) return false;
  const struct prefix_parts parts = {.macros = make_with(command, at_end, header),
                                     .macros_without = make_with(command, at_end, nothing),
                                     .with_macros = make_with(command, in_place, header),
                                     .text = make_with(command, NULL, header)};
  return parts.macros && parts.macros_without && parts.with_macros && parts.text &&
         prefix_make(command->arguments + 1, command->prefixes, command->keeps, &parts);
}

static int preprocess(const struct command *command) {
  if (getenv("LEAN_MAKES") && !make_prefix(command)) {
    fprintf(stderr, "lean-compiler: no prefix could be made\n");
    return 1;
  }
  if (use_prefix(command)) return 0;
  const int status = compile(command->arguments);
  if (status == 0) try_to_make_lean(command, NULL);
  return status;
}

int main(int count, char **arguments) {
  // The code that starts kernels includes all of CUDA's functions once more, and uses none of them.
  static char no_functions[] = "-D__COMMON_FUNCTIONS_H__";
  struct command command = {.arguments = calloc((size_t)count + 3, sizeof(char *)),
                            .count = count,
                            .keeps = getenv("LEAN_KEEPS"),
                            .prefixes = getenv("LEAN_PREFIXES")};
  if (!command.arguments || !getenv("LEAN_COMPILER") || !command.keeps) {
    fprintf(stderr, "lean-compiler: LEAN_COMPILER and LEAN_KEEPS say what to do\n");
    return 2;
  }
  command.arguments[0] = getenv("LEAN_COMPILER");
  for (int i = 1; i < count; i++) {
    const char *const before = arguments[i - 1];
    command.arguments[i] = arguments[i];
    command.preprocesses = command.preprocesses || strcmp(arguments[i], "-E") == 0;
    if (strcmp(before, "-o") == 0 && ends_with(arguments[i], ".ii")) command.made = arguments[i];
    if (strcmp(before, "-include") == 0 && strcmp(arguments[i], "cuda_runtime.h") == 0) command.include = i;
    command.compiles_stub = command.compiles_stub || ends_with(arguments[i], ".cudafe1.cpp");
  }
  if (command.preprocesses && command.made) return preprocess(&command);
  if (command.compiles_stub && !command.preprocesses) command.arguments[count] = no_functions;
  execvp(command.arguments[0], command.arguments);
  fprintf(stderr, "lean-compiler: %s: %s\n", command.arguments[0], strerror(errno));
  return 1;
}
