// explain, fingerprint: commands that only tell something. In: a name. Out: a page or a list on stdout.
#include "cli/commands.h"
#include "referee/fingerprint.h"
#include "referee/kit.h"
#include "virtual-hopper/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int find_kit(struct kit *kit) {
  char error[600];
  return kit_find(kit, error, sizeof error) == 0 ? 0 : complain("%s", error);
}

// Never returns if all is well: the page is laid out by the script that lays out hints.
static int show_page(const struct kit *kit, const char *page) {
  enum { GOOD_TO_READ = 100 };
  char script[PATH_MAX], width[32];
  const unsigned columns = terminal_columns();
  snprintf(width, sizeof width, "width=%u", columns < GOOD_TO_READ ? columns : GOOD_TO_READ);
  kit_path(kit, script, "grader/cli/page.awk");
  char *command[] = {"awk", "-v", width, "-f", script, (char *)(uintptr_t)page, NULL};
  execvp(command[0], command);
  return complain("awk cannot be run: %s", strerror(errno));
}

static void list_rules(FILE *out) {
  for (size_t i = 0; i < rule_count(); i++)
    fprintf(out, "  %-28s %s\n", rule_at(i)->name, rule_at(i)->title);
}

// The first rule whose name holds what was given, or begins as it does; NULL: none.
static const char *rule_like(const char *given) {
  size_t length = strlen(given);
  for (size_t i = 0; length >= 3 && i < rule_count(); i++)
    if (strcasestr(rule_at(i)->name, given) || strncasecmp(rule_at(i)->name, given, 4) == 0)
      return rule_at(i)->name;
  return NULL;
}

int command_explain(int count, char **arguments) {
  struct kit kit;
  char path[PATH_MAX];
  if (count > 1) return complain("explain: one rule at a time: grader explain RULE");
  if (count == 0) {
    puts("The rules, each with a page (make explain RULE=NAME):\n");
    list_rules(stdout);
    return STATUS_PASSED;
  }
  const struct rule *rule = rule_find(arguments[0]);
  if (!rule) {
    fputs("The rules:\n", stderr);
    list_rules(stderr);
    return complain("there is no rule `%.60s`%s%s", arguments[0],
                    rule_like(arguments[0]) ? "; is it this one: " : "; they are above",
                    rule_like(arguments[0]) ? rule_like(arguments[0]) : "");
  }
  if (find_kit(&kit) != 0) return STATUS_ERROR;
  if (access(kit_path(&kit, path, "docs/rules/%s.md", rule->name), R_OK) == 0) return show_page(&kit, path);
  // The page is missing from this kit; the rule's own words are in the program.
  printf("%s\n\n  %s\n\n  To mend it: %s\n", rule->name, rule->title, rule->remedy);
  return STATUS_PASSED;
}

int command_fingerprint(int count, char **arguments) {
  char text[FINGERPRINT_SIZE];
  if (count != 1) return complain("usage: grader fingerprint FILE");
  if (fingerprint_file(arguments[0], text) != 0) return complain("%s: %s", arguments[0], strerror(errno));
  puts(text);
  return STATUS_PASSED;
}
