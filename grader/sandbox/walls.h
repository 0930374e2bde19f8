// The sandbox's walls, one by one, and whether each holds on this machine: a program inside tries to get
// through it.
#ifndef SANDBOX_WALLS_H
#define SANDBOX_WALLS_H

#include "sandbox/sandbox.h"

struct wall {
  const char *name;
  const char *promise; // what the wall guarantees, in an instructor's words
};

size_t wall_count(void);
struct wall wall_at(size_t index);
// Tries one wall. `kept`: paths that must not be visible inside, ended by NULL. True if it held; else `text`
// says what got through.
bool wall_holds(size_t index, enum sandbox_mode mode, const char *const *kept, char *text, size_t size);

#endif
