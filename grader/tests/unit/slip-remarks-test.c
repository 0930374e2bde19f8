// Errors of compilers that say little to a beginner: what is added to each, and what is left alone. The
// messages are those of nvcc 13.0, ptxas 13.0 and gcc 13.
#include "referee/slips.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char header[] =
    "__device__ static __forceinline__ void init_barrier(uint64_t *bar, uint32_t arrival_count) {\n}\n"
    "__device__ static __forceinline__ void cp_async_bulk_shared_to_global(void *to, const void *from,\n"
    "                                                                      uint32_t bytes) {\n}\n"
    "__device__ static __forceinline__ void product(float (&d)[128], uint64_t a) {\n}\n";

// One line of source, or some; the error's line and message; the word that the caret stands below; what is
// said. `shows`: the line as the compiler shows it, if that is another one. NULL in `says`: nothing is added.
struct remark_case {
  const char *source;
  unsigned line;
  const char *message, *caret, *says, *shows;
};

static const struct remark_case brackets[] = {
    {"f(a[1);\n", 1, "expected a \"]\"", ");", "a [ of this line is never closed: a ] is missing", NULL},
    {"x = box[y][c + box[y + 2][c];\n", 1, "expression must have integral or unscoped enum type", "box",
     "a [ of this line is never closed", NULL},
    {"f(sizeof(a)));\n", 1, "expected a \";\"", ");", "here is a ) too many", NULL},
    {"if (n >= 1)) {\n}\n", 1, "expected an expression", ") {", "here is a ) too many", NULL},
    {"for (int i = 0; i < 4; i++) f(i) g(i);\n", 1, "expected a \";\"", "g(", NULL, NULL},
    {"f([&](int a) { g(a); h(a) });\n", 1, "expected a \";\"", "})", NULL, NULL},
    {"printf(\"(\" ); x y;\n", 1, "expected a \";\"", "y", NULL, NULL},
    {"asm(fence; ::);\n", 1, "expected an asm string", "fence", NULL, NULL},
    {"f(\"x);\n", 1, "missing closing quote", "\"x", NULL, NULL},
    {"f(a;\n\n\n\n\n\nx y;\n", 7, "expected a \";\"", "y", NULL, NULL},
};

static const struct remark_case letters[] = {
    {"a = b \xe2\x88\x92 1;\n", 1, "extended character \xe2\x88\x92 is not valid in an identifier", NULL,
     "column 7 holds a letter that only looks like `-`", NULL},
    {"wait(&b, 0)\xcd\xbe\n", 1, "expected a \";\"", ")", "column 12 holds a letter that only looks like `;`",
     NULL},
    {"a = b;\xe2\x80\x8b\n", 1, "unrecognized token", ";", "holds a letter that only looks like nothing",
     NULL},
    {"a = \xe6\x97\xa5;\n", 1, "unrecognized token", "=", "holds a letter that can't stand in code", NULL},
    {"int \xc3\xa9; // right\nx y;\n", 1, "expected a \";\"", "int", NULL, NULL},
    {"x y; // a \xe2\x88\x92 b\n", 1, "expected a \";\"", "y", NULL, NULL},
    {"f(\"\xe2\x80\x9c\") g;\n", 1, "expected a \";\"", "g", NULL, NULL},
};

