// The tables made from rules.def. In: a rule, or its name. Out: its texts, and what it explains.
#include "virtual-hopper/rules/rules.h"

#include <string.h>

#include "virtual-hopper/base/arena.h"

static const struct rule rules[RULE_COUNT] = {
    [RULE_NONE] = {"", "", ""},
#define RULE(id, name, title, remedy) [id] = {name, title, remedy},
#include "virtual-hopper/rules/rules.def"
};

enum { MOST_CONSEQUENCES = 16 };

static const struct explanation {
  enum rule_id cause, consequences[MOST_CONSEQUENCES]; // ended by RULE_NONE
} explanations[] =
    {
#define EXPLAINS(cause, ...) {cause, {__VA_ARGS__}},
#include "virtual-hopper/rules/rules.def"
},
  explanations_there[] = {
#define EXPLAINS_THERE(cause, ...) {cause, {__VA_ARGS__}},
#include "virtual-hopper/rules/rules.def"
};

const struct rule *rule_of(enum rule_id id) {
  if (!((unsigned)id < RULE_COUNT)) die("%u is the number of no rule", (unsigned)id);
  return &rules[id];
}

const char *rule_name(enum rule_id id) {
  return rule_of(id)->name;
}

enum rule_id rule_find(const char *name) {
  for (unsigned id = RULE_NONE + 1; name && *name && id < RULE_COUNT; id++) {
    if (strcmp(rules[id].name, name) == 0) return (enum rule_id)id;
  }
  return RULE_NONE;
}

static bool is_listed(const struct explanation *list, size_t count, enum rule_id cause,
                      enum rule_id consequence) {
  for (size_t i = 0; i < count; i++) {
    if (list[i].cause != cause) continue;
    for (size_t k = 0; k < MOST_CONSEQUENCES && list[i].consequences[k]; k++)
      if (list[i].consequences[k] == consequence) return true;
  }
  return false;
}

bool rule_explains(enum rule_id cause, enum rule_id consequence) {
  return is_listed(explanations, sizeof explanations / sizeof explanations[0], cause, consequence);
}

bool rule_explains_there(enum rule_id cause, enum rule_id consequence) {
  return is_listed(explanations_there, sizeof explanations_there / sizeof explanations_there[0], cause,
                   consequence);
}
