// What of preprocessed C++ a source can reach.
#ifndef LEAN_REACH_H
#define LEAN_REACH_H

#include <stddef.h>

// Returns the text without the declarations of headers whose names nothing needs that stays, malloc'ed, and
// its length. `keeps`: folders, separated by colons; what files there declare stays.
char *lean_text(const char *text, size_t length, const char *keeps, size_t *lean_length);

#endif
