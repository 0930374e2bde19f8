// Separable compilation (nvcc -rdc=true): the PTX of several files as one module.
#ifndef VIRTUAL_HOPPER_PTX_LINK_H
#define VIRTUAL_HOPPER_PTX_LINK_H

#include <stddef.h>

// Statements at the outermost level, of all texts together.
#ifdef VHOPPER_FUZZ_LIMITS
enum { PTX_LINK_MOST_STATEMENTS = 256 };
#else
enum { PTX_LINK_MOST_STATEMENTS = 1 << 20 };
#endif

struct budget;

enum ptx_link_result {
  PTX_LINK_DONE,
  PTX_LINK_TOO_MANY,  // more than PTX_LINK_MOST_STATEMENTS
  PTX_LINK_TOO_LARGE, // for what is left of the budget
};

// Joins texts, each of which ends in a zero byte. What a text doesn't share is renamed where another text has
// the same name; of weak definitions the first is kept; numbers of source files are made distinct. Wrong PTX
// stays wrong: the parser says so. All memory that is needed meanwhile is taken from the budget (NULL: no
// limit) before it is there. `joined` is malloc'ed, or NULL. After PTX_LINK_DONE its *length + 1 bytes are
// still the budget's: the caller gives them back.
enum ptx_link_result ptx_link(char *const *texts, size_t count, struct budget *budget, char **joined,
                              size_t *length);

#endif
