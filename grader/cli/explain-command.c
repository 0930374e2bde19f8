// explain, fingerprint: commands that only print. In: the name of a rule or of a file. Out: a page, a list or
// a fingerprint on stdout.
#include "cli/commands.h"
#include "referee/fingerprint.h"
#include "referee/kit.h"
#include "virtual-hopper/rules/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int find_kit(struct kit *kit) {
  char error[600];
  return kit_find(kit, error, sizeof error) == 0 ? 0 : complain("%s", error);
}

// Becomes the script that also lays out hints, so it only returns if that fails.
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
  for (unsigned id = RULE_NONE + 1; id < RULE_COUNT; id++)
    fprintf(out, "  %-28s %s\n", rule_of(id)->name, rule_of(id)->title);
}

// The first rule whose name contains what was given, or begins with the same four letters; NULL: none.
static const char *rule_like(const char *given) {
  size_t length = strlen(given);
  for (unsigned id = RULE_NONE + 1; length >= 3 && id < RULE_COUNT; id++)
    if (strcasestr(rule_name(id), given) || strncasecmp(rule_name(id), given, 4) == 0) return rule_name(id);
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
  const enum rule_id rule = rule_find(arguments[0]);
  if (rule == RULE_NONE) {
    fputs("The rules:\n", stderr);
    list_rules(stderr);
    return complain("there is no rule `%.60s`%s%s", arguments[0],
                    rule_like(arguments[0]) ? "; is it this one: " : "; they are above",
                    rule_like(arguments[0]) ? rule_like(arguments[0]) : "");
  }
  if (find_kit(&kit) != 0) return STATUS_ERROR;
  if (access(kit_path(&kit, path, "docs/rules/%s.md", rule_name(rule)), R_OK) == 0)
    return show_page(&kit, path);
  // This kit lacks the page, so title and remedy are printed, which are in the program.
  printf("%s\n\n  %s\n\n  To mend it: %s\n", rule_name(rule), rule_of(rule)->title, rule_of(rule)->remedy);
  return STATUS_PASSED;
}

int command_fingerprint(int count, char **arguments) {
  char text[FINGERPRINT_SIZE];
  if (count != 1) return complain("usage: grader fingerprint FILE");
  if (fingerprint_file(arguments[0], text) != 0) return complain("%s: %s", arguments[0], strerror(errno));
  puts(text);
  return STATUS_PASSED;
}
