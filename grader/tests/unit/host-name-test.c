// Names of host functions, as reports say them. In: what libstdc++ makes of mangled names. Out: the short
// forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/command/host-name.h"

static const struct {
  const char *demangled, *name;
} names[] = {
    {"main", "main"},
    {"launch(int*, int const*)", "launch"},
    {"void lab::launch<float, 4>(lab::tile<float, (lab::kind)1> const&, int)", "lab::launch"},
    {"cudaLaunchKernelEx<int*, int*&>(cudaLaunchConfig_st const*, void (*)(int*), int*&)",
     "cudaLaunchKernelEx"},
    {"int std::__invoke_impl<int, main::{lambda()#1}&>(std::__invoke_other, main::{lambda()#1}&)",
     "std::__invoke_impl"},
    {"check<main::{lambda(int*)#2}>(main::{lambda(int*)#2})::{lambda(int)#1}::operator()(int) const",
     "check::{lambda}"},
    {"main::{lambda(int*, int const*)#1}::operator()(int*, int const*) const", "main::{lambda}"},
    {"(anonymous namespace)::run(int)", "(anonymous)::run"},
    {"matrix<float>::operator()(int, int) const", "matrix::operator()"},
    {"bool operator< <int>(pair<int> const&, pair<int> const&)", "operator<"},
    {"buffer<4>::operator bool() const", "buffer::operator bool"},
    {"void family<main::{lambda(int)#1}>(char const*, main::{lambda(int)#1}) [clone .constprop.0]", "family"},
    {"main::{lambda(int)#1}::operator()(int) const [clone .isra.0]", "main::{lambda}"},
    {"broken<int", "broken"},
    {"", ""},
};

static void names_are_short(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[256];
    host_name_shorten(name, sizeof name, names[i].demangled);
    if (strcmp(name, names[i].name) != 0)
      fail_msg("\"%s\" becomes \"%s\", not \"%s\"", names[i].demangled, name, names[i].name);
  }
}

static void a_long_name_is_cut(void **state) {
  (void)state;
  char name[8];
  host_name_shorten(name, sizeof name, "a_function_with_a_long_name(int)");
  assert_string_equal(name, "a_funct");
  host_name_shorten(name, sizeof name, "main::{lambda(int)#1}::operator()(int) const");
  assert_true(strlen(name) < sizeof name);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_short), cmocka_unit_test(a_long_name_is_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
