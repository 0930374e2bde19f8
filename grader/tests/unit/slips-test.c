// Errors of compilers, and what they mean for the one who wrote the line.
#include "referee/braces.h"
#include "referee/empty-body.h"
#include "referee/slips.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const char header[] =
    "__device__ static __forceinline__ void init_barrier(uint64_t *bar, uint32_t arrival_count) {\n}\n"
    "__device__ static __forceinline__ void arrive(uint64_t *bar, uint32_t count = 1) {\n}\n"
    "__device__ static __forceinline__ void wait(uint64_t *bar, uint32_t parity) {\n}\n"
    "__device__ static __forceinline__ void async_proxy_fence() {\n}\n"
    "template <int N> __device__ static __forceinline__ void tma_wait_until_pending() {\n}\n"
    "__device__ static __forceinline__ void cp_async_bulk_global_to_shared(void *smem_dest,\n"
    "                                        const void *gmem_src, uint32_t bytes, uint64_t *bar) {\n}\n"
    "__device__ static __forceinline__ void cp_async_bulk_shared_to_global(void *gmem_dest,\n"
    "                                        const void *smem_src, uint32_t bytes) {\n}\n"
    "__device__ static __forceinline__ void wait(uint64_t &bar, uint32_t parity) {\n}\n";

static void test_declarations(void **state) {
  (void)state;
  struct declarations declared = {0};
  declarations_add(&declared, header);
  assert_int_equal(declared.count, 7);
  const struct declaration *arrive = declarations_find(&declared, "arrive");
  assert_non_null(arrive);
  assert_int_equal(arrive->least, 1);
  assert_int_equal(arrive->most, 2);
  const struct declaration *load = declarations_find(&declared, "cp_async_bulk_global_to_shared");
  assert_non_null(load);
  assert_string_equal(load->parameters,
                      "void *smem_dest, const void *gmem_src, uint32_t bytes, uint64_t *bar");
  assert_true(declarations_find(&declared, "tma_wait_until_pending")->template);
  assert_string_equal(declarations_find(&declared, "wait")->parameters, "uint64_t *bar, uint32_t parity");
  declarations_free(&declared);
}

static void test_misspelt_names(void **state) {
  (void)state;
  static const struct {
    const char *written, *meant; // NULL: it is like none of them
  } cases[] = {
      {"barrier_init", "init_barrier"},
      {"mbarrier_init", "init_barrier"},
      {"init_barier", "init_barrier"},
      {"arive", "arrive"},
      {"fence_proxy_async", "async_proxy_fence"},
      {"wait_until_pending", "tma_wait_until_pending"},
      {"cp_async_bulk_global_to_smem", "cp_async_bulk_global_to_shared"},
      {"cp_async_bulk_smem_to_global", "cp_async_bulk_shared_to_global"},
      {"length", NULL},
      {"barrier", NULL},
      {"x", NULL},
      {"", NULL},
      {"a_name_of_far_more_letters_than_any_function_of_the_interface_will_ever_have", NULL},
  };
  struct declarations declared = {0};
  declarations_add(&declared, header);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned distance;
    const struct declaration *near = declarations_near(&declared, cases[i].written, &distance);
    if (!near != !cases[i].meant || (near && strcmp(near->name, cases[i].meant) != 0))
      fail_msg("%s: got %s", cases[i].written, near ? near->name : "none");
  }
  declarations_free(&declared);
}