static const struct remark_case names[] = {
    {"void k() {\n  if (x) {\n    uint32_t stage = 1;\n  }\n  f(stage);\n}\n", 5,
     "identifier \"stage\" is undefined", "stage",
     "Line 3 declares it, but only for what follows up to the } of line 4", NULL},
    {"void k() {\n  for (int i = 0; i < 4; i++)\n    f(i);\n  g(i);\n}\n", 4, "identifier \"i\" is undefined",
     "i)", "Line 2 declares it, but for one statement alone, which ends at line 3", NULL},
    {"void k(int a) {\n  f(width);\n}\nvoid h(size_t width) {\n}\n", 2, "identifier \"width\" is undefined",
     "width", "Line 4 declares it, in another function: hand it over as an argument.", NULL},
    {"void h(size_t width) {\n}\nvoid k(int a) {\n  f(width);\n}\n", 4, "identifier \"width\" is undefined",
     "width", "Line 1 declares it, but only for what follows up to the } of line 2", NULL},
    {"void k() {\n  f(total);\n  int total = 1;\n}\n", 2, "identifier \"total\" is undefined", "total",
     "Line 3 declares it. What is declared is known from there on only.", NULL},
    {"void k() {\n  wait(&s.full[0]);\n  arrive(&full[0]);\n}\n", 3, "identifier \"full\" is undefined",
     "full", "Did you mean s.full? Line 2 writes it so.", NULL},
    {"void k() {\n  x = a * total;\n  return total;\n  y = total;\n}\n", 4,
     "identifier \"total\" is undefined", "total", NULL, NULL},
    {"init_barrier(&b, 1);\n", 1, "identifier \"init_barrier\" is undefined", "init", NULL, NULL},
    {"bool more = True;\n", 1, "identifier \"True\" is undefined", "True", "Did you mean true?", NULL},
    {"uint32 x;\n", 1, "identifier \"uint32\" is undefined", "uint32", "Did you mean uint32_t?", NULL},
    {"If (x) y();\n", 1, "identifier \"If\" is undefined", "If", "Did you mean if?", NULL},
    {"cp_async_bulk_shared_to_global_add(d, s, 16);\n", 1,
     "identifier \"cp_async_bulk_shared_to_global_add\" is undefined", "cp",
     "Did you mean cp_reduce_async_bulk_shared_to_global_add?", NULL},
    {"cluster.sync();\nint CLUSTER;\n", 1, "identifier \"cluster\" is undefined", "cluster",
     "cluster_arrive(); cluster_wait();", NULL},
    {"f(m.quads, m.quad);\n", 1, "class \"shape\" has no member \"quad\"", "quad)", "Did you mean quads?",
     NULL},
    {"f(m.x);\n", 1, "class \"shape\" has no member \"pitch\"", "x)", NULL, NULL},
    {"cuda::ptx::f();\n", 1, "name followed by \"::\" must be a class or namespace name", "cuda",
     "cuda:: is libcu++", NULL},
    {"mine::f();\n", 1, "name followed by \"::\" must be a class or namespace name", "mine", NULL, NULL},
    {"void k() {\n  int error = 0;\n  int error = f();\n}\n", 3,
     "\"error\" has already been declared in the current scope", "error",
     "Line 2 declares it. To give it another", NULL},
    {"for (int i = 0, i < 4, i++) {\n}\n", 1, "\"i\" has already been declared in the current scope", "i <",
     "a for have a ; between them", NULL},
};

