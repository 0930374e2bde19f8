// The page of a rule, in the terminal: vhopper explain, grader explain.
#ifndef VIRTUAL_HOPPER_COMMAND_EXPLAIN_H
#define VIRTUAL_HOPPER_COMMAND_EXPLAIN_H

#include <stdio.h>

#include "virtual-hopper/rules/rules.h"

void explain_list(FILE *out); // every rule with its title
// The first rule whose name contains what was given, or begins with the same four letters; NULL: none.
const char *explain_like(const char *given);
// Lays the page out by the script page.awk. Becomes awk, so it returns only if that can't be started.
void explain_show(const char *page, const char *script, unsigned columns);
// Prints title and remedy, which are in the program, where a page can't be read.
void explain_briefly(enum rule_id rule);
// The command `vhopper explain [RULE]`. Returns the exit status.
int explain_command(int count, char **arguments);

#endif