static void test_braces(void **state) {
  (void)state;
  static const struct {
    const char *source;
    unsigned line;
    int kind;
  } cases[] = {
      {"void f() {\n  if (x) {\n    y();\n  }\n}\n", 0, 0},
      {"void f() {\n  if (x) {\n    y();\n}\n", 2, BRACE_OPEN},
      {"void f() {\n  if (x) {\n    y();\n  }\n\nvoid g() {\n}\n", 1, BRACE_OPEN},
      {"void f(int a,\n       int b) {\n  for (;;) {\n    y();\n}\n", 3, BRACE_OPEN},
      {"void f() {\n  y();\n  }\n}\n", 3, BRACE_CLOSES_ANOTHER},
      {"void f() {\n  if (x) {\n    y();\n  }}\n}\n", 4, BRACE_TOO_MANY},
      {"void f() {\n}\n}\n", 3, BRACE_TOO_MANY},
      {"namespace {\nvoid f() {\n  if (x) {\n}\n}\n", 3, BRACE_OPEN},
      {"void f() {\n  // }\n  const char *s = \"}\", c = '}'; /* }\n */\n#define X }\n}\n", 0, 0},
      {"int a[] = {1, 2,\n           3};\nint n = 1'000'000;\n", 0, 0},
      {"", 0, 0},
      {"\"", 0, 0},
      {"/*", 0, 0},
      {"'\\", 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *blanked = braces_blank(cases[i].source);
    assert_non_null(blanked);
    assert_int_equal(strlen(blanked), strlen(cases[i].source));
    const struct brace_slip slip = braces_find_slip(blanked);
    if (slip.line != cases[i].line || (slip.line && (int)slip.kind != cases[i].kind))
      fail_msg("case %zu: line %u, kind %d", i, slip.line, (int)slip.kind);
    free(blanked);
  }
}

static const char source[] = "__global__ void k(int *d) {\n"             // 1
                             "  __shared__ uint64_t bar;\n"              // 2
                             "  init_barrier(&bar, 1)\n"                 // 3
                             "  // then\n"                               // 4
                             "  arrive(&bar);\n"                         // 5
                             "  wait(\n"                                 // 6
                             "      f(1, 2));\n"                         // 7
                             "  tma_wait_until_pending<1 - 2>();\n"      // 8
                             "  cp_async_bulk_shared_to_global(d, 1);\n" // 9
                             "  arrive(&bar\n"                           // 10
                             "  arrive(&bar);\n"                         // 11
                             "  cp_async_bulk(d, s, 16);\n"              // 12
                             "}\n";

// says: a part of what is said of the error; NULL: nothing beyond the compiler's words.
struct text_case {
  const char *error, *says;
};

static void check_texts_of(const struct slip_source *where, const struct text_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char *text = slip_text(cases[i].error, where);
    if (!text != !cases[i].says || (text && !strstr(text, cases[i].says)))
      fail_msg("case %zu: %s", i, text ? text : "(nothing)");
    free(text);
  }
}

static void check_texts(const struct text_case *cases, size_t count) {
  struct declarations declared = {0};
  declarations_add(&declared, header);
  check_texts_of(&(struct slip_source){.path = "a.cu", .text = source, .declared = &declared}, cases, count);
  declarations_free(&declared);
}

static void test_texts(void **state) {
  (void)state;
  static const struct text_case cases[] = {
      {"a.cu(5): error: expected a \";\"\n    arrive(&bar);\n    ^\n",
       "a.cu(3): error: the ; is missing at the end of this line\n      init_barrier(&bar, 1)\n"
       "The compiler noticed it only at line 5: expected a \";\"\n"},
      {"a.cu(5): error: expected a \";\"\n    arrive(&bar);\n          ^\n", NULL},
      {"a.cu(5): error: expected a \")\"\n    arrive(&bar);\n    ^\n", NULL},
      {"a.cu(5): error: identifier \"arive\" is undefined\n    arive(&bar);\n    ^\n",
       "Did you mean arrive? It is called so: arrive(uint64_t *bar, uint32_t count = 1)\n"},
      {"a.cu(9): error: identifier \"e\" is undefined\n    cp_async_bulk_shared_to_global(d, 1);\n    ^\n",
       NULL},
      {"a.cu(9): error: too few arguments in function call\n    cp_async_bulk_shared_to_global(d, 1);\n"
       "                                       ^\n",
       "That is 3 arguments; 2 are given here.\n"},
      {"a.cu(6): error: no instance of overloaded function \"wait\" matches the argument list\n"
       "            argument types are: (int)\n    wait(\n    ^\n"
       "interface/tma-interface.cuh(378): note #3322-D: parameters\n    x\n    ^\nand 2 more errors "
       "after it\n",
       "    ^\nand 2 more errors after it\nIt is called so: wait(uint64_t *bar, uint32_t parity)\n"
       "That is 2 arguments; 1 is given here.\n"},
      {"interface/tma-interface.cuh(9): error: static assertion failed with \"0 or more\"\n    x\n    ^\n"
       "          detected during instantiation of \"void f<N>() [with N=-1]\" at line 8 of a.cu\n",
       "a.cu(8): error: 0 or more\n      tma_wait_until_pending<1 - 2>();\n"},
      {"a.cu(4000): error: expected a \";\"\n    x\n    ^\n", NULL},
      {"a.cu(0): error: expected a \";\"\n", NULL},
      {"a.cu(", NULL},
      {"", NULL},
  };
  check_texts(cases, sizeof cases / sizeof *cases);
}

