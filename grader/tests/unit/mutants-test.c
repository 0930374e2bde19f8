// Single-change mutants. In: small sources. Out: whether the changes that must be made are made, and no
// others: nothing in comments, strings, preprocessor lines, declarations and template brackets.
#include "mutants/equivalents.h"
#include "mutants/mutants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void make(const char *source, struct mutants *mutants) {
  if (mutants_make(source, mutants) != 0) fail_msg("no mutants are made of: %s", source);
}

static bool is_made(const struct mutants *mutants, const char *change) {
  for (size_t i = 0; i < mutants->count; i++)
    if (strcmp(mutants->list[i].change, change) == 0) return true;
  return false;
}

// The changes of a source are these, in this order, and no others; the last one is NULL.
static void check_changes(const char *source, const char *const *changes) {
  struct mutants mutants;
  make(source, &mutants);
  size_t i = 0;
  for (; i < mutants.count && changes[i]; i++)
    if (strcmp(changes[i], mutants.list[i].change) != 0)
      fail_msg("%s: change %zu is %s, not %s", source, i, mutants.list[i].change, changes[i]);
  if (changes[i]) fail_msg("%s: not made: %s", source, changes[i]);
  if (i < mutants.count) fail_msg("%s: made, too: %s", source, mutants.list[i].change);
  mutants_free(&mutants);
}
#define CHECK_CHANGES(source, ...) check_changes(source, (const char *const[]){__VA_ARGS__, NULL})
#define CHECK_NONE(source)         check_changes(source, (const char *const[]){NULL})

static void test_what_is_no_code(void **state) {
  (void)state;
  CHECK_NONE("// a + b < 1\n/* a && b\n 3 */\n");
  CHECK_NONE("#include <cuda.h>\n#define TWICE(x) (2 * (x))\n  # define MORE 3 + \\\n 4 < 5\n");
  CHECK_NONE("const char *a = \"1 + 2 // \\\" < 3\", b = '\\'', c = '<';");
  CHECK_NONE("auto a = R\"(1 + 2)\" R\"x(\" + 3 )\" < 4)x\" u8R\"(5)\" L\"6 + 7\";");
  CHECK_NONE("static_assert(sizeof(int) == 4 && 1 < 2, \"a + b\");");
  CHECK_NONE("#if 0\nint a = 1 + 2; don't\n#else\nint b;\n#endif\n");
  // Which of the parts is compiled isn't known.
  CHECK_NONE("#ifdef SOMETHING\nint a = 1 + 2;\n#elif OTHER\nint a = 3;\n#else\nint a = 4;\n#endif\n");
  CHECK_CHANGES("#if 0\n#if 1\n#else\n1\n#endif\n2\n#endif\nint a = n + m;", "`+` becomes `-`");
  CHECK_CHANGES("int a /* + */ = n // - 1\n + m;", "`+` becomes `-`");
  // A comment that goes on in the next line.
  CHECK_NONE("int a; // b \\\n + 1\n");
  CHECK_NONE("#define A 1 \\\r\n + 2\r\nint a; // b \\\r\n + 1\r\n");
}

static void test_operators(void **state) {
  (void)state;
  CHECK_CHANGES("int a = b + c;", "`+` becomes `-`");
  CHECK_CHANGES("int a = b - c;", "`-` becomes `+`");
  CHECK_CHANGES("int a = b * c;", "`*` becomes `/`");
  CHECK_CHANGES("int a = b / c;", "`/` becomes `*`");
  CHECK_CHANGES("int a = b % c[i].d(e) + f;", "`% c[i].d(e)` is removed", "`+` becomes `-`");
  CHECK_CHANGES("int a = b % static_cast<int>(c);", "`% static_cast<int>(c)` is removed");
  CHECK_CHANGES("bool a = b < c;", "`<` becomes `<=`");
  CHECK_CHANGES("bool a = b >= c;", "`>=` becomes `>`");
  CHECK_CHANGES("bool a = b == c;", "`==` becomes `!=`");
  CHECK_CHANGES("bool a = b && c || !d;", "`&&` becomes `||`", "`||` becomes `&&`", "`!` is removed");
  CHECK_CHANGES("int a = b << c >> d;", "`<<` becomes `>>`", "`>>` becomes `<<`");
  CHECK_CHANGES("int a = b & c | d ^ e;", "`&` becomes `|`", "`|` becomes `&`", "`^` becomes `|`");
  CHECK_CHANGES("int a = -b, c = d - -e;", "`-` is removed", "`-` becomes `+`", "the 2nd `-` is removed");
  CHECK_CHANGES("void f() { a += b; }", "`a += b;` is removed", "`+=` becomes `-=`");
  CHECK_CHANGES("void f() { a++; }", "`a++;` is removed", "`++` becomes `--`");
  CHECK_CHANGES("bool a = true;", "`true` becomes `false`");
  CHECK_CHANGES("int a = blockIdx.x * b.z;", "`.x` becomes `.y`", "`*` becomes `/`", "`.z` becomes `.x`");
}

