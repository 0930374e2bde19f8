// What compiler and linker said, cut down to what a student should read first.
#ifndef REFEREE_DIAGNOSTICS_H
#define REFEREE_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>

// The first error with the lines that belong to it, and how many more there are; malloc'ed, NULL if there is none in `output`.
char *diagnostics_first_error(const char *output, const char *directory);
// The name in the first "undefined reference to `name'"; false if there is none.
bool diagnostics_undefined_name(const char *output, char *name, size_t size);
// Copies bytes that a program printed so that they can be shown: at most `lines` lines of `columns`, no control characters.
// malloc'ed; "" for no output.
char *diagnostics_excerpt(const char *output, unsigned lines, unsigned columns);

#endif
