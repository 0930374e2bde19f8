// Leads the loader of a program, and of every program that it starts, to the virtual Hopper's CUDA libraries,
// whatever LD_LIBRARY_PATH or the program's own paths say. In: names that the loader looks for. Out: the same
// names, or paths of the libraries beside this one. `vhopper run` names this library in LD_AUDIT.
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT unsigned la_version(unsigned version) {
  return version < LAV_CURRENT ? version : LAV_CURRENT;
}

// The loader keeps the pointer that it gets.
EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
  static const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12", "libcuda.so.1"};
  static char paths[sizeof libraries / sizeof *libraries][PATH_MAX];
  const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
  Dl_info here;
  (void)cookie, (void)flag;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    if (strcmp(file, libraries[i]) != 0) continue;
    if (!dladdr((void *)(uintptr_t)la_version, &here) || !(slash = strrchr(here.dli_fname, '/'))) break;
    snprintf(paths[i], PATH_MAX, "%.*s%s", (int)(slash + 1 - here.dli_fname), here.dli_fname, libraries[i]);
    return paths[i];
  }
  return (char *)(uintptr_t)name;
}