// Signs that have another meaning there, or may have.
static void test_signs_that_stay(void **state) {
  (void)state;
  CHECK_NONE("int *a; const float &b = c; T &&d = e; unsigned * f;");
  CHECK_NONE("void f(int *a, T *b, const T &c, T &&d, T **e);");
  CHECK_NONE("auto a = static_cast<size_t>(b), c = std::min<int>(d, e), f = g<h>;");
  CHECK_NONE("std::vector<std::vector<int>> a; A<B<C<D>>> b; template <typename T, int N> struct S;");
  CHECK_NONE("auto a = reinterpret_cast<const float4 *>(b);");
  CHECK_CHANGES("int a = b ? *c : +d + f(*e, &g);", "`b` becomes `!(b)`", "`+` becomes `-`");
}

static void test_templates_and_comparisons(void **state) {
  (void)state;
  // May be f<(b, c) > (d)>: nothing is known.
  CHECK_NONE("bool a = f<b>(c);");
  CHECK_NONE("bool a = f < b > (c);");
  CHECK_CHANGES("bool a = b < c && d > e;", "`<` becomes `<=`", "`&&` becomes `||`", "`>` becomes `>=`");
  CHECK_CHANGES("void f() { for (int i=0; i<n; i++) g(i); }", "`for (int i=0; i<n; i++) g(i);` is removed",
                "`0` becomes `1`", "`i<n` becomes `!(i<n)`", "`<` becomes `<=`", "`++` becomes `--`");
  CHECK_CHANGES("bool a = b[0] < c;", "`0` becomes `1`", "`<` becomes `<=`");
  CHECK_CHANGES("bool a = static_cast<int>(b) < c;", "`<` becomes `<=`");
  CHECK_CHANGES("int a = f<2>();", "`2` becomes `0`", "`2` becomes `1`", "`2` becomes `3`",
                "`2` becomes `4`");
}

static void test_constants(void **state) {
  (void)state;
  CHECK_CHANGES("int a = 0;", "`0` becomes `1`");
  CHECK_CHANGES("int a = 1;", "`1` becomes `0`", "`1` becomes `2`");
  CHECK_CHANGES("int a = 0x10u;", "`0x10u` becomes `0u`", "`0x10u` becomes `15u`", "`0x10u` becomes `17u`",
                "`0x10u` becomes `32u`");
  CHECK_CHANGES("int a = 1'000;", "`1'000` becomes `0`", "`1'000` becomes `1001`", "`1'000` becomes `2000`",
                "`1'000` becomes `999`");
  CHECK_CHANGES("int a = 0b11;", "`0b11` becomes `0`", "`0b11` becomes `2`", "`0b11` becomes `4`",
                "`0b11` becomes `6`");
  CHECK_CHANGES("float a = 0.25f;", "`0.25f` becomes `0.0f`", "`0.25f` becomes `0.5f`",
                "`0.25f` becomes `1.25f`");
  CHECK_CHANGES("double a = 1e3;", "`1e3` becomes `0.0`", "`1e3` becomes `1001.0`", "`1e3` becomes `2000.0`");
  CHECK_NONE("int a1 = b2;"); // digits of names
  CHECK_NONE("auto a = 99999999999999999999999; auto b = 12_km;");
}

