// In: tokens. Out: mutants in which a statement is missing, or stands under another condition. The idea: the
// statements of every function are walked through; declarations stay, since nothing would compile without
// them.
#include "mutants/making.h"

#include <stdlib.h>

enum { DEEPEST = 100 };

static const char declaration_words[] =
    "const constexpr static auto extern typedef using struct class union enum template volatile unsigned "
    "signed int char short long float double void bool register thread_local alignas static_assert typename "
    "__shared__ __device__ __constant__ inline public private protected goto";

struct walk {
  struct mutants *mutants;
  const struct tokens *tokens;
};

static size_t statement(const struct walk *walk, size_t at, size_t end, unsigned depth, bool removable);

// ---- what a statement is ----

// TYPE name, TYPE *name, TYPE<..> name and the like.
static bool is_declaration(const struct tokens *tokens, size_t at, size_t end) {
  if (token_is_one_of(tokens, at, declaration_words)) return true;
  if (tokens->list[at].kind != TOKEN_NAME || token_is_one_of(tokens, at, "return delete throw asm __asm__"))
    return false;
  at++;
  while (at < end && (token_is(tokens, at, "::") || (tokens->list[at].angle && token_is(tokens, at, "<"))))
    at = token_is(tokens, at, "::") ? at + 2 : token_skip(tokens, at);
  while (at < end && token_is_one_of(tokens, at, "* & && const"))
    at++;
  return at < end && tokens->list[at].kind == TOKEN_NAME;
}

// The number of the ; that ends the simple statement at `at`.
static size_t semicolon(const struct tokens *tokens, size_t at, size_t end) {
  while (at < end && !token_is(tokens, at, ";"))
    at = token_skip(tokens, at);
  return at;
}

// ---- conditions ----

// Whether one == or != is all that it asks. Its opposite is the other one, which the operators' mutants make.
static bool is_equality(const struct tokens *tokens, size_t first, size_t last) {
  unsigned equalities = 0, others = 0;
  for (size_t i = first; i <= last; i = token_skip(tokens, i)) {
    equalities += token_is_one_of(tokens, i, "== !=");
    others += token_is_one_of(tokens, i, "&& || ? ,");
  }
  return equalities == 1 && others == 0;
}

static bool has_top_level(const struct tokens *tokens, size_t first, size_t last, const char *signs) {
  for (size_t i = first; i <= last; i = token_skip(tokens, i))
    if (token_is_one_of(tokens, i, signs)) return true;
  return false;
}

static void negate(const struct walk *walk, size_t first, size_t last) {
  const struct tokens *tokens = walk->tokens;
  if (first > last || is_equality(tokens, first, last)) return;
  if (has_top_level(tokens, first, last, "= ; ,")) return; // it declares something
  if (token_is(tokens, first, "!") && !has_top_level(tokens, first, last, "&& || == != < > <= >= ?")) return;
  if (first == last && token_is_one_of(tokens, first, "true false")) return;
  char *condition = make_text(tokens, first, last);
  if (condition)
    make_change(walk->mutants, tokens, first, last, "!(%s)", condition);
  else
    walk->mutants->out_of_memory = true;
  free(condition);
}

// c ? a : b, wherever it stands: c begins after whatever binds less.
static void negate_choices(const struct walk *walk) {
  const struct tokens *tokens = walk->tokens;
  for (size_t at = 1; at < tokens->count; at++) {
    if (!token_is(tokens, at, "?")) continue;
    size_t first = at;
    while (first > 0) {
      const size_t before = first - 1, partner = tokens->list[before].partner;
      if (token_is_one_of(tokens, before, "( [ { } , ; ? : = += -= *= /= %= &= |= ^= <<= >>= return case"))
        break;
      first = partner != NO_PARTNER && partner < before ? partner : before;
    }
    if (first < at) negate(walk, first, at - 1);
  }
}

// ---- the walk ----

static void remove_statement(const struct walk *walk, size_t first, size_t last) {
  make_change(walk->mutants, walk->tokens, first, last, ";");
}

// A body that is no block goes with its statement, whose removal is a mutant already.
static size_t body_of(const struct walk *walk, size_t at, size_t end, unsigned depth) {
  return statement(walk, at, end, depth, false);
}

