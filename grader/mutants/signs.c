// In: tokens. Out: mutants that change one operator, constant or member. The idea: a table of what becomes
// what; an operator that may as well be part of a declaration is left alone.
#include "mutants/making.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char type_words[] =
    "void bool char short int long float double signed unsigned auto const volatile typename struct class "
    "union enum";

static const struct {
  const char *sign, *becomes;
} exchanged[] = {
    {"<=", "<"},    {">=", ">"},    {"==", "!="}, {"!=", "=="}, {"||", "&&"}, {"++", "--"}, {"--", "++"},
    {"+=", "-="},   {"-=", "+="},   {"*=", "/="}, {"/=", "*="}, {"%=", "/="}, {"&=", "|="}, {"|=", "&="},
    {"<<=", ">>="}, {">>=", "<<="}, {"^=", "|="}, {"/", "*"},   {"|", "&"},   {"^", "|"},
};

// ---- operators ----

static bool is_cast(const struct tokens *tokens, size_t close) {
  const size_t open = tokens->list[close].partner;
  if (!token_is(tokens, close, ")") || open == NO_PARTNER) return false;
  if (open > 0 && token_ends_operand(tokens, open - 1)) return false; // a call
  if (open > 0 && (tokens->list[open - 1].angle || token_is(tokens, open - 1, ">>>"))) return false;
  for (size_t i = open + 1; i < close; i++)
    if (tokens->list[i].kind != TOKEN_NAME && !token_is_one_of(tokens, i, ":: * &")) return false;
  return true; // (name) - b: a cast or a difference
}

// Whether + - * & && at `at` has two operands. What may be a declarator, a cast or a sign is not taken.
static bool is_binary(const struct tokens *tokens, size_t at) {
  if (at == 0 || at + 1 >= tokens->count) return false;
  const size_t before = at - 1;
  if (!token_ends_operand(tokens, before) || is_cast(tokens, before)) return false;
  if (token_is_one_of(tokens, at, "+ -")) return true;
  if (token_is_one_of(tokens, before, type_words)) return false;
  const bool left = tokens->list[at].spaced, right = tokens->list[at + 1].spaced;
  if (left != right) return false; // `int *p`
  const bool value = tokens->list[before].kind != TOKEN_NAME || tokens->list[at + 1].kind == TOKEN_NUMBER ||
                     (before > 0 && token_is_one_of(tokens, before - 1, ". ->"));
  if (value) return true;
  // `a * b`, and not `a*b`; but a statement that begins so is a declaration.
  return left && !(before > 0 && token_is_one_of(tokens, before - 1, "; { }"));
}

static void change_exchanged(struct mutants *mutants, const struct tokens *tokens, size_t at) {
  for (size_t i = 0; i < sizeof exchanged / sizeof *exchanged; i++)
    if (token_is(tokens, at, exchanged[i].sign))
      make_change(mutants, tokens, at, at, "%s", exchanged[i].becomes);
}

// The last token of the operand that begins at `at`, with its calls, indices and members.
static size_t end_of_operand(const struct tokens *tokens, size_t at) {
  while (at + 1 < tokens->count && token_is_one_of(tokens, at, "- + ! ~ * &"))
    at++;
  size_t end = token_skip(tokens, at) - 1;
  while (end + 1 < tokens->count) {
    const size_t next = end + 1;
    if (token_is_one_of(tokens, next, ". -> ::"))
      end = next + 1;
    else if (token_is_one_of(tokens, next, "( [") ||
             (tokens->list[next].angle && token_is(tokens, next, "<")))
      end = token_skip(tokens, next) - 1;
    else
      break;
  }
  return end < tokens->count ? end : tokens->count - 1;
}

