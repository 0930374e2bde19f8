// Linking of PTX texts: the result is what the parser takes, with each name where it belongs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/ptx/link.h"
#include "virtual-hopper/ptx/ptx.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

static char *link_two(const char *first, const char *second) {
  char *texts[2] = {(char *)(uintptr_t)first, (char *)(uintptr_t)second};
  size_t length;
  char *joined;
  struct budget budget = {0};
  assert_int_equal(ptx_link(texts, 2, &budget, &joined, &length), PTX_LINK_DONE);
  assert_int_equal(strlen(joined), length);
  assert_int_equal(budget.used, length + 1);
  return joined;
}

// The text linked with itself, where its kernel NAME is called one, then two.
static char *link_twice(const char *text) {
  const char *name = strstr(text, "NAME");
  const char *rest = name + strlen("NAME");
  char *first, *second;
  assert_true(asprintf(&first, "%.*sone%s", (int)(name - text), text, rest) > 0);
  assert_true(asprintf(&second, "%.*stwo%s", (int)(name - text), text, rest) > 0);
  char *joined = link_two(first, second);
  free(first);
  free(second);
  return joined;
}

static struct ptx_module *parsed(const char *text) {
  struct ptx_error error = {0};
  struct ptx_module *module = ptx_parse(text, strlen(text), &error);
  if (!module) fail_msg("line %u: %s\n%s", error.line, error.message, text);
  return module;
}

// Not by strstr: AddressSanitizer measures all of its text at each call.
static size_t occurrences(const char *text, const char *part) {
  const size_t length = strlen(part);
  size_t count = 0;
  for (const char *at = text; (at = strchr(at, *part));) {
    const bool here = strncmp(at, part, length) == 0;
    count += here;
    at += here ? length : 1;
  }
  return count;
}

static void test_calls_and_variables(void **state) {
  (void)state;
  char *joined = link_two(HEADER ".extern .func (.param .b32 r) twice (.param .b32 a);\n"
                                 ".extern .global .align 4 .b8 table[16];\n"
                                 ".visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, table; ret; }\n",
                          HEADER ".visible .global .align 4 .b8 table[16] = {1, 0, 0, 0};\n"
                                 ".visible .func (.param .b32 r) twice (.param .b32 a) { ret; }\n");
  struct ptx_module *module = parsed(joined);
  assert_int_equal(module->function_count, 2);
  assert_int_equal(module->variable_count, 1);
  assert_false(module->variables[0].is_extern);
  ptx_module_free(module);
  assert_int_equal(occurrences(joined, ".version"), 1);
  free(joined);
}

static void test_local_names(void **state) {
  (void)state;
  static const char text[] = HEADER ".global .align 1 .b8 $str[6] = {97, 123, 59}; // { \"\n"
                                    "/* } */ .func helper() { ret; }\n"
                                    ".visible .entry NAME() { .reg .b64 %rd<2>;\n"
                                    "$L__BB0_1: mov.u64 %rd1, $str; call helper, (); ret; }\n";
  char *joined = link_twice(text);
  ptx_module_free(parsed(joined));
  assert_int_equal(occurrences(joined, "$str"), 4);
  assert_int_equal(occurrences(joined, "$str$0"), 2);
  assert_int_equal(occurrences(joined, "$str$1"), 2);
  assert_int_equal(occurrences(joined, "helper$1"), 2);
  assert_int_equal(occurrences(joined, "$L__BB0_1:"), 2);
  free(joined);
}

static void test_weak(void **state) {
  (void)state;
  char *joined =
      link_two(HEADER ".weak .func both() { bar.sync 1; ret; }\n.weak .func one() { bar.sync 2; ret; }\n",
               HEADER ".weak .func both() { bar.sync 3; ret; }\n.visible .func one() { ret; }\n");
  ptx_module_free(parsed(joined));
  assert_int_equal(occurrences(joined, "bar.sync 1"), 1);
  assert_int_equal(occurrences(joined, "bar.sync 2"), 0); // a definition that isn't weak wins
  assert_int_equal(occurrences(joined, "bar.sync 3"), 0);
  free(joined);
}

