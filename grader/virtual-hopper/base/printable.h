// Makes text from outside safe for terminals and for every report. Whatever a stranger has written (names,
// files, what a program or a compiler prints) passes here before anybody reads it: UTF-8, without control
// characters, and without characters that can't be seen, which could turn the order of a line round or hide a
// difference (Unicode's bidirectional controls, joiners, separators, tags).
#ifndef VIRTUAL_HOPPER_BASE_PRINTABLE_H
#define VIRTUAL_HOPPER_BASE_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

enum { PRINTABLE_CHARACTER = 12 };

// How the character at `text`, which is not the end, is shown: as itself; as an escape, \u202e, if it would
// not be seen; or as ?, if it is a control character of ASCII or a byte that is no UTF-8. Line ends and tabs
// stay. Returns how many bytes of `text` that takes.
size_t printable_character(const char *text, char shown[PRINTABLE_CHARACTER]);

// Prints the whole text so.
void printable_print(FILE *out, const char *text);

// Changes a text in a buffer of `size` bytes. Where escapes make it too long, it ends with a whole character.
void printable_make(char *text, size_t size);

// A printable copy, malloc'ed; of NULL, a copy of "". NULL: out of memory.
char *printable_copy(const char *text);

// The length of the longest prefix of `text` that has at most `size` bytes and ends with a whole character.
size_t printable_prefix(const char *text, size_t size);

#endif
