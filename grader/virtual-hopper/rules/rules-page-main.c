// The page of all rules, for the documentation. In: rules.def. Out: Markdown on stdout, with a link to each
// rule's own page. The idea: the list that the grader prints from is the list that is printed here.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/rules/rules.h"

static const char opening[] =
    "# The rules\n\nEvery fault that the virtual Hopper reports breaks one of these rules. In the terminal, "
    "`make explain RULE=proxy-fence` shows a rule's page.\n"
    "A line in a report names the rule, the place of the access that broke it, what it collided with, and "
    "how to mend it.\n\n";

// Length of a call such as wait(bar, parity) or tma_wait_until_pending<0>() at `text`; 0: none begins here.
static size_t call_at(const char *text) {
  const char *at = text;
  while (isalnum((unsigned char)*at) || *at == '_')
    at++;
  if (at == text || isdigit((unsigned char)*text)) return 0;
  if (at[0] == '<' && isdigit((unsigned char)at[1]) && at[2] == '>') at += 3;
  if (*at != '(') return 0;
  at += 1 + strcspn(at + 1, "()");
  return *at == ')' ? (size_t)(at + 1 - text) : 0;
}

// Calls are set as code.
static void print_remedy(const char *text) {
  for (bool inside = false; *text; text++) {
    size_t length = inside ? 0 : call_at(text);
    if (length) {
      printf("`%.*s`", (int)length, text);
      text += length - 1;
      inside = false;
    } else {
      putchar(*text);
      inside = isalnum((unsigned char)*text) || *text == '_';
    }
  }
}

static void print_group(const char *heading) {
  printf("\n## %c%s\n\n", toupper((unsigned char)*heading), heading + 1);
}

static void print_rule(const struct rule *rule) {
  printf("### %s {#%s}\n\n%c%s.\n\n*To mend it:* "
         "",
         rule->name, rule->name, toupper((unsigned char)*rule->title), rule->title + 1);
  print_remedy(rule->remedy);
  printf(" [More about it](../../docs/rules/%s.md).\n\n", rule->name);
}

int main(void) {
  fputs(opening, stdout);
#define RULE_GROUP(heading)           print_group(heading);
#define RULE(id, name, title, remedy) print_rule(rule_of(id));
#include "virtual-hopper/rules/rules.def"
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 2;
}