static size_t if_statement(const struct walk *walk, size_t at, size_t end, unsigned depth) {
  const struct tokens *tokens = walk->tokens;
  const size_t open = at + 1 + token_is(tokens, at + 1, "constexpr");
  if (!token_is(tokens, open, "(")) return semicolon(tokens, at, end) + 1;
  const size_t close = tokens->list[open].partner;
  const bool constant = open > at + 1;
  negate(walk, open + 1, close - 1);
  size_t next = body_of(walk, close + 1, end, depth);
  if (!token_is(tokens, next, "else")) {
    remove_statement(walk, at, next - 1);
    if (!constant) make_change(walk->mutants, tokens, at, close, "%s", "");
    return next;
  }
  const size_t other = next;
  next = body_of(walk, other + 1, end, depth);
  make_change(walk->mutants, tokens, other, next - 1, "%s", "");
  return next;
}

static size_t loop(const struct walk *walk, size_t at, size_t end, unsigned depth, bool removable) {
  const struct tokens *tokens = walk->tokens;
  const size_t open = at + 1;
  if (!token_is(tokens, open, "(")) return semicolon(tokens, at, end) + 1;
  const size_t close = tokens->list[open].partner;
  if (token_is(tokens, at, "while")) negate(walk, open + 1, close - 1);
  if (token_is(tokens, at, "for")) {
    const size_t first = semicolon(tokens, open + 1, close), last = semicolon(tokens, first + 1, close);
    if (last < close && last > first + 1) negate(walk, first + 1, last - 1);
  }
  const size_t next = body_of(walk, close + 1, end, depth);
  if (removable && !token_is(tokens, at, "switch")) remove_statement(walk, at, next - 1);
  return next;
}

static size_t do_loop(const struct walk *walk, size_t at, size_t end, unsigned depth) {
  const struct tokens *tokens = walk->tokens;
  const size_t next = body_of(walk, at + 1, end, depth); // the while
  if (token_is(tokens, next, "while") && token_is(tokens, next + 1, "("))
    negate(walk, next + 2, tokens->list[next + 1].partner - 1);
  return semicolon(tokens, next, end) + 1;
}

static void block(const struct walk *walk, size_t open, unsigned depth) {
  const size_t close = walk->tokens->list[open].partner;
  for (size_t at = open + 1; at < close;)
    at = statement(walk, at, close, depth + 1, true);
}

static size_t simple(const struct walk *walk, size_t at, size_t end, unsigned depth, bool removable) {
  const struct tokens *tokens = walk->tokens;
  const size_t last = semicolon(tokens, at, end);
  const bool result = token_is(tokens, at, "return") && last > at + 1;
  // The last return of a function must stay.
  const bool needed = result && depth < 2;
  if (removable && last < end && last > at && !needed && !is_declaration(tokens, at, last))
    remove_statement(walk, at, last);
  return last + 1;
}

// Makes the mutants of the statement at `at`. Returns the number of the token after it.
static size_t statement(const struct walk *walk, size_t at, size_t end, unsigned depth, bool removable) {
  const struct tokens *tokens = walk->tokens;
  if (at >= end || depth > DEEPEST) return end;
  if (token_is(tokens, at, "{")) {
    block(walk, at, depth);
    return tokens->list[at].partner + 1;
  }
  if (token_is(tokens, at, "if")) return if_statement(walk, at, end, depth);
  if (token_is_one_of(tokens, at, "for while switch")) return loop(walk, at, end, depth, removable);
  if (token_is(tokens, at, "do")) return do_loop(walk, at, end, depth);
  if (token_is_one_of(tokens, at, "case default")) {
    while (at < end && !token_is_one_of(tokens, at, ": ;"))
      at = token_skip(tokens, at);
    return at + 1;
  }
  return simple(walk, at, end, depth, removable);
}

void make_from_statements(struct mutants *mutants, const struct tokens *tokens) {
  const struct walk walk = {mutants, tokens};
  // Bodies inside bodies are lambdas, which a walk through statements doesn't enter.
  for (size_t i = 0; i < tokens->count; i++)
    if (tokens->list[i].body) block(&walk, i, 0);
  negate_choices(&walk);
}
