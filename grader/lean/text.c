// In: preprocessed C++. Out: its tokens and the numbers of its identifiers.
#include "lean/text.h"

#include <stdlib.h>
#include <string.h>

// ---- names ----

static _Noreturn void no_memory(void) {
  abort(); // nvcc's first attempt fails, and the source is compiled without us
}

static void grow(struct names *names) {
  const uint32_t count = names->slot_count ? 2 * names->slot_count : 1 << 14;
  free(names->slots);
  names->slots = calloc(count, sizeof *names->slots);
  if (!names->slots) no_memory();
  names->slot_count = count;
  for (uint32_t i = 0; i < names->count; i++) {
    uint32_t slot = names->all[i].hash & (count - 1);
    while (names->slots[slot])
      slot = (slot + 1) & (count - 1);
    names->slots[slot] = i + 1;
  }
}

uint32_t names_add(struct names *names, const char *text, size_t length) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  if (2 * names->count >= names->slot_count) grow(names);
  uint32_t slot = hash & (names->slot_count - 1);
  for (; names->slots[slot]; slot = (slot + 1) & (names->slot_count - 1)) {
    const struct name *known = &names->all[names->slots[slot] - 1];
    if (known->hash == hash && known->length == length && memcmp(known->text, text, length) == 0)
      return names->slots[slot] - 1;
  }
  if (names->count == names->room) {
    names->room = names->room ? 2 * names->room : 1 << 13;
    names->all = realloc(names->all, names->room * sizeof *names->all);
    if (!names->all) no_memory();
  }
  names->all[names->count] = (struct name){text, (uint32_t)length, hash};
  names->slots[slot] = ++names->count;
  return names->count - 1;
}

void names_free(struct names *names) {
  free(names->all);
  free(names->slots);
}

// ---- tokens ----

bool token_is_sign(const struct token *token, char sign) {
  return token->kind == TOKEN_SIGN && token->sign == sign;
}

bool token_is_name(const struct token *token, uint32_t name) {
  return token->kind == TOKEN_NAME && token->name == name;
}

static bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80);
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t end_of_line(const struct lexer *lexer, size_t at) {
  const char *end = memchr(lexer->text + at, '\n', lexer->length - at);
  return end ? (size_t)(end - lexer->text) : lexer->length;
}

// Behind the closing quotation mark, or the end of the text.
static size_t end_of_quoted(const struct lexer *lexer, size_t at) {
  const char mark = lexer->text[at++];
  while (at < lexer->length && lexer->text[at] != mark)
    at += lexer->text[at] == '\\' ? 2 : 1;
  return at < lexer->length ? at + 1 : lexer->length;
}

// R"end( ... )end": `at` is the quotation mark.
static size_t end_of_raw(const struct lexer *lexer, size_t at) {
  char close[20] = ")";
  size_t length = 1;
  for (at++; at < lexer->length && lexer->text[at] != '(' && length < sizeof close - 2; at++)
    close[length++] = lexer->text[at];
  close[length++] = '"';
  const char *end = memmem(lexer->text + at, lexer->length - at, close, length);
  return end ? (size_t)(end - lexer->text) + length : lexer->length;
}

// Whether the identifier is a string's prefix, and which kind.
static bool is_prefix(const char *text, size_t length, bool *raw) {
  static const char *const prefixes[] = {"L", "u8", "u", "U", "R", "LR", "u8R", "uR", "UR"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    if (strlen(prefixes[i]) != length || memcmp(prefixes[i], text, length) != 0) continue;
    *raw = text[length - 1] == 'R';
    return true;
  }
  return false;
}

static size_t end_of_number(const struct lexer *lexer, size_t at) {
  while (at < lexer->length) {
    const char c = lexer->text[at], before = lexer->text[at - 1];
    const bool exponent = (c == '+' || c == '-') && strchr("eEpP", before) && before;
    if (!begins_name(c) && !is_digit(c) && c != '.' && c != '\'' && !exponent) break;
    at++;
  }
  return at;
}

static struct token name_at(struct lexer *lexer, size_t begin) {
  size_t at = begin;
  bool raw;
  while (at < lexer->length && (begins_name(lexer->text[at]) || is_digit(lexer->text[at])))
    at++;
  const char next = at < lexer->length ? lexer->text[at] : '\0';
  if ((next == '"' || next == '\'') && is_prefix(lexer->text + begin, at - begin, &raw)) {
    at = raw && next == '"' ? end_of_raw(lexer, at) : end_of_quoted(lexer, at);
    return (struct token){.kind = TOKEN_STRING, .begin = begin, .end = at};
  }
  return (struct token){.kind = TOKEN_NAME,
                        .name = names_add(lexer->names, lexer->text + begin, at - begin),
                        .begin = begin,
                        .end = at};
}

static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

struct token lexer_next(struct lexer *lexer) {
  size_t at = lexer->at;
  while (at < lexer->length && is_blank(lexer->text[at]))
    at++;
  struct token token = {.kind = TOKEN_END, .begin = at, .end = at};
  if (at >= lexer->length) return token;
  const char c = lexer->text[at];
  if (begins_name(c)) {
    token = name_at(lexer, at);
  } else if (is_digit(c) || (c == '.' && at + 1 < lexer->length && is_digit(lexer->text[at + 1]))) {
    token.kind = TOKEN_NUMBER;
    token.end = end_of_number(lexer, at + 1);
  } else if (c == '"' || c == '\'') {
    token.kind = TOKEN_STRING;
    token.end = end_of_quoted(lexer, at);
  } else if (c == '#') {
    token.kind = TOKEN_DIRECTIVE;
    token.end = end_of_line(lexer, at);
  } else {
    token.kind = TOKEN_SIGN;
    token.sign = c;
    token.end = at + 1;
  }
  lexer->at = token.end;
  return token;
}