static void change_arithmetic(struct mutants *mutants, const struct tokens *tokens, size_t at) {
  const bool binary = is_binary(tokens, at);
  if (token_is(tokens, at, "%")) {
    if (binary) make_change(mutants, tokens, at, end_of_operand(tokens, at + 1), "%s", "");
  } else if (binary) {
    static const char *const pairs[][2] = {{"+", "-"}, {"-", "+"}, {"*", "/"}, {"&", "|"}, {"&&", "||"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
      if (token_is(tokens, at, pairs[i][0])) make_change(mutants, tokens, at, at, "%s", pairs[i][1]);
  } else if (token_is(tokens, at, "-") && at > 0 && !token_ends_operand(tokens, at - 1)) {
    make_change(mutants, tokens, at, at, "%s", "");
  }
}

static void change_angle(struct mutants *mutants, const struct tokens *tokens, size_t at) {
  const struct token *token = &tokens->list[at];
  if (token->angle || at == 0 || !token_ends_operand(tokens, at - 1)) return;
  if (token_is(tokens, at, "<")) make_change(mutants, tokens, at, at, "<=");
  if (token_is(tokens, at, ">")) make_change(mutants, tokens, at, at, ">=");
  if (token_is(tokens, at, "<<")) make_change(mutants, tokens, at, at, ">>");
  if (token_is(tokens, at, ">>")) make_change(mutants, tokens, at, at, "<<");
}

static void change_sign(struct mutants *mutants, const struct tokens *tokens, size_t at) {
  if (at > 0 && token_is(tokens, at - 1, "operator")) return;
  if (token_is_one_of(tokens, at, "< > << >>"))
    change_angle(mutants, tokens, at);
  else if (token_is_one_of(tokens, at, "+ - * & && %"))
    change_arithmetic(mutants, tokens, at);
  else if (token_is_one_of(tokens, at, "! ~"))
    make_change(mutants, tokens, at, at, "%s", "");
  else
    change_exchanged(mutants, tokens, at);
}

// ---- constants ----

static void change_float(struct mutants *mutants, const struct tokens *tokens, size_t at,
                         const char *digits) {
  char *suffix;
  const double value = strtod(digits, &suffix);
  const double others[] = {value + 1, 2 * value, 0};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    char text[64];
    snprintf(text, sizeof text, "%.9g", others[i]);
    make_change(mutants, tokens, at, at, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", suffix);
  }
}

static void change_integer(struct mutants *mutants, const struct tokens *tokens, size_t at,
                           const char *digits) {
  char *suffix;
  const bool binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
  errno = 0;
  const unsigned long long value = strtoull(binary ? digits + 2 : digits, &suffix, binary ? 2 : 0);
  if (errno != 0 || strspn(suffix, "uUlLzZ") != strlen(suffix)) return;
  make_change(mutants, tokens, at, at, "%llu%s", value + 1, suffix);
  if (value == 0) return;
  make_change(mutants, tokens, at, at, "%llu%s", value - 1, suffix);
  make_change(mutants, tokens, at, at, "%llu%s", 2 * value, suffix);
  make_change(mutants, tokens, at, at, "0%s", suffix);
}

static void change_number(struct mutants *mutants, const struct tokens *tokens, size_t at) {
  char digits[64];
  size_t length = 0;
  const struct token *token = &tokens->list[at];
  for (size_t i = 0; i < token->length && length + 1 < sizeof digits; i++) {
    const char digit = tokens->source[token->begin + i];
    if (digit != '\'') digits[length++] = digit;
  }
  digits[length] = '\0';
  const bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (strchr(digits, '.') || (!hexadecimal && strpbrk(digits, "eE")) ||
      (hexadecimal && strpbrk(digits, "pP")))
    change_float(mutants, tokens, at, digits);
  else
    change_integer(mutants, tokens, at, digits);
}

// ---- names ----

static void change_name(struct mutants *mutants, const struct tokens *tokens, size_t at) {
  if (token_is(tokens, at, "true")) make_change(mutants, tokens, at, at, "false");
  if (token_is(tokens, at, "false")) make_change(mutants, tokens, at, at, "true");
  if (at == 0 || !token_is_one_of(tokens, at - 1, ". ->") || token_is(tokens, at + 1, "(")) return;
  if (token_is_one_of(tokens, at, "y z w")) make_change(mutants, tokens, at - 1, at, ".x");
  if (token_is(tokens, at, "x")) make_change(mutants, tokens, at - 1, at, ".y");
}

void make_from_signs(struct mutants *mutants, const struct tokens *tokens) {
  for (size_t i = 0; i < tokens->count; i++)
    switch (tokens->list[i].kind) {
    case TOKEN_SIGN: change_sign(mutants, tokens, i); break;
    case TOKEN_NUMBER: change_number(mutants, tokens, i); break;
    case TOKEN_NAME: change_name(mutants, tokens, i); break;
    case TOKEN_TEXT: break;
    }
}
