// Makes text from outside safe for terminals and for every report: UTF-8 without control characters.
#ifndef REPORT_PRINTABLE_H
#define REPORT_PRINTABLE_H

#include <stddef.h>

// The length of the UTF-8 character at `text`, in bytes; 0: it may not be shown, or is no character.
size_t printable_bytes(const char *text);

// Replaces each byte that may not be shown by a ?. Line ends and tabs stay.
void printable_make(char *text);

// A printable copy, malloc'ed; of NULL, a copy of "". NULL: out of memory.
char *printable_copy(const char *text);

// The length of the longest prefix of `text` that has at most `size` bytes and ends with a whole character.
size_t printable_prefix(const char *text, size_t size);

#endif