static void test_headers_and_launchers(void **state) {
  (void)state;
  struct declarations declared = {0};
  char headers[][DECLARED_NAME] = {"tma-interface.cuh", "tma-cache.cuh", "lab9.h"};
  declarations_add(&declared, "/* of C */\ncudaError_t launch_it(int32_t *data, size_t count,\n"
                              "                      cudaStream_t stream);\n");
  assert_int_equal(declared.count, 1);
  const struct declarations with_headers = {declared.list, declared.count, headers, 3};
  const struct slip_source where = {.path = "a.cu", .text = source, .declared = &with_headers};
  static const struct text_case cases[] = {
      {"a.cu:5:10: fatal error: tma_interface.cuh: No such file or directory\ncompilation terminated.\n",
       "Did you mean #include \"tma-interface.cuh\"?\n"},
      {"a.cu:5:10: fatal error: cuda/barriers: No such file or directory\n", "Here are the headers of "},
      {"a.cu(1): error: more than one instance of overloaded function \"launch_it\" has \"C\" linkage\n",
       "The lab's header declares it so: launch_it(int32_t *data, size_t count, cudaStream_t stream)\n"},
      {"a.cu(1): error: more than one instance of overloaded function \"mine\" has \"C\" linkage\n", NULL},
      {"a.cu(9): error: identifier \"CU_TENSOR_MAP_TYPE_UINT32\" is undefined\n",
       "Did you mean CU_TENSOR_MAP_DATA_TYPE_UINT32?\n"},
      {"a.cu(9): error: identifier \"CU_TENSOR_MAP_SWIZZLE_128\" is undefined\n",
       "Did you mean CU_TENSOR_MAP_SWIZZLE_128B?\n"},
  };
  check_texts_of(&where, cases, sizeof cases / sizeof *cases);
  declarations_free(&declared);
}

static void test_missing_brackets_and_parts_of_names(void **state) {
  (void)state;
  static const struct text_case cases[] = {
      {"a.cu(11): error: expected a \")\"\n    arrive(&bar);\n    ^\n",
       "a.cu(10): error: a ) is missing at the end of this line\n      arrive(&bar\n"
       "The compiler noticed it only at line 11: expected a \")\"\n"},
      {"a.cu(3): error: expected a \")\"\n    init_barrier(&bar, 1)\n    ^\n", NULL},
      {"a.cu(9): error: identifier \"cp_async_bulk\" is undefined\n"
       "    cp_async_bulk_shared_to_global(d, 1);\n    ^\n",
       NULL},
      {"a.cu(12): error: identifier \"cp_async_bulk\" is undefined\n    cp_async_bulk(d, s, 16);\n    ^\n",
       "Did you mean cp_async_bulk_shared_to_global? It is called so: "},
  };
  check_texts(cases, sizeof cases / sizeof *cases);
}

// Half a MiB of braces, on one line and in one statement. The limit is of processor time; a time that grows
// with the square of the size is some hundred times as much as is used.
static void test_work(void **state) {
  (void)state;
  enum { BYTES = 512 << 10, SECONDS = 20 };
  struct rusage used;
  struct rlimit limit;
  char *text = malloc(BYTES + 1);
  assert_non_null(text);
  for (size_t i = 0; i < BYTES; i++)
    text[i] = i & 1 ? '{' : ')';
  text[BYTES] = '\0';
  getrusage(RUSAGE_SELF, &used);
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = (rlim_t)used.ru_utime.tv_sec + SECONDS;
  assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
  const struct slip_source where = {.path = "a.cu", .text = text, .declared = &(struct declarations){0}};
  free(slip_text("a.cu(1): error: expected a declaration\n", &where));
  for (size_t i = 0; i < BYTES; i++)
    text[i] = "int x;*"[i % 7];
  free(slip_text("a.cu(1): error: identifier \"x\" is undefined\n", &where));
  free(slip_text("a.cu(1): error: expression must be a modifiable lvalue\n    int x\n        ^\n", &where));
  for (size_t i = 0; i < BYTES; i++)
    text[i] = "#define x ;\n"[i % 12];
  free(slip_text("a.cu(1): error: expected a \")\"\n    y ;\n    ^\n", &where));
  free(text);
}

static void test_empty_bodies(void **state) {
  (void)state;
  static const struct {
    const char *source;
    unsigned line;
  } table[] = {{"a();\nif (x == f(0)); {\n  b();\n}\n", 2},
               {"if (x)\n  ;\n{\n}\n", 2},
               {"for (int i = 0; i < 4; i++); // four\n\n{\n}\n", 1},
               {"while (!try_wait(bar, 0)); {\n}\n", 1},
               {"while (!try_wait(bar, 0));\nif (x) {\n}\n", 0},
               {"do {\n} while (f());\n{\n}\n", 0},
               {"if (x) {\n}\n", 0},
               {"elif(x); {\n}\n// if (x); {\n", 0},
               {"if (x", 0},
               {"if", 0}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char *blanked = braces_blank(table[i].source);
    if (empty_body_line(blanked) != table[i].line)
      fail_msg("%s: line %u, not %u", table[i].source, empty_body_line(blanked), table[i].line);
    free(blanked);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_declarations),
                                     cmocka_unit_test(test_misspelt_names),
                                     cmocka_unit_test(test_braces),
                                     cmocka_unit_test(test_texts),
                                     cmocka_unit_test(test_headers_and_launchers),
                                     cmocka_unit_test(test_work),
                                     cmocka_unit_test(test_empty_bodies),
                                     cmocka_unit_test(test_missing_brackets_and_parts_of_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
