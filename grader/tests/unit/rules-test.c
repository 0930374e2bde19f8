// Every rule has a page, and every page has a rule. docs/rules/NAME.md begins with the name and the title,
// and shows a wrong kernel, a mended kernel and a report.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/rules/rules.h"

static char *read_page(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "docs/rules/%s.md", name);
  FILE *in = fopen(path, "re");
  if (!in) return NULL;
  char *text = calloc(1, 1 << 16);
  size_t got = fread(text, 1, (1 << 16) - 1, in);
  text[got] = '\0';
  fclose(in);
  return text;
}

static void check_page(const struct rule *rule) {
  char *page = read_page(rule->name), head[512];
  if (!page) fail_msg("docs/rules/%s.md is missing", rule->name);
  snprintf(head, sizeof head, "# %s\n\n**%s**\n", rule->name, rule->title);
  if (strncmp(page, head, strlen(head)) != 0)
    fail_msg("docs/rules/%s.md must begin with\n%s", rule->name, head);
  static const char *const parts[] = {"\n## Wrong\n",       "// wrong: <<<",   "\n## Reported\n",
                                      "\n```text\n",        "\n## Mended\n",   "// mended: <<<",
                                      "\n## On hardware\n", "\n## Reference\n"};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (!strstr(page, parts[i])) fail_msg("docs/rules/%s.md has no %s", rule->name, parts[i]);
  free(page);
}

static void test_each_rule_has_a_page(void **state) {
  (void)state;
  for (unsigned id = RULE_NONE + 1; id < RULE_COUNT; id++)
    check_page(rule_of(id));
}

static void test_each_page_has_a_rule(void **state) {
  (void)state;
  DIR *folder = opendir("docs/rules");
  assert_non_null(folder);
  for (const struct dirent *entry; (entry = readdir(folder));) {
    char name[256];
    snprintf(name, sizeof name, "%s", entry->d_name);
    char *end = strstr(name, ".md");
    if (!end || strcmp(name, "README.md") == 0 || strcmp(name, "index.md") == 0) continue;
    *end = '\0';
    if (!rule_find(name)) fail_msg("docs/rules/%s.md has no rule", name);
  }
  closedir(folder);
}

static void test_names(void **state) {
  (void)state;
  for (unsigned id = RULE_NONE + 1; id < RULE_COUNT; id++) {
    const struct rule *rule = rule_of(id);
    assert_true(strspn(rule->name, "abcdefghijklmnopqrstuvwxyz-") == strlen(rule->name));
    assert_int_equal(rule_find(rule->name), id); // no name appears twice
    assert_true(strlen(rule->title) > 10 && strlen(rule->remedy) > 10);
  }
  assert_int_equal(rule_find("no-such-rule"), RULE_NONE);
  assert_int_equal(rule_find(""), RULE_NONE);
  assert_int_equal(rule_find(NULL), RULE_NONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_rule_has_a_page),
      cmocka_unit_test(test_each_page_has_a_rule),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
