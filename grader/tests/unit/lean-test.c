// What is taken out of preprocessed headers, and what stays: by the names that a source can reach.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lean/reach.h"

// A header's text and then a source's, as a compiler preprocesses them; what is left of both.
static char *lean(const char *header, const char *source) {
  char *text, *left;
  size_t length;
  assert_true(
      asprintf(&text,
               "# 0 \"/home/me/a.cu\"\n# 1 \"/usr/include/h.h\" 1 3\n%s\n# 2 \"/home/me/a.cu\" 2\n%s\n",
               header, source) > 0);
  char *some = lean_text(text, strlen(text), "/opt/own:/home/me", &length);
  left = calloc(length + 1, 1);
  assert_non_null(left);
  memcpy(left, some, length);
  free(some);
  free(text);
  return left;
}

static void check(const char *header, const char *source, bool stays) {
  char *left = lean(header, source);
  if ((strstr(left, header) != NULL) != stays)
    fail_msg("`%s` %s beside `%s`:\n%s", header, stays ? "is gone" : "stays", source, left);
  assert_non_null(strstr(left, source));
  free(left);
}

// What declares the names, and stays only where one of them is used.
static const struct declared {
  const char *header, *name;
} declarations[] = {
    {"int f(int a);", "f"},
    {"extern \"C\" __attribute__((device)) int f(int a) noexcept (true);", "f"},
    {"static inline int f(int a) { return g({a}); }", "f"},
    {"template <typename T, int N = (3 > 2)> T f(T a) { if (a < 1) { return a; } return a; }", "f"},
    {"int (f)(int a);", "f"},
    {"int (*f)(int a) = nullptr;", "f"},
    {"extern struct s f(void);", "f"},
    {"auto f(int a) -> decltype(a + 1) { return a; }", "f"},
    {"template <> inline int f<float>(int a) { return a; }", "f"},
    {"template <> s<int> f<s<float>, 3>(int a) { return a; }", "f"},
    {"extern template const s<int> &f<s<int> >(int a);", "f"},
    {"inline char (&f(...))[2];", "f"},
    {"template <> int c<int>::f(int a) { return a; }", "f"},
    {"template <> int c<int>::f(int a) { return a; }", "c"},
    {"struct s;", "s"},
    {"struct __attribute__((aligned(16))) s : public base<int> { int a; };", "s"},
    {"template <typename T> struct s<T, void(int)> { T a; };", "s"},
    {"enum class e : int { A, B = 2 };", "e"},
    {"enum { A, B = 2 };", "B"},
    {"typedef struct tag { int a; } t;", "t"},
    {"typedef struct tag { int a; } t;", "tag"},
    {"typedef enum { A, B } t;", "A"},
    {"typedef unsigned long t;", "t"},
    {"typedef int t[4], *u;", "t"},
    {"typedef int t[4], *u;", "u"},
    {"typedef void (*callback)(int a, void *b);", "callback"},
    {"using t = int;", "t"},
    {"template <typename T> using t = typename s<T>::type;", "t"},
    {"using std::sqrt;", "sqrt"},
    {"extern const int v;", "v"},
    {"inline constexpr int v = 3;", "v"},
    {"template <typename T> constexpr int v<const T, 3> = 4;", "v"},
    {"template <typename T> const int s<T>::v;", "s"},
    {"constexpr int v = 3, w = 4;", "w"},
    {"inline s &s::operator=(const short value) { return *this; }", "s"},
    {"template <typename T> s<T> &s<T>::operator=(unsigned long value) { return *this; }", "s"},
    {"inline bool operator==(const point &a, const point &b) { return a.x == b.x; }", "point"},
};

static void stays_if_named(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++) {
    char source[64];
    snprintf(source, sizeof source, "int own = (int)sizeof(%s);", declarations[i].name);
    check(declarations[i].header, source, true);
    check(declarations[i].header, "int own = (int)sizeof(std::other(0));", false);
  }
}

// What may do something though nobody names it, and what can't be read.
static void stays_always(void **state) {
  static const char *const headers[] = {
      "static std::ios_base::Init at_start;",
      "static int counted = count();",
      "struct { int a; } object;",
      "__attribute__((constructor)) static void begin() { }",
      "void operator delete(void *);",
      "constexpr double operator\"\"m(long double meters) { return meters; }",
      "template <typename T> bool operator<(T a, int b) { return b > 0; }",
      "using other::operator<<;",
      "namespace a { namespace b { } }",
      "extern \"C\" {\n}",
      "using namespace std;",
      "namespace a = b;",
      "#pragma GCC visibility push(default)",
      "int unfinished(int a",
  };
  (void)state;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    check(headers[i], "int own;", true);
}

static void goes_always(void **state) {
  (void)state;
  check("static_assert(sizeof(int) == 4, \"int\");", "int own;", false);
}

static void follows_names(void **state) {
  const char *const header = "struct deep { int a; };\n"
                             "struct middle { deep d; };\n"
                             "int reached(middle *m);\n"
                             "namespace n {\n int reached(float a) { return helper(a); }\n int other(); }\n"
                             "int helper(float a);\n"
                             "int alone(deep *d);";
  (void)state;
  char *left = lean(header, "int own() { return reached(0); }");
  assert_non_null(strstr(left, "struct deep"));
  assert_non_null(strstr(left, "struct middle"));
  assert_non_null(strstr(left, "int reached(middle *m)"));
  assert_non_null(strstr(left, "int reached(float a)"));
  assert_non_null(strstr(left, "int helper(float a)"));
  assert_null(strstr(left, "other"));
  assert_null(strstr(left, "alone"));
  free(left);
}