static const struct remark_case types[] = {
    {"if (x = 0) {\n}\n", 1, "expression must be a modifiable lvalue", "x", "To compare, write ==.", NULL},
    {"r[y,x] = 1;\n", 1, "expression must be a modifiable lvalue", "r[", "of its own: r[y][x]\n", NULL},
    {"const int p = 1;\np ^= 1;\n", 2, "expression must be a modifiable lvalue", "p",
     "Line 1 declares it const.", NULL},
    {"o.dim = {1, 2};\n", 1, "expression must be a modifiable lvalue", "o", "set its elements, one by one",
     NULL},
    {"f() = 1;\n", 1, "expression must be a modifiable lvalue", "f", NULL, NULL},
    {"r = a * v + b;\n", 1,
     "no operator \"*\" matches these operands\n            operand types are: float * const float4", "*",
     "make_float4(..) makes one.", NULL},
    {"r = atom[1];\n", 1,
     "no operator \"[]\" matches these operands\n            operand types are: const int4 [ int ]", "[",
     "an index can't choose among them", NULL},
    {"me = threadIdx;\n", 1,
     "no suitable conversion function from \"const uint3\" to \"const uint32_t\" exists", "threadIdx",
     "It has three parts: .x, .y and .z.", NULL},
    {"x = 0.25ff * y;\n", 1, "user-defined literal operator not found", "0", "a float ends in one f", NULL},
    {"x = s->y;\n", 1, "operator -> or ->* applied to \"storage\" instead of to a pointer type", "s->",
     "s is no pointer: write s. in place of s->", NULL},
    {"float row = box[1];\n", 1,
     "a value of type \"float *\" cannot be used to initialize an entity of type \"float\"", "box",
     "declare a pointer, or take one element", NULL},
    {"init_barrier(*b, 1);\n", 1, "operand of \"*\" must be a pointer but has type \"uint64_t\"", "*",
     "The address of a variable is written with &.", NULL},
    {"init_barrier(b, 1);\n", 1,
     "argument of type \"int\" is incompatible with parameter of type \"uint64_t *\"", "b,",
     "put & before the name", NULL},
    {"product(&sums, a);\n", 1, "initial value of reference to non-const must be an lvalue", "&",
     "product(float (&d)[128], uint64_t a)\nIt takes the variable itself: without &.", NULL},
    {"k<<<1, 2>>>(data);\n", 1,
     "argument of type \"int32_t *\" is incompatible with parameter of type \"uint32_t *\"", "data",
     "reinterpret_cast<uint32_t *>(..)", NULL},
    {"x = a % f;\n", 1, "expression must have integral or unscoped enum type", "f", "% takes integers", NULL},
    {"k<<1, 2>>(d);\n", 1, "expression must have integral or unscoped enum type", "k", "three < and three >",
     NULL},
    {"k(d);\n", 1, "a __global__ function call must be configured", "k",
     "k<<<blocks, threads, bytes, stream>>>", NULL},
    {"b.wait(0);\n", 1,
     "expression must have class type but it has type \"uint64_t\" (aka \"unsigned long\")", "b",
     "wait(&b, ..)", NULL},
    {"e = cudaMemset(p, 0, 4, s);\n", 1, "too many arguments in function call", "s)", "cudaMemsetAsync does.",
     NULL},
    {"f(p, 0);\n", 1, "too many arguments in function call", "0", NULL, NULL},
};

