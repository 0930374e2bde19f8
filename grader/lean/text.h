// Preprocessed C++ as tokens: what the lexer hands out one by one. Comments and continued lines are gone by
// then; a directive (a line marker or a #pragma) is one token, to the end of its line.
#ifndef LEAN_TEXT_H
#define LEAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_DIRECTIVE, TOKEN_SIGN };

struct token {
  enum token_kind kind;
  char sign;         // of TOKEN_SIGN: one character, so >> is two of them
  uint32_t name;     // of TOKEN_NAME: its number in `names`
  size_t begin, end; // in the text
};

bool token_is_sign(const struct token *token, char sign);
bool token_is_name(const struct token *token, uint32_t name);

// Every identifier once, numbered from 0 on.
struct names {
  struct name {
    const char *text;
    uint32_t length, hash;
  } * all;
  uint32_t count, room;
  uint32_t *slots; // number + 1; 0: free
  uint32_t slot_count;
};

struct lexer {
  const char *text;
  size_t length, at;
  struct names *names;
};

// The number of an identifier, a new one if it is new. The text must stay.
uint32_t names_add(struct names *names, const char *text, size_t length);
void names_free(struct names *names);

struct token lexer_next(struct lexer *lexer);

#endif
