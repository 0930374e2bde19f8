// In: the name of a rule. Out: its page on stdout, or the list of all rules.
#include "virtual-hopper/command/explain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "virtual-hopper/command/options.h"
#include "virtual-hopper/command/place.h"

enum { GOOD_TO_READ = 100 };

void explain_list(FILE *out) {
  for (unsigned id = RULE_NONE + 1; id < RULE_COUNT; id++)
    fprintf(out, "  %-28s %s\n", rule_of(id)->name, rule_of(id)->title);
}

const char *explain_like(const char *given) {
  size_t length = strlen(given);
  for (unsigned id = RULE_NONE + 1; length >= 3 && id < RULE_COUNT; id++)
    if (strcasestr(rule_name(id), given) || strncasecmp(rule_name(id), given, 4) == 0) return rule_name(id);
  return NULL;
}

void explain_show(const char *page, const char *script, unsigned columns) {
  char width[32];
  snprintf(width, sizeof width, "width=%u", columns && columns < GOOD_TO_READ ? columns : GOOD_TO_READ);
  char *command[] = {"awk", "-v", width, "-f", (char *)(uintptr_t)script, (char *)(uintptr_t)page, NULL};
  fflush(stdout);
  execvp(command[0], command);
}

void explain_briefly(enum rule_id rule) {
  printf("%s\n\n  %s\n\n  To mend it: %s\n", rule_name(rule), rule_of(rule)->title, rule_of(rule)->remedy);
}

int explain_command(int count, char **arguments) {
  if (count == 0) {
    puts("The rules, each with a page (vhopper explain RULE):\n");
    explain_list(stdout);
    return 0;
  }
  const char *name = arguments[0];
  const enum rule_id rule = rule_find(name);
  if (count > 1 || rule == RULE_NONE) {
    const char *like = count > 1 ? NULL : explain_like(name);
    if (count > 1)
      fputs("vhopper: one rule at a time: vhopper explain RULE\n", stderr);
    else
      fprintf(stderr, "vhopper: there is no rule `%.60s`; %s%s%s\n", name, like ? "is it this one: " : "",
              like ? like : "vhopper explain", like ? "" : " lists them");
    return STATUS_USAGE;
  }
  char page[PATH_MAX], script[PATH_MAX], installed[128], in_kit[128];
  snprintf(installed, sizeof installed, "rules/%s.md", rule_name(rule));
  snprintf(in_kit, sizeof in_kit, "docs/rules/%s.md", rule_name(rule));
  struct winsize window = {0};
  if (isatty(STDOUT_FILENO)) (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
  if (place_document(page, installed, in_kit) && place_document(script, "page.awk", "grader/cli/page.awk"))
    explain_show(page, script, window.ws_col);
  explain_briefly(rule);
  return 0;
}
