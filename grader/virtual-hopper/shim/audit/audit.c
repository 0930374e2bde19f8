// Leads the loader of a program, and of every program that it starts, to the virtual Hopper's CUDA libraries,
// whatever LD_LIBRARY_PATH or the program's own paths say. In: names that the loader looks for. Out: the same
// names, or paths of the libraries beside this one. `vhopper run` names this library in LD_AUDIT.
//
// It also puts functions between the program and the C library (system-calls.c), and NVRTC (nvrtc.c).
#include "virtual-hopper/shim/audit/nvrtc.h"
#include "virtual-hopper/shim/audit/system-calls.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT unsigned la_version(unsigned version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

static const char *file_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// ---- which library is loaded ------------------------------------------------------------------------------

static const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12", "libcuda.so.1"};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

// The loader keeps the pointer that it gets.
EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
  static char paths[LIBRARIES][PATH_MAX];
  const char *slash;
  Dl_info here;
  (void)cookie, (void)flag;
  for (size_t i = 0; i < LIBRARIES; i++) {
    if (strcmp(file_of(name), libraries[i]) != 0) continue;
    if (!dladdr((void *)(uintptr_t)la_version, &here) || !(slash = strrchr(here.dli_fname, '/'))) break;
    snprintf(paths[i], PATH_MAX, "%.*s%s", (int)(slash + 1 - here.dli_fname), here.dli_fname, libraries[i]);
    return paths[i];
  }
  return (char *)(uintptr_t)name;
}

// ---- which function a name is bound to --------------------------------------------------------------------

enum { ANY_LIBRARY, C_LIBRARY, OUR_LIBRARY, NVRTC }; // cookies

EXPORT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
  const char *file = file_of(map->l_name);
  (void)space;
  *cookie = strcmp(file, "libc.so.6") == 0 ? C_LIBRARY : ANY_LIBRARY;
  for (size_t i = 0; i < LIBRARIES; i++)
    if (strcmp(file, libraries[i]) == 0) *cookie = OUR_LIBRARY;
  if (nvrtc_is(map->l_name)) *cookie = NVRTC;
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

// Our own libraries open what is guarded before they hand it to the system.
EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to,
                              unsigned *flags, const char *name) {
  (void)index, (void)flags;
  if (*to == OUR_LIBRARY && strcmp(name, "vhopper_watch_system_calls") == 0)
    return (uintptr_t)vhopper_watch_system_calls;
  if (*to == NVRTC && *from != NVRTC) return (uintptr_t)nvrtc_bind(name, (void *)symbol->st_value);
  if (*to != C_LIBRARY || *from == OUR_LIBRARY) return symbol->st_value;
  return (uintptr_t)system_call_bind(name, (void *)symbol->st_value);
}
