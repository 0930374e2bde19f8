// The rules that this device checks, made from rules.def. Each has a stable name, a title and a page
// docs/rules/NAME.md.
#ifndef VIRTUAL_HOPPER_RULES_RULES_H
#define VIRTUAL_HOPPER_RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum rule_id { // RULE_NONE, then 1 .. RULE_COUNT - 1 in the order of the documentation
  RULE_NONE,
#define RULE(id, name, title, remedy) id,
#include "virtual-hopper/rules/rules.def"
  RULE_COUNT
};

struct rule {
  const char *name, *title, *remedy; // rules.def says what each is
};

// Never NULL. RULE_NONE has empty texts. A number that is not a rule ends the process.
const struct rule *rule_of(enum rule_id id);
const char *rule_name(enum rule_id id);
// RULE_NONE: there is no such rule, or name is NULL.
enum rule_id rule_find(const char *name);
// True when a kernel that breaks `cause` breaks `consequence` as its result: mending the first mends both.
bool rule_explains(enum rule_id cause, enum rule_id consequence);
// The same, where both faults are about the same two lines.
bool rule_explains_there(enum rule_id cause, enum rule_id consequence);

#endif
