// What the parts of slips.c share: an error of a compiler, taken apart, and how an explanation is written.
#ifndef REFEREE_SLIPS_INTERNAL_H
#define REFEREE_SLIPS_INTERNAL_H

#include "referee/slips.h"

#include <stdbool.h>
#include <stdio.h>

#define SLIP_NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// "PATH(LINE): error: MESSAGE", the source line, and a caret below it.
struct slip_error {
  const char *text;
  unsigned line;    // of the student's file; 0: of another file, or of none
  const char *at;   // the caret's place in the blanked source; NULL: not known
  bool is_expanded; // the compiler shows another line than the student has written: its macros are expanded
  char message[300];
};

const char *slip_line_of_text(const char *text, unsigned number);
unsigned slip_line_number(const char *text, const char *at);
size_t slip_line_length(const char *line);
// The first line of the text is the one whose number the student is sent to.
void slip_point_at(FILE *out, const struct slip_source *source, unsigned line, const char *what);
void slip_print_noticed(FILE *out, const struct slip_error *error, unsigned line);
// The error without its notes, with the line as the student has written it.
void slip_print_error(FILE *out, const struct slip_error *error, const struct slip_source *source);
// Copies the name between the first quotes of a message. False: there is none, or it is too long.
bool slip_quoted_name(const char *message, char name[DECLARED_NAME]);
// The ( of the call whose arguments `at` is in; NULL: it is in none.
const char *slip_open_of_call(const char *blanked, const char *at);
// The next place at or after `at` where this name stands as a whole word; NULL: there is none.
const char *slip_find_word(const char *text, const char *at, const char *name);

// Each writes what it knows of an error, and returns whether it knows anything.
bool slip_explain_brackets(FILE *out, const struct slip_error *error, const struct slip_source *source,
                           const char *blanked);
bool slip_explain_letters(FILE *out, const struct slip_error *error, const struct slip_source *source,
                          const char *blanked);
bool slip_explain_scope(FILE *out, const struct slip_error *error, const struct slip_source *source,
                        const char *blanked);
// Writes the line below the error only.
bool slip_explain_twice(FILE *out, const struct slip_error *error, const char *blanked);
// An argument that is wrong by itself, whatever the function takes.
bool slip_explain_operand(FILE *out, const struct slip_error *error, const struct slip_source *source,
                          const char *blanked);
bool slip_explain_remark(FILE *out, const struct slip_error *error, const struct slip_source *source,
                         const char *blanked);

#endif
