// In: the outline of a declaration. Out: what it declares. The idea: rather too many names than too few. A
// name too many keeps a piece that nobody needs. A name too few makes the compiler miss a declaration, and
// then the source is compiled again, with everything.
#include "lean/outline.h"

#include <string.h>

// The first names, so a word's number says what it is.
static const struct word {
  const char *text;
  enum word_kind kind;
} words[] = {
    {"namespace", WORD_SPECIAL},
    {"template", WORD_SPECIAL},
    {"using", WORD_SPECIAL},
    {"typedef", WORD_SPECIAL},
    {"operator", WORD_SPECIAL},
    {"static_assert", WORD_SPECIAL},
    {"_Static_assert", WORD_SPECIAL},
    {"extern", WORD_SPECIAL},
    {"constexpr", WORD_PLAIN},
    {"asm", WORD_ATTRIBUTE},
    {"struct", WORD_CLASS},
    {"class", WORD_CLASS},
    {"union", WORD_CLASS},
    {"enum", WORD_CLASS},
    {"__attribute__", WORD_ATTRIBUTE},
    {"__attribute", WORD_ATTRIBUTE},
    {"alignas", WORD_ATTRIBUTE},
    {"__declspec", WORD_ATTRIBUTE},
    {"noexcept", WORD_ATTRIBUTE},
    {"decltype", WORD_ATTRIBUTE},
    {"__decltype", WORD_ATTRIBUTE},
    {"typeof", WORD_ATTRIBUTE},
    {"__typeof__", WORD_ATTRIBUTE},
    {"__typeof", WORD_ATTRIBUTE},
    {"__asm__", WORD_ATTRIBUTE},
    {"__asm", WORD_ATTRIBUTE},
    {"throw", WORD_ATTRIBUTE},
    {"requires", WORD_ATTRIBUTE},
    {"__extension__", WORD_PLAIN},
    {"inline", WORD_PLAIN},
    {"__inline", WORD_PLAIN},
    {"__inline__", WORD_PLAIN},
    {"static", WORD_PLAIN},
    {"const", WORD_PLAIN},
    {"volatile", WORD_PLAIN},
    {"unsigned", WORD_TYPE},
    {"signed", WORD_TYPE},
    {"int", WORD_TYPE},
    {"char", WORD_TYPE},
    {"short", WORD_TYPE},
    {"long", WORD_TYPE},
    {"float", WORD_TYPE},
    {"double", WORD_TYPE},
    {"bool", WORD_TYPE},
    {"void", WORD_TYPE},
    {"auto", WORD_TYPE},
    {"wchar_t", WORD_TYPE},
    {"char16_t", WORD_TYPE},
    {"char32_t", WORD_TYPE},
    {"typename", WORD_PLAIN},
    {"final", WORD_PLAIN},
    {"__restrict", WORD_PLAIN},
    {"__restrict__", WORD_PLAIN},
    {"explicit", WORD_PLAIN},
    {"friend", WORD_PLAIN},
    {"virtual", WORD_PLAIN},
    {"thread_local", WORD_PLAIN},
    {"register", WORD_PLAIN},
    {"mutable", WORD_PLAIN},
    {"sizeof", WORD_PLAIN},
    {"return", WORD_PLAIN},
    {"this", WORD_PLAIN},
    {"if", WORD_PLAIN},
    {"else", WORD_PLAIN},
    {"for", WORD_PLAIN},
    {"while", WORD_PLAIN},
    {"default", WORD_PLAIN},
    {"delete", WORD_PLAIN},
    {"new", WORD_PLAIN},
    {"true", WORD_PLAIN},
    {"false", WORD_PLAIN},
    {"public", WORD_PLAIN},
    {"constructor", WORD_EFFECT},
    {"__constructor__", WORD_EFFECT},
    {"destructor", WORD_EFFECT},
    {"__destructor__", WORD_EFFECT},
    {"used", WORD_EFFECT},
    {"__used__", WORD_EFFECT},
    {"private", WORD_PLAIN},
    {"protected", WORD_PLAIN},
    {"__const", WORD_PLAIN},
};
enum { WORDS = sizeof words / sizeof *words };

enum word_kind word_kind(uint32_t name) {
  return name < WORDS ? words[name].kind : WORD_OTHER;
}

void words_add(struct names *names) {
  for (uint32_t i = 0; i < WORDS; i++)
    names_add(names, words[i].text, strlen(words[i].text));
}

void outline_add(struct outline *outline, struct token token) {
  if (outline->count < MOST_OUTLINE)
    outline->tokens[outline->count++] = token;
  else
    outline->too_long = true;
}

// Where the outline has the sign, or its end.
static uint32_t find_sign(const struct outline *outline, const char *signs) {
  uint32_t i = 0;
  while (i < outline->count &&
         !(outline->tokens[i].kind == TOKEN_SIGN && strchr(signs, outline->tokens[i].sign)))
    i++;
  return i;
}

