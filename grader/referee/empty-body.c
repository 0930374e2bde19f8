// A `;` right behind a condition, before the block that it was meant for (empty-body.h).
#include "referee/empty-body.h"

#include <ctype.h>
#include <string.h>

static const char NAME_LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// Behind the ) that closes the ( at `at`; NULL: there is none.
static const char *behind_brackets(const char *at) {
  unsigned open = 0;
  for (; *at; at++) {
    open += *at == '(';
    if (*at == ')' && --open == 0) return at + 1;
  }
  return NULL;
}

static const char *skip_blanks(const char *at) {
  return at + strspn(at, " \t\r\n");
}

// A word that a condition follows. `do { .. } while (..);` may well stand before a block.
static bool begins_condition(const char *blanked, const char *word, size_t length) {
  const char *before = word;
  while (before > blanked && isspace((unsigned char)before[-1]))
    before--;
  return (length == 2 && strncmp(word, "if", 2) == 0) || (length == 3 && strncmp(word, "for", 3) == 0) ||
         (length == 5 && strncmp(word, "while", 5) == 0 && (before == blanked || before[-1] != '}'));
}

static unsigned line_of(const char *blanked, const char *at) {
  unsigned line = 1;
  for (; blanked < at; blanked++)
    line += *blanked == '\n';
  return line;
}

unsigned empty_body_line(const char *blanked) {
  for (const char *word = blanked; *(word += strcspn(word, NAME_LETTERS));) {
    const size_t length = strspn(word, NAME_LETTERS);
    const char *open = skip_blanks(word + length);
    const char *end = *open == '(' && begins_condition(blanked, word, length) ? behind_brackets(open) : NULL;
    if (end && *(end = skip_blanks(end)) == ';' && *skip_blanks(end + 1) == '{') return line_of(blanked, end);
    word += length;
  }
  return 0;
}
