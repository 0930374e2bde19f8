// The rules this device judges by: one stable name each, with a title and a page docs/rules/NAME.md.
// A fault may only carry a name from this table (fault_record dies otherwise: a rule without a page helps nobody).
#ifndef VIRTUAL_HOPPER_RULES_H
#define VIRTUAL_HOPPER_RULES_H

#include <stddef.h>

struct rule {
  const char *name;   // kebab-case, stable: scripts and pages use it
  const char *title;  // one line for the head of a message
  const char *remedy; // what to do when the fault has nothing more exact to say
};

const struct rule *rule_find(const char *name); // NULL: no such rule
size_t rule_count(void);
const struct rule *rule_at(size_t index); // in the order of the documentation

#endif
