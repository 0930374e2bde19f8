// The name of each submission, which names its files and its row in grades.csv. The idea: a name that was
// given once stays, whoever hands in later; so a line of overrides.csv, a result and a page never move to
// somebody else.
#ifndef CLASS_NAMES_H
#define CLASS_NAMES_H

#include "class/class.h"

// Gives every submission of the roster its name, and sorts the roster by it. `kept` maps entries to the names
// that they were given before; NULL: there are none.
void names_give(struct roster *roster, const json_t *kept);
// The same with the names that OUT/names.json holds, and writes them there. Fails if that file can't be read:
// the names in overrides.csv might be other submissions'.
int names_keep(struct class *class, char *error, size_t size);
// Moves pages whose submission is not in grades.csv from OUT/feedback to OUT/former.
int names_retire_pages(const struct class *class, char *error, size_t size);

#endif
