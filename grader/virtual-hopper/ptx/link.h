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

// Joins texts, each of which ends in a zero byte. What a text doesn't share is renamed where another text has
// the same name; of weak definitions the first is kept; numbers of source files are made distinct. The result
// is malloc'ed. Wrong PTX stays wrong: the parser says so. NULL: there are more than
// PTX_LINK_MOST_STATEMENTS, or no memory for the result.
char *ptx_link(char *const *texts, size_t count, size_t *length);

#endif
