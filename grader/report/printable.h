// Text from outside, made fit for a terminal and for any report: UTF-8 without control characters.
#ifndef REPORT_PRINTABLE_H
#define REPORT_PRINTABLE_H

#include <stddef.h>

// How many bytes the character of UTF-8 at `text` has; 0: it is none that may be shown.
size_t printable_bytes(const char *text);

// Puts a ? for each byte that may not be shown. Line ends and tabs stay.
void printable_make(char *text);

// A copy that was made printable, malloc'ed; of NULL, "". NULL: no memory.
char *printable_copy(const char *text);

// The most bytes of `text`, at most `size`, that don't end within a character.
size_t printable_prefix(const char *text, size_t size);

#endif
