// In: faults with callers (MODULE+0xOFFSET) and mangled names. Out: functions, files and lines; names with
// template arguments. One idea: the tools of the C++ compiler that built the program do it, addr2line and
// libstdc++; nvcc can't work without them. Without them, reports say less.
#include "virtual-hopper/command/callers.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/command/host-name.h"

enum { MOST_CALLERS = 32 };

typedef char *demangle_function(const char *name, char *buffer, size_t *size, int *status);

struct resolver {
  demangle_function *demangle; // NULL: there is no libstdc++
  struct arena *arena;         // for texts until the report has copied them
};

// ---- names ------------------------------------------------------------------------------------------------

// "void name<int>(int*)" without what stands before and behind the name.
static char *bare_name(char *text) {
  size_t end = strlen(text);
  int depth = 0;
  if (end && text[end - 1] == ')') {
    do {
      end--;
      depth += text[end] == ')' ? 1 : text[end] == '(' ? -1 : 0;
    } while (end && depth);
    if (end) text[end] = '\0';
  }
  return strncmp(text, "void ", 5) == 0 ? text + 5 : text;
}

static void resolve_name(struct resolver *r, struct fault *fault) {
  int status = 0;
  if (!r->demangle || !fault->symbol || strncmp(fault->symbol, "_Z", 2) != 0) return;
  char *text = r->demangle(fault->symbol, NULL, NULL, &status);
  if (!text) return;
  const char *bare = bare_name(text);
  fault->signature = arena_copy_text(r->arena, bare, strlen(bare));
  free(text);
}

// ---- callers ----------------------------------------------------------------------------------------------

// Starts addr2line for offsets of one module; returns its output, NULL when it can't be started.
static FILE *ask(const char *module, char *const *offsets, int count, pid_t *process) {
  char *arguments[MOST_CALLERS + 6] = {"addr2line", "-afiC", "-e", (char *)(uintptr_t)module};
  int ends[2];
  posix_spawn_file_actions_t actions;
  memcpy(arguments + 4, offsets, (size_t)count * sizeof *offsets);
  if (pipe2(ends, O_CLOEXEC) != 0) return NULL;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int wrong = posix_spawnp(process, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  FILE *out = wrong ? NULL : fdopen(ends[0], "r");
  if (!out) close(ends[0]);
  return out;
}

// What nvcc, CUDA's headers and the C++ library put between the program's functions.
static bool is_machinery(const char *function, const char *file, const char *signature) {
  static const char *const beginnings[] = {"__libc_start", "_start", "__cudaLaunch", "cudaError cuda", "??"},
                           *const names[] = {"cudaLaunchKernelEx",
                                             "std::", "__gnu_cxx::", "thrust::", "cub::"};
  char name[1024];
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (strncmp(function, beginnings[i], strlen(beginnings[i])) == 0) return true;
  if (strstr(function, "__device_stub_") || fault_is_library(file)) return true;
  snprintf(name, sizeof name, "%s", function);
  if (signature && strcmp(bare_name(name), signature) == 0) return true;
  host_name_shorten(name, sizeof name, function);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
  return false;
}

static void add_frame(struct resolver *r, struct fault *fault, const char *function, char *place) {
  const char *signature = fault->signature ? fault->signature : *fault->kernel ? fault->kernel : NULL;
  char *colon = strrchr(place, ':');
  if (!colon || fault->host_count == FAULT_MAX_HOST) return;
  *colon = '\0';
  if (is_machinery(function, place, signature)) return;
  const unsigned long line = strtoul(colon + 1, NULL, 10);
  char name[1024];
  host_name_shorten(name, sizeof name, function);
  fault->host[fault->host_count++] =
      (struct fault_host){.function = arena_copy_text(r->arena, name, strlen(name)),
                          .file = arena_copy_text(r->arena, place, line ? strlen(place) : 0),
                          .line = (uint32_t)line};
}

static void cut_line(char *text) {
  text[strcspn(text, "\n")] = '\0';
}

static void resolve_module(struct resolver *r, struct fault *fault, const char *module, char *const *offsets,
                           int count) {
  char *function = NULL, *place = NULL;
  size_t function_room = 0, place_room = 0;
  pid_t process;
  FILE *in = ask(module, offsets, count, &process);
  if (!in) return;
  while (getline(&function, &function_room, in) > 0) {
    if (strncmp(function, "0x", 2) == 0) continue; // the address
    if (getline(&place, &place_room, in) <= 0) break;
    cut_line(function);
    cut_line(place);
    add_frame(r, fault, function, place);
  }
  fclose(in);
  free(function);
  free(place);
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
  }
}

// The C library, whose frames aren't shown: where its debug information is installed, addr2line would unpack
// all of it, which takes longer than a whole run.
static bool is_c_library(const char *module) {
  const char *slash = strrchr(module, '/'), *name = slash ? slash + 1 : module;
  return strncmp(name, "libc.so.", 8) == 0 || strncmp(name, "libc-2.", 7) == 0;
}

// Neighbouring callers of one module are looked up together.
static void resolve_callers(struct resolver *r, struct fault *fault) {
  char *callers = strdup(fault->callers), *rest = callers, *offsets[MOST_CALLERS];
  const char *module = NULL;
  int count = 0;
  for (char *line; callers && (line = strsep(&rest, "\n"));) {
    char *plus = strrchr(line, '+');
    if (!plus) continue;
    *plus = '\0';
    if (is_c_library(line)) continue;
    if (module && (strcmp(module, line) != 0 || count == MOST_CALLERS)) {
      resolve_module(r, fault, module, offsets, count);
      count = 0;
    }
    module = line;
    offsets[count++] = plus + 1;
  }
  if (count) resolve_module(r, fault, module, offsets, count);
  free(callers);
}

// A place that is a call of the host's. Without its line, the function is told.
static void resolve_call(struct resolver *r, const char *callers, struct fault_place *place, char *role,
                         size_t size) {
  struct fault call = {.callers = callers};
  if (!callers || place->line) return;
  resolve_callers(r, &call);
  for (uint32_t i = 0; i < call.host_count && !place->line; i++) {
    place->file = call.host[i].file;
    place->line = call.host[i].line;
  }
  const size_t length = strlen(role);
  if (!place->line && call.host_count)
    snprintf(role + length, size - length, "; called in `%s`", call.host[0].function);
}

static void resolve(void *context, struct fault *fault) {
  struct resolver *r = context;
  resolve_name(r, fault);
  resolve_call(r, fault->callers_of[0], &fault->place, fault->role, sizeof fault->role);
  resolve_call(r, fault->callers_of[1], &fault->related[0].place, fault->related[0].role,
               sizeof fault->related[0].role);
  if (fault->callers && !fault->host_count) resolve_callers(r, fault);
  for (uint32_t i = 0; i < fault->host_count && !*fault->kernel && !fault->place.line; i++) {
    fault->place.file = fault->host[i].file;
    fault->place.line = fault->host[i].line;
  }
}

void callers_resolve(struct fault_report *report) {
  if (!fault_count(report)) return;
  void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
  struct resolver r = {.demangle =
                           library ? (demangle_function *)(uintptr_t)dlsym(library, "__cxa_demangle") : NULL,
                       .arena = arena_create()};
  fault_resolve(report, resolve, &r);
  arena_destroy(r.arena);
}