static void test_statements(void **state) {
  (void)state;
  CHECK_CHANGES("void f() { int a; T b = c; T *d; T<e> g; h(); return; }", "`h();` is removed",
                "`return;` is removed");
  CHECK_CHANGES("int f() { return a; }\nint g() { { return b; } }", "`return b;` is removed");
  CHECK_CHANGES("void f() { if (a) b(); }", "the condition of `if (a)` is removed",
                "`if (a) b();` is removed", "`a` becomes `!(a)`");
  // The opposite of == is !=, and that is made once.
  CHECK_CHANGES("void f() { if (a == b) { c(); } }", "the condition of `if (a == b)` is removed",
                "`if (a == b) { c(); }` is removed", "`==` becomes `!=`", "`c();` is removed");
  CHECK_CHANGES("void f() { if (a) b(); else if (c) d(); }", "`a` becomes `!(a)`",
                "`else if (c) d();` is removed", "the condition of `if (c)` is removed",
                "`if (c) d();` is removed", "`c` becomes `!(c)`");
  CHECK_CHANGES("void f() { while (!a()) { } do b(); while (c); }", "`while (!a()) { }` is removed",
                "`!` is removed", "`c` becomes `!(c)`");
  CHECK_CHANGES("int a = b ? c : d;", "`b` becomes `!(b)`");
  CHECK_CHANGES("int a = b < c ? d : e;", "`b < c` becomes `!(b < c)`", "`<` becomes `<=`");
  // Inside of a lambda; its own declaration stays.
  CHECK_CHANGES("void f() { const auto a = [&](int b) { c(); }; }", "`c();` is removed");
  CHECK_CHANGES("void f() { switch (a) { case 1: b(); break; default: c(); } }", "`1` becomes `0`",
                "`1` becomes `2`", "`b();` is removed", "`break;` is removed", "`c();` is removed");
  // No statements: members, initialisers, declarations outside of functions.
  CHECK_NONE("struct a { int b; float c; }; namespace d { extern \"C\" { int e(int g, float h); } }");
  CHECK_CHANGES("namespace a { extern \"C\" { void b() { c(); } } }", "`c();` is removed");
  CHECK_CHANGES("struct a { void b() { c(); } };", "`c();` is removed");
  CHECK_CHANGES("__global__ void __launch_bounds__(N) k(int *a) { b(); }", "`b();` is removed");
  CHECK_CHANGES("void f() { asm volatile(\"a, 1;\" ::\"r\"(b), \"r\"(c) : \"memory\"); }",
                "`asm volatile(\"a, 1;\" ::\"r\"(b), \"r\"(c) : \"memory\");` is removed");
}

static void test_calls(void **state) {
  (void)state;
  CHECK_CHANGES("void f() { g(a, b, c); }", "`g(a, b, c);` is removed", "`a, b` becomes `b, a`",
                "`b, c` becomes `c, b`");
  CHECK_CHANGES("void f() { g(a, a); }", "`g(a, a);` is removed");
  CHECK_CHANGES("void f() { g(h(a, b), i<j, k>(c)); }", "`g(h(a, b), i<j, k>(c));` is removed",
                "`h(a, b), i<j, k>(c)` becomes `i<j, k>(c), h(a, b)`", "`a, b` becomes `b, a`");
  CHECK_CHANGES("void f() { k<<<a, b>>>(c, d); }", "`k<<<a, b>>>(c, d);` is removed", "`a, b` becomes `b, a`",
                "`c, d` becomes `d, c`");
  CHECK_NONE("void f(int a, int b); int g(int a, T b) { }");
  CHECK_NONE("void f() { const auto g = [&](int a, int b) { }; }");
}

