// What the parser refuses: a table of texts, with the line and the words of their error messages; nesting
// without end; and bytes behind the text.
#include "virtual-hopper/ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER          ".version 8.4\n.target sm_90\n.address_size 64\n"
#define IN_KERNEL(body) HEADER ".entry k {\n" body "\n}"
static const struct {
  const char *text;
  uint32_t line;
  const char *message; // part of the error message
} error_cases[] = {
    {"", 1, "no .version directive"},
    {"hello world", 1, "expected a directive, a function or a variable, found 'hello'"},
    {".target sm_90", 1, "no .version directive"},
    {".version 8.4", 1, "no .target directive"},
    {".version x", 1, "expected a version like 8.7, found 'x'"},
    {".version 8", 1, "expected a version like 8.7"},
    {HEADER ".address_size 16", 4, "expected 32 or 64, found '16'"},
    {HEADER ".reg .b32 r;", 4, "a register outside a function"},
    {HEADER ".global .texref t;", 4, "texture"},
    {HEADER ".global .align 3 .b8 x;", 4, "an alignment of 3: must be a power of two"},
    {HEADER ".global .b8 x[0x4000000000][8];", 4, "larger than 2^38 bytes"},
    {HEADER ".global .b8 x[][0x7FFFFFFFFFFFFFFF][8];", 4, "larger than 2^38 bytes"},
    {HEADER ".global .b8 x[0x2000000000] = {1};", 4, "MiB"},
    {HEADER ".global .b8 x[2] = {1, 2, 3};", 4, "more values than the variable has elements"},
    {HEADER ".global .b64 y;\n.global .b64 x[][0] = {y};", 5, "more values than the variable has elements"},
    {HEADER ".global .b8 x[2] = {{1}};", 4, "more levels of '{'"},
    {HEADER ".global .b8 x[2][2] = {{1, 2, 3}};", 4, "a row with more values"},
    // Rows without a value advance the position, too: past the variable's end, and so far that the position
    // would wrap.
    {HEADER ".global .b8 x[2][4] = {{}, {},\n{}};", 5, "more values than the variable has elements"},
    {HEADER ".global .b8 x[2][4] = {1, {},\n{}};", 5, "more values than the variable has elements"},
    {HEADER ".global .b64 x[][0x400000000] = {{},\n{}, 7 7};", 4, "more than 1024 MiB"},
    {HEADER ".global .b8 x[][0x20000000] = {{}, {},\n{}, 7 7};", 5, "more than 1024 MiB"},
    {HEADER ".global .b8 x = y;", 4, "an address needs an element of 4 or 8 bytes"},
    {HEADER ".global .b8 x = 0xF0(y);", 4, "a mask before '('"},
    {HEADER ".global .b64 x = y;", 4, "'y' is not declared"},
    {HEADER ".shared .b32 x = 1;", 4, "only .global and .const variables can be initialised"},
    {HEADER ".global .b16 x = 1.5;", 4, "a floating-point value for a .b16 variable"},
    {HEADER ".global .u32 x;\n.global .u32 x;", 5, "'x' is declared twice, first on line 4"},
    {HEADER ".func f { }\n.func f { }", 5, "'f' is defined twice, first on line 4"},
    {HEADER ".section .debug_info { .b8 1", 4, "never closed"},
    {HEADER ".alias f, g;", 4, "'f' is not a function"},
    {HEADER ".entry k\n.maxntid 0\n{ }", 5, "between 1 and 2^31-1"},
    {HEADER ".entry k\n.nonsense\n{ }", 5, "expected a function's directive, '{' or ';', found '.nonsense'"},
    {IN_KERNEL("mov.u32 %r1, 5;"), 5, "the register '%r1' is not declared"},
    {IN_KERNEL("call f,\n(5\n);"), 5, "'f' is not declared"},
    {IN_KERNEL("bra nowhere;"), 5, "'nowhere' is not declared"},
    {IN_KERNEL("\n\nexit"), 8, "expected an operand, found '}'"},
    {IN_KERNEL("exit 5 6;"), 5, "expected ',' or ';', found '6'"},
    {IN_KERNEL("exit 5,;"), 5, "expected an operand, found ';'"},
    {IN_KERNEL("{ exit;"), 4, "this '{' is never closed"},
    {HEADER ".entry k {\nexit", 5, "expected an operand, but the text ends here"},
    {IN_KERNEL(".reg .b32 %r<4000000000>;"), 5, "4000000000 registers: a function can have 262144"},
    {IN_KERNEL(".reg .b32 %a<200000>;\n.reg .b32 %b<200000>;"), 6, "more than 262144 registers"},
    {IN_KERNEL(".reg .b32 a; .reg .b32 a;"), 5, "'a' is declared twice"},
    {IN_KERNEL("l: l:"), 5, "'l' is declared twice"},
    {IN_KERNEL(".reg .b32 a; @a exit;"), 5, "a register of type .pred, found 'a'"},
    {IN_KERNEL("@%p1 exit;"), 5, "a declared predicate register, found '%p1'"},
    {IN_KERNEL(".reg .b32 a; mov.u32 a, 5/0;"), 5, "division by zero"},
    {IN_KERNEL(".reg .b32 a; mov.u32 a, 1.5%2;"), 5, "takes integers"},
    {IN_KERNEL(".reg .b32 a; mov.u32 a, {};"), 5, "expected an operand, found '}'"},
    {IN_KERNEL("ld [1.5];"), 5, "floating-point"},
    {IN_KERNEL("ld [%tid.x];"), 5, "an address starts with"},
    {IN_KERNEL("mov `;"), 5, "found a character that PTX does not use here"},
    {IN_KERNEL("$x;"), 5, "expected an instruction, found '$x'"},
    {IN_KERNEL("a.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b;"), 5, "more than 24 modifiers"},
    {IN_KERNEL("/* open"), 5, "a comment without its end"},
    {HEADER "\x01", 4, "found a character that PTX does not use here"},
};