static const struct remark_case expressions[] = {
    {"if (a && ) f();\n", 1, "expected an expression", ") f",
     "Nothing stands on the right of the && before it.", NULL},
    {"f(sizeof tile * );\n", 1, "expected an expression", ");", "on the right of the * before it", NULL},
    {"x = a % 2 === 1;\n", 1, "expected an expression", "= 1", "Two = compare: ==", NULL},
    {"x = a !== 1;\n", 1, "expected an expression", "= 1", "It is != with one =.", NULL},
    {"x = ;;\n", 1, "expected an expression", ";;", "on the right of the = before it", NULL},
    {"f(*);\ng();\n", 2, "expected an expression", "g", NULL, NULL},
    {"x = (a / b) mod 2;\n", 1, "expected a \";\"", "mod", "is written with %", NULL},
    {"f(p, n * sizeof int);\n", 1, "type name is not allowed", "int", "in brackets: sizeof(int)", NULL},
    {"init_barrier(&b, sizeof uint32_t * N);\n", 1, "type name is not allowed", "uint32_t",
     "in brackets: sizeof(uint32_t)", NULL},
    {"init_barrier(&b, int);\n", 1, "type name is not allowed", "int)", "Do order and types", NULL},
    {"while (!wait(&b, 0)) {\n}\n", 1, "expression must have bool type (or be convertible to bool)", "wait",
     "wait(..) has no value", NULL},
    {"init_barrier(&b, count);\n", 1,
     "argument of type \"uint32_t (*)()\" is incompatible with parameter of type \"uint32_t\"", "count",
     "To call it: count()", NULL},
    {"init_barrier(&b, 1);\n", 1,
     "no instance of overloaded function \"init_barrier\" matches the argument list\n"
     "            argument types are: (uint64_t (*)[7], int)",
     "init_barrier", "name one element, &NAME[i]", NULL},
    {"const float *row = box + y;\n", 1,
     "a value of type \"float (*)[256]\" cannot be used to initialize an entity of type \"const float *\"",
     "=", "That points to whole rows.", NULL},
    {"uint64_t a = s.a; // wgmma\n", 1,
     "a value of type \"uint16_t *\" cannot be used to initialize an entity of type \"uint64_t\"", "s.a",
     "declare a pointer, or take one element", NULL},
    {"uint64_t a = s.a;\nwgmma_fence();\n", 1,
     "a value of type \"uint16_t *\" cannot be used to initialize an entity of type \"uint64_t\"", "s.a",
     "A descriptor for wgmma", NULL},
    {"if (lane == 0) f();\n", 1, "identifier \"lane\" is undefined", "lane", "Is threadIdx.x % 32 meant?",
     NULL},
    {"load();\n", 1, "function \"lambda [](uint32_t)->void\" cannot be called with the given argument list",
     "load", "It is called so: load(uint32_t)", NULL},
    {"x = a.size[2];\n", 1, "a pointer to a bound function may only be used to call the function", "a.",
     "between ( and )", NULL},
    {"f(to + 2);\n", 1,
     "no operator \"+\" matches these operands\n            operand types are: place + unsigned int", "+",
     "place is a struct", NULL},
    {"f(to + 2);\n", 1,
     "no operator \"+\" matches these operands\n            operand types are: uint32_t * + float", "+", NULL,
     NULL},
    {"const float4 v = a;\nv = b;\n", 2,
     "no operator \"=\" matches these operands\n            operand types are: const float4 = float4", "=",
     "What stands on the left is const", NULL},
    {"asm(\"x %0;\" : : \"r\"(&b));\n", 1,
     "asm operand type size(8) does not match type/size implied by constraint 'r'", "&b",
     "tma_shared_address(..)", NULL},
    {"int4 x = t[1];\n", 1, "no suitable constructor exists to convert from \"int4 *\" to \"int4\"", "t[",
     "is an index missing", NULL},
    {"f(__grid_constant__ CUtensorMap m);\n", 1,
     "a parameter annotated with __grid_constant__ must have const-qualified type", "m",
     "const __grid_constant__ CUtensorMap NAME", NULL},
    {"float row[] = box[1];\n", 1, "initialization with \"{...}\" expected for aggregate object", "row",
     "An array can't begin as a copy", NULL},
    {"extern __shared__ int4 s[];\nextern __shared__ int s[];\n", 2,
     "declaration is incompatible with \"int4 s[]\" (declared at line 1)", "s[",
     "error: declaration is incompatible with \"int4 s[]\" (declared at line 1)\n"
     "      extern __shared__ int s[];\n",
     "extern __attribute__((shared)) int s[];"},
};

static const struct remark_case others[] = {
    {"__shared__ int a = 0;\n", 1, "initializer not allowed for __shared__ variable",
     "a =", "      __shared__ int a = 0;\nand 2 more errors after it\nShared memory begins with",
     "__attribute__((shared)) int a = 0;"},
    {"#define N 1;\nif (n > N) f();\n", 2, "expected a \")\"", "f(",
     "a.cu(1): error: N stands for all that follows it here", "if (n > 1;) f();"},
    {"x = y; // why\n", 1, "unheard of", "y", NULL, "x = y;"},
    {"wait(&b, 0):\n", 1, "expected a \";\"", ":", "Is the : meant for a ; here?", NULL},
    {"void f() { g(); }\n", 1, "expected a \";\"", "{", "A function can't be written within another one",
     NULL},
    {"bool new = true;\n", 1, "expected an identifier", "new", "new is a word of the language", NULL},
    {"else {\n}\n", 1, "expected a statement", "else", "This else has no if", NULL},
    {"x = min(a, b);\n", 1,
     "more than one instance of overloaded function \"min\" matches the argument list:\n"
     "            function \"min(int, int)\" (declared at line 9 of m.hpp)\n"
     "            argument types are: (int, long)",
     "min", "list:\n            argument types are: (int, long)\n", NULL},
};