// Line, column, the place in an answer, and the source that is written.
static void test_places(void **state) {
  (void)state;
  static const char source[] =
      "int a;\n// BEGIN SOLUTION\nint b =\n    c + d;\n// END SOLUTION\nint e = f + g;\n";
  struct mutants mutants;
  make(source, &mutants);
  assert_int_equal(mutants.count, 2);
  assert_int_equal(mutants.list[0].line, 4);
  assert_int_equal(mutants.list[0].column, 7);
  assert_true(mutants.list[0].answer);
  assert_int_equal(mutants.list[1].line, 6);
  assert_false(mutants.list[1].answer);
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_int_equal(mutant_write(out, source, &mutants.list[0]), 0);
  fclose(out);
  assert_string_equal(text,
                      "int a;\n// BEGIN SOLUTION\nint b =\n    c - d;\n// END SOLUTION\nint e = f + g;\n");
  free(text);
  mutants_free(&mutants);
}

static void test_no_doubles(void **state) {
  (void)state;
  struct mutants mutants;
  make("void f() { if (a < 1 && b < 1) { c(1, 1); d(x, y); d(x, y); } for (;;) { e(); } }", &mutants);
  for (size_t i = 0; i < mutants.count; i++)
    for (size_t k = 0; k < i; k++) {
      const struct mutant *a = &mutants.list[i], *b = &mutants.list[k];
      assert_false(a->begin == b->begin && a->end == b->end && strcmp(a->replacement, b->replacement) == 0);
      assert_string_not_equal(a->change, b->change); // all are in one line
    }
  assert_true(is_made(&mutants, "the 2nd `<` becomes `<=`"));
  mutants_free(&mutants);
}

static void test_open_brackets(void **state) {
  (void)state;
  struct mutants mutants;
  static const char *const sources[] = {"void f() {", "int a = (1];", "}", "f(", "a<<<b"};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    assert_int_equal(mutants_make(sources[i], &mutants), -1);
    mutants_free(&mutants);
  }
  // Ends in the middle of something.
  static const char *const ends[] = {
      "",   "/* a", "// a", "\"a", "R\"(a", "'a",      "#if", "#define \\", "a +",          "-", "if", "a ?",
      "f<", "a %",  "0x",   "1'",  "a.",    "R\"abcd", "b <", "a ::",       "static_assert"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    (void)mutants_make(ends[i], &mutants);
    mutants_free(&mutants);
  }
}

// A sample: drawn by the seed, every mutant once, two from answers and then one from elsewhere.
static void test_sample(void **state) {
  (void)state;
  static const char source[] =
      "int a = 9, b = 9, c = 9;\n// BEGIN SOLUTION\nint d = 9, e = 9;\n// END SOLUTION\n";
  enum { COUNT = 20 };
  struct mutants mutants;
  size_t order[3][COUNT], seen[COUNT] = {0};
  make(source, &mutants);
  assert_int_equal(mutants.count, COUNT);
  mutants_draw(&mutants, 1, order[0]);
  mutants_draw(&mutants, 1, order[1]);
  mutants_draw(&mutants, 2, order[2]);
  assert_memory_equal(order[0], order[1], sizeof order[0]);
  assert_memory_not_equal(order[0], order[2], sizeof order[0]);
  for (size_t i = 0; i < COUNT; i++) {
    seen[order[0][i]]++;
    if (i < 12) assert_true(mutants.list[order[0][i]].answer == (i % 3 != 2));
  }
  for (size_t i = 0; i < COUNT; i++)
    assert_int_equal(seen[i], 1);
  mutants_free(&mutants);
}

// ---- the list of equivalents ----

static int read_list(const char *text, struct equivalents *equivalents, char error[200]) {
  char path[] = "/tmp/mutants-test-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), strlen(text));
  close(file);
  error[0] = '\0';
  const int status = equivalents_read(path, equivalents, error, 200);
  unlink(path);
  // The part after FILE:
  if (status != 0) memmove(error, error + strlen(path) + 1, strlen(error + strlen(path) + 1) + 1);
  return status;
}

