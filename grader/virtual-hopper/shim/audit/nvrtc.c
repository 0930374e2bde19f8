// A program that has NVRTC compile for sm_90 takes machine code from it, which only a GPU can run. So NVRTC
// is asked for the virtual architecture of the same name, and the program gets PTX where it wants machine
// code: cuModuleLoadData takes either. In: the program's calls of NVRTC. Out: calls of NVRTC.
#include "virtual-hopper/shim/audit/nvrtc.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PROGRAMS = 1024, MOST_OPTIONS = 256, MOST_NAME = 64 };

typedef int compile_function(void *program, int count, const char *const *options);
typedef int size_function(void *program, size_t *size);
typedef int code_function(void *program, char *code);

// Static, because what stands in for NVRTC's functions has no argument of ours.
static _Atomic(const char *) library; // its path
static _Atomic(compile_function *) compile;
static _Atomic(size_function *) machine_code_size;
static _Atomic(code_function *) machine_code;
static _Atomic(void *) changed[MOST_PROGRAMS]; // programs that have PTX for machine code

// ---- which programs have been changed ---------------------------------------------------------------------

static bool is_changed(void *program) {
  for (size_t i = 0; program && i < MOST_PROGRAMS; i++)
    if (atomic_load(&changed[i]) == program) return true;
  return false;
}

// A handle may be that of a program which is gone.
static void forget(void *program) {
  for (size_t i = 0; i < MOST_PROGRAMS; i++) {
    void *one = program;
    if (program) atomic_compare_exchange_strong(&changed[i], &one, NULL);
  }
}

// False: there are too many.
static bool remember(void *program) {
  for (size_t i = 0; program && i < MOST_PROGRAMS; i++) {
    void *none = NULL;
    if (atomic_compare_exchange_strong(&changed[i], &none, program)) return true;
  }
  return false;
}

// ---- the architecture -------------------------------------------------------------------------------------

// The architecture within an option: `-arch=sm_90`, or `sm_90` where `-arch` stands before it; NULL: none.
static const char *architecture_in(const char *option, const char *before) {
  static const char *const names[] = {"--gpu-architecture", "-arch"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t length = strlen(names[i]);
    if (strncmp(option, names[i], length) == 0 && option[length] == '=') return option + length + 1;
    if (before && strcmp(before, names[i]) == 0) return option;
  }
  return NULL;
}

// Writes the option with the virtual architecture. False: nothing is to be changed.
static bool make_virtual(const char *option, const char *before, char *changed_option) {
  const char *name = architecture_in(option, before);
  if (!name || strncmp(name, "sm_", 3) != 0 || strlen(option) >= MOST_NAME) return false;
  snprintf(changed_option, MOST_NAME + 8, "%.*scompute_%s", (int)(name - option), option, name + 3);
  return true;
}

// ---- what stands in for NVRTC's functions -----------------------------------------------------------------

static int compile_for_virtual(void *program, int count, const char *const *options) {
  const char *others[MOST_OPTIONS];
  char option[MOST_NAME + 8];
  bool found = false;
  forget(program);
  for (int i = 0; options && i < count && count <= MOST_OPTIONS; i++) {
    others[i] = options[i];
    if (found || !options[i] || !make_virtual(options[i], i ? options[i - 1] : NULL, option)) continue;
    others[i] = option;
    found = true;
  }
  return atomic_load(&compile)(program, count, found && remember(program) ? others : options);
}

// Another function of NVRTC. This library has a namespace of its own; the program's is the base. NULL: none.
static void *function_of_nvrtc(const char *name) {
  void *handle = dlmopen(LM_ID_BASE, atomic_load(&library), RTLD_LAZY | RTLD_NOLOAD);
  void *function = handle ? dlsym(handle, name) : NULL;
  if (handle) dlclose(handle); // the program keeps it loaded
  return function;
}

static int size_of_code(void *program, size_t *size) {
  size_function *of_ptx = is_changed(program) ? (size_function *)function_of_nvrtc("nvrtcGetPTXSize") : NULL;
  return of_ptx ? of_ptx(program, size) : atomic_load(&machine_code_size)(program, size);
}

static int code(void *program, char *text) {
  code_function *of_ptx = is_changed(program) ? (code_function *)function_of_nvrtc("nvrtcGetPTX") : NULL;
  return of_ptx ? of_ptx(program, text) : atomic_load(&machine_code)(program, text);
}

bool nvrtc_is(const char *path) {
  const char *slash = strrchr(path, '/');
  if (strncmp(slash ? slash + 1 : path, "libnvrtc.so.", 12) != 0) return false;
  atomic_store(&library, path);
  return true;
}

void *nvrtc_bind(const char *name, void *original) {
  if (strcmp(name, "nvrtcCompileProgram") == 0) {
    atomic_store(&compile, (compile_function *)original);
    return (void *)compile_for_virtual;
  }
  if (strcmp(name, "nvrtcGetCUBINSize") == 0) {
    atomic_store(&machine_code_size, (size_function *)original);
    return (void *)size_of_code;
  }
  if (strcmp(name, "nvrtcGetCUBIN") == 0) {
    atomic_store(&machine_code, (code_function *)original);
    return (void *)code;
  }
  return original;
}
