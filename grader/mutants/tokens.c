// In: the text of a source. Out: its tokens. The idea: one pass; what is no token (blanks, comments,
// preprocessor lines) only leaves marks on the tokens around it.
#include "mutants/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  struct tokens *tokens;
  const char *at;
  const char *line_start;
  unsigned line;
  size_t capacity;
  bool spaced, answer;
  bool fresh_line;     // only blanks so far on this line
  unsigned conditions; // #if that are open
  unsigned left_out;   // of these, the number of the outermost whose present part is left out; 0: none
};

static bool starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static void new_line(struct reader *reader) {
  reader->line++;
  reader->line_start = reader->at;
  reader->fresh_line = true;
}

static void advance(struct reader *reader, size_t length) {
  for (; length > 0 && *reader->at; length--)
    if (*reader->at++ == '\n') new_line(reader);
}

// ---- what is no token ----

// The length of a backslash that ends a line, and of that line's end; 0: there is none here.
static size_t joins_lines(const char *at) {
  if (at[0] != '\\') return 0;
  return at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static void note_marker(struct reader *reader, const char *comment, size_t length) {
  while (length > 0 && (*comment == '/' || *comment == ' ' || *comment == '\t'))
    comment++, length--;
  if (length >= 14 && starts(comment, "BEGIN SOLUTION")) reader->answer = true;
  if (length >= 12 && starts(comment, "END SOLUTION")) reader->answer = false;
}

static void skip_comment(struct reader *reader) {
  const char *begin = reader->at, *end = begin + 2;
  if (begin[1] == '*') {
    end = strstr(end, "*/");
    end = end ? end + 2 : begin + strlen(begin);
  } else {
    while (*end && *end != '\n')
      end += joins_lines(end) ? joins_lines(end) : 1;
    note_marker(reader, begin, (size_t)(end - begin));
  }
  advance(reader, (size_t)(end - begin));
}

static bool at_comment(const struct reader *reader) {
  return reader->at[0] == '/' && (reader->at[1] == '/' || reader->at[1] == '*');
}

// What a conditional directive does to the tokens that follow. Only the first part of an #if is looked at,
// and that of `#if 0` not at all: which part is compiled isn't known here.
static void note_condition(struct reader *reader, const char *word) {
  if (starts(word, "if")) {
    reader->conditions++;
    const char *value = word + strcspn(word, " \t\n");
    value += strspn(value, " \t");
    const bool never = starts(word, "if ") && value[0] == '0' && !isalnum((unsigned char)value[1]);
    if (never && !reader->left_out) reader->left_out = reader->conditions;
  } else if (starts(word, "el")) {
    if (!reader->left_out) reader->left_out = reader->conditions;
  } else if (starts(word, "endif") && reader->conditions > 0) {
    if (reader->left_out == reader->conditions) reader->left_out = 0;
    reader->conditions--;
  }
}

static void skip_directive(struct reader *reader) {
  const char *word = reader->at + 1;
  word += strspn(word, " \t");
  note_condition(reader, word);
  while (*reader->at && *reader->at != '\n') {
    if (at_comment(reader)) {
      skip_comment(reader);
    } else {
      const size_t joint = joins_lines(reader->at);
      advance(reader, joint ? joint : 1);
    }
  }
}

// Skips blanks, comments and directives. False at the end of the source.
static bool skip_blanks(struct reader *reader) {
  reader->spaced = false;
  while (*reader->at) {
    if (isspace((unsigned char)*reader->at) || joins_lines(reader->at)) {
      advance(reader, 1);
    } else if (at_comment(reader)) {
      skip_comment(reader);
    } else if (*reader->at == '#' && reader->fresh_line) {
      skip_directive(reader);
    } else {
      return true;
    }
    reader->spaced = true;
  }
  return false;
}

// ---- tokens ----

static const char *end_of_quoted(const char *quote) {
  const char *end = quote + 1;
  while (*end && *end != *quote && *end != '\n')
    end += *end == '\\' && end[1] ? 2 : 1;
  return *end == *quote ? end + 1 : end;
}

// R"mark( ... )mark"; `quote` is its first quotation mark.
static const char *end_of_raw(const char *quote) {
  char closing[24];
  const size_t length = strcspn(quote + 1, "(");
  if (length > 16 || !quote[1 + length]) return end_of_quoted(quote);
  closing[0] = ')';
  memcpy(closing + 1, quote + 1, length);
  closing[length + 1] = '"';
  closing[length + 2] = '\0';
  const char *end = strstr(quote + length + 2, closing);
  return end ? end + length + 2 : quote + strlen(quote);
}

// A string's or character's end with its prefix; NULL: there is none here.
static const char *end_of_text(const char *at) {
  static const char *const prefixes[] = {"", "L", "u", "U", "u8"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    const size_t length = strlen(prefixes[i]);
    if (!starts(at, prefixes[i])) continue;
    if (at[length] == '"' || at[length] == '\'') return end_of_quoted(at + length);
    if (at[length] == 'R' && at[length + 1] == '"') return end_of_raw(at + length + 1);
  }
  return NULL;
}

static const char *end_of_number(const char *at) {
  const char *end = at;
  while (isalnum((unsigned char)*end) || *end == '_' || *end == '.' ||
         (*end == '\'' && isalnum((unsigned char)end[1])) ||
         ((*end == '+' || *end == '-') && strchr("eEpP", end[-1]) &&
          (!starts(at, "0x") || strchr("pP", end[-1]))))
    end++;
  return end;
}

static size_t length_of_sign(const char *at) {
  static const char *const signs[] = {"<<<", ">>>", "<<=", ">>=", "...", "->*", "::", "++", "--",
                                      "->",  "<<",  ">>",  "<=",  ">=",  "==",  "!=", "&&", "||",
                                      "+=",  "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^="};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (starts(at, signs[i])) return strlen(signs[i]);
  return 1;
}

static size_t read_one(const char *at, enum token_kind *kind) {
  const char *end = end_of_text(at);
  *kind = TOKEN_TEXT;
  if (end) return (size_t)(end - at);
  *kind = TOKEN_NAME;
  for (end = at; isalnum((unsigned char)*end) || *end == '_' || (unsigned char)*end >= 0x80;)
    end++;
  if (end > at && !isdigit((unsigned char)*at)) return (size_t)(end - at);
  *kind = TOKEN_NUMBER;
  if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
    return (size_t)(end_of_number(at) - at);
  *kind = TOKEN_SIGN;
  return length_of_sign(at);
}

static bool add_token(struct reader *reader) {
  struct tokens *tokens = reader->tokens;
  if (tokens->count == reader->capacity) {
    reader->capacity = 2 * reader->capacity + 1024;
    struct token *more = realloc(tokens->list, reader->capacity * sizeof *more);
    if (!more) return false;
    tokens->list = more;
  }
  struct token token = {.begin = (size_t)(reader->at - tokens->source),
                        .line = reader->line,
                        .column = (unsigned)(reader->at - reader->line_start) + 1,
                        .spaced = reader->spaced,
                        .answer = reader->answer,
                        .fixed = reader->conditions > 0,
                        .partner = NO_PARTNER};
  token.length = read_one(reader->at, &token.kind);
  advance(reader, token.length);
  reader->fresh_line = false;
  if (!reader->left_out) tokens->list[tokens->count++] = token;
  return true;
}

bool tokens_read(const char *source, struct tokens *tokens) {
  struct reader reader = {
      .tokens = tokens, .at = source, .line_start = source, .line = 1, .fresh_line = true};
  *tokens = (struct tokens){.source = source};
  while (skip_blanks(&reader))
    if (!add_token(&reader)) return false;
  return tokens_find_structure(tokens);
}

void tokens_free(struct tokens *tokens) {
  free(tokens->list);
  *tokens = (struct tokens){0};
}

// ---- questions ----

bool token_is(const struct tokens *tokens, size_t at, const char *text) {
  if (at >= tokens->count) return false;
  const struct token *token = &tokens->list[at];
  return token->length == strlen(text) && memcmp(tokens->source + token->begin, text, token->length) == 0;
}

bool token_is_one_of(const struct tokens *tokens, size_t at, const char *texts) {
  if (at >= tokens->count) return false;
  const struct token *token = &tokens->list[at];
  for (const char *text = texts; *text; text += strspn(text, " ")) {
    const size_t length = strcspn(text, " ");
    if (length == token->length && memcmp(tokens->source + token->begin, text, length) == 0) return true;
    text += length;
  }
  return false;
}

bool token_ends_operand(const struct tokens *tokens, size_t at) {
  if (at >= tokens->count) return false;
  const struct token *token = &tokens->list[at];
  if (token->kind == TOKEN_SIGN) return token_is_one_of(tokens, at, ") ]");
  return !token_is_one_of(
      tokens, at, "return case throw sizeof operator else do delete new const volatile template typename");
}

size_t token_skip(const struct tokens *tokens, size_t at) {
  const size_t partner = tokens->list[at].partner;
  return partner != NO_PARTNER && partner > at ? partner + 1 : at + 1;
}
