// The sandbox's walls, one by one, and whether each of them holds on this machine: somebody is put inside who tries to climb it.
#ifndef SANDBOX_WALLS_H
#define SANDBOX_WALLS_H

#include "sandbox/sandbox.h"

struct wall {
  const char *name;
  const char *promise; // what is kept, in an instructor's words
};

size_t wall_count(void);
struct wall wall_at(size_t index);
// Tries one wall. `kept` are paths that nobody inside should see, ended by NULL. True if it held; else `text` says how it was climbed.
bool wall_holds(size_t index, enum sandbox_mode mode, const char *const *kept, char *text, size_t size);

#endif