static bool is_parameter(const struct outline *outline, uint32_t name) {
  for (uint32_t i = 0; i < outline->head_count; i++)
    if (outline->head[i] == name) return true;
  return false;
}

// The same, outside of angle brackets.
static uint32_t find_outer_sign(const struct outline *outline, const char *signs) {
  uint32_t i = 0, depth = 0;
  for (; i < outline->count; i++) {
    const struct token *token = &outline->tokens[i];
    if (depth == 0 && token->kind == TOKEN_SIGN && strchr(signs, token->sign)) break;
    if (token_is_sign(token, '<')) depth++;
    if (token_is_sign(token, '>') && depth > 0) depth--;
  }
  return i;
}

static void add_names_between(struct pieces *pieces, const struct outline *outline, uint32_t first,
                              uint32_t end) {
  for (uint32_t i = first; i < end; i++)
    if (outline->tokens[i].kind == TOKEN_NAME && !is_parameter(outline, outline->tokens[i].name))
      pieces_add_name(pieces, outline->tokens[i].name);
}

static uint32_t find_class(const struct outline *outline, uint32_t end) {
  uint32_t i = 0;
  while (i < end &&
         !(outline->tokens[i].kind == TOKEN_NAME && word_kind(outline->tokens[i].name) == WORD_CLASS))
    i++;
  return i;
}

// struct NAME : BASES { ... } VARIABLES; and the constants of an enum.
static void name_class(struct pieces *pieces, const struct outline *outline, uint32_t class) {
  const uint32_t brace = find_sign(outline, "{");
  uint32_t end = find_sign(outline, ":{<");
  // NAMESPACE::NAME is no list of bases.
  while (end + 1 < outline->count && token_is_sign(&outline->tokens[end], ':') &&
         token_is_sign(&outline->tokens[end + 1], ':'))
    for (end += 2; end < outline->count && outline->tokens[end].kind != TOKEN_SIGN;)
      end++;
  add_names_between(pieces, outline, class, end);
  add_names_between(pieces, outline, brace, outline->count);
  const char *key = words[outline->tokens[class].name].text;
  for (uint32_t i = 0; strcmp(key, "enum") == 0 && i < outline->braced_count; i++)
    pieces_add_name(pieces, pieces->used[outline->braced + i]);
}

// Where NAME<..>, which ends before `end`, has its <. `end` where no angle bracket stands there.
static uint32_t skip_arguments(const struct outline *outline, uint32_t end) {
  uint32_t i = end, depth = 0;
  do {
    if (i == 0) return end;
    i--;
    if (token_is_sign(&outline->tokens[i], '>')) depth++;
    if (token_is_sign(&outline->tokens[i], '<') && depth > 0) depth--;
  } while (depth > 0);
  return token_is_sign(&outline->tokens[i], '<') ? i : end;
}

// The name before a function's brackets, with all that qualifies it. `template <> int NAME<..>(..)`: without
// it the template itself would be used.
static void name_function(struct pieces *pieces, const struct outline *outline, uint32_t brackets) {
  uint32_t i = skip_arguments(outline, brackets);
  if (i > 0 && outline->tokens[i - 1].kind == TOKEN_NAME) pieces_add_name(pieces, outline->tokens[--i].name);
  if (i > 0 && token_is_sign(&outline->tokens[i - 1], '~')) i--;
  if (i > 0 && token_is_sign(&outline->tokens[i - 1], ':')) add_names_between(pieces, outline, 0, i);
  const bool again = brackets + 1 < outline->count && token_is_sign(&outline->tokens[brackets + 1], '(');
  for (uint32_t k = 0; (again || outline->group_has_sign) && k < outline->group_count; k++)
    pieces_add_name(pieces, outline->group[k]);
}

// An operator is needed if one of its parameters' types is, or the class of which it is a member.
static bool name_operator(struct pieces *pieces, const struct outline *outline, uint32_t operator) {
  bool any = operator > 1 && token_is_sign(&outline->tokens[operator - 1], ':');
  if (any) add_names_between(pieces, outline, 0, operator);
  for (uint32_t k = 0; k < outline->group_count; k++) {
    if (word_kind(outline->group[k]) != WORD_OTHER || outline->no_type[k] ||
        is_parameter(outline, outline->group[k]))
      continue;
    pieces_add_name(pieces, outline->group[k]);
    any = true;
  }
  return any;
}

static void name_typedef(struct pieces *pieces, const struct outline *outline) {
  const bool many =
      find_sign(outline, ",<{") < outline->count || find_class(outline, outline->count) < outline->count;
  uint32_t last = outline->count;
  while (last > 0 && outline->tokens[last - 1].kind != TOKEN_NAME)
    last--;
  add_names_between(pieces, outline, many || last == 0 ? 0 : last - 1, outline->count);
  for (uint32_t k = 0; k < outline->group_count; k++)
    pieces_add_name(pieces, outline->group[k]);
}