// Declarations of the source, and of files in the folders named, stay, used or not.
static void keeps_what_is_ours(void **state) {
  size_t length;
  const char *const text = "# 1 \"/opt/own/lab.cuh\" 1\nint unused(int a);\n"
                           "# 1 \"/opt/other/lab.cuh\" 1\nint gone(int a);\n"
                           "# 2 \"a.cu\" 2\nstatic int unused_too(int a);\n";
  (void)state;
  char *left = lean_text(text, strlen(text), "/opt/own:/home/me", &length);
  assert_non_null(memmem(left, length, "unused(", 7));
  assert_non_null(memmem(left, length, "unused_too(", 11));
  assert_null(memmem(left, length, "gone", 4));
  free(left);
}

// The line that begins with `text`, as the markers before it say.
static unsigned line_of(const char *left, const char *text) {
  unsigned line = 0;
  const char *found = strstr(left, text);
  assert_non_null(found);
  for (const char *at = left; at <= found; at = strchr(at, '\n') + 1) {
    line++;
    if (strncmp(at, "# ", 2) == 0) line = (unsigned)strtoul(at + 2, NULL, 10) - 1;
  }
  return line;
}

static void keeps_lines(void **state) {
  char header[4096] = "int first(int a);\n", end[64];
  (void)state;
  for (int lines = 1; lines < 40; lines += 6) {
    size_t length = (size_t)snprintf(header, sizeof header, "int first(int a);\nint gone(\n");
    for (int i = 0; i < lines; i++)
      length += (size_t)snprintf(header + length, sizeof header - length, "  int a%d,\n", i);
    snprintf(header + length, sizeof header - length, "  int b);\n\nint last(int a);");
    snprintf(end, sizeof end, "int own = first(last(0));");
    char *left = lean(header, end);
    assert_null(strstr(left, "gone"));
    assert_int_equal(line_of(left, "int first("), 1);
    assert_int_equal(line_of(left, "int last("), (unsigned)lines + 5);
    assert_int_equal(line_of(left, "int own"), 2);
    free(left);
  }
}

// Macros that a header expands leave markers within a declaration.
static void keeps_lines_behind_markers(void **state) {
  (void)state;
  for (int inner = 2; inner < 40; inner += 12) {
    char header[256];
    snprintf(header, sizeof header,
             "int first(int a);\nstatic\n# %d \"/usr/include/h.h\"\n_host\n# %d \"/usr/include/h.h\" 3\n"
             "int gone() {\n# %d \"/usr/include/h.h\" 3\n}\nint last(int a);",
             inner, inner, inner + 3);
    char *left = lean(header, "int own = first(last(0));");
    assert_null(strstr(left, "gone"));
    assert_int_equal(line_of(left, "int last("), (unsigned)inner + 4);
    free(left);
  }
}

// A #pragma about the next declaration alone stays or goes with it.
static void keeps_pragmas_with_theirs(void **state) {
  const char *const header = "#pragma nv_exec_check_disable\n# 3 \"/usr/include/h.h\" 3\nint f(int a);";
  (void)state;
  check(header, "int own = f(1);", true);
  char *left = lean(header, "int own = g(1);");
  assert_null(strstr(left, "nv_exec"));
  free(left);
}

// Of a file from which nothing is left, no marker is left.
static void leaves_out_markers(void **state) {
  (void)state;
  char *left =
      lean("# 1 \"/usr/include/inner.h\" 1 3\nint gone(int a);\n# 2 \"/usr/include/h.h\" 2 3\nint f(int a);",
           "int own = f(1);");
  assert_null(strstr(left, "inner.h"));
  assert_non_null(strstr(left, "h.h"));
  free(left);
}

// Brackets in texts are none, and a text of any bytes comes to an end.
static void reads_any_text(void **state) {
  static const char *const texts[] = {
      "int f() { return *R\"x(}\")\" }}{ )x\" + '{' + *\"}\\\"{\" + 1'000; }\nint gone();",
      "template <",
      "template < (",
      "int a = {",
      "}}}}",
      "))",
      "\"",
      "R\"(",
      "R\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(",
      "# 1",
      "#",
      "# 7 \"",
      "struct",
      "enum {",
      "operator",
      "typedef",
      "typedef s { int a; } t;",
      "using",
      "::",
      "= = =",
      "__attribute__",
      "__attribute__((",
      "[[",
      "'",
      "1'",
      ".",
      "extern \"C\" int f(",
      "namespace",
      "using A::",
  };
  (void)state;
  char *left = lean(texts[0], "int own = f();");
  assert_non_null(strstr(left, "1'000; }"));
  assert_null(strstr(left, "gone"));
  free(left);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t length;
    free(lean_text(texts[i], strlen(texts[i]), "", &length));
    free(lean(texts[i], "int own;"));
  }
  free(lean_text("a\0b(", 4, "", &(size_t){0}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stays_if_named),
      cmocka_unit_test(stays_always),
      cmocka_unit_test(goes_always),
      cmocka_unit_test(follows_names),
      cmocka_unit_test(keeps_what_is_ours),
      cmocka_unit_test(keeps_lines),
      cmocka_unit_test(keeps_lines_behind_markers),
      cmocka_unit_test(keeps_pragmas_with_theirs),
      cmocka_unit_test(leaves_out_markers),
      cmocka_unit_test(reads_any_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
