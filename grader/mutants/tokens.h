// The tokens of a C++ or CUDA source, and its brackets. In: the text. Out: tokens without comments, without
// preprocessor lines and without what #if leaves out. The idea: nothing is parsed that a mutant doesn't need,
// and what can't be known from tokens alone (is this `<` a template's?) is marked as not known.
#ifndef MUTANTS_TOKENS_H
#define MUTANTS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN };

#define NO_PARTNER ((size_t)-1)

struct token {
  enum token_kind kind; // TOKEN_TEXT: a string or a character, raw ones too
  size_t begin, length; // its bytes in the source
  unsigned line, column;
  bool spaced;    // blanks or a comment stand before it
  bool answer;    // between BEGIN SOLUTION and END SOLUTION
  bool fixed;     // must not be changed: a static_assert, or compiled only under some condition
  bool angle;     // a < or > that is, or may be, a template's bracket
  bool code;      // inside a function
  bool body;      // a { that begins a function or a lambda
  size_t partner; // of a bracket: the other one's number; else NO_PARTNER
};

struct tokens {
  const char *source;
  struct token *list;
  size_t count;
};

// False: out of memory, or no source (a bracket is left open). tokens_free in either case.
bool tokens_read(const char *source, struct tokens *tokens);
void tokens_free(struct tokens *tokens);
// Fills partner, angle, code, body and fixed; called by tokens_read. False: a bracket is left open.
bool tokens_find_structure(struct tokens *tokens);

// Whether token `at` is this text. False beyond the end.
bool token_is(const struct tokens *tokens, size_t at, const char *text);
// Whether it is one of these, which are separated by blanks.
bool token_is_one_of(const struct tokens *tokens, size_t at, const char *texts);
// Whether token `at` ends an operand, so that an operator after it has a left side.
bool token_ends_operand(const struct tokens *tokens, size_t at);
// The number of the token after `at`, or after its partner if it opens a bracket.
size_t token_skip(const struct tokens *tokens, size_t at);

#endif