static void test_equivalents(void **state) {
  (void)state;
  struct mutants mutants;
  struct equivalents list;
  char error[200];
  // Lines move, and the blanks in them change; the second line with the same text is another one.
  static const char source[] = "\n\n  int a =  b + c;\nint d = e;\nint a = b + c;\n";
  assert_int_equal(read_list("# why\nexercise: one\n\nline: int a =\n   b + c;\nchange: `+` becomes `-`\n"
                             "reason: c is 0,\n  always.\nexercise: two\nline 2: int a = b + c;\n"
                             "change: `+` becomes `-`\nreason: more\n",
                             &list, error),
                   0);
  make(source, &mutants);
  assert_int_equal(mutants.count, 2);
  assert_int_equal(list.count, 2);
  assert_null(equivalents_find(&list, "two", source, &mutants.list[0]));
  assert_false(list.list[1].met);
  assert_ptr_equal(equivalents_find(&list, "one", source, &mutants.list[0]), &list.list[0]);
  assert_null(equivalents_find(&list, "one", source, &mutants.list[1]));
  assert_ptr_equal(equivalents_find(&list, "two", source, &mutants.list[1]), &list.list[1]);
  assert_true(list.list[0].met && list.list[1].met);
  assert_int_equal(list.list[1].at, 11);
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  equivalents_print(out, source, &mutants.list[1]);
  fclose(out);
  assert_string_equal(text, "line 2: int a = b + c;\nchange: `+` becomes `-`\n");
  free(text);
  mutants_free(&mutants);
  equivalents_free(&list);
}

// A long line is printed in several, and read again as one.
static void test_long_entries(void **state) {
  (void)state;
  char source[600] = "int a =", *text = NULL, *list_text = NULL, error[200];
  for (int i = 0; i < 20; i++)
    strcat(source, " a_name_of_some_length");
  strcat(source, " + b;\n");
  struct mutants mutants;
  struct equivalents list;
  size_t size = 0;
  make(source, &mutants);
  assert_int_equal(mutants.count, 1);
  FILE *out = open_memstream(&text, &size);
  equivalents_print(out, source, &mutants.list[0]);
  fclose(out);
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
    assert_in_range(strcspn(line, "\n"), 1, 110);
  assert_true(asprintf(&list_text, "exercise: one\n%sreason: why\n", text) > 0);
  assert_int_equal(read_list(list_text, &list, error), 0);
  assert_non_null(equivalents_find(&list, "one", source, &mutants.list[0]));
  equivalents_free(&list);
  mutants_free(&mutants);
  free(text);
  free(list_text);
}

static void test_mistakes_in_the_list(void **state) {
  (void)state;
  static const struct {
    const char *text, *error;
  } mistakes[] = {
      {"exercise: a\nline: b\nchange: c\n", "3: the last changes have no reason"},
      {"exercise: a\nline: b\nchange: c\nexercise: d\n", "4: the changes above have no reason"},
      {"exercise: a\nchange: c\n", "2: an exercise and a line must stand above a change"},
      {"exercise: a\nreason: c\n", "2: no change stands above this reason"},
      {"exercise: a\nline: b\nchange: c\nreason:\n", "4: nothing stands after the colon"},
      {"exercise: a\nline 0: b\n",
       "2: must be `line: TEXT`, or `line 2: TEXT` for the second line with this text"},
      {"exercise: a\nanything: b\n", "2: must begin with exercise, line, change or reason"},
      {"\nanything\n", "2: must be KEY: TEXT, with exercise, line, change or reason as KEY"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    struct equivalents list;
    char error[200];
    assert_int_equal(read_list(mistakes[i].text, &list, error), -1);
    assert_string_equal(error, mistakes[i].error);
    equivalents_free(&list);
  }
  struct equivalents none;
  char error[200];
  assert_int_equal(equivalents_read("/nowhere/at/all", &none, error, sizeof error), 0);
  assert_int_equal(none.count, 0);
  equivalents_free(&none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_no_code), cmocka_unit_test(test_operators),
      cmocka_unit_test(test_signs_that_stay), cmocka_unit_test(test_templates_and_comparisons),
      cmocka_unit_test(test_constants),       cmocka_unit_test(test_statements),
      cmocka_unit_test(test_calls),           cmocka_unit_test(test_places),
      cmocka_unit_test(test_no_doubles),      cmocka_unit_test(test_open_brackets),
      cmocka_unit_test(test_sample),          cmocka_unit_test(test_equivalents),
      cmocka_unit_test(test_long_entries),    cmocka_unit_test(test_mistakes_in_the_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