static enum piece_kind name_using(struct pieces *pieces, const struct outline *outline) {
  if (outline->count > 1 && token_is_name(&outline->tokens[1], NAMESPACE)) return PIECE_KEPT;
  const uint32_t equals = find_sign(outline, "=");
  if (equals < outline->count) add_names_between(pieces, outline, 0, equals);
  for (uint32_t i = 1; equals == outline->count && i < outline->count; i++)
    if (i + 1 == outline->count || token_is_sign(&outline->tokens[i + 1], ','))
      add_names_between(pieces, outline, i, i + 1);
  return PIECE_NAMED;
}

// Whether a variable is only declared, or is a constant: what makes another one may do something else, too.
static bool is_inert(const struct outline *outline) {
  for (uint32_t i = 0; i < outline->count; i++)
    if (token_is_name(&outline->tokens[i], EXTERN) || token_is_name(&outline->tokens[i], CONSTEXPR))
      return true;
  return false;
}

// TYPE NAME<..> = ..: the last name outside of angle brackets; of a class's member its class, too; with
// commas outside of them, all names.
static enum piece_kind name_variables(struct pieces *pieces, const struct outline *outline, uint32_t stop) {
  uint32_t last = stop, depth = 0;
  bool many = false;
  for (uint32_t i = 0; i < outline->count; i++) {
    const struct token *token = &outline->tokens[i];
    if (token_is_sign(token, '<')) depth++;
    if (token_is_sign(token, '>') && depth > 0) depth--;
    many = many || (depth == 0 && token_is_sign(token, ','));
    if (depth == 0 && i < stop && token->kind == TOKEN_NAME) last = i;
  }
  const bool member = last < stop && last > 0 && token_is_sign(&outline->tokens[last - 1], ':');
  if (!member && !is_inert(outline)) return PIECE_KEPT;
  const bool all = many || member || last == stop;
  add_names_between(pieces, outline, all ? 0 : last, all ? outline->count : last + 1);
  return PIECE_NAMED;
}

static bool is_plain(const struct token *token) {
  return token->kind == TOKEN_NAME &&
         (word_kind(token->name) == WORD_PLAIN || word_kind(token->name) == WORD_TYPE);
}

enum piece_kind outline_name(struct pieces *pieces, const struct outline *outline) {
  uint32_t first = 0;
  while (first < outline->count && is_plain(&outline->tokens[first]))
    first++;
  if (outline->too_long || outline->has_effect || first == outline->count) return PIECE_KEPT;
  const struct token *begin = &outline->tokens[first];
  if (token_is_name(begin, ASSERTION) || token_is_name(begin, C_ASSERTION)) return PIECE_ASSERTION;
  if (token_is_name(begin, NAMESPACE)) return PIECE_KEPT;
  if (token_is_name(begin, USING)) return name_using(pieces, outline);
  if (token_is_name(begin, TYPEDEF)) {
    name_typedef(pieces, outline);
    const uint32_t class = find_class(outline, outline->count);
    if (class < outline->count) name_class(pieces, outline, class);
    return PIECE_NAMED;
  }
  for (uint32_t i = 0; i < outline->count; i++)
    if (token_is_name(&outline->tokens[i], OPERATOR))
      return name_operator(pieces, outline, i) ? PIECE_NAMED : PIECE_KEPT;
  const uint32_t stop = find_outer_sign(outline, "({="), class = find_class(outline, stop);
  const bool brackets = stop < outline->count && token_is_sign(&outline->tokens[stop], '(');
  if (brackets) name_function(pieces, outline, stop);
  if (class >= stop) return brackets ? PIECE_NAMED : name_variables(pieces, outline, stop);
  if (find_sign(outline, "{") + 1 < outline->count && !is_inert(outline)) return PIECE_KEPT;
  name_class(pieces, outline, class);
  return PIECE_NAMED;
}

// ---- curly brackets ----

bool outline_opens_scope(const struct outline *outline) {
  for (uint32_t i = 0; i < outline->count; i++) {
    const struct token *token = &outline->tokens[i];
    if (token_is_name(token, NAMESPACE)) return true;
    if (token_is_name(token, EXTERN) && i + 1 < outline->count && outline->tokens[i + 1].kind == TOKEN_STRING)
      return i + 2 == outline->count;
  }
  return false;
}

bool outline_opens_body(const struct outline *outline) {
  const uint32_t stop = find_outer_sign(outline, "(=");
  bool is_operator = false;
  for (uint32_t i = 0; i < outline->count; i++)
    is_operator = is_operator || token_is_name(&outline->tokens[i], OPERATOR);
  if (is_operator) return find_sign(outline, "(") < outline->count;
  if (stop == outline->count || token_is_sign(&outline->tokens[stop], '=')) return false;
  // `= {`, after brackets
  for (uint32_t i = stop; i < outline->count; i++)
    if (token_is_sign(&outline->tokens[i], '=')) return false;
  return true;
}