// Writes the error as nvcc does.
static void make_error(const struct remark_case *c, char *error, size_t size) {
  const char *line = c->source;
  for (unsigned i = 1; i < c->line; i++)
    line = strchr(line, '\n') + 1;
  char shown[200];
  snprintf(shown, sizeof shown, "%.*s", (int)strcspn(c->shows ? c->shows : line, "\n"),
           c->shows ? c->shows : line);
  if (!c->caret) {
    snprintf(error, size, "a.cu:%u:1: error: %s\n", c->line, c->message);
    return;
  }
  // The last of several such words is meant.
  const char *caret = NULL;
  for (const char *at = shown; (at = strstr(at, c->caret)); at++)
    caret = at;
  assert_non_null(caret);
  const char *first = strstr(c->message, "\n");
  const int length = first ? (int)(first - c->message) : (int)strlen(c->message);
  snprintf(error, size, "a.cu(%u): error: %.*s%s\n  %s\n%*s^\nand 2 more errors after it\n", c->line, length,
           c->message, first ? first : "", shown, (int)(caret - shown) + 2, "");
}

static void check(const struct remark_case *cases, size_t count) {
  struct declarations declared = {0};
  declarations_add(&declared, header);
  for (size_t i = 0; i < count; i++) {
    char error[1000];
    make_error(&cases[i], error, sizeof error);
    const struct slip_source where = {.path = "a.cu", .text = cases[i].source, .declared = &declared};
    char *text = slip_text(error, &where);
    if (!text != !cases[i].says || (text && !strstr(text, cases[i].says)))
      fail_msg("%s%s-> %s", cases[i].source, error, text ? text : "(nothing)");
    free(text);
  }
  declarations_free(&declared);
}

static void test_brackets(void **state) {
  (void)state;
  check(brackets, sizeof brackets / sizeof *brackets);
}

static void test_letters(void **state) {
  (void)state;
  check(letters, sizeof letters / sizeof *letters);
}

static void test_names(void **state) {
  (void)state;
  check(names, sizeof names / sizeof *names);
}

static void test_types(void **state) {
  (void)state;
  check(types, sizeof types / sizeof *types);
}

static void test_expressions(void **state) {
  (void)state;
  check(expressions, sizeof expressions / sizeof *expressions);
}

static void test_others(void **state) {
  (void)state;
  check(others, sizeof others / sizeof *others);
}

static void test_assembler(void **state) {
  (void)state;
  const struct slip_source where = {
      .path = "a.cu", .text = "x();\nasm(\"fence.asynch;\");\n", .declared = &(struct declarations){0}};
  char *text = slip_text("ptxas /tmp/a.ptx, line 94; error   : Unknown modifier '.asynch'\n", &where);
  assert_non_null(text);
  assert_string_equal(text, "a.cu(2): error: the PTX assembler says: Unknown modifier '.asynch'\n"
                            "      asm(\"fence.asynch;\");\n");
  free(text);
  assert_null(slip_text("ptxas /tmp/a.ptx, line 94; error   : Unknown modifier '.other'\n", &where));
  assert_null(slip_text("ptxas error   : Entry function 'k' uses too much shared data\n", &where));
}

static void test_missing_header(void **state) {
  (void)state;
  struct declarations declared = {0};
  char headers[][DECLARED_NAME] = {"tma-cta.cuh"};
  declarations_add(&declared, header);
  const struct declarations with_headers = {declared.list, declared.count, headers, 1};
  const struct slip_source where = {
      .path = "a.cu", .text = "f();\ninit_barrier(&b, 1);\n", .declared = &with_headers};
  static const char error[] =
      "a.cu(2): error: identifier \"init_barrier\" is undefined\n  init_barrier(&b, 1);\n  ^\n";
  char *text = slip_text(error, &where);
  assert_non_null(text);
  assert_non_null(strstr(text, "At the top of the file: #include \"tma-interface.cuh\"\n"));
  free(text);
  declarations_free(&declared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_brackets),  cmocka_unit_test(test_letters),       cmocka_unit_test(test_names),
      cmocka_unit_test(test_types),     cmocka_unit_test(test_expressions),   cmocka_unit_test(test_others),
      cmocka_unit_test(test_assembler), cmocka_unit_test(test_missing_header)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
