// Suppressions: which lines are taken, which finding each accepts, and that a written one accepts its own
// finding, after lines were added above it, and no other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "virtual-hopper/command/options.h"
#include "virtual-hopper/command/suppressions.h"

static char folder[] = "/tmp/suppressions-XXXXXX";
static char source[64], list_path[64];

static void write_file(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
}

static struct fault sample(void) {
  struct fault fault = {.rule = RULE_PROXY_FENCE, .severity = FAULT_ERROR, .kernel = "fill"};
  fault.place.file = source;
  fault.place.line = 2;
  fault.place.instruction = "st.shared.u32 [%r1], 42";
  fault.place.inlined[0].file = "/opt/lib/include/lib/copy.h";
  fault.place.inlined_count = 1;
  fault.related_count = 1;
  fault.related[0].place.file = source;
  fault.related[0].place.line = 3;
  return fault;
}

static int read_text(struct suppressions *list, const char *text, char *error, size_t size) {
  *list = (struct suppressions){0};
  write_file(list_path, text);
  return suppressions_read(list, list_path, error, size);
}

static void test_matching(void **state) {
  (void)state;
  static const struct {
    const char *line;
    bool accepts;
  } cases[] = {
      {"proxy-fence # all of them", true},
      {"shared-race # another rule", false},
      {"* kernel=fill # any rule", true},
      {"* kernel=f* # a pattern", true},
      {"* kernel=il # no part of a name", false},
      {"proxy-fence file=kernel.cu # the end of the path", true},
      {"proxy-fence file=ernel.cu # no part of a name", false},
      {"proxy-fence file=*/kernel.* # a pattern", true},
      {"proxy-fence line=2 # its line", true},
      {"proxy-fence line=3 # another line", false},
      {"proxy-fence frame=lib/copy.h # inlined into it", true},
      {"proxy-fence frame=other.h # not there", false},
      {"proxy-fence code=\"tile[i] = 42;\" # blanks do not count", true},
      {"proxy-fence code=\"tile[i] = 43;\" # another line of code", false},
      {"proxy-fence code=\"tile[i] = 42;\" with=\"copy(out, say(hello));\" # both", true},
      {"proxy-fence kernel=fill with=copy # half a line", false},
      {"  proxy-fence\tkernel=fill   # indented", true},
  };
  write_file(source, "// a kernel\n  tile[i]   = 42;\n\tcopy(out, say(\"hello\"));\n");
  const struct fault fault = sample();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct suppressions list;
    char error[600] = "";
    assert_int_equal(read_text(&list, cases[i].line, error, sizeof error), 0);
    const bool accepts = suppressions_find(&list, &fault) != NULL;
    if (accepts != cases[i].accepts) fail_msg("%s: accepted %d", cases[i].line, accepts);
    assert_int_equal(list.all[0].used, accepts);
    suppressions_free(&list);
  }
}

static void test_wrong_lines(void **state) {
  (void)state;
  static const struct {
    const char *text, *said;
  } cases[] = {
      {"proxy-fence kernel=fill\n", ":1: the reason is missing"},
      {"# fine\n\nproxy-fence #  \n", ":3: the reason is empty"},
      {"proxy-fens # typed wrong\n", "there is no such rule: proxy-fens; is it this one: proxy-fence"},
      {"proxy-fence kernal=fill # typed wrong\n", "the keys are"},
      {"proxy-fence kernel=\"fill # open\n", "the reason is missing"},
      {"proxy-fence line=0 # no line\n", "line= wants a number"},
      {"proxy-fence kernel=a kernel=b # twice\n", "given twice"},
      {"* # all\n", "it would accept everything"},
      {" # no rule\n", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct suppressions list;
    char error[600] = "";
    const int status = read_text(&list, cases[i].text, error, sizeof error);
    if ((status != 0) != (cases[i].said != NULL) || (cases[i].said && !strstr(error, cases[i].said)))
      fail_msg("%s: %d, %s", cases[i].text, status, error);
    suppressions_free(&list);
  }
}

static void test_written(void **state) {
  (void)state;
  write_file(source, "// a kernel\n  tile[i] = 42; # \"x\"\n  copy(out, tile);\n  tile[i] = 43;\n");
  struct fault fault = sample(), other = sample();
  struct suppressions list;
  char error[600] = "", *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  suppression_write(out, &fault, "kernel.cu", "found in a test");
  fclose(out);
  assert_string_equal(text, "proxy-fence kernel=fill file=kernel.cu code=\"tile[i] = 42; # x\" "
                            "with=\"copy(out, tile);\" # found in a test\n");
  assert_int_equal(read_text(&list, text, error, sizeof error), 0);
  free(text);
  assert_non_null(suppressions_find(&list, &fault));
  other.place.line = 4;
  assert_null(suppressions_find(&list, &other));
  write_file(source, "// a kernel\n\n\n  tile[i] = 42; # \"x\"\n  copy(out, tile);\n");
  fault.place.line = 4;
  fault.related[0].place.line = 5;
  assert_non_null(suppressions_find(&list, &fault));
  suppressions_free(&list);
}

static void test_words(void **state) {
  (void)state;
  int count;
  char **words = options_words("--json 'a b'  --quiet\t-x\"y z\" ", &count);
  assert_int_equal(count, 5);
  assert_string_equal(words[1], "--json");
  assert_string_equal(words[2], "a b");
  assert_string_equal(words[3], "--quiet");
  assert_string_equal(words[4], "-xy z");
  assert_null(words[5]);
  free(words[0]);
  free(words);
  assert_null(options_words("--json 'a", &count));
}

static void test_output_names(void **state) {
  (void)state;
  const char *wrong;
  setenv("TEST_NAME", "one", 1);
  char *name = output_name("a.%p.%n.%q{TEST_NAME}.%%", 7, "build/kernel-test", &wrong);
  assert_string_equal(name, "a.7.kernel-test.one.%");
  free(name);
  assert_null(output_name("a.%q{NOT_SET_AT_ALL}", 7, "p", &wrong));
  assert_null(output_name("a.%", 7, "p", &wrong));
  assert_null(output_name("a.%d", 7, "p", &wrong));
  assert_string_equal(wrong, "%d");
}

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(source, sizeof source, "%s/kernel.cu", folder);
  snprintf(list_path, sizeof list_path, "%s/list", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(source);
  unlink(list_path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matching), cmocka_unit_test(test_wrong_lines),  cmocka_unit_test(test_written),
      cmocka_unit_test(test_words),    cmocka_unit_test(test_output_names),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