static void test_errors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof error_cases / sizeof *error_cases; i++) {
    struct ptx_error error;
    struct ptx_module *module = ptx_parse(error_cases[i].text, strlen(error_cases[i].text), &error);
    if (module) fail_msg("accepted: %s", error_cases[i].text);
    if (error.line != error_cases[i].line || !strstr(error.message, error_cases[i].message)) {
      fail_msg("%s\ngot line %u: %s\nexpected line %u: %s", error_cases[i].text, error.line, error.message,
               error_cases[i].line, error_cases[i].message);
    }
  }
}

// Expects an error for `count` copies of `piece` between `before` and `after`.
static void expect_nesting_error(const char *before, const char *piece, size_t count, const char *after) {
  size_t length = strlen(piece);
  char *text = malloc(strlen(before) + count * length + strlen(after) + 1);
  char *end = text + sprintf(text, "%s", before);
  for (size_t i = 0; i < count; i++, end += length)
    memcpy(end, piece, length);
  memcpy(end, after, strlen(after) + 1);
  struct ptx_error error;
  assert_null(ptx_parse(text, strlen(text), &error));
  if (!strstr(error.message, "levels deep")) fail_msg("'%s...': %s", piece, error.message);
  free(text);
}

static void test_depth_is_bounded(void **state) {
  (void)state;
  enum { DEEP = 1000000 };
  expect_nesting_error(HEADER ".entry k {", "{", DEEP, "");
  expect_nesting_error(HEADER ".entry k { mov ", "{", DEEP, ";}");
  expect_nesting_error(HEADER ".entry k { mov ", "(", DEEP, ";}");
  expect_nesting_error(HEADER ".entry k { mov ", "-", DEEP, "1;}");
  expect_nesting_error(HEADER ".entry k { mov ", "1?", DEEP, ";}");
  expect_nesting_error(HEADER ".entry k { call ", "[1,(", DEEP, ";}");
  expect_nesting_error(HEADER ".global .b8 x = ", "(", DEEP, ";");
}

static void test_padding_is_ignored_and_inner_zeroes_are_not(void **state) {
  (void)state;
  static const char padded[] = HEADER "\0\0\0", broken[] = HEADER "\0.entry";
  struct ptx_error error;
  struct ptx_module *module = ptx_parse(padded, sizeof padded, &error);
  assert_non_null(module);
  ptx_module_free(module);
  assert_null(ptx_parse(broken, sizeof broken, &error));
  assert_non_null(strstr(error.message, "zero byte"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_depth_is_bounded),
      cmocka_unit_test(test_padding_is_ignored_and_inner_zeroes_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