static void test_files(void **state) {
  (void)state;
  static const char text[] = HEADER ".visible .entry NAME() {\n.loc 2 5 0\n"
                                    ".loc 1 4 36, function_name $L__info_string0, inlined_at 2 5 0\nret;\n}\n"
                                    ".file 1 \"a.h\"\n.file 2 \"a.cu\"\n.section .debug_str\n{\n"
                                    "$L__info_string0:\n.b8 97,0\n}\n";
  char *joined = link_twice(text);
  assert_non_null(
      strstr(joined, ".loc 4 5 0\n.loc 3 4 36, function_name $L__info_string0, inlined_at 4 5 0"));
  assert_non_null(strstr(joined, ".file 3 \"a.h\"\n.file 4 \"a.cu\""));
  ptx_module_free(parsed(joined));
  free(joined);
}

// Everybody shares this machine: a program of 40,000 local names in each file is linked in one pass, and one
// of more statements than can be meant is refused.
static void test_many_names(void **state) {
  (void)state;
  enum { NAMES = 40000, LONGEST = 64 };
  char *text = malloc(NAMES * LONGEST);
  size_t length = (size_t)sprintf(text, HEADER);
  for (int i = 0; i < NAMES; i++)
    length += (size_t)sprintf(text + length, ".weak .global .b8 a%d;\n.global .b8 b%d;", i, i);
  const clock_t began = clock();
  char *joined = link_two(text, text);
  assert_in_range(clock() - began, 0, 10 * CLOCKS_PER_SEC);
  assert_int_equal(occurrences(joined, ".b8 a"), NAMES);
  assert_int_equal(occurrences(joined, "$1;"), NAMES);
  free(joined);
  free(text);
  char *texts[2] = {malloc(PTX_LINK_MOST_STATEMENTS + 1), (char *)(uintptr_t)HEADER};
  memset(texts[0], ';', PTX_LINK_MOST_STATEMENTS);
  texts[0][PTX_LINK_MOST_STATEMENTS] = 0;
  assert_int_equal(ptx_link(texts, 2, NULL, &joined, &length), PTX_LINK_TOO_MANY);
  assert_null(joined);
  free(texts[0]);
}

// Lists and names, which may need more than the text, have to fit into the budget as well as the result. What
// doesn't fit is refused at any size of the budget, and everything is given back.
static void test_budget(void **state) {
  (void)state;
  enum { NAMES = 2000, STEP = 1 << 14, MOST = 8 << 20 };
  char *text = malloc(NAMES * 32);
  size_t length = (size_t)sprintf(text, HEADER), refused = 0, joined_length;
  for (int i = 0; i < NAMES; i++)
    length += (size_t)sprintf(text + length, ".global .b8 b%d;\n", i);
  for (size_t limit = STEP; limit < MOST; limit += STEP) {
    struct budget budget = {.limit = limit};
    char *joined, *texts[2] = {text, text};
    const enum ptx_link_result result = ptx_link(texts, 2, &budget, &joined, &joined_length);
    assert_int_equal(joined != NULL, result == PTX_LINK_DONE);
    assert_int_equal(budget.used, joined ? joined_length + 1 : 0);
    free(joined);
    if (result == PTX_LINK_DONE) break;
    assert_int_equal(result, PTX_LINK_TOO_LARGE);
    refused++;
  }
  assert_in_range(refused, 6 * length / STEP, MOST / STEP - 2);
  free(text);
}

// The result alone may be what doesn't fit.
static void test_budget_of_result(void **state) {
  (void)state;
  enum { TEXT = 1 << 20, LISTS = 64 << 10 };
  char *text = malloc(TEXT + 1), *joined;
  size_t length;
  memset(text, ' ', TEXT);
  memcpy(text, "/*", 2);
  memcpy(text + TEXT - 2, "*/", 2);
  text[TEXT] = 0;
  struct budget budget = {.limit = 2 * TEXT};
  assert_int_equal(ptx_link((char *[]){text, text}, 2, &budget, &joined, &length), PTX_LINK_TOO_LARGE);
  assert_null(joined);
  assert_int_equal(budget.used, 0);
  budget.limit += LISTS;
  assert_int_equal(ptx_link((char *[]){text, text}, 2, &budget, &joined, &length), PTX_LINK_DONE);
  assert_int_equal(length, 2 * TEXT + 2);
  free(joined);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_calls_and_variables),
      cmocka_unit_test(test_local_names),
      cmocka_unit_test(test_weak),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_many_names),
      cmocka_unit_test(test_budget),
      cmocka_unit_test(test_budget_of_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
