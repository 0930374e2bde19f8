// Compiler output and the part of it that a student sees; paths; fingerprints.
#include "referee/diagnostics.h"
#include "referee/fingerprint.h"
#include "referee/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_first_error(void **state) {
  (void)state;
  static const struct {
    const char *output, *shown;
  } table[] = {
      {"", NULL},
      {"/k/a.cu(3): warning #177-D: unused\n\n", NULL},
      {"/k/labs/a.cu(3): warning #177-D: variable declared\n    int x;\n        ^\n\n"
       "/k/labs/a.cu(9): error: identifier \"y\" is undefined\n      y = 1;\n      ^\n\n1 error "
       "detected in the compilation of \"/k/labs/a.cu\".\n",
       "labs/a.cu(9): error: identifier \"y\" is undefined\n      y = 1;\n      ^\n"},
      {"/k/a.cu(1): error: one\n/k/a.cu(2): error: two\n/k/a.cu(3): error: three\n",
       "a.cu(1): error: one\nand 2 more errors after it\n"},
      {"a.cu:1:10: fatal error: none.h: No such file or directory\n"
       "    1 | #include \"none.h\"\n      |  ^~~\ncompilation terminated.\n",
       "a.cu:1:10: fatal error: none.h: No such file or directory\n"
       "    1 | #include \"none.h\"\n      |  ^~~\ncompilation terminated.\n"},
      {"ptxas /tmp/x.ptx, line 12; error   : Not a name of any known instruction: 'no'\n"
       "ptxas fatal   : Ptx assembly aborted\n",
       "ptxas /tmp/x.ptx, line 12; error   : Not a name of any known instruction: 'no'\n"
       "ptxas fatal   : Ptx assembly aborted\n"},
      {"ptxas /tmp/x.ptx, line 28; fatal   : Parsing error near '.file': syntax error\n"
       "ptxas fatal   : Ptx assembly aborted due to errors\n",
       "ptxas /tmp/x.ptx, line 28; fatal   : Parsing error near '.file': syntax error\n"
       "ptxas fatal   : Ptx assembly aborted due to errors\n"},
      {"ptxas fatal   : Unresolved extern function '_Z1fi'\n",
       "ptxas fatal   : Unresolved extern function '_Z1fi'\n"},
      {"ptxas fatal   : Memory allocation failure\n", NULL},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char *shown = diagnostics_first_error(table[i].output, "/k");
    if (!shown != !table[i].shown || (shown && strcmp(shown, table[i].shown) != 0))
      fail_msg("row %zu: got \"%s\"", i, shown ? shown : "(none)");
    free(shown);
  }
}

// Errors that this machine is to blame for, and those that it isn't.
static void test_first_warning(void **state) {
  (void)state;
  static const struct {
    const char *output, *shown;
  } table[] = {
      {"", NULL},
      {"/k/a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n    int x;\n\n", NULL},
      {"/k/b.cuh(3): warning #174-D: expression has no effect\n    f;\n    ^\n\n", NULL}, // another file
      {"Remark: The warnings can be suppressed\n", NULL},
      {"/k/a.cu(2): warning #550-D: variable \"y\" was set but never used\n    int y;\n\n"
       "/k/a.cu(3): warning #174-D: expression has no effect\n    f;\n    ^\n\n"
       "Remark: The warnings can be suppressed\n",
       "a.cu(3): warning #174-D: expression has no effect\n    f;\n    ^\n"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char *shown = diagnostics_first_warning(table[i].output, "a.cu", "/k");
    if (!shown != !table[i].shown || (shown && strcmp(shown, table[i].shown) != 0))
      fail_msg("row %zu: got \"%s\"", i, shown ? shown : "(none)");
    free(shown);
  }
}

static void test_refusals(void **state) {
  (void)state;
  static const struct {
    const char *output, *refusal;
    bool place;
  } table[] = {
      {"g++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable\ndone\n",
       "g++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable", false},
      {"x\nbwrap: Can't fork for pid 1: Resource temporarily unavailable\n",
       "bwrap: Can't fork for pid 1: Resource temporarily unavailable", false},
      {"nvcc fatal   : Failed to preprocess host compiler properties.\n",
       "nvcc fatal   : Failed to preprocess host compiler properties.", false},
      {"sandbox: the filter: Cannot allocate memory\n", "sandbox: the filter: Cannot allocate memory", false},
      {"a.cu(3): error: fork: Resource temporarily unavailable\n", NULL, true},
      {"a.cu:3:1: error: no\n    // vfork: Resource temporarily unavailable\n", NULL, true},
      {"ptxas a.ptx, line 7; error   : no\n", NULL, true},
      {"collect2: error: ld returned 1 exit status\n", NULL, false},
      {"", NULL, false},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    size_t length = 0;
    const char *refusal = diagnostics_refusal(table[i].output, &length);
    const char *wanted = table[i].refusal;
    if (!refusal != !wanted || (wanted && (strlen(wanted) != length || memcmp(wanted, refusal, length) != 0)))
      fail_msg("row %zu: got \"%.*s\"", i, refusal ? (int)length : 0, refusal ? refusal : "");
    assert_int_equal(diagnostics_names_place(table[i].output), table[i].place);
  }
}

static void test_undefined_name(void **state) {
  (void)state;
  char name[32];
  assert_false(diagnostics_undefined_name("all is well\n", name, sizeof name));
  assert_true(diagnostics_undefined_name(
      "/usr/bin/ld: x.o: in function `main':\nx.c:3: undefined reference to `launch_x'\n", name,
      sizeof name));
  assert_string_equal(name, "launch_x");
}

static void test_excerpt(void **state) {
  (void)state;
  char *text = diagnostics_excerpt("one\n\033[2Jtwo\xff\tthree\nfour five\nsix\n", 3, 8);
  assert_string_equal(text, "one\n?[2Jtwo?...\nfour fiv...\n...\n");
  free(text);
  text = diagnostics_excerpt("", 3, 8);
  assert_string_equal(text, "");
  free(text);
}

static void test_paths(void **state) {
  (void)state;
  assert_string_equal(kit_short_path("/a/b/c", "/a"), "b/c");
  assert_string_equal(kit_short_path("/ab/c", "/a"), "/ab/c");
  assert_string_equal(kit_short_path("/a/b", "/"), "/a/b");
  char text[] = "/a/b/x.cu, see /a/b/y.cu and /a/bc";
  kit_strip_prefix(text, "/a/b");
  assert_string_equal(text, "x.cu, see y.cu and /a/bc");
}

static void test_fingerprint(void **state) {
  (void)state;
  static const char *const texts[] = {"a\nb\n", "a\r\nb\r\n", "a\nb"};
  char fingerprints[3][FINGERPRINT_SIZE];
  for (int i = 0; i < 3; i++) {
    char path[] = "/tmp/fingerprint-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(write(file, texts[i], strlen(texts[i])) == (ssize_t)strlen(texts[i]));
    close(file);
    assert_int_equal(fingerprint_file(path, fingerprints[i]), 0);
    unlink(path);
  }
  assert_string_equal(fingerprints[0], fingerprints[1]);
  assert_string_not_equal(fingerprints[0], fingerprints[2]);
  assert_int_equal(fingerprint_file("/nowhere/at-all", fingerprints[0]), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_first_error), cmocka_unit_test(test_first_warning),
      cmocka_unit_test(test_refusals),    cmocka_unit_test(test_undefined_name),
      cmocka_unit_test(test_excerpt),     cmocka_unit_test(test_paths),
      cmocka_unit_test(test_fingerprint)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
