// In: tokens. Out: which brackets belong together, which < and > may be a template's, and what is inside
// functions. The idea: a comparison that might be a template's bracket is left alone, so nothing is guessed.
#include "mutants/tokens.h"

#include <stdlib.h>
#include <string.h>

// ---- brackets ----

static void join(struct tokens *tokens, size_t open, size_t close) {
  tokens->list[open].partner = close;
  tokens->list[close].partner = open;
}

// Joins ( ), [ ], { }. A launch's <<< and >>> are joined within them.
static bool join_brackets(struct tokens *tokens) {
  size_t *open = calloc(tokens->count + 1, sizeof *open), depth = 0;
  bool closed = open != NULL;
  for (size_t i = 0; closed && i < tokens->count; i++) {
    if (tokens->list[i].kind != TOKEN_SIGN) continue;
    if (token_is_one_of(tokens, i, "( [ { <<<")) {
      open[depth++] = i;
    } else if (token_is(tokens, i, ">>>")) {
      if (depth > 0 && token_is(tokens, open[depth - 1], "<<<")) join(tokens, open[--depth], i);
    } else if (token_is_one_of(tokens, i, ") ] }")) {
      const char *other = token_is(tokens, i, ")") ? "(" : token_is(tokens, i, "]") ? "[" : "{";
      closed = depth > 0 && token_is(tokens, open[depth - 1], other);
      if (closed) join(tokens, open[--depth], i);
    }
  }
  free(open);
  return closed && depth == 0;
}

// ---- templates ----

// How many template brackets the token closes.
static unsigned closes(const struct tokens *tokens, size_t at) {
  if (tokens->list[at].partner != NO_PARTNER) return 0;
  return token_is(tokens, at, ">") ? 1 : token_is(tokens, at, ">>") ? 2 : token_is(tokens, at, ">>>") ? 3 : 0;
}

// The token that would close the template bracket at `open`; NO_PARTNER: nothing does, so it is a comparison.
static size_t find_angle(const struct tokens *tokens, size_t open) {
  unsigned depth = 1;
  for (size_t i = open + 1; i < tokens->count; i = token_skip(tokens, i)) {
    if (tokens->list[i].kind != TOKEN_SIGN) continue;
    if (token_is_one_of(tokens, i, "; { ) ] }")) return NO_PARTNER;
    if (token_is(tokens, i, "<")) depth++;
    const unsigned closed = closes(tokens, i);
    if (closed >= depth) return i;
    depth -= closed;
  }
  return NO_PARTNER;
}

static bool spaced_on_both_sides(const struct tokens *tokens, size_t at) {
  return tokens->list[at].spaced && at + 1 < tokens->count && tokens->list[at + 1].spaced;
}

static bool may_be_template(const struct tokens *tokens, size_t open, size_t close) {
  if (token_is_one_of(tokens, open - 1,
                      "template static_cast reinterpret_cast const_cast dynamic_cast operator"))
    return true;
  const bool comparisons = spaced_on_both_sides(tokens, open) && spaced_on_both_sides(tokens, close);
  return !comparisons || token_is_one_of(tokens, close + 1, "( :: { > ,");
}

static void find_angles(struct tokens *tokens) {
  for (size_t i = 1; i < tokens->count; i++) {
    if (!token_is(tokens, i, "<") || tokens->list[i].angle) continue;
    if (tokens->list[i - 1].kind != TOKEN_NAME) continue;
    const size_t close = find_angle(tokens, i);
    if (close == NO_PARTNER || !may_be_template(tokens, i, close)) continue;
    tokens->list[i].partner = close;
    tokens->list[close].partner = i;
    // Brackets inside, too: they may share the token that closes, >>.
    for (size_t k = i; k <= close; k++)
      if (token_is_one_of(tokens, k, "< > >> >>>")) tokens->list[k].angle = true;
  }
}

// ---- functions ----

// The first token of what the { at `open` ends: a function's or a struct's head, or a statement.
static size_t head_of(const struct tokens *tokens, size_t open) {
  size_t at = open;
  while (at > 0) {
    const size_t before = at - 1, partner = tokens->list[before].partner;
    if (token_is_one_of(tokens, before, "; { }")) break;
    at = partner != NO_PARTNER && partner < before ? partner : before;
  }
  return at;
}

static bool head_has(const struct tokens *tokens, size_t head, size_t open, const char *words) {
  for (size_t i = head; i < open; i = token_skip(tokens, i))
    if (token_is_one_of(tokens, i, words)) return true;
  return false;
}

// [..](..) { or [..] {, where [ begins a lambda: nothing stands before it that could be indexed.
static bool is_lambda(const struct tokens *tokens, size_t open) {
  size_t at = open - 1;
  while (at > 0 && token_is_one_of(tokens, at, "mutable noexcept"))
    at--;
  if (token_is(tokens, at, ")") && tokens->list[at].partner > 0) at = tokens->list[at].partner - 1;
  if (!token_is(tokens, at, "]")) return false;
  const size_t begin = tokens->list[at].partner;
  return begin == 0 || !token_ends_operand(tokens, begin - 1);
}

// Outside of functions: is this { a function's?
static bool is_function(const struct tokens *tokens, size_t open) {
  const size_t head = head_of(tokens, open);
  if (head_has(tokens, head, open, "= namespace")) return false;
  for (size_t i = head; i < open; i = token_skip(tokens, i))
    if (token_is(tokens, i, "(") && i > head && tokens->list[i - 1].kind == TOKEN_NAME &&
        !token_is_one_of(tokens, i - 1, "alignas __align__ __launch_bounds__ __attribute__ decltype"))
      return true;
  return false;
}

static bool is_members(const struct tokens *tokens, size_t open) {
  const size_t head = head_of(tokens, open);
  return head_has(tokens, head, open, "struct class union enum") && !head_has(tokens, head, open, "= (");
}

static void mark_code(struct tokens *tokens, size_t begin, size_t end, bool code) {
  for (size_t i = begin; i < end; i++) {
    struct token *token = &tokens->list[i];
    token->code = code;
    if (!token_is(tokens, i, "{")) continue;
    token->body = i > 0 && (is_lambda(tokens, i) || (!code && is_function(tokens, i)));
    const bool inside = token->body || (code && !is_members(tokens, i));
    mark_code(tokens, i + 1, token->partner, inside);
    i = token->partner;
    tokens->list[i].code = code;
  }
}

// ---- what must not be changed ----

static void fix(struct tokens *tokens, size_t begin, size_t end) {
  for (size_t i = begin; i < end && i < tokens->count; i++)
    tokens->list[i].fixed = true;
}

static void fix_asserts(struct tokens *tokens) {
  for (size_t i = 0; i + 1 < tokens->count; i++) {
    if (!token_is_one_of(tokens, i, "static_assert _Static_assert")) continue;
    fix(tokens, i, token_skip(tokens, i + 1));
  }
}

bool tokens_find_structure(struct tokens *tokens) {
  if (!join_brackets(tokens)) return false;
  find_angles(tokens);
  mark_code(tokens, 0, tokens->count, false);
  fix_asserts(tokens);
  return true;
}
