// In: tokens. Out: mutants in which two neighbouring arguments of a call or of a launch change places. The
// idea: whether their types allow it is for the compiler to say.
#include "mutants/making.h"

#include <stdlib.h>
#include <string.h>

// Before a ( these are no function's name.
static const char no_call[] =
    "if constexpr while for switch return sizeof alignof alignas decltype catch noexcept asm volatile "
    "__asm__ __align__ __launch_bounds__ __attribute__ static_assert";

static bool is_call(const struct tokens *tokens, size_t open) {
  if (!tokens->list[open].code || open == 0 || tokens->list[open].partner == NO_PARTNER) return false;
  if (token_is(tokens, open, "<<<")) return true;
  if (!token_is(tokens, open, "(")) return false;
  const struct token *before = &tokens->list[open - 1];
  if (before->kind == TOKEN_NAME) return !token_is_one_of(tokens, open - 1, no_call);
  return (before->angle && token_is_one_of(tokens, open - 1, "> >>")) || token_is(tokens, open - 1, ">>>");
}

// The last token of the argument that begins at `first`.
static size_t end_of_argument(const struct tokens *tokens, size_t first, size_t close) {
  size_t at = first;
  while (at < close && !token_is(tokens, at, ","))
    at = token_skip(tokens, at);
  return at - 1;
}

static void exchange(struct mutants *mutants, const struct tokens *tokens, const size_t left[2],
                     const size_t right[2]) {
  char *first = make_text(tokens, left[0], left[1]), *second = make_text(tokens, right[0], right[1]);
  if (!first || !second)
    mutants->out_of_memory = true;
  else if (strcmp(first, second) != 0)
    make_change(mutants, tokens, left[0], right[1], "%s, %s", second, first);
  free(first);
  free(second);
}

void make_from_calls(struct mutants *mutants, const struct tokens *tokens) {
  for (size_t open = 0; open < tokens->count; open++) {
    if (!is_call(tokens, open)) continue;
    const size_t close = tokens->list[open].partner;
    size_t left[2] = {open + 1, end_of_argument(tokens, open + 1, close)};
    while (left[1] + 1 < close && left[1] + 1 > open) {
      const size_t begin = left[1] + 2;
      const size_t right[2] = {begin, end_of_argument(tokens, begin, close)};
      if (right[1] < right[0]) break;
      exchange(mutants, tokens, left, right);
      left[0] = right[0];
      left[1] = right[1];
    }
  }
}
